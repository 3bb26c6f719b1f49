"""A subnet without an address for every node.

What: A subnet has fewer addresses than the nodes that may stand in it, after the five that Azure keeps.
Why: The last nodes do not start, and the number that a set has asked for is never reached.
Fix: Take a larger range: a subnet with machines in it cannot grow.
References: Azure docs, virtual network FAQ: reserved addresses
"""

from __future__ import annotations

from collections.abc import Iterator

from ....catalog import limit
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import SUBNET, AzureGraph
from ...azure_network import subnet_block
from ...azure_scaling import most_nodes
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, late, number

CODE = described("GI3257", "azure-subnet-too-small", Severity.ERROR, __doc__, ("AZ NET-06",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each subnet of this program."""
    row = limit(Provider.AZURE, "subnet_reserved_addresses")
    kept = row.maximum if row else 0
    for r in ctx.azure.of_type(SUBNET):
        ranges = subnet_block(r).ranges
        needed = _needed(ctx.azure, r)
        written = (r.get("addressPrefix"), *items(r.get("addressPrefixes")))
        if needed is None or (needed and any(map(late, written))):
            yield Undecided(CODE.code, r.name, "the range, or the number of nodes, is not known yet")
            continue
        have = sum(n.num_addresses for n in ranges) - kept * len(ranges)
        if ranges and needed > have:
            yield CODE.at(
                f"{r.name}.addressPrefix",
                f"{', '.join(map(str, ranges))} has {max(have, 0)} addresses to give, and {needed:g} nodes may stand there",
                "take a larger range",
                resource=r.name,
            )


def _needed(azure: AzureGraph, subnet: Resource) -> float | None:
    total = 0.0
    for nodes in azure.nodes:
        if not any(s.urn == subnet.urn for s in azure.subnets(nodes).resources):
            continue
        most = most_nodes(azure, nodes) if nodes.is_set else 1
        if most is None:
            return None
        total += most
    for pool in azure.pools:
        links = azure.link(pool.source, pool.key("vnetSubnetID"), pool.value("vnetSubnetID"), SUBNET)
        counts = [pool.value(k) for k in ("count", "maxCount")]
        if not any(s.urn == subnet.urn for s in links.resources):
            continue
        if any(late(c) for c in counts):
            return None
        total += max(number(c) or 0 for c in counts)
    return total


_T = """\
- {{type: azure-native.network.Subnet, name: sub, inputs: {{addressPrefix: {0}}}}}
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs:
    sku: {{name: Standard_NC4as_T4_v3, capacity: {1}}}
    virtualMachineProfile:
      networkProfile:
        networkInterfaceConfigurations: [{{name: nic, ipConfigurations: [{{name: ip, subnet: {{id: !ref sub.id }}}}]}}]
"""

RULE = ResourceRule(
    CODE,
    ("network",),
    check,
    Examples(
        (_T.format("10.50.0.0/28", 11),), (_T.format("10.50.0.0/28", 12),), (_T.format("10.50.0.0/28", "!unknown "),)
    ),
    providers=(Provider.AZURE,),
)
