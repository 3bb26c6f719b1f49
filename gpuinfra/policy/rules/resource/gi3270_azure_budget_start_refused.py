"""A budget whose start Azure refuses.

What: timePeriod.startDate is not the first of a month, is before June 2017, or is more than twelve months ahead; or the end is not after it.
Why: The budget is refused at `up`. A start that is worked out from today is the usual cause.
Fix: Write the first of a month, as 2026-12-01T00:00:00Z.
References: Azure/azure-quickstart-templates#7095; Azure Consumption API, BudgetTimePeriod
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import BUDGET
from ...azure_moments import START, moment_of
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3270", "azure-budget-start-refused", Severity.ERROR, __doc__, ("AZ BUD-01",))
# Azure Consumption API, Budgets: create or update.
_EARLIEST, _MONTHS_AHEAD = date(2017, 6, 1), 12


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each budget. How far ahead a start is, is judged only where the moment is known."""
    for budget in ctx.azure.of_type(BUDGET):
        value = budget.get("timePeriod", "startDate")
        if late(value):
            yield Undecided(CODE.code, budget.name, "the start is not known yet")
            continue
        if value is None:
            continue
        start = moment_of(value)
        if start is None:
            yield CODE.at(
                f"{budget.name}.{START}",
                f"'{value}' is no date",
                "write it as 2026-12-01T00:00:00Z",
                resource=budget.name,
            )
            continue
        yield from _check(budget, start, ctx.now)


def _check(budget: Resource, start: datetime, now: datetime | None) -> Iterator[Diagnostic]:
    first = start.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    where, shown = f"{budget.name}.{START}", start.strftime("%Y-%m-%d")
    end = moment_of(budget.get("timePeriod", "endDate"))
    if start != first:
        said = shown if start.day != 1 else start.strftime("%Y-%m-%dT%H:%M:%SZ")
        yield CODE.at(
            where,
            f"{said} is not the first of a month, at midnight UTC",
            f"write {first:%Y-%m-%d}T00:00:00Z",
            resource=budget.name,
        )
    elif start.date() < _EARLIEST:
        yield CODE.at(where, f"{shown} is before {_EARLIEST}", "take a later month", resource=budget.name)
    elif now is not None and _months(now, start) > _MONTHS_AHEAD:
        yield CODE.at(
            where, f"{shown} is more than {_MONTHS_AHEAD} months ahead", "take an earlier month", resource=budget.name
        )
    elif end is not None and end <= start:
        yield CODE.at(
            f"{budget.name}.timePeriod.endDate",
            f"the budget ends on {end:%Y-%m-%d}, and starts on {shown}",
            "take a later end",
            resource=budget.name,
        )


def _months(now: datetime, start: datetime) -> int:
    today = now.astimezone(UTC)
    return (start.year - today.year) * 12 + start.month - today.month


_T = """\
- type: azure-native.consumption.Budget
  name: money
  inputs: {{amount: 20000, timePeriod: {{startDate: "{0}"}}}}
"""

RULE = ResourceRule(
    CODE,
    ("cost", "time"),
    check,
    Examples(
        (_T.format("2026-11-01T00:00:00Z"), _T.format("2027-11-01"), _T.format("2026-11-01")),
        (
            _T.format("2026-11-17T00:00:00Z"),
            _T.format("2026-11-01T09:31:07Z"),
            _T.format("2028-01-01T00:00:00Z"),
            _T.format("2016-01-01"),
            _T.format("soon"),
        ),
        (_T.format("${start.date}"),),
    ),
    providers=(Provider.AZURE,),
)
