"""A whole cluster: the parts in the order in which they need each other."""

from __future__ import annotations

import pulumi

from ...cost import estimate
from ...plan.models import ClusterPlan, PoolPlan
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

    def node_pool(pool: PoolPlan) -> NodePool:
        return NodePool(
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

    pools = {pool.name: node_pool(pool) for pool in plan.pools}
    cost = estimate(plan)
    dates = [line.as_of for line in cost.lines if line.usd_per_hour is not None and line.as_of]
    mounts = storage.mounts if storage else {}
    return ClusterOutputs(
        network_id=place.network_id,
        subnet_id=place.subnet_id,
        node_groups={name: pool.group_name for name, pool in pools.items()},
        mounts={name: {"address": mount.address, "path": mount.path} for name, mount in mounts.items()},
        lease_end=spend.lease_end,
        usd_per_hour=None if cost.unknown else round(cost.usd_per_hour, 4),
        usd_per_hour_at_least=round(cost.usd_per_hour, 4),
        price_as_of=min(dates, default=""),
        connect={pool.name: shell_command(pool, place, pools[pool.name]) for pool in plan.pools},
    )
