"""Flex-start: the request by which a group gets its machines, all of them at one moment or none (facts gcp a6)."""

from __future__ import annotations

import pulumi
from pulumi_gcp import compute

from ...plan.models import ClusterPlan, PoolPlan
from ...vocabulary import CapacityType
from .names import auto_name, project_of
from .scheduling import run_seconds


def is_queued(pool: PoolPlan) -> bool:
    """Whether machines come by a request, and not by the group's size."""
    return pool.capacity.type is CapacityType.FLEX_START


def ask_for_nodes(
    plan: ClusterPlan, pool: PoolPlan, group: compute.InstanceGroupManager, opts: pulumi.ResourceOptions
) -> compute.ResizeRequest | None:
    """Registers the request of a flex-start pool; None for others, and where the pool is off.

    That `up` is done says that the request was taken, not that machines are there. Once they have run out, or for other
    machines, ask again: `pulumi up --replace URN`.
    """
    seconds = run_seconds(plan, pool)
    if not is_queued(pool) or seconds is None or not pool.count_initial:
        return None
    name = f"{pool.resource_name}-request"
    return compute.ResizeRequest(
        name,
        name=auto_name(name, "instance_group"),
        description=f"{pool.count_initial} nodes of pool {pool.name} of {plan.name}",
        instance_group_manager=group.name,
        zone=plan.zone,
        # The number counts on top of what is there, and nothing of a request can be changed: another number in the spec
        # would buy the whole number once more, beside the nodes that run.
        resize_by=pool.count_initial,
        # Text here, and a number in the template.
        requested_run_duration=compute.ResizeRequestRequestedRunDurationArgs(seconds=str(seconds)),
        # A request that has ended can no longer be cancelled, and `destroy` would fail on it; the group's own deletion
        # ends one that waits (hashicorp/terraform-provider-google#25218).
        deletion_policy="ABANDON",
        project=project_of(plan),
        opts=pulumi.ResourceOptions.merge(
            opts,
            pulumi.ResourceOptions(
                ignore_changes=["resizeBy", "requestedRunDuration", "description"],
                # A group that is made anew is empty.
                replace_with=[group],
            ),
        ),
    )
