"""A pool of nodes: its instance template and its managed instance group."""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
from pulumi_gcp import compute

from ...plan.arguments import check_type, chosen_pool
from ...plan.models import ClusterPlan, PoolPlan
from ...spec.models import ClusterSpec
from ..planning import planned
from .boot import NodeBoot
from .flex_start import ask_for_nodes
from .group import GroupParts, managed_group
from .identity import NodeIdentity
from .instance_template import NodeParts, instance_template
from .network import ClusterNetwork, ExistingNetwork, check_network, cluster_network
from .placement import together
from .spend import Spend
from .storage import SharedStorage


@dataclass(frozen=True)
class Surroundings:
    """What a pool stands in. Pools of one cluster share one."""

    network: ClusterNetwork
    identity: NodeIdentity
    storage: SharedStorage | None
    spend: Spend
    boot: NodeBoot


class NodePool(pulumi.ComponentResource):
    """Nodes that are alike, as a managed instance group."""

    group_name: pulumi.Output[str]
    group_link: pulumi.Output[str]
    template_link: pulumi.Output[str]
    placement_policy: pulumi.Output[str] | None
    """The policy that was made for the pool."""
    request: compute.ResizeRequest | compute.RegionResizeRequest | None
    """The request of a flex-start pool."""

    def __init__(
        self,
        name: str,
        spec: ClusterSpec | ClusterPlan,
        opts: pulumi.ResourceOptions | None = None,
        *,
        pool: str | None = None,
        network: ClusterNetwork | ExistingNetwork | None = None,
        identity: NodeIdentity | None = None,
        storage: SharedStorage | None = None,
        spend: Spend | None = None,
        boot: NodeBoot | None = None,
    ) -> None:
        """The pool that the spec names `pool`, or its only one. What is not given is made here, for this pool alone:
        the network of the spec, an identity, the spec's storage, and its end and budget."""
        plan = planned(spec, name, opts)
        one = chosen_pool(plan, pool)
        check_network(network)
        check_type("identity", identity, NodeIdentity, "a gpuinfra.gcp.NodeIdentity")
        check_type("storage", storage, SharedStorage, "a gpuinfra.gcp.SharedStorage")
        check_type("spend", spend, Spend, "a gpuinfra.gcp.Spend")
        check_type("boot", boot, NodeBoot, "a NodeBoot")
        if identity is not None and plan.idle_after is not None:
            identity.check_covers(one)
        if spend is not None:
            spend.check_covers(one)
        super().__init__("gpuinfra:gcp:NodePool", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        around = _surroundings(name, plan, one, network, identity, storage, spend, boot, child)
        close = together(plan, one, child)
        template = instance_template(
            plan,
            one,
            NodeParts(
                image=around.boot.image(one),
                metadata=around.boot.metadata(one, around.storage),
                email=around.identity.email,
                network=around.network,
                together=close,
            ),
            child,
        )
        waits = (*around.network.ready, *around.identity.ready, *(around.storage.ready if around.storage else ()))
        size = around.spend.limits(one).initial
        stands_in = around.network.made_for(one)
        group = managed_group(plan, one, GroupParts(template.self_link, close.on_group, size, waits, stands_in), child)
        self.request = ask_for_nodes(plan, one, group, child)
        self.group_name = group.name
        self.group_link = group.self_link
        self.template_link = template.self_link
        self.placement_policy = close.policy.name if close.policy else None
        # The planned name, and not the group's output: with hundreds of pools each output that waits costs time.
        self.register_outputs({"groupName": one.cloud_name})


def _surroundings(
    name: str,
    plan: ClusterPlan,
    pool: PoolPlan,
    network: ClusterNetwork | ExistingNetwork | None,
    identity: NodeIdentity | None,
    storage: SharedStorage | None,
    spend: Spend | None,
    boot: NodeBoot | None,
    opts: pulumi.ResourceOptions,
) -> Surroundings:
    place = cluster_network(f"{name}-network", plan, network, opts)
    if storage is None and plan.storage:
        storage = SharedStorage(f"{name}-storage", plan, opts, network=place)
    buckets = storage.buckets if storage else {}
    boot = boot or NodeBoot(plan, opts)
    folder = boot.folder.name if boot.folder else None
    return Surroundings(
        place,
        identity
        or NodeIdentity(f"{name}-identity", plan, opts, pools=(pool.name,), buckets=buckets, boot_folder=folder),
        storage,
        spend or Spend(f"{name}-spend", plan, opts, pools=(pool.name,)),
        boot,
    )
