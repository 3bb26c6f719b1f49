"""Flex-start: the request by which a group gets its machines, all of them at one moment or none (facts gcp a6)."""

from __future__ import annotations

import pulumi
from pulumi_gcp import compute

from ...plan.models import ClusterPlan, PoolPlan
from .group import Group
from .names import auto_name, project_of
from .scheduling import is_queued, run_seconds

Request = compute.ResizeRequest | compute.RegionResizeRequest


def ask_for_nodes(plan: ClusterPlan, pool: PoolPlan, group: Group, opts: pulumi.ResourceOptions) -> Request | None:
    """Registers the request of a flex-start pool; None for others, and where the pool is off.

    That `up` is done says that the request was taken, not that machines are there. Once they have run out, or for other
    machines, ask again: `pulumi up --replace URN`.
    """
    seconds = run_seconds(plan, pool)
    if not is_queued(pool) or seconds is None or not pool.count_initial:
        return None
    name = f"{pool.resource_name}-request"
    described = f"{pool.count_initial} nodes of pool {pool.name} of {plan.name}"
    options = pulumi.ResourceOptions.merge(
        opts,
        pulumi.ResourceOptions(
            # The number counts on top of what is there, and nothing of a request can be changed: another number in the
            # spec would buy the whole number once more, beside the nodes that run.
            ignore_changes=["resizeBy", "requestedRunDuration", "description"],
            # A group that is made anew is empty.
            replace_with=[group],
        ),
    )
    # A request that has ended can no longer be cancelled, and `destroy` would fail on it; the group's own deletion ends
    # one that waits (hashicorp/terraform-provider-google#25218).
    abandon = "ABANDON"
    if isinstance(group, compute.InstanceGroupManager):
        return compute.ResizeRequest(
            name,
            name=auto_name(name, "instance_group"),
            description=described,
            instance_group_manager=group.name,
            zone=plan.zone,
            resize_by=pool.count_initial,
            # Text here, and a number in the template.
            requested_run_duration=compute.ResizeRequestRequestedRunDurationArgs(seconds=str(seconds)),
            deletion_policy=abandon,
            project=project_of(plan),
            opts=options,
        )
    return compute.RegionResizeRequest(
        name,
        name=auto_name(name, "instance_group"),
        description=described,
        instance_group_manager=group.name,
        region=plan.region,
        resize_by=pool.count_initial,
        requested_run_duration=compute.RegionResizeRequestRequestedRunDurationArgs(seconds=str(seconds)),
        deletion_policy=abandon,
        project=project_of(plan),
        opts=options,
    )
