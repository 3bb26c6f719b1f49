"""A spot machine in an availability set.

What: A virtual machine of priority Spot names an availability set.
Why: Azure sells no spot machine in an availability set: it is refused.
Fix: Leave availabilitySet out, or put spot nodes into a scale set; a set of InfiniBand nodes is a scale set with a single placement group.
References: Azure docs, use spot virtual machines; Azure docs, availability sets
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import MACHINE
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3384", "spot-in-availability-set", Severity.ERROR, __doc__)


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine."""
    for nodes in ctx.azure.nodes:
        if nodes.resource.type != MACHINE or nodes.get("availabilitySet") is None:
            continue
        if nodes.spot is None:
            yield Undecided(CODE.code, nodes.name, "the priority is not known yet")
        elif nodes.spot:
            yield CODE.at(
                f"{nodes.name}.availabilitySet",
                "the machine is spot, and stands in an availability set",
                "leave the set out, or buy the machine as Regular",
                resource=nodes.name,
            )


_T = """\
- type: azure-native.compute.VirtualMachine
  name: box
  inputs: {{priority: {0}, availabilitySet: {1}}}
"""
_SET = "{id: /subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/availabilitySets/a}"

RULE = ResourceRule(
    CODE,
    ("capacity", "placement"),
    check,
    Examples(
        (_T.format("Spot", "null"), _T.format("Regular", _SET)),
        (_T.format("Spot", _SET),),
        (_T.format("!unknown ", _SET),),
    ),
    providers=(Provider.AZURE,),
)
