"""Network security groups. Their rules stand inside them: ARM replaces the list as a whole, and a list that is half in
the group and half outside is torn apart at each update (pulumi/pulumi-azure-native#611).

InfiniBand passes no security group: a scale set's partition key keeps it apart (facts azure a4).
"""

from __future__ import annotations

from collections.abc import Sequence

import pulumi
from pulumi_azure_native import network

from ...plan.models import ClusterPlan
from .names import fixed_name
from .resource_group import ResourceGroup
from .tags import tags

_VNET, _INTERNET = "VirtualNetwork", "Internet"
_SSH = "22"
# What Lustre clients and servers speak over (Azure Managed Lustre, network security groups; facts azure a6).
_LUSTRE = ("988", "1019-1023")
# Portmapper, mount, NFS, and the locks and quotas of NetApp (facts azure a6).
_NFS = ("111", "635", "2049", "4045", "4046", "4049")
# What Azure gives its rules at most (Azure networking limits).
_FIRST, _DENY, _STEP = 100, 4000, 10


class _Rules:
    """Rules of one group, in order of their numbers."""

    def __init__(self) -> None:
        self.made: list[network.SecurityRuleArgs] = []
        self._next = {"Inbound": _FIRST, "Outbound": _FIRST}

    def allow(
        self,
        name: str,
        description: str,
        *,
        source: str,
        ports: Sequence[str] = (),
        target: str = _VNET,
        direction: str = "Inbound",
    ) -> None:
        """Every protocol where no ports are given."""
        number = self._next[direction]
        self._next[direction] = number + _STEP
        self._add(name, description, "Allow", number, source, target, ports, direction)

    def deny_internet(self) -> None:
        """Said although Azure's own last rule denies all: a load balancer's rule would stand before that one."""
        self._add("deny-internet", "Nothing comes in from outside", "Deny", _DENY, _INTERNET, "*", (), "Inbound")

    def _add(
        self,
        name: str,
        description: str,
        access: str,
        number: int,
        source: str,
        target: str,
        ports: Sequence[str],
        direction: str,
    ) -> None:
        self.made.append(
            network.SecurityRuleArgs(
                name=name,
                description=description,
                priority=number,
                direction=direction,
                access=access,
                # The provider's own word for TCP is not the API's.
                protocol="Tcp" if ports else "*",
                source_address_prefix=source,
                source_port_range="*",
                destination_address_prefix=target,
                destination_port_range=None if ports else "*",
                destination_port_ranges=list(ports) or None,
            )
        )


def nodes_firewall(
    plan: ClusterPlan, group: ResourceGroup, opts: pulumi.ResourceOptions
) -> network.NetworkSecurityGroup:
    """The group of every node's interface: each other, the file systems, SSH from where the spec says, and the way out
    that Azure leaves open."""
    rules = _Rules()
    for i, cidr in enumerate(plan.network.ssh_from):
        rules.allow(f"ssh-from-{i}", f"SSH from {cidr}", source=cidr, ports=[_SSH], target="*")
    _file_systems(rules, plan)
    rules.allow("from-network", "Nodes, file systems and Bastion", source=_VNET)
    rules.deny_internet()
    return _group(f"{plan.name}-nodes-nsg", rules, plan, group, opts)


def lustre_firewall(
    plan: ClusterPlan, group: ResourceGroup, opts: pulumi.ResourceOptions
) -> network.NetworkSecurityGroup:
    """The group of the subnets of Lustre: clients, the servers among themselves, and Azure's own services, by which they
    are managed."""
    rules = _Rules()
    rules.allow("lustre-in", "Lustre clients", source=_VNET, ports=_LUSTRE)
    rules.allow("servers-in", "The servers among themselves", source=_VNET)
    rules.deny_internet()
    rules.allow("lustre-out", "Lustre clients", source=_VNET, ports=_LUSTRE, direction="Outbound")
    rules.allow("servers-out", "The servers among themselves", source=_VNET, direction="Outbound")
    rules.allow("azure-out", "Azure's services", source="*", target="AzureCloud", direction="Outbound")
    return _group(f"{plan.name}-lustre-nsg", rules, plan, group, opts)


def _file_systems(rules: _Rules, plan: ClusterPlan) -> None:
    if plan.network.lustre_rules:
        rules.allow("lustre-in", "Lustre servers", source=_VNET, ports=_LUSTRE)
        rules.allow("lustre-out", "Lustre servers", source=_VNET, ports=_LUSTRE, direction="Outbound")
    if plan.network.nfs_rules:
        rules.allow("nfs-out", "NFS servers", source=_VNET, ports=_NFS, direction="Outbound")


def _group(
    logical: str, rules: _Rules, plan: ClusterPlan, group: ResourceGroup, opts: pulumi.ResourceOptions
) -> network.NetworkSecurityGroup:
    return network.NetworkSecurityGroup(
        logical,
        resource_group_name=group.name,
        network_security_group_name=fixed_name(logical, "network_security_group", plan.region),
        location=plan.region,
        security_rules=rules.made,
        tags=tags(plan),
        opts=opts,
    )
