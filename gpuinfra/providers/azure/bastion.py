"""Azure Bastion: the way to private nodes for people who have the key and a role on the nodes."""

from __future__ import annotations

import pulumi
from pulumi_azure_native import network

from ...plan.models import ClusterPlan
from .names import fixed_name
from .public_address import public_address
from .resource_group import ResourceGroup
from .tags import tags

_FEWEST_UNITS = 2
_CREATION = "1h"


def bastion_host(
    plan: ClusterPlan, group: ResourceGroup, subnet: network.Subnet, opts: pulumi.ResourceOptions
) -> network.BastionHost:
    """Registers the host. `az network bastion ssh` goes through a tunnel, which the Basic tier has not."""
    logical = f"{plan.name}-bastion"
    address = public_address(f"{logical}-address", plan, group, opts)
    return network.BastionHost(
        logical,
        resource_group_name=group.name,
        bastion_host_name=fixed_name(logical, "bastion"),
        location=plan.region,
        sku=network.SkuArgs(name="Standard"),
        enable_tunneling=True,
        enable_ip_connect=False,
        enable_shareable_link=False,
        scale_units=_FEWEST_UNITS,
        ip_configurations=[
            network.BastionHostIPConfigurationArgs(
                name="bastion",
                subnet=network.SubResourceArgs(id=subnet.id),
                public_ip_address=network.SubResourceArgs(id=address.id),
                private_ip_allocation_method="Dynamic",
            )
        ],
        tags=tags(plan),
        opts=pulumi.ResourceOptions.merge(
            opts,
            pulumi.ResourceOptions(
                # A network has one Bastion, and its subnet is not deleted while it stands in it.
                delete_before_replace=True,
                replace_with=[subnet],
                replace_on_changes=["ipConfigurations"],
                custom_timeouts=pulumi.CustomTimeouts(create=_CREATION, delete=_CREATION),
            ),
        ),
    )
