"""A whole cluster: the parts in the order in which they need each other."""

from __future__ import annotations

import pulumi

from ...plan.models import ClusterPlan
from ..outputs import cluster_outputs
from ..protocol import ClusterOutputs
from .boot import NodeBoot
from .identity import NodeIdentity
from .names import project_of
from .network import ClusterNetwork, ExistingNetwork, cluster_network
from .node_pool import NodePool
from .spend import Spend
from .storage import SharedStorage


def render(
    plan: ClusterPlan, *, parent: pulumi.Resource, network: ClusterNetwork | ExistingNetwork | None = None
) -> ClusterOutputs:
    """Registers every resource of a plan as children of `parent`."""
    opts = pulumi.ResourceOptions(parent=parent)
    prefix = plan.name
    place = cluster_network(f"{prefix}-network", plan, network, opts)
    storage = SharedStorage(f"{prefix}-storage", plan, opts, network=place) if plan.storage else None
    buckets = storage.buckets if storage else {}
    boot = NodeBoot(plan, opts)
    folder = boot.folder.name if boot.folder else None
    identity = NodeIdentity(f"{prefix}-identity", plan, opts, buckets=buckets, boot_folder=folder)
    spend = Spend(f"{prefix}-spend", plan, opts)
    pools: dict[str, NodePool] = {}
    # A loop and no comprehension: the SDK walks every frame of the stack for each resource.
    for pool in plan.pools:
        pools[pool.name] = NodePool(
            pool.resource_name,
            plan,
            opts,
            pool=pool.name,
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
        connect={name: _connect(plan, pool) for name, pool in pools.items()},
    )


def _connect(plan: ClusterPlan, made: NodePool) -> pulumi.Output[str]:
    """The command that opens a shell on one running node of the pool, through Identity-Aware Proxy."""
    project = f"--project {project_of(plan)}"
    group = f"{project} --zone {plan.zone}" if plan.zone else f"{project} --region {plan.region}"
    # A link to the machine says its zone.
    node, named = (group, "instance.basename()") if plan.zone else (project, "instance")
    return made.group_name.apply(
        lambda name: (
            f"gcloud compute ssh --tunnel-through-iap {node} "
            f'"$(gcloud compute instance-groups managed list-instances {name} {group} '
            f"--filter=instanceStatus=RUNNING --limit=1 --format='value({named})')\""
        )
    )
