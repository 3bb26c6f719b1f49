"""More nodes than one placement group holds.

What: A scale set of a single placement group may have more than 100 nodes (1000 without one).
Severity: warning for an InfiniBand set of up to 300 nodes, which support grants on request
Why: The nodes beyond the limit are refused. For InfiniBand sets the limit can be raised; for others the set needs no single group.
Fix: Have fewer nodes, or several sets; without InfiniBand set singlePlacementGroup to false.
References: Azure docs, working with large scale sets; Azure docs, set up InfiniBand on HPC VMs
"""

from __future__ import annotations

from collections.abc import Iterator

from ....catalog import limit
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_scaling import most_nodes
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3205", "single-group-above-its-size", Severity.ERROR, __doc__, ("AZ IB-05", "AZ PLC-06"))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each scale set. What our own component made is judged by the plan."""
    one, raised, many = (
        _limit(w) for w in ("single_placement_group_nodes", "single_placement_group_nodes_raised", "scale_set_nodes")
    )
    for nodes in ctx.azure.sets:
        if ctx.azure.ours(nodes.resource):
            continue
        most = most_nodes(ctx.azure, nodes)
        written = nodes.resource.get("singlePlacementGroup")
        if most is None or (late(written) and most > one):
            yield Undecided(CODE.code, nodes.name, "the number of nodes or the placement group is not known yet")
            continue
        # Left out, a Uniform set has one group and a Flexible one has several.
        single = nodes.single_group if written is not None else not nodes.flexible
        top = one if single else many
        if most <= top:
            continue
        granted = single and nodes.infiniband and most <= raised
        yield CODE.at(
            f"{nodes.name}.sku.capacity",
            f"{most:g} nodes, and a set {'of a single placement group' if single else 'of several groups'} holds {top:g}",
            f"ask support for up to {raised:g} before you deploy"
            if granted
            else f"have at most {top:g} nodes in a set",
            resource=nodes.name,
            severity=Severity.WARNING if granted else None,
        )


def _limit(what: str) -> float:
    row = limit(Provider.AZURE, what)
    return row.maximum if row else float("inf")


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs: {{sku: {{name: {0}, capacity: {1}}}, singlePlacementGroup: {2}}}
"""
_H100, _T4 = "Standard_ND96isr_H100_v5", "Standard_NC4as_T4_v3"

RULE = ResourceRule(
    CODE,
    ("capacity", "placement"),
    check,
    Examples(
        (_T.format(_H100, 100, "true"), _T.format(_T4, 130, "false")),
        (_T.format(_H100, 130, "true"), _T.format(_H100, 301, "true"), _T.format(_T4, 101, "true")),
        (_T.format(_H100, 130, "!unknown "),),
    ),
    providers=(Provider.AZURE,),
)
