"""A system disk on spinning disks.

What: A system disk that is not ephemeral has storageAccountType Standard_LRS.
Why: Booting a GPU image from it takes many minutes of paid time, and Azure retires such system disks on 2028-09-08.
Fix: Take StandardSSD_LRS or Premium_LRS.
References: Azure docs, migrate system disks from Standard HDD (retirement 2028-09-08)
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3231", "system-disk-on-hdd", Severity.ERROR, __doc__, ("AZ OS-05",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each set and machine of GPU nodes."""
    for nodes in ctx.azure.nodes:
        value = nodes.get("storageProfile", "osDisk", "managedDisk", "storageAccountType")
        if nodes.ephemeral or not nodes.has_gpu:
            continue
        if late(value):
            yield Undecided(CODE.code, nodes.name, "the kind of the system disk is not known yet")
        elif str(value).lower() == "standard_lrs":
            yield CODE.at(
                nodes.at("storageProfile.osDisk.managedDisk.storageAccountType"),
                f"the system disk of {nodes.size} is {value}",
                "take Premium_LRS or StandardSSD_LRS",
                resource=nodes.name,
            )


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs:
    sku: {{name: Standard_NC24ads_A100_v4}}
    virtualMachineProfile: {{storageProfile: {{osDisk: {{managedDisk: {{storageAccountType: {0}}}}}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("storage",),
    check,
    Examples((_T.format("Premium_LRS"),), (_T.format("Standard_LRS"),), (_T.format("!unknown "),)),
    providers=(Provider.AZURE,),
)
