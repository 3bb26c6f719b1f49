"""A pool's launch template: the one owner of image, disk, interfaces, metadata service and purchase."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from ...plan.models import CapacityPlan, ClusterPlan, PoolPlan
from ...vocabulary import CapacityType
from .tags import tags

_EFA_ONLY = "efa-only"
_TAGGED = ("instance", "volume", "network-interface")
_CONTAINER_HOPS = 2


@dataclass(frozen=True)
class NodeParts:
    """What a template takes from elsewhere."""

    image_id: pulumi.Input[str]
    root_device: pulumi.Input[str]
    user_data: pulumi.Input[str]
    """Base64."""
    instance_profile: pulumi.Input[str]
    security_group_ids: Sequence[pulumi.Input[str]]
    placement_group: pulumi.Input[str] | None


def launch_template(
    plan: ClusterPlan, pool: PoolPlan, parts: NodeParts, opts: pulumi.ResourceOptions
) -> aws.ec2.LaunchTemplate:
    """Registers the template of a pool. A change makes a new version; nodes that run keep the old one."""
    name = f"{pool.resource_name}-template"
    return aws.ec2.LaunchTemplate(
        name,
        name=pool.cloud_name,
        description=f"Nodes of pool {pool.name} of {plan.name}",
        image_id=parts.image_id,
        instance_type=pool.instance.name,
        iam_instance_profile=aws.ec2.LaunchTemplateIamInstanceProfileArgs(name=parts.instance_profile),
        user_data=parts.user_data,
        # A guest that is shut down goes away: a stopped one would keep its disk, and the group would replace it anyway.
        instance_initiated_shutdown_behavior="terminate",
        network_interfaces=_interfaces(pool, parts.security_group_ids),
        placement=_placement(parts.placement_group),
        capacity_reservation_specification=_reservation(pool.capacity),
        instance_market_options=_market(pool.capacity),
        metadata_options=aws.ec2.LaunchTemplateMetadataOptionsArgs(
            http_endpoint="enabled",
            http_tokens="required",
            # One hop more than a bare node, so that a container on the bridge network reaches its credentials.
            http_put_response_hop_limit=_CONTAINER_HOPS,
            instance_metadata_tags="disabled",
        ),
        monitoring=aws.ec2.LaunchTemplateMonitoringArgs(enabled=False),
        block_device_mappings=[_root(pool, parts.root_device)],
        # The group's own tags reach instances alone, and the provider's default tags reach neither.
        tag_specifications=[
            aws.ec2.LaunchTemplateTagSpecificationArgs(resource_type=kind, tags=tags(plan, pool.cloud_name, pool))
            for kind in _TAGGED
        ],
        region=plan.region,
        tags=tags(plan, pool.cloud_name, pool),
        opts=opts,
    )


def _interfaces(
    pool: PoolPlan, groups: Sequence[pulumi.Input[str]]
) -> list[aws.ec2.LaunchTemplateNetworkInterfaceArgs]:
    """The planned interfaces. Groups stand in each one, since a template with interfaces refuses groups of its own."""
    found: list[aws.ec2.LaunchTemplateNetworkInterfaceArgs] = []
    for nic in pool.fabric.nics:
        primary = nic.card == 0 and nic.device == 0
        found.append(
            aws.ec2.LaunchTemplateNetworkInterfaceArgs(
                network_card_index=nic.card,
                device_index=nic.device,
                interface_type=nic.kind,
                security_groups=list(groups),
                # The SDK takes this, and the next one, as text.
                delete_on_termination="true",
                # EC2 refuses an address on an EFA-only interface, and a public one on a node with several interfaces.
                associate_public_ip_address=_public_address(pool) if primary else None,
            )
        )
    return found


def _public_address(pool: PoolPlan) -> str:
    return "true" if pool.public_ip and len(pool.fabric.nics) == 1 else "false"


def _placement(group: pulumi.Input[str] | None) -> aws.ec2.LaunchTemplatePlacementArgs | None:
    return aws.ec2.LaunchTemplatePlacementArgs(group_name=group) if group is not None else None


def _reservation(capacity: CapacityPlan) -> aws.ec2.LaunchTemplateCapacityReservationSpecificationArgs | None:
    target = aws.ec2.LaunchTemplateCapacityReservationSpecificationCapacityReservationTargetArgs
    if capacity.type is CapacityType.CAPACITY_BLOCK:
        return aws.ec2.LaunchTemplateCapacityReservationSpecificationArgs(
            capacity_reservation_target=target(capacity_reservation_id=capacity.id)
        )
    if capacity.type is CapacityType.RESERVATION:
        group = capacity.id.startswith("arn:")
        return aws.ec2.LaunchTemplateCapacityReservationSpecificationArgs(
            # With a target EC2 takes no other word (hashicorp/terraform-provider-aws#43890). Without it a full
            # reservation would spill over to nodes at the full price, somewhere else.
            capacity_reservation_preference="capacity-reservations-only",
            capacity_reservation_target=target(capacity_reservation_resource_group_arn=capacity.id)
            if group
            else target(capacity_reservation_id=capacity.id),
        )
    return None


def _market(capacity: CapacityPlan) -> aws.ec2.LaunchTemplateInstanceMarketOptionsArgs | None:
    """A capacity block is a market of its own. Spot is bought by the group, which refuses a template that asks too."""
    if capacity.type is CapacityType.CAPACITY_BLOCK:
        return aws.ec2.LaunchTemplateInstanceMarketOptionsArgs(market_type="capacity-block")
    return None


def _root(pool: PoolPlan, device: pulumi.Input[str]) -> aws.ec2.LaunchTemplateBlockDeviceMappingArgs:
    return aws.ec2.LaunchTemplateBlockDeviceMappingArgs(
        device_name=device,
        ebs=aws.ec2.LaunchTemplateBlockDeviceMappingEbsArgs(
            volume_type="gp3",
            volume_size=pool.node_image.root_gib,
            encrypted="true",
            delete_on_termination="true",
        ),
    )
