"""A NAT gateway in another zone than its nodes, or than its address.

What: A NAT gateway of sku Standard names a zone, and the nodes behind it or its public address another one.
Why: Azure refuses an address of another zone. Nodes of another zone lose their way out with a zone that is not theirs, and pay for the traffic between zones.
Fix: Write the nodes' zone on the gateway and its address, or no zone on the gateway and all zones on the address.
References: Azure docs, NAT gateway and availability zones; fortinet/azure-templates#43
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import NAT_GATEWAY, PUBLIC_IP, AzureGraph, zones_of
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries

CODE = described("GI3254", "azure-nat-in-other-zone", Severity.ERROR, __doc__, ("AZ NET-03",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each gateway and address, and each gateway and set or machine behind it."""
    azure = ctx.azure
    for nat in azure.of_type(NAT_GATEWAY):
        if str(nat.get("sku", "name")).lower() == "standardv2":
            continue
        zones = zones_of(nat)
        if zones is None:
            yield Undecided(CODE.code, nat.name, "its zone is not known yet")
        elif zones:
            away = list(_nodes(azure, nat, zones))
            yield from away
            # A gateway that stands apart from its nodes is moved, and what its address is then good for is seen after.
            if not any(isinstance(v, Diagnostic) for v in away):
                yield from _addresses(azure, nat, zones)


def _addresses(azure: AzureGraph, nat: Resource, zones: tuple[str, ...]) -> Iterator[Diagnostic | Undecided]:
    ids = [b.get("id") for b in entries(nat.get("publicIpAddresses"))]
    for address in azure.link(nat, "publicIpAddresses", ids, PUBLIC_IP).resources:
        own = zones_of(address)
        if own is None:
            yield Undecided(CODE.code, address.name, "the zone of the address is not known yet")
        # An address of several zones serves a gateway in each of them; one without a zone serves none that has one.
        if own is not None and own != zones and len(own) < 2:
            yield CODE.at(
                f"{nat.name}.publicIpAddresses",
                f"the gateway is in zone {zones[0]}, and its address '{address.name}' in {own[0] if own else 'no zone'}",
                f'write zones: ["{zones[0]}"] on the address',
                resource=nat.name,
            )


def _nodes(azure: AzureGraph, nat: Resource, zones: tuple[str, ...]) -> Iterator[Diagnostic | Undecided]:
    for nodes in azure.nodes:
        behind = [
            s
            for s in azure.subnets(nodes).resources
            if any(g.urn == nat.urn for g in azure.to(s, "natGateway", s.get("natGateway"), NAT_GATEWAY).resources)
        ]
        if not behind:
            continue
        own = zones_of(nodes.resource)
        if own is None:
            yield Undecided(CODE.code, nodes.name, "the zones of the nodes are not known yet")
        elif own and not set(own) <= set(zones):
            yield CODE.at(
                f"{nat.name}.zones",
                f"the gateway is in zone {zones[0]}, and '{nodes.name}' behind it in {', '.join(own)}",
                f'write zones: ["{own[0]}"]' if len(own) == 1 else "leave the gateway's zones out",
                resource=nat.name,
            )


_T = """\
- {{type: azure-native.network.PublicIPAddress, name: out-ip, inputs: {{zones: {0}}}}}
- {{type: azure-native.network.NatGateway, name: out, inputs: {{sku: {{name: Standard}}, zones: {1}, publicIpAddresses: [{{id: !ref out-ip.id }}]}}}}
- {{type: azure-native.network.Subnet, name: sub, inputs: {{natGateway: {{id: !ref out.id }}}}}}
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs:
    zones: {2}
    virtualMachineProfile:
      networkProfile:
        networkInterfaceConfigurations: [{{name: nic, ipConfigurations: [{{name: ip, subnet: {{id: !ref sub.id }}}}]}}]
"""
_1, _2, _ALL = '["1"]', '["2"]', '["1", "2", "3"]'

RULE = ResourceRule(
    CODE,
    ("network",),
    check,
    Examples(
        (_T.format(_2, _2, _2), _T.format(_ALL, _2, _2), _T.format(_ALL, "null", _1)),
        (_T.format(_1, _1, _2), _T.format(_1, _2, _2), _T.format("null", _1, _1)),
        (_T.format(_1, "!unknown ", _1),),
    ),
    providers=(Provider.AZURE,),
)
