"""Several nodes of a size without InfiniBand, whose sister has it.

What: A scale set that may have several nodes takes a size without the letter r, and the same size with it carries InfiniBand.
Severity: warning where singlePlacementGroup is not true: the nodes may each work alone
Why: ND96is_… is the same machine without the network: NCCL between nodes goes over Ethernet, at a small part of the speed and nearly the same price.
Fix: Take the size with the r, as Standard_ND96isr_H100_v5, in a set with singlePlacementGroup.
References: Azure docs, ND H100 v5 series; Azure docs, ND MI300X v5 series; Azure docs, set up InfiniBand on HPC VMs
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....catalog import infiniband
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_scaling import can_be_several
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3294", "size-without-infiniband", Severity.ERROR, __doc__, ("AZ IB-04",))
_WITHOUT = re.compile(r"(?i)(standard_nd\d+is)(_\w+)")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each set; what our own component made is judged by the plan rules."""
    for nodes in ctx.azure.sets:
        match = _WITHOUT.fullmatch(nodes.size)
        sister = f"{match[1]}r{match[2]}" if match else ""
        board = infiniband(sister) if sister else None
        if board is None or not board.adapters or ctx.azure.ours(nodes.resource):
            continue
        several = can_be_several(ctx.azure, nodes)
        if several is None:
            yield Undecided(CODE.code, nodes.name, "the number of nodes is not known yet")
        elif several:
            yield CODE.at(
                nodes.size_path,
                f"nodes of {nodes.size} that run side by side, and the size has no InfiniBand",
                f"take {sister}, unless each node works alone",
                resource=nodes.name,
                severity=None if nodes.single_group else Severity.WARNING,
            )


_T = """\
- {{type: azure-native.compute.VirtualMachineScaleSet, name: nodes, inputs: {{singlePlacementGroup: true, sku: {{name: {0}, capacity: {1}}}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("fabric",),
    check,
    Examples(
        (_T.format("Standard_ND96isr_MI300X_v5", 4), _T.format("Standard_ND96is_MI300X_v5", 1)),
        (_T.format("Standard_ND96is_MI300X_v5", 4),),
        (_T.format("Standard_ND96is_MI300X_v5", "!unknown "),),
    ),
    providers=(Provider.AZURE,),
)
