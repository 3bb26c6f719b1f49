"""A Managed Lustre file system without exactly one zone.

What: zones names several zones, or none although other things of the program name theirs.
Why: The file system is one zone's. In a region with zones it is refused without one; in a region without, naming one is refused.
Fix: Name the nodes' zone, as one text: zones: ["1"].
References: Azure/cyclecloud-slurm-workspace#288; Azure docs, Managed Lustre: availability zones
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import LUSTRE, zones_of
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3263", "lustre-zone-not-one", Severity.ERROR, __doc__, ("AZ AML-04",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each file system. Whether the region has zones is told by what else the program puts into one."""
    for fs in ctx.azure.of_type(LUSTRE):
        zones = zones_of(fs)
        if zones is None:
            yield Undecided(CODE.code, fs.name, "its zone is not known yet")
        elif len(zones) > 1 or (not zones and ctx.azure.zonal):
            said = f"the zones {', '.join(zones)}" if zones else "no zone, in a region that has zones"
            yield CODE.at(
                f"{fs.name}.zones", f"a file system in {said}", "name the one zone of its nodes", resource=fs.name
            )


_T = """\
- {{type: azure-native.storagecache.AmlFilesystem, name: scratch, inputs: {{zones: {0}}}}}
- {{type: azure-native.compute.VirtualMachineScaleSet, name: nodes, inputs: {{zones: {1}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("storage",),
    check,
    Examples(
        (_T.format('["1"]', '["1"]'), _T.format("null", "null")),
        (_T.format('["1", "2"]', "null"), _T.format("null", '["1"]')),
        (_T.format("!unknown ", '["1"]'),),
    ),
    providers=(Provider.AZURE,),
)
