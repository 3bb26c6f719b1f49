"""A pool of nodes: its scale set, and what acts on it."""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
from pulumi_azure_native import compute

from ...plan.arguments import check_type, chosen_pool
from ...plan.models import ClusterPlan, PoolPlan
from ...spec.models import ClusterSpec
from ..planning import planned
from .boot import NodeBoot
from .identity import NodeIdentity
from .names import fixed_name
from .network import ClusterNetwork, ExistingNetwork, check_network, cluster_network
from .resource_group import ResourceGroup, check_group, resource_group
from .scale_set import NodeParts, scale_set
from .spend import Spend
from .storage import SharedStorage
from .tags import tags


@dataclass(frozen=True)
class Surroundings:
    """What a pool stands in. Pools of one cluster share one."""

    group: ResourceGroup
    network: ClusterNetwork
    identity: NodeIdentity
    storage: SharedStorage | None
    spend: Spend
    boot: NodeBoot


class NodePool(pulumi.ComponentResource):
    """Nodes that are alike, as a scale set."""

    group_name: pulumi.Output[str]
    scale_set_id: pulumi.Output[str]
    resource_group: pulumi.Output[str]
    """Name of the resource group that holds the set."""
    proximity_group: pulumi.Output[str] | None

    def __init__(
        self,
        name: str,
        spec: ClusterSpec | ClusterPlan,
        opts: pulumi.ResourceOptions | None = None,
        *,
        pool: str | None = None,
        group: ResourceGroup | None = None,
        network: ClusterNetwork | ExistingNetwork | None = None,
        identity: NodeIdentity | None = None,
        storage: SharedStorage | None = None,
        spend: Spend | None = None,
        boot: NodeBoot | None = None,
    ) -> None:
        """The pool that the spec names `pool`, or its only one. What is not given is made here, for this pool alone: the
        resource group of the spec, its network, an identity, the spec's storage, and its end and budget."""
        plan = planned(spec, name, opts)
        one = chosen_pool(plan, pool)
        check_group(group)
        check_network(network)
        check_type("identity", identity, NodeIdentity, "a gpuinfra.azure.NodeIdentity")
        check_type("storage", storage, SharedStorage, "a gpuinfra.azure.SharedStorage")
        check_type("spend", spend, Spend, "a gpuinfra.azure.Spend")
        check_type("boot", boot, NodeBoot, "a NodeBoot")
        if identity is not None and plan.idle_after is not None:
            identity.check_covers(one)
        if spend is not None:
            spend.check_covers(one)
        # Who gives a boot has checked it: for every pool, before anything was registered.
        if boot is None:
            NodeBoot(plan).check(one)
        super().__init__("gpuinfra:azure:NodePool", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        around = _surroundings(name, plan, one, group, network, identity, storage, spend, boot, child)
        near = _proximity_group(plan, one, around.group, child)
        made = _scale_set(plan, one, around, near, child)
        around.identity.let_leave(one, made, child)
        around.spend.attach(one, made.id, child)
        self.group_name = made.name
        self.scale_set_id = made.id
        self.resource_group = around.group.name
        self.proximity_group = near
        # The planned name, and not the set's output: with hundreds of pools each output that waits costs time.
        self.register_outputs({"groupName": one.cloud_name})


def _surroundings(
    name: str,
    plan: ClusterPlan,
    pool: PoolPlan,
    group: ResourceGroup | None,
    network: ClusterNetwork | ExistingNetwork | None,
    identity: NodeIdentity | None,
    storage: SharedStorage | None,
    spend: Spend | None,
    boot: NodeBoot | None,
    opts: pulumi.ResourceOptions,
) -> Surroundings:
    # The set stands where its identity's role can be assigned.
    given = group or (identity.group if identity else network.group if isinstance(network, ClusterNetwork) else None)
    where = resource_group(f"{name}-group", plan, given, opts)
    place = cluster_network(f"{name}-network", plan, network, opts, where)
    if storage is None and plan.storage:
        storage = SharedStorage(f"{name}-storage", plan, opts, group=where, network=place)
    buckets = storage.buckets if storage else {}
    return Surroundings(
        where,
        place,
        identity or NodeIdentity(f"{name}-identity", plan, opts, group=where, pools=(pool.name,), buckets=buckets),
        storage,
        spend or Spend(f"{name}-spend", plan, opts, group=where, pools=(pool.name,)),
        boot or NodeBoot(plan),
    )


def _proximity_group(
    plan: ClusterPlan, pool: PoolPlan, group: ResourceGroup, opts: pulumi.ResourceOptions
) -> pulumi.Output[str] | None:
    """The id of the group: the one that the spec names, in the cluster's resource group where it is no id, or a new one."""
    if pool.placement.mode == "existing":
        if pool.placement.name.startswith("/"):
            return pulumi.Output.from_input(pool.placement.name)
        return group.inside("Microsoft.Compute/proximityPlacementGroups", pool.placement.name)
    if pool.placement.mode != "new":
        return None
    logical = f"{pool.resource_name}-near"
    return compute.ProximityPlacementGroup(
        logical,
        resource_group_name=group.name,
        proximity_placement_group_name=fixed_name(logical, "proximity_placement_group", plan.region, pool.zone),
        location=plan.region,
        proximity_placement_group_type="Standard",
        zones=[pool.zone] if pool.zone else None,
        tags=tags(plan, pool),
        opts=pulumi.ResourceOptions.merge(
            opts, pulumi.ResourceOptions(replace_on_changes=["proximityPlacementGroupType", "zones"])
        ),
    ).id


def _scale_set(
    plan: ClusterPlan,
    pool: PoolPlan,
    around: Surroundings,
    near: pulumi.Output[str] | None,
    opts: pulumi.ResourceOptions,
) -> compute.VirtualMachineScaleSet:
    waits: list[pulumi.Resource] = [*around.network.ready, *around.identity.ready]
    waits += around.storage.ready if around.storage else ()
    parts = NodeParts(
        custom_data=around.boot.custom_data(pool, around.identity, around.storage),
        identity_id=around.identity.identity_id,
        subnet_id=around.network.subnet_id,
        security_group_id=around.network.security_group_id,
        proximity_group=near,
        nodes=around.spend.limits(pool).initial,
    )
    after = pulumi.ResourceOptions.merge(
        opts,
        pulumi.ResourceOptions(
            depends_on=waits,
            # A subnet that nodes stand in is never deleted: they go first, and come back into the new one.
            replace_with=list(around.network.ready),
            # ARM moves no set to another network (Azure, Networking for Virtual Machine Scale Sets).
            replacement_trigger=around.network.network_id,
        ),
    )
    return scale_set(plan, pool, around.group, parts, after)
