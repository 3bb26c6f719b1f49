"""A dear cluster without a budget.

What: A cluster that costs more than 10 USD an hour (or the amount of the settings) has no `budget`.
Why: Without one nobody is told, and nothing is checked before the nodes are bought.
Fix: Add budget: {per_month_usd: …, contacts: [you@example.com]}.
References: AWS Well-Architected, cost optimisation; Azure Cost Management, budgets
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ...money import at_least, dated, usd
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2202", "no-budget", Severity.WARNING, __doc__, ("AWS COST-05", "AZ BUD-05", "GCP-BUD-03"))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the cluster."""
    if ctx.plan.spec.budget is not None or not ctx.plan.gpu_pools:
        return
    worst = ctx.cost.worst_usd_per_hour
    if worst >= ctx.options.lease_above_usd_per_hour:
        yield CODE.at("budget", f"no budget for {at_least(ctx.cost)}{usd(worst)} an hour ({dated(ctx.cost)})")


RULE = PlanRule(
    CODE,
    ("money",),
    check,
    Examples(("budget: {per_month_usd: 90000}",), ("budget: null",)),
)
