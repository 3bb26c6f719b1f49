"""A Managed Lustre file system in another zone than its nodes.

What: GPU nodes of the program stand in a zone where the file system does not.
Why: Every byte crosses the zones, slower and at a price.
Fix: Put the file system and the nodes into one zone.
References: Azure docs, Managed Lustre: availability zones
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import LUSTRE, zones_of
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3264", "azure-lustre-in-other-zone", Severity.ERROR, __doc__, ("AZ AML-05",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each file system; what our own component made is judged by the plan rules."""
    for fs in ctx.azure.of_type(LUSTRE):
        zones = zones_of(fs)
        if zones is None:
            yield Undecided(CODE.code, fs.name, "its zone is not known yet")
        if zones is None or len(zones) != 1 or ctx.azure.ours(fs):
            continue
        away = {
            n.name: z for n in ctx.azure.nodes if n.has_gpu and (z := zones_of(n.resource)) and not set(z) <= set(zones)
        }
        if not away and any(n.has_gpu and zones_of(n.resource) is None for n in ctx.azure.nodes):
            yield Undecided(CODE.code, fs.name, "the zones of the nodes are not known yet")
        if away:
            name, theirs = next(iter(away.items()))
            yield CODE.at(
                f"{fs.name}.zones",
                f"the file system stands in zone {zones[0]}, and nodes '{name}' in {', '.join(theirs)}",
                "put both into one zone",
                resource=fs.name,
            )


_T = """\
- {{type: azure-native.storagecache.AmlFilesystem, name: scratch, inputs: {{zones: {0}}}}}
- {{type: azure-native.compute.VirtualMachineScaleSet, name: nodes, inputs: {{sku: {{name: Standard_ND96isr_H100_v5}}, zones: ["1"]}}}}
"""

RULE = ResourceRule(
    CODE,
    ("storage", "cost"),
    check,
    Examples((_T.format('["1"]'),), (_T.format('["2"]'),), (_T.format("!unknown "),)),
    providers=(Provider.AZURE,),
)
