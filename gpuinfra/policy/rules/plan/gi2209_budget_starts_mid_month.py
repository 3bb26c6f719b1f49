"""An Azure budget that starts in the middle of a month.

What: `budget.start` is not the first day of a month.
Why: Azure refuses a monthly budget whose start is another day.
Fix: Take the first of the month.
References: Azure/azure-quickstart-templates#7095; Azure Consumption API, BudgetTimePeriod
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2209", "budget-starts-mid-month", Severity.ERROR, __doc__, ("AZ BUD-01",))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the budget."""
    budget = ctx.plan.spec.budget
    if budget is not None and budget.start is not None and budget.start.day != 1:
        first = budget.start.replace(day=1).isoformat()
        yield CODE.at("budget.start", f"{budget.start.isoformat()} is not the first of a month", f"write {first}")


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
    Examples((_AZURE.format("2026-12-01"),), (_AZURE.format("2026-12-15"),)),
    providers=(Provider.AZURE,),
)
