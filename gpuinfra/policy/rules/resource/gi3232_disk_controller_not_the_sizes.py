"""A disk controller that the size does not have.

What: diskControllerType is not the size's: NVMe on v6 sizes (GB200, GB300, RTX PRO 6000), SCSI on the others.
Why: The machine is refused, and the controller cannot be changed on a set that exists.
Fix: Write the controller named, or leave it out.
References: Azure docs, sizes with NVMe disk controllers
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3232", "disk-controller-not-the-sizes", Severity.ERROR, __doc__, ("AZ OS-06",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each set and machine whose size is known."""
    for nodes in ctx.azure.nodes:
        value = nodes.get("storageProfile", "diskControllerType")
        if value is None or nodes.board is None or not nodes.board.disk_controller:
            continue
        if late(value):
            yield Undecided(CODE.code, nodes.name, "the disk controller is not known yet")
        elif str(value).lower() != nodes.board.disk_controller.lower():
            yield CODE.at(
                nodes.at("storageProfile.diskControllerType"),
                f"{value}, and {nodes.size} has {nodes.board.disk_controller}",
                f"write diskControllerType: {nodes.board.disk_controller}",
                resource=nodes.name,
            )


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs:
    sku: {{name: {0}}}
    virtualMachineProfile: {{storageProfile: {{diskControllerType: {1}}}}}
"""
_GB200 = "Standard_ND128isr_NDR_GB200_v6"

RULE = ResourceRule(
    CODE,
    ("storage",),
    check,
    Examples(
        (_T.format(_GB200, "NVMe"), _T.format("Standard_ND96isr_H100_v5", "SCSI")),
        (_T.format(_GB200, "SCSI"), _T.format("Standard_ND96isr_H100_v5", "NVMe")),
        (_T.format(_GB200, "!unknown "),),
    ),
    providers=(Provider.AZURE,),
)
