"""A stop that nodes with an ephemeral disk do not have.

What: A schedule stops or deallocates machines whose system disk is ephemeral, or their boot script calls deallocate.
Why: Such machines are never stopped: Azure refuses the call, and the nodes go on billing. They can only be deleted.
Fix: Scale the set to zero, or delete the machines; or take a managed disk.
References: Azure docs, ephemeral OS disks: unsupported features
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_boot import boot_text
from ...azure_graph import SCHEDULED_ACTION, VM_SCHEDULE, AzureGraph, AzureNodes
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3230", "ephemeral-nodes-deallocated", Severity.ERROR, __doc__, ("AZ OS-04",))
_STOPS = ("deallocate", "hibernate")
_CALL = re.compile(r"\b(?:az\s+vm(?:ss)?\s+(?:deallocate|stop)|/deallocate\b)")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each set and machine."""
    for nodes in ctx.azure.nodes:
        if nodes.ephemeral is False:
            continue
        stop = _stop(ctx.azure, nodes)
        if not stop:
            continue
        if nodes.ephemeral is None:
            yield Undecided(CODE.code, nodes.name, "whether the system disk is ephemeral is not known yet")
            continue
        yield CODE.at(
            nodes.at("storageProfile.osDisk.diffDiskSettings"),
            f"{stop} stops the nodes, and machines with an ephemeral disk can only be deleted",
            "scale to zero or delete instead, or take a managed disk",
            resource=nodes.name,
        )


def _stop(azure: AzureGraph, nodes: AzureNodes) -> str:
    for s in azure.of_type(VM_SCHEDULE):
        # One that aims at a set knows machines alone: another rule says that.
        if not nodes.is_set and azure.aims_at(s, "targetResourceId", nodes.resource):
            return f"'{s.name}'"
    kind = "virtualmachinescaleset" if nodes.is_set else "virtualmachine"
    for s in azure.of_type(SCHEDULED_ACTION):
        action, target = (str(s.get("properties", k)).lower() for k in ("actionType", "resourceType"))
        if target == kind and action in _STOPS:
            return f"'{s.name}'"
    return "the boot script" if _CALL.search(boot_text(azure, nodes) or "") else ""


_T = """\
- type: azure-native.compute.VirtualMachine
  name: box
  inputs: {{vmName: box, storageProfile: {{osDisk: {{caching: ReadOnly, diffDiskSettings: {0}}}}}}}
- type: azure-native.devtestlab.GlobalSchedule
  name: evening
  inputs: {{name: shutdown-computevm-box, targetResourceId: !ref box.id , dailyRecurrence: {{time: "1900"}}}}
"""

RULE = ResourceRule(
    CODE,
    ("cost", "storage"),
    check,
    Examples((_T.format("null"),), (_T.format("{option: Local}"),), (_T.format("!unknown "),)),
    providers=(Provider.AZURE,),
)
