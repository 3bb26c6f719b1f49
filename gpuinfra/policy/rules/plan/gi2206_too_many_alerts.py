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
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2206", "too-many-alerts", Severity.ERROR, __doc__, ("AWS COST-01", "AZ BUD-03"))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the budget. Only a monthly amount becomes a budget of the cloud."""
    budget = ctx.plan.spec.budget
    if budget is None or budget.per_month_usd is None:
        return
    most = limit(ctx.plan.provider, "budget_notifications")
    count = len(set(budget.alerts_percent))
    if most is not None and count > most.maximum:
        yield CODE.at(
            "budget.alerts_percent",
            f"{count} alert levels, and the cloud's budget takes at most {most.maximum} notifications",
            f"drop {count - most.maximum} of them",
        )


RULE = PlanRule(
    CODE,
    ("money",),
    check,
    Examples(
        ("budget: {alerts_percent: [10, 20, 30, 40, 50, 60, 70, 80, 90]}",),
        ("budget: {alerts_percent: [10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110]}",),
    ),
)
