"""Lustre ports that a security group shuts.

What: A security group of the nodes, or of the file system's subnet, denies TCP 988 or 1019 to 1023 inside the network, and no rule before that allows them.
Why: The mount hangs at boot. Azure's default rules let the network's own traffic through; a rule that denies all undoes that.
Fix: Allow TCP 988 and 1019-1023 in both directions, with a smaller priority than the rule that denies.
References: Azure docs, Managed Lustre: network security group rules
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_firewall import by_group, closes, unknown_groups
from ...azure_graph import LUSTRE, SECURITY_GROUP, AzureGraph
from ...azure_lustre import subnet_of
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3267", "azure-lustre-ports-closed", Severity.ERROR, __doc__, ("AZ AML-08",))
# Azure docs, Managed Lustre: 988 for the servers, 1019-1023 for their answers.
_PORTS = ((988, 988), (1019, 1023))

_MORE = ("priority", "destinationAddressPrefix", "destinationAddressPrefixes")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each security group."""
    azure = ctx.azure
    systems = list(azure.of_type(LUSTRE))
    if not systems:
        return
    rules = by_group(azure)
    unknown = {g.urn for g in unknown_groups(azure)}
    for group in _groups(azure, systems):
        if group.urn in unknown or any(r.unknown or any(late(r.value(k)) for k in _MORE) for r in rules[group.urn]):
            yield Undecided(CODE.code, group.name, "some of its rules are not known yet")
            continue
        for inbound in (True, False):
            shut = [(low, high, r) for low, high in _PORTS if (r := closes(rules[group.urn], inbound, low, high))]
            if shut:
                ports = " and ".join(f"{a}" if a == b else f"{a}–{b}" for a, b, _ in shut)
                yield CODE.at(
                    shut[0][2].where,
                    f"the rule denies TCP {ports} {'in' if inbound else 'out'}, which Lustre '{systems[0].name}' needs",
                    f"allow TCP 988 and 1019-1023 {'in' if inbound else 'out'} before it",
                    resource=group.name,
                )


def _groups(azure: AzureGraph, systems: list[Resource]) -> list[Resource]:
    found = {g.urn: g for n in azure.nodes for g in azure.security_groups(n).resources}
    for fs in systems:
        for subnet in subnet_of(azure, fs).resources:
            links = azure.to(subnet, "networkSecurityGroup", subnet.get("networkSecurityGroup"), SECURITY_GROUP)
            found.update({g.urn: g for g in links.resources})
    return list(found.values())


_T = """\
- type: azure-native.network.NetworkSecurityGroup
  name: guard
  inputs:
    securityRules:
    - {{name: deny, direction: Inbound, access: Deny, priority: 4000, protocol: "*", sourceAddressPrefix: "*", destinationAddressPrefix: "*", destinationPortRange: "*"}}
    - {{name: lustre, direction: Inbound, access: Allow, priority: {0}, protocol: Tcp, sourceAddressPrefix: VirtualNetwork, destinationAddressPrefix: "*", destinationPortRanges: {1}}}
- {{type: azure-native.network.Subnet, name: files, inputs: {{networkSecurityGroup: {{id: !ref guard.id }}}}}}
- {{type: azure-native.storagecache.AmlFilesystem, name: scratch, inputs: {{filesystemSubnet: !ref files.id }}}}
"""
_RIGHT = '["988", "1019-1023"]'

RULE = ResourceRule(
    CODE,
    ("storage", "network"),
    check,
    Examples(
        (_T.format(300, _RIGHT),),
        (_T.format(300, '["988"]'), _T.format(4090, _RIGHT)),
        (_T.format(300, "!unknown "),),
    ),
    providers=(Provider.AZURE,),
)
