"""An InfiniBand scale set that may split into several placement groups.

What: A scale set of an InfiniBand size may have more than one node and singlePlacementGroup false.
Why: The set works with a few nodes and then splits without a word: each part has a partition key of its own, TCP stays fine, and the setting cannot be turned back on.
Fix: Set singlePlacementGroup to true, and let the set be replaced.
References: Azure/AKS#2725; Azure/AKS#1947; Azure docs, set up InfiniBand on HPC VMs
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_plan import pool_of
from ...azure_scaling import can_be_several
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3202", "infiniband-split-in-groups", Severity.ERROR, __doc__, ("AZ IB-02",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each scale set. One whose spec asks for no fabric may split, and only a plan can tell of
    what our own component made."""
    for nodes in ctx.azure.sets:
        several = can_be_several(ctx.azure, nodes)
        if not nodes.infiniband or several is False or nodes.flexible:
            continue
        pool = pool_of(ctx, nodes)
        if not pool.fabric.present if pool is not None else ctx.azure.ours(nodes.resource):
            continue
        split = nodes.single_group is False
        if late(nodes.resource.get("singlePlacementGroup")) or (split and several is None):
            yield Undecided(CODE.code, nodes.name, "singlePlacementGroup or the number of nodes is not known yet")
        elif split:
            yield CODE.at(
                f"{nodes.name}.singlePlacementGroup",
                f"{nodes.size} nodes may split into several groups, and InfiniBand joins the nodes of one only",
                "set singlePlacementGroup: true",
                resource=nodes.name,
            )


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs: {{sku: {{name: Standard_ND96isr_H100_v5, capacity: {0}}}, singlePlacementGroup: {1}}}
"""

RULE = ResourceRule(
    CODE,
    ("fabric",),
    check,
    Examples(
        (_T.format(4, "true"), _T.format(1, "false")),
        (_T.format(4, "false"), _T.format(0, "false")),
        (_T.format(4, "!unknown "),),
    ),
    providers=(Provider.AZURE,),
)
