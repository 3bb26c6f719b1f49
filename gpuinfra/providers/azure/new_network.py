"""A new virtual network: its subnets, the way out of the private ones, and a Bastion where the location asks for one."""

from __future__ import annotations

import pulumi
from pulumi_azure_native import network

from ...plan.models import ClusterPlan, Subnet
from ...plan.network import BASTION_ROLE
from ...vocabulary import StorageKind
from .bastion import bastion_host
from .firewall import lustre_firewall
from .names import fixed_name
from .public_address import public_address
from .resource_group import ResourceGroup
from .tags import tags

_NETAPP = "Microsoft.NetApp/volumes"
_NODES = "nodes"
# The name by which Azure knows it (Azure Bastion, settings).
_BASTION_SUBNET = "AzureBastionSubnet"
_IDLE_MINUTES = 10


class NewNetwork:
    """The parts of one new network, by what they are for."""

    network: network.VirtualNetwork
    nodes: network.Subnet
    storage_subnets: dict[str, network.Subnet]
    """By storage name."""
    bastion: network.BastionHost | None

    def __init__(
        self,
        plan: ClusterPlan,
        group: ResourceGroup,
        wall: network.NetworkSecurityGroup,
        opts: pulumi.ResourceOptions,
    ) -> None:
        self._plan = plan
        self._group = group
        self._opts = opts
        self._last: network.Subnet | None = None
        self.network = self._virtual_network()
        new = {s.name: s for s in plan.storage if not s.existing}
        way_out = self._way_out() if plan.network.needs_nat else None
        private = way_out if any(not p.public_ip for p in plan.pools) else None
        lustre_wall = None
        if any(plan.network.subnet(f"storage-{n}") for n, s in new.items() if s.kind is StorageKind.LUSTRE):
            lustre_wall = lustre_firewall(plan, group, opts)
        self.storage_subnets = {}
        self.bastion = None
        for subnet in plan.network.subnets:
            name = subnet.role.removeprefix("storage-")
            if subnet.role == _NODES:
                self.nodes = self._subnet(f"{plan.name}-nodes-subnet", subnet, wall, private)
            elif subnet.role == BASTION_ROLE:
                made = self._subnet(f"{plan.name}-bastion-subnet", subnet, None, None, name=_BASTION_SUBNET)
                self.bastion = bastion_host(plan, group, made, opts)
            elif name in new and new[name].kind is StorageKind.LUSTRE:
                logical = f"{new[name].resource_name}-subnet"
                # The servers are managed over the internet side of Azure's services, which a private subnet without a
                # gateway does not reach (Azure Managed Lustre, prerequisites: subnet access and permissions).
                self.storage_subnets[name] = self._subnet(logical, subnet, lustre_wall, way_out)
            elif name in new:
                logical = f"{new[name].resource_name}-subnet"
                self.storage_subnets[name] = self._subnet(logical, subnet, None, None, delegate=_NETAPP)

    def _virtual_network(self) -> network.VirtualNetwork:
        logical = f"{self._plan.name}-vnet"
        return network.VirtualNetwork(
            logical,
            resource_group_name=self._group.name,
            virtual_network_name=fixed_name(logical, "virtual_network", self._plan.region, self._plan.network.cidr),
            location=self._plan.region,
            address_space=network.AddressSpaceArgs(address_prefixes=[self._plan.network.cidr]),
            tags=tags(self._plan),
            # Subnets are resources of their own, and ARM shows them in the network too: an update that does not name
            # them would take them away (pulumi/pulumi-azure-native#611).
            opts=pulumi.ResourceOptions.merge(
                self._opts,
                pulumi.ResourceOptions(
                    ignore_changes=["subnets"],
                    # A network keeps the ranges that its subnets have, and these go only after it.
                    replace_on_changes=["addressSpace"],
                ),
            ),
        )

    def _way_out(self) -> network.NatGateway:
        logical = f"{self._plan.name}-nat"
        address = public_address(f"{logical}-address", self._plan, self._group, self._opts, zone=self._plan.zone)
        return network.NatGateway(
            logical,
            resource_group_name=self._group.name,
            nat_gateway_name=fixed_name(logical, "nat_gateway", self._plan.region, self._plan.zone),
            location=self._plan.region,
            sku=network.NatGatewaySkuArgs(name="Standard"),
            # The nodes' zone, and its address's: ARM refuses a mixture (fortinet/azure-templates#43).
            zones=[self._plan.zone] if self._plan.zone else None,
            public_ip_addresses=[network.SubResourceArgs(id=address.id)],
            idle_timeout_in_minutes=_IDLE_MINUTES,
            tags=tags(self._plan),
            opts=pulumi.ResourceOptions.merge(self._opts, pulumi.ResourceOptions(replace_on_changes=["sku", "zones"])),
        )

    def _subnet(
        self,
        logical: str,
        subnet: Subnet,
        wall: network.NetworkSecurityGroup | None,
        way_out: network.NatGateway | None,
        *,
        name: str | None = None,
        delegate: str | None = None,
    ) -> network.Subnet:
        made = network.Subnet(
            logical,
            resource_group_name=self._group.name,
            virtual_network_name=self.network.name,
            subnet_name=name or fixed_name(logical, "subnet"),
            address_prefix=subnet.cidr,
            # Azure gives older APIs a way out that nobody sees, and newer ones none: said, both are the same
            # (facts azure a6). It counts at creation alone.
            default_outbound_access=False,
            nat_gateway=network.SubResourceArgs(id=way_out.id) if way_out else None,
            network_security_group=network.NetworkSecurityGroupArgs(id=wall.id) if wall else None,
            delegations=[network.DelegationArgs(name="own", service_name=delegate)] if delegate else None,
            # Private endpoints stand beside the nodes, and the nodes' group is theirs too.
            private_endpoint_network_policies="Enabled",
            opts=pulumi.ResourceOptions.merge(
                self._opts,
                pulumi.ResourceOptions(
                    # ARM changes one subnet of a network at a time (pulumi/pulumi-azure-native#903).
                    depends_on=[self._last] if self._last else None,
                    replace_on_changes=["addressPrefix", "defaultOutboundAccess", "delegations"],
                    # Two subnets cannot have one range.
                    delete_before_replace=True,
                ),
            ),
        )
        self._last = made
        return made
