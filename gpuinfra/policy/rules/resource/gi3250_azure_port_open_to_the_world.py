"""A port of the nodes that the whole internet may reach.

What: A security rule lets *, Internet, 0.0.0.0/0, or ranges that together come to it, in: to SSH or RDP anywhere, or to any port of nodes.
Why: GPU nodes are found by scanners within minutes, and are worth stealing.
Fix: Name the addresses that need to come in, or none: Bastion needs no open port.
References: CIS Azure Foundations Benchmark 6.1 and 6.2
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_firewall import HIGHEST_PORT, SecurityRule, all_rules, unknown_groups
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3250", "azure-port-open-to-the-world", Severity.ERROR, __doc__, ("AZ SEC-09",))
_ADMIN_PORTS = (22, 3389)
_WITHOUT_PORTS = ("icmp",)
"""What answers a ping: nobody logs in by it."""


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each rule."""
    azure = ctx.azure
    of_nodes = {g.urn for n in azure.nodes for g in azure.security_groups(n).resources}
    for rule in all_rules(azure):
        if rule.word("protocol") in _WITHOUT_PORTS:
            continue
        exposed = rule.group in of_nodes or any(rule.touches(p, p) for p in _ADMIN_PORTS)
        open_ = rule.inbound and rule.allows and rule.open_to and exposed
        if open_ and late(rule.value("protocol")):
            yield Undecided(CODE.code, rule.source.name, "which protocol may come in is not known yet")
        elif open_:
            yield CODE.at(
                rule.where,
                f"{_ports(rule)} is open to {rule.open_to}",
                "name the addresses that need to come in",
                resource=rule.source.name,
            )
        elif rule.unknown and (rule.group in of_nodes or not rule.group):
            yield Undecided(CODE.code, rule.source.name, "who may come in is not known yet")
    for group in unknown_groups(azure):
        yield Undecided(CODE.code, group.name, "some of its rules are not known yet")


def _ports(rule: SecurityRule) -> str:
    ranges = rule.ports
    if not ranges:
        return "a port"
    if (0, HIGHEST_PORT) in ranges:
        return "every port"
    shown = ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in ranges[:4])
    return f"port {shown}" if shown.isdigit() else f"each of ports {shown}"


_T = """\
- {{type: azure-native.network.NetworkSecurityGroup, name: guard, inputs: {{}}}}
- type: azure-native.network.Subnet
  name: nodes-net
  inputs: {{networkSecurityGroup: {{id: !ref guard.id }}}}
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs:
    virtualMachineProfile:
      networkProfile:
        networkInterfaceConfigurations: [{{name: nic, ipConfigurations: [{{name: ip, subnet: {{id: !ref nodes-net.id }}}}]}}]
- type: azure-native.network.SecurityRule
  name: shell
  inputs:
    networkSecurityGroupName: !ref guard.name
    access: Allow
    direction: Inbound
    priority: 100
    protocol: Tcp
    sourceAddressPrefix: {0}
    destinationPortRange: {1}
"""

_HALVES = _T.format("null", '"22"') + "    sourceAddressPrefixes: [0.0.0.0/1, 128.0.0.0/1]\n"
_PING = _T.replace("protocol: Tcp", "protocol: Icmp")

RULE = ResourceRule(
    CODE,
    ("network", "security"),
    check,
    Examples(
        (_T.format("203.0.113.0/24", '"22"'), _T.format("VirtualNetwork", '"*"'), _PING.format('"*"', '"*"')),
        (_T.format('"*"', '"22"'), _T.format("Internet", '"8888"'), _T.format("0.0.0.0/0", "1000-4000"), _HALVES),
        (_T.format("!unknown ", '"22"'),),
    ),
    providers=(Provider.AZURE,),
)
