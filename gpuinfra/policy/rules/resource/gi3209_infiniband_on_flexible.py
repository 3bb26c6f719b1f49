"""InfiniBand nodes in a Flexible scale set.

What: A scale set of an InfiniBand size, of more than one node, has orchestrationMode Flexible.
Why: A Flexible set takes a single placement group only with certain numbers of fault domains, and only from its first machine on. Uniform is what AKS and CycleCloud use, and what is known to work.
Fix: Set orchestrationMode: Uniform.
References: Azure/azure-cli#21834; Azure docs, orchestration modes for scale sets
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_scaling import most_nodes
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3209", "infiniband-on-flexible", Severity.ERROR, __doc__, ("AZ IB-09",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each scale set."""
    for nodes in ctx.azure.sets:
        most = most_nodes(ctx.azure, nodes)
        if not nodes.infiniband or (most is not None and most < 2):
            continue
        if nodes.flexible is None or (nodes.flexible and most is None):
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
  inputs: {{sku: {{name: Standard_ND96isr_H100_v5, capacity: 4}}, orchestrationMode: {0}}}
"""

RULE = ResourceRule(
    CODE,
    ("fabric",),
    check,
    Examples((_T.format("Uniform"), _T.format("null")), (_T.format("Flexible"),), (_T.format("!unknown "),)),
    providers=(Provider.AZURE,),
)
