"""A budget that Azure refuses, or that tells nobody.

What: An amount that is not above zero, no notification or more than five, a threshold outside 0 to 1000, a notification without a contact, none that is switched on, or a filter whose `and` has fewer than two parts.
Severity: warning for a threshold below one per cent
Why: The budget is refused at `up`, after other resources were made; and one without a contact warns nobody.
Fix: Give one to five notifications with a threshold above 0 and up to 1000 percent, and a mail address or an action group each.
References: Azure Consumption API, Budgets: create or update
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

from ....catalog import limit
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_budgets import has_contact
from ...azure_graph import BUDGET
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number, plain, truth

CODE = described("GI3272", "azure-budget-refused-or-mute", Severity.ERROR, __doc__, ("AZ BUD-03", "AZ BUD-04"))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each budget and fault."""
    for budget in ctx.azure.of_type(BUDGET):
        amount, told = budget.get("amount"), budget.get("notifications")
        if late(amount) or late(told):
            yield Undecided(CODE.code, budget.name, "the amount or the notifications are not known yet")
        value = number(amount)
        if not late(amount) and amount is not None and (value is None or value <= 0):
            yield _said(budget, "amount", f"an amount of {amount} is not above zero", "give an amount above zero")
        if not late(told):
            yield from _notifications(budget, cast("Mapping[str, Any]", told) if isinstance(told, Mapping) else {})
        parts = budget.get("filter", "and")
        if isinstance(parts, (list, tuple)) and len(cast("list[Any]", parts)) < 2:
            yield _said(budget, "filter.and", "and joins two parts or more", "put a single part under filter.tags")


def _notifications(budget: Resource, told: Mapping[str, Any]) -> Iterator[Diagnostic | Undecided]:
    most, top = (limit(Provider.AZURE, w) for w in ("budget_notifications", "budget_threshold_percent"))
    if not told:
        yield _said(budget, "notifications", "the budget has no notification: it tells nobody", "add one")
    if most is not None and len(told) > most.maximum:
        text = f"{len(told)} notifications, and a budget takes {most.maximum}"
        yield _said(budget, "notifications", text, f"keep {most.maximum}")
    off = [n for n, b in told.items() if truth(_inside(b, "enabled")) is False]
    open_ = [n for n, b in told.items() if late(_inside(b, "enabled"))]
    if open_ and len(off) + len(open_) == len(told):
        yield Undecided(CODE.code, budget.name, "whether a notification is switched on is not known yet")
    elif told and len(off) == len(told):
        text = "no notification is switched on: the budget tells nobody"
        yield _said(budget, f"notifications.{off[0]}.enabled", text, "set enabled: true")
    for name, block in told.items():
        block = plain(block)
        if not isinstance(block, Mapping):
            continue
        one = cast("Mapping[str, Any]", block)
        level = plain(one.get("threshold"))
        value = number(level)
        if late(level):
            yield Undecided(CODE.code, budget.name, "the threshold of a notification is not known yet")
        if top is not None and not late(level) and (value is None or not 0 < value <= top.maximum):
            text = f"a threshold of {level} is not above 0 and up to {top.maximum} percent"
            yield _said(budget, f"notifications.{name}.threshold", text, "give percent of the amount, as 80")
        if value is not None and 0 < value <= 1:
            text = f"{value:g} per cent of the budget is reached at once"
            path = f"notifications.{name}.threshold"
            yield replace(_said(budget, path, text, f"write {value * 100:g}"), severity=Severity.WARNING)
        if not has_contact(one):
            yield _said(budget, f"notifications.{name}", "the notification has no contact", "add a mail address")


def _inside(block: Any, key: str) -> Any:
    block = plain(block)
    return plain(cast("Mapping[str, Any]", block).get(key)) if isinstance(block, Mapping) else None


def _said(budget: Resource, path: str, text: str, hint: str) -> Diagnostic:
    return CODE.at(f"{budget.name}.{path}", text, hint, resource=budget.name)


_T = """\
- type: azure-native.consumption.Budget
  name: money
  inputs:
    amount: {0}
    notifications: {{half: {{enabled: true, operator: GreaterThan, threshold: {1}, contactEmails: {2}}}}}
"""
_MAIL = "[ml@example.com]"
_SIX = (
    "- type: azure-native.consumption.Budget\n  name: money\n  inputs:\n    amount: 5\n    notifications:\n"
    + "".join(f"      n{n}: {{threshold: {n}0, contactEmails: [ml@example.com]}}\n" for n in range(1, 7))
)

RULE = ResourceRule(
    CODE,
    ("cost",),
    check,
    Examples(
        (_T.format(20000, 50, _MAIL), _T.format(20000, 1000, _MAIL)),
        (
            _T.format(0, 50, _MAIL),
            _T.format(20000, 1001, _MAIL),
            _T.format(20000, 50, "[]"),
            _SIX,
            _T.format(20000, 50, _MAIL).replace("true", "false"),
        ),
        (_T.format("!unknown ", 50, _MAIL),),
    ),
    providers=(Provider.AZURE,),
)
