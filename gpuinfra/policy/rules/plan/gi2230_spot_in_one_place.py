"""Spot nodes of one type in one zone.

What: A spot pool has a single instance type and a single zone.
Why: When that market runs dry, all nodes go at once and none comes back. It is the price of a fabric, which needs one zone.
Fix: Keep a pool of another type, or on demand, to fall back on; and save checkpoints often.
References: skypilot-org/skypilot#5371; EC2 User Guide, Spot best practices
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import CapacityType
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2230", "spot-in-one-place", Severity.WARNING, __doc__, ("AWS CAP-16",))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the first such pool, unless a pool bought in another way carries the same GPU."""
    for pool in ctx.plan.gpu_pools:
        if pool.capacity.type is not CapacityType.SPOT:
            continue
        others = [
            p
            for p in ctx.plan.gpu_pools
            if p is not pool
            and p.instance.gpu_model == pool.instance.gpu_model
            and (p.instance.name != pool.instance.name or p.capacity.type is not CapacityType.SPOT)
        ]
        if not others:
            where = f" ({pool.zone})" if pool.zone else ""
            yield CODE.at(
                f"{pool.path}.capacity.type",
                f"spot nodes of one type, {pool.instance.name}, in one zone{where}: they can all go at once",
            )
            return


RULE = PlanRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        ("node_pools: [{capacity: {type: on_demand}}]",),
        ("node_pools: [{instance_type: p4d.24xlarge, capacity: {type: spot}}]",),
    ),
)
