"""A budget that starts more than a year ahead.

What: `budget.start` is more than twelve months from now.
Why: Azure refuses the budget.
Fix: Leave budget.start out, or take a nearer month.
References: Azure Consumption API, BudgetTimePeriod
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2308", "budget-starts-too-late", Severity.ERROR, __doc__, ("AZ BUD-01",))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the budget."""
    budget = ctx.plan.spec.budget
    month = ctx.now.astimezone(UTC).date().replace(day=1)
    last = month.replace(year=month.year + 1)
    if budget is not None and budget.per_month_usd is not None and budget.start is not None and budget.start > last:
        yield CODE.at(
            "budget.start",
            f"{budget.start.isoformat()} is more than twelve months ahead",
            f"leave it out, or take {last.isoformat()} at the latest",
        )


_AZURE = """\
location: {{provider: azure, region: eastus}}
node_pools: [{{instance_type: Standard_ND96isr_H100_v5}}]
storage: []
budget: {{start: "{0}"}}
"""

RULE = PlanRule(
    CODE,
    ("money",),
    check,
    Examples((_AZURE.format("2027-11-01"), _AZURE.format("2026-11-01")), (_AZURE.format("2027-12-01"),)),
    providers=(Provider.AZURE,),
)
