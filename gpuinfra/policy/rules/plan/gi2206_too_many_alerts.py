"""More alert levels than the cloud's budget takes.

What: `budget.alerts_percent` has more levels than the cloud's budget takes notifications.
Why: The cloud refuses the budget: AWS takes ten notifications, Azure five.
Fix: Keep the levels that somebody acts on, as [50, 80, 100].
References: AWS Budgets API, CreateBudget; Azure Consumption API, budgets
"""

from __future__ import annotations

from collections.abc import Iterator

from ....catalog import limit
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import OnLimit
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2206", "too-many-alerts", Severity.ERROR, __doc__, ("AWS COST-01", "AZ BUD-03"))
_SPENT = 100.0


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the budget. Only a monthly amount becomes a budget of the cloud. The level at which the nodes are
    stopped counts too; the forecast is left out where there is no room for it."""
    plan, budget = ctx.plan, ctx.plan.spec.budget
    most = limit(plan.provider, "budget_notifications")
    if budget is None or budget.per_month_usd is None or most is None:
        return
    levels = {float(level) for level in budget.alerts_percent}
    stop = {_SPENT} - levels if budget.on_limit is not OnLimit.NOTIFY else set[float]()
    total = len(levels) + len(stop)
    if total > most.maximum:
        with_ours = f", which the level that stops the nodes makes {total}" if stop else ""
        yield CODE.at(
            "budget.alerts_percent",
            f"{len(levels)} alert levels{with_ours}; the cloud's budget takes at most {most.maximum} notifications",
            f"drop {total - most.maximum} of them; [50, 80, 100] is usual",
        )


RULE = PlanRule(
    CODE,
    ("money",),
    check,
    Examples(
        ("budget: {alerts_percent: [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]}",),
        ("budget: {alerts_percent: [10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110]}",),
    ),
)
