"""A budget that begins when the cluster is over.

What: `budget.start` is later than the end of the lease, counted from now where the lease is a duration.
Why: Until that day nothing is counted and nobody is told: the cluster runs its whole life without an alarm.
Fix: Leave budget.start out, or take the first day of this month.
References: AWS Cost Management User Guide, budgets; Azure Consumption API, BudgetTimePeriod
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date

from ....diagnostics import Diagnostic, Severity
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2218", "budget-starts-after-the-end", Severity.WARNING, __doc__)


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the budget."""
    budget, end = ctx.plan.spec.budget, _end(ctx)
    if budget is None or budget.start is None or end is None or budget.start <= end:
        return
    month = ctx.now.astimezone(UTC).date().replace(day=1).isoformat()
    yield CODE.at(
        "budget.start",
        f"the budget counts from {budget.start.isoformat()}, and the lease ends on {end.isoformat()}",
        f"leave it out, or write {month}",
    )


def _end(ctx: PlanContext) -> date | None:
    lease = ctx.plan.lease
    moment = lease.ends if lease.duration is None else ctx.now + lease.duration
    return None if moment is None else moment.astimezone(UTC).date()


RULE = PlanRule(
    CODE,
    ("money", "time"),
    check,
    Examples(
        ("{shutdown: {lease: 72h}, budget: {start: 2026-11-01}}", "{shutdown: null, budget: {start: 2030-06-01}}"),
        ("{shutdown: {lease: 72h}, budget: {start: 2030-06-01}}",),
    ),
)
