"""InfiniBand nodes over several zones.

What: A scale set of an InfiniBand size names more than one zone.
Why: The fabric is one cluster in one building; nodes of other zones are never on it, and a single placement group cannot span zones.
Fix: Name one zone, or none.
References: Azure docs, set up InfiniBand on HPC VMs; Azure docs, working with large scale sets
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import zones_of
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items

CODE = described("GI3206", "infiniband-over-zones", Severity.ERROR, __doc__, ("AZ IB-06",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each scale set, and for each node pool of a managed cluster."""
    for nodes in ctx.azure.sets:
        if not nodes.infiniband:
            continue
        zones = zones_of(nodes.resource)
        if zones is None:
            yield Undecided(CODE.code, nodes.name, "the zones are not known yet")
        elif len(zones) > 1:
            yield CODE.at(
                f"{nodes.name}.zones",
                f"{nodes.size} nodes over the zones {', '.join(zones)}, and InfiniBand is one cluster in one zone",
                f'write zones: ["{zones[0]}"]',
                resource=nodes.name,
            )
    for pool in ctx.azure.pools:
        zones = items(pool.value("availabilityZones"))
        if pool.board and pool.board.adapters and len(zones) > 1:
            yield CODE.at(
                pool.at("availabilityZones"),
                f"{pool.size} nodes over {len(zones)} zones, and InfiniBand is one cluster in one zone",
                "name one zone",
                resource=pool.source.name,
            )


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs: {{sku: {{name: Standard_ND96isr_H100_v5, capacity: 4}}, zones: {0}}}
"""

RULE = ResourceRule(
    CODE,
    ("fabric", "placement"),
    check,
    Examples((_T.format('["1"]'), _T.format("null")), (_T.format('["1", "2"]'),), (_T.format("!unknown "),)),
    providers=(Provider.AZURE,),
)
