"""A budget's start that next month's `up` may try to change.

What: timePeriod.startDate is the first of the current month, and the options do not ignore it; or it is another one than was deployed.
Severity: error where what was deployed last shows another start
Why: Templates work it out from today. In the next month it is another one, and Azure refuses the update: the start of a budget never changes.
Fix: Add ignoreChanges: ["timePeriod.startDate"]. A start that is written by hand needs it no less, and loses nothing.
References: Azure/CanadaPubSecALZ#317; jpsnover/ai-triad-research#1697
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import BUDGET
from ...azure_moments import START, moment_of
from ...last_inputs import covered, last
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3271", "budget-start-moves", Severity.WARNING, __doc__, ("AZ BUD-02",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each budget; without a clock only a known change is said. A start that comes out of a resource is
    kept there."""
    for budget in ctx.azure.of_type(BUDGET):
        value = budget.get("timePeriod", "startDate")
        start, was = moment_of(value), last(ctx, budget)
        kept = covered(budget, "ignoreChanges", START) or budget.property_dependencies.get("timePeriod")
        if late(value) and not kept:
            yield Undecided(CODE.code, budget.name, "where the start comes from is not known yet")
        if start is None or covered(budget, "ignoreChanges", START):
            continue
        before = moment_of(was.get("timePeriod", "startDate")) if was is not None else None
        if before is not None and before != start:
            yield CODE.at(
                f"{budget.name}.{START}",
                f"the budget starts on {before:%Y-%m-%d}, and a start never changes: {start:%Y-%m-%d} is refused",
                f'add ignoreChanges: ["{START}"]',
                resource=budget.name,
                severity=Severity.ERROR,
            )
        elif before is None and ctx.now is not None and _same_month(start, ctx.now):
            yield CODE.at(
                f"{budget.name}.{START}",
                f"{start:%Y-%m-%d} is the current month's: where it is worked out from today, next month's `up` is refused",
                f'add ignoreChanges: ["{START}"]',
                resource=budget.name,
            )


def _same_month(start: datetime, now: datetime) -> bool:
    today = now.astimezone(UTC)
    return (start.year, start.month) == (today.year, today.month)


_T = """\
- type: azure-native.consumption.Budget
  name: money
  inputs: {{amount: 20000, timePeriod: {{startDate: "{0}"}}}}
  options: {1}
"""
_IGNORED = "{ignoreChanges: [timePeriod.startDate]}"

RULE = ResourceRule(
    CODE,
    ("cost", "drift"),
    check,
    Examples(
        (_T.format("2026-11-01T00:00:00Z", _IGNORED), _T.format("2026-06-01T00:00:00Z", "{}")),
        (_T.format("2026-11-01T00:00:00Z", "{}"),),
        (_T.replace('"{0}"', "!unknown ").format("", "{}"),),
    ),
    providers=(Provider.AZURE,),
)
