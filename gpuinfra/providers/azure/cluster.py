"""A whole cluster: the parts in the order in which they need each other."""

from __future__ import annotations

import pulumi

from ...plan.models import ClusterPlan
from ..outputs import cluster_outputs
from ..protocol import ClusterOutputs
from .boot import NodeBoot
from .connect import shell_command
from .identity import NodeIdentity
from .network import ClusterNetwork, ExistingNetwork, cluster_network
from .node_pool import NodePool
from .resource_group import ResourceGroup
from .spend import Spend
from .storage import SharedStorage


def render(
    plan: ClusterPlan, *, parent: pulumi.Resource, network: ClusterNetwork | ExistingNetwork | None = None
) -> ClusterOutputs:
    """Registers every resource of a plan as children of `parent`."""
    opts = pulumi.ResourceOptions(parent=parent)
    prefix = plan.name
    boot = NodeBoot(plan)
    for pool in plan.pools:
        boot.check(pool)
    group = ResourceGroup(f"{prefix}-group", plan, opts)
    place = cluster_network(f"{prefix}-network", plan, network, opts, group)
    storage = SharedStorage(f"{prefix}-storage", plan, opts, group=group, network=place) if plan.storage else None
    buckets = storage.buckets if storage else {}
    identity = NodeIdentity(f"{prefix}-identity", plan, opts, group=group, buckets=buckets)
    spend = Spend(f"{prefix}-spend", plan, opts, group=group)
    pools: dict[str, NodePool] = {}
    # A loop and no comprehension: the SDK walks every frame of the stack for each resource.
    for pool in plan.pools:
        pools[pool.name] = NodePool(
            pool.resource_name,
            plan,
            opts,
            pool=pool.name,
            group=group,
            network=place,
            identity=identity,
            storage=storage,
            spend=spend,
            boot=boot,
        )
    return cluster_outputs(
        plan,
        network_id=place.network_id,
        subnet_id=place.subnet_id,
        node_groups={name: pool.group_name for name, pool in pools.items()},
        mounts=storage.mounts if storage else {},
        lease_end=spend.lease_end,
        connect={pool.name: shell_command(pool, place, pools[pool.name]) for pool in plan.pools},
    )
