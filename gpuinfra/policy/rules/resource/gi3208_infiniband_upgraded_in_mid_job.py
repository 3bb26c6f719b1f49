"""InfiniBand nodes that Azure upgrades while a job runs.

What: A scale set of an InfiniBand size has upgradePolicy.mode Automatic or Rolling, or automatic upgrades of its system.
Why: A change of the set restarts its nodes in whatever order, and one restarted node ends the job on all.
Fix: Set upgradePolicy: {mode: Manual}.
References: Azure docs, upgrade policy modes for scale sets
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, truth

CODE = described("GI3208", "infiniband-upgraded-in-mid-job", Severity.WARNING, __doc__, ("AZ IB-08",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each scale set."""
    for nodes in ctx.azure.sets:
        if not nodes.infiniband:
            continue
        mode = nodes.resource.get("upgradePolicy", "mode")
        system = nodes.resource.get("upgradePolicy", "automaticOSUpgradePolicy", "enableAutomaticOSUpgrade")
        if late(mode):
            yield Undecided(CODE.code, nodes.name, "the upgrade policy is not known yet")
        elif str(mode).lower() in ("automatic", "rolling") or truth(system):
            what = f"mode {mode}" if str(mode).lower() != "manual" else "automatic system upgrades"
            yield CODE.at(
                f"{nodes.name}.upgradePolicy.mode",
                f"{what}: nodes of {nodes.size} restart while a job runs on them",
                "write upgradePolicy: {mode: Manual}",
                resource=nodes.name,
            )


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs: {{sku: {{name: Standard_ND96isr_H100_v5, capacity: 4}}, upgradePolicy: {{mode: {0}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("fabric",),
    check,
    Examples((_T.format("Manual"),), (_T.format("Automatic"), _T.format("Rolling")), (_T.format("!unknown "),)),
    providers=(Provider.AZURE,),
)
