"""What can be spent before a budget notices.

What: The cluster has a budget of the cloud.
Why: Spend data come 8 to 24 hours late on all three clouds, so a budget is an alarm and never a cap.
Fix: Set the lease and the idle limit so that this amount can be borne.
References: AWS Cost Management User Guide, budgets; Azure Cost Management, data latency; Google Cloud Billing, budgets
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ...money import LAG_HOURS, at_least, dated, spent, usd
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2210", "budget-is-no-cap", Severity.INFO, __doc__, ("AWS COST-05", "GCP GCP-BUD-03"))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding with the figure, where the cluster is dear enough to matter."""
    budget = ctx.plan.spec.budget
    if budget is None or budget.per_month_usd is None or not ctx.plan.gpu_pools:
        return
    worst = ctx.cost.worst_usd_per_hour
    hours = LAG_HOURS if ctx.cost.lease_hours is None else min(LAG_HOURS, ctx.cost.lease_hours)
    if worst >= 1:
        yield CODE.at(
            "budget",
            f"spend data lag 8–{LAG_HOURS} h: {spent(ctx.cost, hours)} can be spent "
            f"before the budget notices ({at_least(ctx.cost)}{usd(worst)} an hour, {dated(ctx.cost)})",
        )


RULE = PlanRule(
    CODE,
    ("money",),
    check,
    Examples(("budget: null",), ("budget: {per_month_usd: 90000}",)),
)
