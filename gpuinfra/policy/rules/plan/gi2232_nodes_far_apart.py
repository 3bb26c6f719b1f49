"""Fabric nodes that may stand far apart.

What: A pool of several nodes uses the fabric, is bought on demand or as spot, and has `proximity: none`.
Why: Without a placement group nodes stand anywhere in the zone: each hop adds latency, and all-reduce waits for the slowest.
Fix: Leave proximity at auto.
References: aws/aws-parallelcluster, EfaPlacementGroupValidator
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import CapacityType, FabricKind
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2232", "nodes-far-apart", Severity.WARNING, __doc__, ("AWS PLC-01",))
_OPEN_MARKET = (CapacityType.ON_DEMAND, CapacityType.SPOT)


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each pool whose type could stand together. InfiniBand joins the nodes of one placement alone: they
    stand together whether or not a group is asked for."""
    wishes = {f"node_pools[{n}]": p.proximity for n, p in enumerate(ctx.plan.spec.node_pools)}
    for pool in ctx.plan.pools:
        if wishes.get(pool.path) != "none" or not (pool.multi_node and pool.fabric.present):
            continue
        if pool.fabric.kind is FabricKind.INFINIBAND:
            continue
        if pool.capacity.type in _OPEN_MARKET and pool.instance.cluster_placement_supported is not False:
            yield CODE.at(
                f"{pool.path}.proximity",
                f"'none' for {pool.count_max} nodes of {pool.instance.name} that exchange data over {pool.fabric.kind}",
            )


_INFINIBAND = (
    "{location: {provider: azure, region: eastus, zone: '1'}, "
    "node_pools: [{instance_type: Standard_ND96isr_H100_v5, proximity: none}]}"
)

RULE = PlanRule(
    CODE,
    ("placement", "fabric"),
    check,
    Examples(("node_pools: [{proximity: auto}]", _INFINIBAND), ("node_pools: [{proximity: none}]",)),
)
