"""A pool of nodes: its instance template and its managed instance group."""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
from pulumi_gcp import compute

from ...plan.arguments import check_name, check_type
from ...plan.models import ClusterPlan, PoolPlan
from ...spec.models import ClusterSpec
from ..planning import planned
from .boot import NodeBoot
from .flex_start import ask_for_nodes, is_queued
from .identity import NodeIdentity
from .instance_template import NodeParts, instance_template
from .names import project_of
from .network import ClusterNetwork, ExistingNetwork, check_network, cluster_network
from .placement import Together, together
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
    """Nodes that are alike, as a managed instance group in one zone."""

    group_name: pulumi.Output[str]
    group_link: pulumi.Output[str]
    template_link: pulumi.Output[str]
    placement_policy: pulumi.Output[str] | None
    """The policy that was made for the pool."""
    request: compute.ResizeRequest | None
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
        one = _pool(plan, pool)
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
        group = _group(plan, one, around, template, close, child)
        self.request = ask_for_nodes(plan, one, group, child)
        self.group_name = group.name
        self.group_link = group.self_link
        self.template_link = template.self_link
        self.placement_policy = close.policy.name if close.policy else None
        # The planned name, and not the group's output: with hundreds of pools each output that waits costs time.
        self.register_outputs({"groupName": one.cloud_name})


def _pool(plan: ClusterPlan, name: str | None) -> PoolPlan:
    names = [p.name for p in plan.pools]
    check_name("pool", "pool", name, names)
    if name is None and len(names) != 1:
        raise ValueError(f"pool: the spec has several pools and none was chosen; the spec's pools: {', '.join(names)}")
    return next(p for p in plan.pools if name in (None, p.name))


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


def _group(
    plan: ClusterPlan,
    pool: PoolPlan,
    around: Surroundings,
    template: compute.RegionInstanceTemplate,
    close: Together,
    opts: pulumi.ResourceOptions,
) -> compute.InstanceGroupManager:
    """The group. It heals nothing by health checks and moves no node to a new template: a training run must not end
    because something else changed, so nodes take the template when they are next replaced."""
    queued = is_queued(pool)
    waits: list[pulumi.Resource] = [*around.network.ready, *around.identity.ready]
    waits += around.storage.ready if around.storage else ()
    return compute.InstanceGroupManager(
        f"{pool.resource_name}-group",
        name=pool.cloud_name,
        base_instance_name=pool.cloud_name,
        description=f"Pool {pool.name} of {plan.name}",
        zone=plan.zone,
        versions=[compute.InstanceGroupManagerVersionArgs(instance_template=template.self_link)],
        # Flex-start nodes come by the request, and count on top.
        target_size=0 if queued else around.spend.limits(pool).initial,
        # GPUs may take hours to come: `up` would wait, fail, and hide why (facts gcp d28).
        wait_for_instances=False,
        update_policy=compute.InstanceGroupManagerUpdatePolicyArgs(
            type="OPPORTUNISTIC",
            minimal_action="REPLACE",
            # Both written out, since a full reservation has no room for one more; both zero are refused
            # (hashicorp/terraform-provider-google#17164).
            max_surge_fixed=0,
            max_unavailable_fixed=1,
        ),
        instance_lifecycle_policy=compute.InstanceGroupManagerInstanceLifecyclePolicyArgs(
            # What a request brought is not bought again one by one.
            default_action_on_failure="DO_NOTHING" if queued else "REPAIR",
            force_update_on_repair="NO",
        ),
        resource_policies=compute.InstanceGroupManagerResourcePoliciesArgs(workload_policy=close.on_group)
        if close.on_group is not None
        else None,
        project=project_of(plan),
        opts=pulumi.ResourceOptions.merge(
            opts,
            pulumi.ResourceOptions(
                depends_on=waits,
                # Something else moves the number; the next `up` must not buy the nodes back (wire name: the SDK
                # translates top-level names alone, pulumi/pulumi#7081).
                ignore_changes=["targetSize"] if pool.scales_itself else None,
                # Its name is taken until the old one is gone, and so are its machines.
                delete_before_replace=True,
            ),
        ),
    )
