"""An alert level that no budget takes.

What: A level of `budget.alerts_percent` is not above 0, is above 1000, or stands there twice; or there is no level.
Severity: warning for a level below 1, and where there is no level
Why: The cloud refuses it, or refuses the second of two equal notifications.
Fix: Write each level once, as per cent of the budget: [50, 80, 100].
References: Azure Consumption API, budgets, threshold; AWS Budgets API, DuplicateRecordException
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2207", "alert-level-out-of-range", Severity.ERROR, __doc__, ("AZ BUD-03", "AWS COST-01"))
_MOST = 1000


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each bad level."""
    budget = ctx.plan.spec.budget
    if budget is None:
        return
    path = "budget.alerts_percent"
    if not budget.alerts_percent and budget.per_month_usd is not None:
        yield CODE.at(path, "no alert level, so nobody is ever told", severity=Severity.WARNING)
    seen: set[float] = set()
    for n, level in enumerate(budget.alerts_percent):
        where = f"{path}[{n}]"
        if not 0 < level <= _MOST:
            near = "write 100 for the whole budget" if level > _MOST else "a level is above 0, as 50"
            yield CODE.at(where, f"{level:g} is not a level between 0 and {_MOST} per cent", near)
        elif level in seen:
            yield CODE.at(where, f"{level:g} stands there twice", "remove one")
        elif 0 < level < 1:
            yield CODE.at(
                where,
                f"{level:g} per cent of the budget is reached at once",
                f"levels are per cent; write {level * 100:g} for {level:g} of the budget",
                severity=Severity.WARNING,
            )
        seen.add(level)


RULE = PlanRule(
    CODE,
    ("money",),
    check,
    Examples(
        ("budget: {alerts_percent: [50, 80, 100]}",),
        ("budget: {alerts_percent: [-5]}", "budget: {alerts_percent: [80, 80]}", "budget: {alerts_percent: [0.8]}"),
    ),
)
