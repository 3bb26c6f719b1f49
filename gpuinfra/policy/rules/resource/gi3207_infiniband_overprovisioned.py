"""An InfiniBand set that makes more machines than it keeps.

What: A Uniform scale set of an InfiniBand size does not set overprovision to false.
Why: Left out it is true: Azure starts extra machines and takes some away again. They count against the quota at once, and a rank that was given to one of them dies.
Fix: Set overprovision: false.
References: Azure docs, scale set design considerations; Azure/azurehpc, pyazhpc/arm.py
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, truth

CODE = described("GI3207", "infiniband-overprovisioned", Severity.ERROR, __doc__, ("AZ IB-07",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each scale set; a Flexible one never overprovisions."""
    for nodes in ctx.azure.sets:
        if not nodes.infiniband or nodes.flexible:
            continue
        value = nodes.resource.get("overprovision")
        if late(value):
            yield Undecided(CODE.code, nodes.name, "overprovision is not known yet")
        elif truth(value) is not False:
            said = "is true" if value is not None else "is not written, which means true"
            yield CODE.at(
                f"{nodes.name}.overprovision",
                f"overprovision {said}: extra machines of {nodes.size} start, and some are taken away again",
                "set overprovision: false",
                resource=nodes.name,
            )


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs: {{sku: {{name: Standard_ND96isr_H100_v5, capacity: 4}}, overprovision: {0}}}
"""

RULE = ResourceRule(
    CODE,
    ("fabric", "cost"),
    check,
    Examples((_T.format("false"),), (_T.format("true"), _T.format("null")), (_T.format("!unknown "),)),
    providers=(Provider.AZURE,),
)
