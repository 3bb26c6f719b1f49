"""A pool's managed instance group: of one zone, or of the region where no zone is named.

It heals nothing by health checks and moves no node to a new template: a training run must not end because something else
changed, so nodes take the template when they are next replaced.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
from pulumi_gcp import compute

from ...plan.models import ClusterPlan, PoolPlan
from .names import project_of
from .scheduling import is_queued

Group = compute.InstanceGroupManager | compute.RegionInstanceGroupManager

_NEVER = "OPPORTUNISTIC"
_MOST_ZONES = 10
"""More than a region has: a regional group takes none, or at least one for each zone."""


@dataclass(frozen=True)
class GroupParts:
    """What a group takes from elsewhere."""

    template: pulumi.Input[str]
    workload_policy: pulumi.Input[str] | None
    size: pulumi.Input[int]
    waits: Sequence[pulumi.Resource]
    stands_in: Sequence[pulumi.Resource]
    """What cannot go while a node of the group is in it."""


def managed_group(plan: ClusterPlan, pool: PoolPlan, parts: GroupParts, opts: pulumi.ResourceOptions) -> Group:
    """Registers the group of a pool."""
    options = pulumi.ResourceOptions.merge(
        opts,
        pulumi.ResourceOptions(
            depends_on=list(parts.waits),
            # Something else moves the number; the next `up` must not buy the nodes back (wire name: the SDK translates
            # top-level names alone, pulumi/pulumi#7081).
            ignore_changes=["targetSize"] if pool.scales_itself else None,
            # A new template moves no node, so the old subnet could not go.
            replace_with=list(parts.stands_in) or None,
            # Its name is taken until the old one is gone, and so are its machines.
            delete_before_replace=True,
        ),
    )
    # Flex-start nodes come by the request, and count on top.
    size = 0 if is_queued(pool) else parts.size
    return (_zonal if plan.zone else _regional)(plan, pool, parts, size, options)


def _zonal(
    plan: ClusterPlan, pool: PoolPlan, parts: GroupParts, size: pulumi.Input[int], opts: pulumi.ResourceOptions
) -> Group:
    policy = parts.workload_policy
    return compute.InstanceGroupManager(
        f"{pool.resource_name}-group",
        name=pool.cloud_name,
        base_instance_name=pool.cloud_name,
        description=_description(plan, pool),
        zone=plan.zone,
        versions=[compute.InstanceGroupManagerVersionArgs(instance_template=parts.template)],
        target_size=size,
        # GPUs may take hours to come: `up` would wait, fail, and hide why (facts gcp d28).
        wait_for_instances=False,
        update_policy=compute.InstanceGroupManagerUpdatePolicyArgs(
            type=_NEVER,
            minimal_action="REPLACE",
            # Both written out, since a full reservation has no room for one more; both zero are refused
            # (hashicorp/terraform-provider-google#17164).
            max_surge_fixed=0,
            max_unavailable_fixed=1,
        ),
        instance_lifecycle_policy=compute.InstanceGroupManagerInstanceLifecyclePolicyArgs(
            default_action_on_failure=_on_failure(pool), force_update_on_repair="NO"
        ),
        resource_policies=compute.InstanceGroupManagerResourcePoliciesArgs(workload_policy=policy)
        if policy is not None
        else None,
        project=project_of(plan),
        opts=opts,
    )


def _regional(
    plan: ClusterPlan, pool: PoolPlan, parts: GroupParts, size: pulumi.Input[int], opts: pulumi.ResourceOptions
) -> Group:
    """Google chooses the zone, one for all nodes, and moves none between zones."""
    policy = parts.workload_policy
    return compute.RegionInstanceGroupManager(
        f"{pool.resource_name}-group",
        name=pool.cloud_name,
        base_instance_name=pool.cloud_name,
        description=_description(plan, pool),
        region=plan.region,
        distribution_policy_target_shape="ANY_SINGLE_ZONE",
        versions=[compute.RegionInstanceGroupManagerVersionArgs(instance_template=parts.template)],
        target_size=size,
        wait_for_instances=False,
        update_policy=compute.RegionInstanceGroupManagerUpdatePolicyArgs(
            type=_NEVER,
            minimal_action="REPLACE",
            instance_redistribution_type="NONE",
            max_surge_fixed=0,
            max_unavailable_fixed=_MOST_ZONES,
        ),
        instance_lifecycle_policy=compute.RegionInstanceGroupManagerInstanceLifecyclePolicyArgs(
            default_action_on_failure=_on_failure(pool), force_update_on_repair="NO"
        ),
        resource_policies=compute.RegionInstanceGroupManagerResourcePoliciesArgs(workload_policy=policy)
        if policy is not None
        else None,
        project=project_of(plan),
        opts=opts,
    )


def _description(plan: ClusterPlan, pool: PoolPlan) -> str:
    return f"Pool {pool.name} of {plan.name}"


def _on_failure(pool: PoolPlan) -> str:
    """What a request brought is not bought again one by one."""
    return "DO_NOTHING" if is_queued(pool) else "REPAIR"
