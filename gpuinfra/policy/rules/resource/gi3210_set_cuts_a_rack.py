"""A GB200 or GB300 set that cuts a rack in two.

What: The number of nodes of a rack-scale size is no multiple of 18.
Why: 18 machines share one NVLink domain. Another number leaves a part of a rack unused, or spans two domains with the slower network between them.
Fix: Take one of the numbers given.
References: Azure docs, ND GB200 v6 series; Azure/cyclecloud-slurm, README
"""

from __future__ import annotations

from collections.abc import Iterator

from ....catalog import limit
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number, truth

CODE = described("GI3210", "set-cuts-a-rack", Severity.WARNING, __doc__, ("AZ GB-01",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each scale set and each pool; what our own component made is judged by the plan rules."""
    row = limit(Provider.AZURE, "rack_machines")
    rack = row.maximum if row else 1
    for nodes in ctx.azure.sets:
        if nodes.facts is None or not nodes.facts.gpu_model.startswith("GB") or ctx.azure.ours(nodes.resource):
            continue
        if late(nodes.resource.get("sku", "capacity")):
            yield Undecided(CODE.code, nodes.name, "the number of nodes is not known yet")
            continue
        yield from _cut(nodes.resource, f"{nodes.name}.sku.capacity", nodes.count or 0, nodes.size, rack)
    for pool in ctx.azure.pools:
        moved, count = pool.value("enableAutoScaling"), pool.value("count")
        if pool.facts is None or not pool.facts.gpu_model.startswith("GB") or truth(moved):
            continue
        if late(count) or late(moved):
            yield Undecided(CODE.code, pool.source.name, "the number of nodes is not known yet")
            continue
        yield from _cut(pool.source, pool.at("count"), number(count) or 0, pool.size, rack)


def _cut(owner: Resource, where: str, count: float, size: str, rack: int) -> Iterator[Diagnostic]:
    if count % rack:
        below = int(count // rack) * rack
        yield CODE.at(
            where,
            f"{count:g} nodes of {size}, and a rack, which is one NVLink domain, holds {rack}",
            f"take {below} or {below + rack}" if below else f"take {rack}",
            resource=owner.name,
        )


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs: {{sku: {{name: Standard_ND128isr_NDR_GB200_v6, capacity: {0}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples((_T.format(18), _T.format(36)), (_T.format(4), _T.format(20)), (_T.format("!unknown "),)),
    providers=(Provider.AZURE,),
)
