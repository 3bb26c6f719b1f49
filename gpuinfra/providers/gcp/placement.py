"""Where a pool's machines stand to each other: a policy on the group, or on each machine, by family (facts gcp a4)."""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
from pulumi_gcp import compute

from ... import catalog
from ...catalog import NicLayout
from ...plan.models import ClusterPlan, PoolPlan
from .names import auto_name, project_of

_WORKLOAD = "workload"


@dataclass(frozen=True)
class Together:
    """The policy of a pool: on the group, or on its template; neither where machines stand anywhere."""

    on_group: pulumi.Input[str] | None = None
    on_template: pulumi.Input[str] | None = None
    policy: compute.ResourcePolicy | None = None
    """The policy that was made here."""


def together(plan: ClusterPlan, pool: PoolPlan, opts: pulumi.ResourceOptions) -> Together:
    """The policy that the plan wants, made or the user's own."""
    if pool.placement.mode == "none":
        return Together()
    layout = catalog.nic_layout(pool.instance.name)
    made = _policy(plan, pool, layout, opts) if pool.placement.mode == "new" else None
    link = made.self_link if made else _own(plan, pool.placement.name)
    if layout.grouped_by == _WORKLOAD:
        return Together(on_group=link, policy=made)
    return Together(on_template=link, policy=made)


def _policy(
    plan: ClusterPlan, pool: PoolPlan, layout: NicLayout, opts: pulumi.ResourceOptions
) -> compute.ResourcePolicy:
    workload = layout.grouped_by == _WORKLOAD
    kind = f"workload{f'-{layout.topology}' if layout.topology else ''}" if workload else "collocated"
    # What a policy asks for stands in its name: Google changes it in place, and machines stay where they are, so a policy
    # that asks for something else must be another (facts gcp a11).
    name = f"{pool.resource_name}-{kind}"
    return compute.ResourcePolicy(
        name,
        name=auto_name(name, "resource_policy"),
        description=f"Nodes of {pool.name} of {plan.name} stand close together",
        workload_policy=compute.ResourcePolicyWorkloadPolicyArgs(
            type="HIGH_THROUGHPUT", accelerator_topology=layout.topology or None
        )
        if workload
        else None,
        # No distance: 1 is refused with reservations and on A3, and others need leave by Google's account team.
        group_placement_policy=None
        if workload
        else compute.ResourcePolicyGroupPlacementPolicyArgs(collocation="COLLOCATED"),
        region=plan.region,
        project=project_of(plan),
        opts=opts,
    )


def _own(plan: ClusterPlan, name: str) -> str:
    return name if "/" in name else f"projects/{project_of(plan)}/regions/{plan.region}/resourcePolicies/{name}"
