"""A budget that AWS refuses, or that tells nobody.

What: A limit that is not above zero, no notification, notifications without a subscriber, too many of them, DAILY with a forecast, or a bad name; or a threshold below one per cent.
Severity: warning for a threshold below one per cent
Why: CreateBudget refuses them at `up`, after other resources were made; a budget without notification, or a notification without subscriber, warns nobody.
Fix: Give a positive limit, one to ten notifications with one to eleven subscribers each, and a name of at most 100 characters without ':' or a backslash.
References: AWS Budgets API, CreateBudget and Notification
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import BUDGET, BUDGET_ACTION
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, items, late, number, plain

CODE = described("GI3043", "budget-refused-or-mute", Severity.ERROR, __doc__, ("AWS COST-01",))
_MOST_NOTIFICATIONS, _MOST_SUBSCRIBERS, _MOST_NAME = 10, 11, 100


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each budget and fault."""
    for budget in ctx.aws.of_type(BUDGET):
        limit, listed = budget.get("limitAmount"), budget.get("notifications")
        if late(limit) or late(listed):
            yield Undecided(CODE.code, budget.name, "the limit or the notifications are not known yet")
        value = number(limit)
        if limit is not None and not late(limit) and (value is None or value <= 0):
            yield CODE.at(f"{budget.name}.limitAmount", f"a limit of '{limit}' is not above zero", resource=budget.name)
        if not late(listed):
            yield from _notifications(budget, entries(listed))
        if not late(listed) and not items(listed) and not entries(listed) and not _acts(ctx, budget):
            yield CODE.at(
                f"{budget.name}.notifications",
                "the budget has no notification and no action: it tells nobody",
                "add a notification with a subscriber",
                resource=budget.name,
            )
        name = budget.get("name")
        if isinstance(name, str) and not late(name) and (len(name) > _MOST_NAME or ":" in name or "\\" in name):
            yield CODE.at(
                f"{budget.name}.name",
                f"the name '{name[:60]}' is longer than {_MOST_NAME} characters, or has ':' or a backslash in it",
                resource=budget.name,
            )
        if budget.get("costFilters") and budget.get("filterExpression"):
            yield CODE.at(
                f"{budget.name}.filterExpression",
                "costFilters and filterExpression exclude each other",
                resource=budget.name,
            )


def _acts(ctx: GraphContext, budget: Resource) -> bool:
    """Whether a budget action hangs on the budget, which tells its own subscribers, or may."""
    for action in ctx.aws.of_type(BUDGET_ACTION):
        links, value = ctx.aws.linked(action, "budgetName", BUDGET), action.get("budgetName")
        if links.unknown or any(r.urn == budget.urn for r in links.resources) or value == budget.get("name"):
            return True
    return False


def _notifications(budget: Resource, listed: list[Mapping[str, Any]]) -> Iterator[Diagnostic]:
    if len(listed) > _MOST_NOTIFICATIONS:
        yield CODE.at(
            f"{budget.name}.notifications",
            f"{len(listed)} notifications, and a budget takes {_MOST_NOTIFICATIONS}",
            resource=budget.name,
        )
    seen: set[tuple[Any, ...]] = set()
    for n, notification in enumerate(listed):
        path = f"{budget.name}.notifications[{n}]"
        mails = [plain(notification.get(k)) for k in ("subscriberEmailAddresses", "subscriberSnsTopicArns")]
        count = sum(len(items(m)) for m in mails)
        if not any(late(m) for m in mails) and not 0 < count <= _MOST_SUBSCRIBERS:
            said = "no subscriber" if not count else f"{count} subscribers, and it takes {_MOST_SUBSCRIBERS}"
            yield CODE.at(path, f"the notification has {said}", resource=budget.name)
        if budget.get("timeUnit") == "DAILY" and notification.get("notificationType") == "FORECASTED":
            yield CODE.at(
                f"{path}.notificationType", "a DAILY budget takes no FORECASTED notification", resource=budget.name
            )
        level = number(plain(notification.get("threshold")))
        if notification.get("thresholdType") == "PERCENTAGE" and level is not None and 0 < level <= 1:
            yield CODE.at(
                f"{path}.threshold",
                f"{level:g} per cent of the budget is reached at once",
                f"write {level * 100:g} for {level * 100:g} per cent",
                resource=budget.name,
                severity=Severity.WARNING,
            )
        key = tuple(
            repr(notification.get(k)) for k in ("threshold", "thresholdType", "notificationType", "comparisonOperator")
        )
        if key in seen:
            at = f" (threshold {level:g})" if level is not None else ""
            yield CODE.at(path, f"the same notification twice{at}", resource=budget.name)
        seen.add(key)


_T = """\
- type: aws.budgets.Budget
  name: money
  inputs:
    budgetType: COST
    timeUnit: MONTHLY
    limitAmount: {0}
    notifications: [{{threshold: 80, notificationType: ACTUAL, subscriberEmailAddresses: {1}}}]
"""

_MUTE = "- {type: aws.budgets.Budget, name: money, inputs: {budgetType: COST, timeUnit: MONTHLY, limitAmount: '5'}}\n"

RULE = ResourceRule(
    CODE,
    ("cost",),
    check,
    Examples(
        (_T.format('"50000"', "[ml@example.com]"),),
        (
            _T.format('"0"', "[ml@example.com]"),
            _T.format('"-5"', "[ml@example.com]"),
            _T.format('"50000"', "[]"),
            _MUTE,
        ),
        (_T.format("!unknown ", "[ml@example.com]"),),
    ),
    providers=(Provider.AWS,),
)
