"""A network over the range that InfiniBand keeps for itself.

What: A network, a subnet or a peered range overlaps 172.16.0.0/16, and the program has InfiniBand nodes.
Why: The RDMA network of every such node uses that range: neighbours with an address in it are not reached.
Fix: Take another private range, as 10.40.0.0/16.
References: Azure docs, set up InfiniBand on HPC VMs (2026-09)
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import NETWORK, PEERING, SUBNET
from ...azure_network import range_of
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, late, plain

CODE = described("GI3203", "network-over-infiniband-range", Severity.ERROR, __doc__, ("AZ IB-03",))
# Azure docs, set up InfiniBand on HPC VMs (2026-09).
_RESERVED = IPv4Network("172.16.0.0/16")
_PLACES = {
    NETWORK: (("addressSpace", "addressPrefixes"),),
    SUBNET: (("addressPrefix",), ("addressPrefixes",)),
    PEERING: (("remoteAddressSpace", "addressPrefixes"),),
}


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each network; for a subnet only where its network is not of this program."""
    azure = ctx.azure
    if not any(n.infiniband for n in azure.nodes) and not any(p.board and p.board.adapters for p in azure.pools):
        return
    for r in azure.of_type(*_PLACES):
        if r.type == SUBNET and azure.linked(r, "virtualNetworkName", NETWORK).resources:
            continue
        yield from _check(r)


def _check(r: Resource) -> Iterator[Diagnostic | Undecided]:
    for path in _PLACES[r.type]:
        value = r.get(*path)
        listed = items(value) or ([] if value is None else [value])
        if any(late(plain(v)) for v in listed):
            yield Undecided(CODE.code, r.name, "the address range is not known yet")
        ranges = [found for v in listed if (found := range_of(plain(v))) is not None]
        hit = next((n for n in ranges if n.overlaps(_RESERVED)), None)
        if hit is not None:
            yield CODE.at(
                f"{r.name}.{'.'.join(path)}",
                f"{hit} overlaps {_RESERVED}, which InfiniBand keeps for itself",
                "take another private range, as 10.40.0.0/16",
                resource=r.name,
            )


_T = """\
- {{type: azure-native.compute.VirtualMachineScaleSet, name: nodes, inputs: {{sku: {{name: Standard_ND96isr_H100_v5}}}}}}
- {{type: azure-native.network.VirtualNetwork, name: net, inputs: {{addressSpace: {{addressPrefixes: [{0}]}}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("fabric", "network"),
    check,
    Examples((_T.format("10.40.0.0/16"),), (_T.format("172.16.0.0/12"),), (_T.format("!unknown "),)),
    providers=(Provider.AZURE,),
)
