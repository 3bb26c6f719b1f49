"""An ephemeral system disk whose cache is not ReadOnly.

What: diffDiskSettings is set, and the caching of the disk is not ReadOnly, or is not written.
Why: Azure refuses any other caching on an ephemeral disk.
Fix: Set caching: ReadOnly.
References: Azure docs, ephemeral OS disks
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3228", "ephemeral-disk-not-read-only", Severity.ERROR, __doc__, ("AZ OS-02",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each set and machine."""
    for nodes in ctx.azure.nodes:
        if not nodes.ephemeral:
            continue
        value = nodes.get("storageProfile", "osDisk", "caching")
        if late(value):
            yield Undecided(CODE.code, nodes.name, "the caching is not known yet")
        elif str(value).lower() != "readonly":
            said = f"is {value}" if value is not None else "is not written"
            yield CODE.at(
                nodes.at("storageProfile.osDisk.caching"),
                f"the system disk is ephemeral, and its caching {said}",
                "set caching: ReadOnly",
                resource=nodes.name,
            )


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs:
    virtualMachineProfile: {{storageProfile: {{osDisk: {{caching: {0}, diffDiskSettings: {{option: Local}}}}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("storage",),
    check,
    Examples((_T.format("ReadOnly"),), (_T.format("ReadWrite"), _T.format("null")), (_T.format("!unknown "),)),
    providers=(Provider.AZURE,),
)
