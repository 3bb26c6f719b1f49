"""A scale set that is not what its plan says.

What: The plan's pool is spot and the set is Regular, or the other way round; or the set stands in another proximity placement group than the one that the spec names.
Why: A tool that was asked for spot and made regular machines cost its users several times the price, and nothing said so.
Fix: Give the set the pool's priority and group.
References: skypilot-org/skypilot#4406; Azure docs, spot in scale sets
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import CapacityType, Provider
from ...azure_plan import pool_of
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3221", "set-is-not-the-plans", Severity.ERROR, __doc__, ("AZ SPOT-06",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each set that was made from a pool; without a plan there is nothing to compare with."""
    for nodes in ctx.azure.sets:
        pool = pool_of(ctx, nodes)
        if pool is None:
            continue
        wanted = pool.capacity.type is CapacityType.SPOT
        if nodes.spot is None:
            yield Undecided(CODE.code, nodes.name, "the priority is not known yet")
        elif nodes.spot is not wanted:
            yield CODE.at(
                nodes.at("priority"),
                f"the plan buys the nodes as {pool.capacity.type}, and the set is {'Spot' if nodes.spot else 'Regular'}",
                f"set priority: {'Spot' if wanted else 'Regular'}",
                resource=nodes.name,
            )
        group = ctx.azure.proximity_group(nodes)
        own = pool.placement.name.rpartition("/")[2].lower()
        kept = bool(group.unknown or group.resources) or any(f.lower().endswith(f"/{own}") for f in group.foreign)
        if pool.placement.mode == "existing" and not kept:
            yield CODE.at(
                f"{nodes.name}.proximityPlacementGroup",
                f"the spec names the group '{pool.placement.name}', and the set stands in another, or in none",
                "give the set the group's id",
                resource=nodes.name,
            )


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: acme-gpu-pool
  inputs: {{virtualMachineProfile: {{priority: {0}}}}}
"""
_SPEC = """\
location: {provider: azure, region: eastus}
node_pools: [{instance_type: Standard_NC24ads_A100_v4, count: 2, capacity: {type: spot}}]
storage: []
"""

RULE = ResourceRule(
    CODE,
    ("capacity", "placement"),
    check,
    Examples((_T.format("Spot"),), (_T.format("Regular"), _T.format("null")), (_T.format("!unknown "),), spec=_SPEC),
    providers=(Provider.AZURE,),
)
