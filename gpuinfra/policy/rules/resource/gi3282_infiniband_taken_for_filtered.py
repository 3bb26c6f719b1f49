"""A network rule that is meant to part InfiniBand nodes.

What: A security group of InfiniBand nodes denies traffic that comes from inside the network.
Why: Security groups judge Ethernet alone. InfiniBand passes them by: its partition key joins all nodes of one set, and parts them from all others.
Fix: Part tenants by scale sets, each with its own key; keep the rule only for what runs over Ethernet.
References: Azure docs, set up InfiniBand; Azure docs, network security groups
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_firewall import SecurityRule, by_group
from ...azure_network import range_of
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3282", "infiniband-taken-for-filtered", Severity.INFO, __doc__, ("AZ IB-10",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each such rule."""
    rules = by_group(ctx.azure)
    said: set[str] = set()
    for nodes in ctx.azure.nodes:
        if not nodes.infiniband:
            continue
        for group in ctx.azure.security_groups(nodes).resources:
            for rule in rules.get(group.urn, ()):
                if rule.where in said or rule.word("direction") == "outbound" or rule.word("access") == "allow":
                    continue
                if rule.unknown:
                    said.add(rule.where)
                    yield Undecided(CODE.code, rule.source.name, "whom a rule speaks of is not known yet")
                elif rule.inbound and rule.word("access") == "deny" and (inside := _inside(rule)):
                    said.add(rule.where)
                    yield CODE.at(
                        rule.where,
                        f"it denies {inside}, and the InfiniBand of '{nodes.name}' passes it by",
                        resource=rule.source.name,
                    )


def _inside(rule: SecurityRule) -> str:
    """The source of a rule that lies inside the network; empty where none does."""
    for value in rule.sources:
        found = range_of(value)
        if str(value).lower() == "virtualnetwork" or (found is not None and found.is_private and found.prefixlen):
            return str(value)
    return ""


_T = """\
- type: azure-native.network.NetworkSecurityGroup
  name: guard
  inputs:
    securityRules:
    - {{name: apart, direction: Inbound, access: {1}, priority: 200, protocol: "*", sourceAddressPrefix: {0},
        destinationAddressPrefix: "*", sourcePortRange: "*", destinationPortRange: "*"}}
- type: azure-native.network.Subnet
  name: inside
  inputs: {{networkSecurityGroup: {{id: !ref guard.id }}}}
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs:
    sku: {{name: Standard_ND96isr_H100_v5}}
    virtualMachineProfile:
      networkProfile:
        networkInterfaceConfigurations: [{{ipConfigurations: [{{subnet: {{id: !ref inside.id }}}}]}}]
"""

RULE = ResourceRule(
    CODE,
    ("fabric", "security"),
    check,
    Examples(
        (_T.format("Internet", "Deny"), _T.format("VirtualNetwork", "Allow")),
        (_T.format("VirtualNetwork", "Deny"), _T.format("10.1.0.0/16", "Deny")),
        (_T.format("!unknown ", "Deny"),),
    ),
    providers=(Provider.AZURE,),
)
