"""GPU nodes that nothing ever stops.

What: A spec with GPU nodes has no lease, no idle limit and no schedule.
Why: Nodes bill until somebody remembers them. A budget is an alarm whose data come 8 to 24 hours late, never a cap. Above 10 USD an hour, or where the price is not known, this is an error.
Fix: Add shutdown: {lease: 72h} with the time the work needs, and idle_after: 30m.
References: AWS Cost Management User Guide; field survey of seeded mistakes, '16 p5 always on'
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....plan.models import PoolPlan
from ....vocabulary import CapacityType
from ...money import DEAR_USD_PER_HOUR, HOURS_PER_MONTH, LAG_HOURS, at_least, dated, spent, unknown_nodes, usd
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2201", "nodes-without-end", Severity.ERROR, __doc__, ("AWS COST-05", "GCP GCP-SCH-13", "AZ BUD-05"))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the cluster. Nodes that the cloud itself ends (a block, flex-start) do not count."""
    plan = ctx.plan
    end = plan.spec.shutdown
    if plan.lease.present or (end is not None and (end.idle_after is not None or end.stop_at is not None)):
        return
    open_ended = [p for p in plan.gpu_pools if not _ends_itself(p)]
    if not open_ended:
        return
    cost, worst = ctx.cost, ctx.cost.worst_usd_per_hour
    nodes = " and ".join(f"{p.count_max} × {p.instance.name}" for p in open_ended[:3])
    unknown = unknown_nodes(plan, cost)
    price = (
        f"{at_least(cost)}{usd(worst)} an hour, {usd(worst * HOURS_PER_MONTH)} a month ({dated(cost)})"
        if worst
        else "the price is not known"
    )
    text = f"{nodes} with no lease, no idle limit and no schedule: {price}"
    if plan.spec.budget is not None and worst:
        text += (
            f"; the budget is no cap: spend data lag 8–{LAG_HOURS} h, in which {spent(cost, LAG_HOURS)} can be spent"
        )
    dear = worst >= DEAR_USD_PER_HOUR or bool(unknown)
    yield CODE.at("shutdown", text, severity=Severity.ERROR if dear else Severity.WARNING)


def _ends_itself(pool: PoolPlan) -> bool:
    return pool.capacity.type is CapacityType.FLEX_START or (
        pool.capacity.type is CapacityType.CAPACITY_BLOCK and pool.capacity.ends is not None
    )


RULE = PlanRule(
    CODE,
    ("money", "time"),
    check,
    Examples(
        ("shutdown: {lease: 72h, idle_after: null}", "shutdown: {lease: null, idle_after: 30m}"),
        (
            "{node_pools: [{count: 16}], budget: null, shutdown: null}",
            "{node_pools: [{instance_type: g4dn.xlarge}], shutdown: null, storage: []}",
        ),
    ),
)
