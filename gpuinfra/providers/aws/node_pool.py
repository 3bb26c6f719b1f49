"""A pool of nodes: its launch template and its Auto Scaling group."""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from ...plan.arguments import check_type, chosen_pool
from ...plan.models import ClusterPlan, PoolPlan
from ...spec.models import ClusterSpec
from ...vocabulary import CapacityType
from ..planning import planned
from .boot import NodeBoot
from .capacity_block import follow_block
from .identity import NodeIdentity
from .launch_template import NodeParts, launch_template
from .network import ClusterNetwork, ExistingNetwork, check_network, cluster_network
from .spend import Spend
from .storage import SharedStorage
from .tags import tags

_NO_WAIT = "0"


@dataclass(frozen=True)
class Surroundings:
    """What a pool stands in. Pools of one cluster share one."""

    network: ClusterNetwork
    identity: NodeIdentity
    storage: SharedStorage | None
    spend: Spend
    boot: NodeBoot


class NodePool(pulumi.ComponentResource):
    """Nodes that are alike, as an Auto Scaling group."""

    group_name: pulumi.Output[str]
    group_arn: pulumi.Output[str]
    launch_template_id: pulumi.Output[str]
    placement_group: pulumi.Output[str] | None

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
        check_type("identity", identity, NodeIdentity, "a gpuinfra.aws.NodeIdentity")
        check_type("storage", storage, SharedStorage, "a gpuinfra.aws.SharedStorage")
        check_type("spend", spend, Spend, "a gpuinfra.aws.Spend")
        check_type("boot", boot, NodeBoot, "a NodeBoot")
        if identity is not None and plan.idle_after is not None:
            identity.check_covers(one)
        if spend is not None:
            spend.check_covers(one)
        super().__init__("gpuinfra:aws:NodePool", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        around = _surroundings(name, plan, one, network, identity, storage, spend, boot, child)
        group_of_place = _placement_group(plan, one, child)
        template = launch_template(
            plan,
            one,
            NodeParts(
                image_id=around.boot.image_id(one),
                root_device=around.boot.root_device(one),
                user_data=around.boot.user_data(one, around.storage),
                instance_profile=around.identity.instance_profile,
                security_group_ids=around.network.security_group_ids,
                placement_group=_placement_name(one, group_of_place),
            ),
            child,
        )
        group = _group(plan, one, around, template, group_of_place, child)
        follow_block(plan, one, group, around.spend, child)
        self.group_name = group.name
        self.group_arn = group.arn
        self.launch_template_id = template.id
        self.placement_group = group_of_place.name if group_of_place else None
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
    buckets = storage.bucket_arns if storage else {}
    boot = boot or NodeBoot(plan, opts)
    folder = boot.folder.arn if boot.folder else None
    return Surroundings(
        place,
        identity
        or NodeIdentity(f"{name}-identity", plan, opts, pools=(pool.name,), buckets=buckets, boot_folder=folder),
        storage,
        spend or Spend(f"{name}-spend", plan, opts, pools=(pool.name,)),
        boot,
    )


def _placement_group(plan: ClusterPlan, pool: PoolPlan, opts: pulumi.ResourceOptions) -> aws.ec2.PlacementGroup | None:
    if pool.placement.mode != "new":
        return None
    return aws.ec2.PlacementGroup(
        f"{pool.resource_name}-placement",
        name=pool.cloud_name,
        strategy="cluster",
        region=plan.region,
        tags=tags(plan, pool.cloud_name, pool),
        # Its name is taken until the old one is gone.
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(delete_before_replace=True)),
    )


def _placement_name(pool: PoolPlan, made: aws.ec2.PlacementGroup | None) -> pulumi.Input[str] | None:
    return made.name if made else (pool.placement.name or None)


def _group(
    plan: ClusterPlan,
    pool: PoolPlan,
    around: Surroundings,
    template: aws.ec2.LaunchTemplate,
    placement: aws.ec2.PlacementGroup | None,
    opts: pulumi.ResourceOptions,
) -> aws.autoscaling.Group:
    """The group. No instance refresh: a new template version must not end a training run, so nodes take it when they
    are next replaced."""
    spot = pool.capacity.type is CapacityType.SPOT
    network = around.network
    subnet = network.public_subnet_id if pool.public_ip and network.public_subnet_id is not None else network.subnet_id
    version = template.latest_version.apply(_version)
    limits = around.spend.limits(pool)
    waits: list[pulumi.Resource] = [*network.ready, *around.identity.ready]
    waits += around.storage.ready if around.storage else ()
    # A placement group cannot go while a node of it drains, so it must go after the group (pulumi deletes backwards).
    waits += [placement] if placement else []
    return aws.autoscaling.Group(
        f"{pool.resource_name}-group",
        name=pool.cloud_name,
        # One subnet: EFA does not leave it, and a second zone would split the fabric.
        vpc_zone_identifiers=[subnet],
        min_size=limits.least,
        max_size=limits.most,
        desired_capacity=limits.initial,
        launch_template=None if spot else aws.autoscaling.GroupLaunchTemplateArgs(id=template.id, version=version),
        mixed_instances_policy=_spot_policy(template, version) if spot else None,
        capacity_rebalance=True if spot else None,
        # Moving nodes between zones would end runs; there is one zone anyway.
        suspended_processes=["AZRebalance"],
        # GPUs may take hours to come: `up` would wait ten minutes and fail.
        wait_for_capacity_timeout=_NO_WAIT,
        health_check_type="EC2",
        force_delete=False,
        tags=[
            aws.autoscaling.GroupTagArgs(key=key, value=value, propagate_at_launch=True)
            for key, value in sorted(tags(plan, pool.cloud_name, pool).items())
        ],
        region=plan.region,
        opts=pulumi.ResourceOptions.merge(
            opts,
            pulumi.ResourceOptions(
                depends_on=waits,
                # Something else moves the number; the next `up` must not buy the nodes back (wire name: the SDK
                # translates top-level names alone, pulumi/pulumi#7081).
                ignore_changes=["desiredCapacity"] if pool.scales_itself else None,
                # Moved to another subnet, a group that does not rebalance leaves its nodes in the old one, which then
                # cannot go.
                replace_on_changes=["vpcZoneIdentifiers"],
                # Its name is taken until the old one is gone, and a full reservation has no room for a second group
                # (hashicorp/terraform-provider-aws#22548).
                delete_before_replace=True,
            ),
        ),
    )


def _version(number: object) -> str | None:
    # Whole numbers cross the wire as floats, and EC2 knows no version 3.0; under mocks there is no number at all, and
    # its text would be "None".
    if number is None:
        return None
    return str(int(number)) if isinstance(number, float) else str(number)


def _spot_policy(
    template: aws.ec2.LaunchTemplate, version: pulumi.Output[str | None]
) -> aws.autoscaling.GroupMixedInstancesPolicyArgs:
    """All spot. The group buys it and not the template, because only a group chooses by capacity and replaces a node
    when a reclaim is likely (EC2 User Guide, "Best practices for Amazon EC2 Spot"); no price limit is set."""
    specification = aws.autoscaling.GroupMixedInstancesPolicyLaunchTemplateLaunchTemplateSpecificationArgs(
        launch_template_id=template.id, version=version
    )
    return aws.autoscaling.GroupMixedInstancesPolicyArgs(
        launch_template=aws.autoscaling.GroupMixedInstancesPolicyLaunchTemplateArgs(
            launch_template_specification=specification
        ),
        instances_distribution=aws.autoscaling.GroupMixedInstancesPolicyInstancesDistributionArgs(
            on_demand_base_capacity=0,
            on_demand_percentage_above_base_capacity=0,
            spot_allocation_strategy="price-capacity-optimized",
        ),
    )
