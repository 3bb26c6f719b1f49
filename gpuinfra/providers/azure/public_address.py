"""Public addresses: Standard and static, which is all that Azure still makes."""

from __future__ import annotations

import pulumi
from pulumi_azure_native import network

from ...plan.models import ClusterPlan
from .names import fixed_name
from .resource_group import ResourceGroup
from .tags import tags


def public_address(
    logical: str, plan: ClusterPlan, group: ResourceGroup, opts: pulumi.ResourceOptions, *, zone: str = ""
) -> network.PublicIPAddress:
    """Registers an address: in the zone of what it is put on, or of the whole region."""
    return network.PublicIPAddress(
        logical,
        resource_group_name=group.name,
        public_ip_address_name=fixed_name(logical, "public_ip", plan.region, zone),
        location=plan.region,
        sku=network.PublicIPAddressSkuArgs(name="Standard", tier="Regional"),
        public_ip_allocation_method="Static",
        public_ip_address_version="IPv4",
        zones=[zone] if zone else None,
        tags=tags(plan),
        opts=pulumi.ResourceOptions.merge(
            opts, pulumi.ResourceOptions(replace_on_changes=["publicIPAllocationMethod", "zones"])
        ),
    )
