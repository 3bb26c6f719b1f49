"""GPU nodes that nothing ever stops.

What: A spec with GPU nodes has no lease, no idle limit and no schedule.
Severity: warning where the worst case is known, below 10 USD an hour (or the amount of the settings), and within the amounts of the budget
Why: Nodes bill until somebody remembers them. A budget is an alarm whose data come 8 to 24 hours late, never a cap.
Fix: Add shutdown: {lease: 72h} with the time the work needs, and idle_after: 30m.
References: AWS Cost Management User Guide; field survey of seeded mistakes, '16 p5 always on'
"""

from __future__ import annotations

from collections.abc import Iterator

from ....cost import HOURS_PER_MONTH, LAG_HOURS
from ....diagnostics import Diagnostic, Severity
from ....spec.models import Budget
from ...endings import open_ended
from ...money import at_least, dated, spent, unknown_nodes, usd
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2201", "nodes-without-end", Severity.ERROR, __doc__, ("AWS COST-05", "GCP-SCH-13", "AZ BUD-05"))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the cluster. Nodes that the cloud itself ends (a block, flex-start) do not count. The amounts of the
    budget are part of it: without an end nothing else holds them."""
    plan = ctx.plan
    pools = open_ended(plan)
    if not pools:
        return
    cost, worst = ctx.cost, ctx.cost.worst_usd_per_hour
    nodes = " and ".join(f"{p.count_max} × {p.instance.name}" for p in pools[:3])
    unknown = unknown_nodes(plan, cost)
    price = (
        f"{at_least(cost)}{usd(worst)} an hour, {usd(worst * HOURS_PER_MONTH)} a month ({dated(cost)})"
        if worst
        else "the price is not known"
    )
    if unknown and worst:
        price += f"; the price of pool {', '.join(unknown)} is not known"
    text = f"{nodes} with no lease, no idle limit and no schedule: {price}"
    if plan.spec.budget is not None and worst:
        text += (
            f"; the budget is no cap: spend data lag 8–{LAG_HOURS} h, in which {spent(cost, LAG_HOURS)} can be spent"
        )
    over = _over(plan.spec.budget, worst, "at most " if at_least(cost) else "")
    text += over
    dear = worst >= ctx.options.lease_above_usd_per_hour or bool(unknown) or bool(over)
    yield CODE.at("shutdown", text, severity=Severity.ERROR if dear else Severity.WARNING)


def _over(budget: Budget | None, worst: float, most: str) -> str:
    """Which amounts are passed, and when, for the end of a sentence."""
    if budget is None or not worst:
        return ""
    passed: list[str] = []
    if budget.per_run_usd is not None:
        passed.append(f"budget.per_run_usd ({usd(budget.per_run_usd)}) {_after(budget.per_run_usd / worst, most)}")
    if budget.per_month_usd is not None and worst * HOURS_PER_MONTH > budget.per_month_usd:
        passed.append(
            f"budget.per_month_usd ({usd(budget.per_month_usd)}) {_after(budget.per_month_usd / worst, most)}"
        )
    return f"; that passes {' and '.join(passed)}" if passed else ""


def _after(hours: float, most: str) -> str:
    return f"after {most}{hours:,.0f} h" if hours >= 1 else "within the first hour"


RULE = PlanRule(
    CODE,
    ("money", "time"),
    check,
    Examples(
        ("shutdown: {lease: 72h, idle_after: null}", "shutdown: {lease: null, idle_after: 30m}"),
        (
            "{node_pools: [{count: 16}], budget: null, shutdown: null}",
            "{node_pools: [{instance_type: g4dn.xlarge}], shutdown: null, storage: []}",
            "{budget: {per_month_usd: 5000, per_run_usd: 900}, shutdown: null}",
        ),
    ),
)
