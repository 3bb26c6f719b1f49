"""InfiniBand nodes in a Flexible scale set.

What: A scale set of an InfiniBand size, that may have more than one node, has orchestrationMode Flexible.
Why: A Flexible set takes a single placement group only with certain numbers of fault domains, and only from its first machine on. Uniform is what AKS and CycleCloud use, and what is known to work.
Fix: Set orchestrationMode: Uniform.
References: Azure/azure-cli#21834; Azure docs, orchestration modes for scale sets
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_scaling import can_be_several
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3209", "infiniband-on-flexible", Severity.ERROR, __doc__, ("AZ IB-09",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each scale set."""
    for nodes in ctx.azure.sets:
        several = can_be_several(ctx.azure, nodes)
        if not nodes.infiniband or several is False:
            continue
        if nodes.flexible is None or (nodes.flexible and several is None):
            yield Undecided(CODE.code, nodes.name, "the orchestration mode or the number of nodes is not known yet")
        elif nodes.flexible:
            yield CODE.at(
                f"{nodes.name}.orchestrationMode",
                f"{nodes.size} nodes in a Flexible set: whether InfiniBand joins them depends on its fault domains",
                "set orchestrationMode: Uniform",
                resource=nodes.name,
            )


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs: {{sku: {{name: Standard_ND96isr_H100_v5, capacity: {1}}}, orchestrationMode: {0}}}
"""

RULE = ResourceRule(
    CODE,
    ("fabric",),
    check,
    Examples(
        (_T.format("Uniform", 4), _T.format("null", 4), _T.format("Flexible", 1)),
        (_T.format("Flexible", 4), _T.format("Flexible", 0)),
        (_T.format("!unknown ", 4),),
    ),
    providers=(Provider.AZURE,),
)
