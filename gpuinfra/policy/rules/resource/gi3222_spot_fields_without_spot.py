"""Fields of spot nodes on nodes that are not spot.

What: An eviction policy or a highest price on a set, machine or pool whose priority is not Spot.
Why: Azure refuses the machine; where it does not, a limit that limits nothing was believed in.
Fix: Set priority: Spot, or remove the fields.
References: Azure docs, spot in scale sets; AVM, avm-res-compute-virtualmachinescaleset
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3222", "spot-fields-without-spot", Severity.ERROR, __doc__, ("AZ SPOT-01",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each set, machine and pool."""
    for nodes in ctx.azure.nodes:
        found = [p for p in ("evictionPolicy", "billingProfile.maxPrice") if nodes.get(*p.split(".")) is not None]
        if not found:
            continue
        if nodes.spot is None:
            yield Undecided(CODE.code, nodes.name, "the priority is not known yet")
        elif not nodes.spot:
            yield CODE.at(
                nodes.at(found[0]),
                f"{' and '.join(found)} on nodes whose priority is {nodes.get('priority') or 'Regular'}",
                "set priority: Spot, or remove it",
                resource=nodes.name,
            )
    for pool in ctx.azure.pools:
        priority = pool.value("scaleSetPriority")
        found = [k for k in ("scaleSetEvictionPolicy", "spotMaxPrice") if pool.value(k) is not None]
        if found and not late(priority) and str(priority).lower() != "spot":
            yield CODE.at(
                pool.at(found[0]),
                f"{' and '.join(found)} on a pool whose scaleSetPriority is {priority or 'Regular'}",
                "set scaleSetPriority: Spot, or remove it",
                resource=pool.source.name,
            )


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs: {{virtualMachineProfile: {{priority: {0}, evictionPolicy: {1}, billingProfile: {2}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (_T.format("Spot", "Delete", "{maxPrice: -1}"), _T.format("Regular", "null", "null")),
        (_T.format("Regular", "Delete", "null"), _T.format("null", "null", "{maxPrice: 3.5}")),
        (_T.format("!unknown ", "Delete", "null"),),
    ),
    providers=(Provider.AZURE,),
)
