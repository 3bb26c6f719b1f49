"""A budget's start that next month's `up` may try to change.

What: timePeriod.startDate is the first of the current month, and the options do not ignore it.
Why: Templates work it out from today. In the next month it is another one, and Azure refuses the update: the start of a budget never changes.
Fix: Add ignoreChanges: ["timePeriod.startDate"]. A start that is written by hand needs it no less, and loses nothing.
References: Azure/CanadaPubSecALZ#317; jpsnover/ai-triad-research#1697
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import BUDGET
from ...azure_moments import START, moment_of
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items

CODE = described("GI3271", "budget-start-moves", Severity.WARNING, __doc__, ("AZ BUD-02",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each budget; without a clock nothing is said. A start that comes out of a resource is kept there."""
    if ctx.now is None:
        return
    today = ctx.now.astimezone(UTC)
    for budget in ctx.azure.of_type(BUDGET):
        start = moment_of(budget.get("timePeriod", "startDate"))
        ignored = {str(i) for i in items(budget.options.get("ignoreChanges"))}
        if start is None or {START, "timePeriod", "*"} & ignored:
            continue
        if (start.year, start.month) == (today.year, today.month):
            yield CODE.at(
                f"{budget.name}.{START}",
                f"{start:%Y-%m-%d} is the current month's: where it is worked out from today, next month's `up` is refused",
                f'add ignoreChanges: ["{START}"]',
                resource=budget.name,
            )


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
    ),
    providers=(Provider.AZURE,),
)
