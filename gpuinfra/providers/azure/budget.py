"""The cloud's own budget, with its alerts."""

from __future__ import annotations

from datetime import UTC, date

import pulumi
from pulumi_azure_native import consumption

from ...catalog import limit
from ...plan.models import ClusterPlan
from ...plan.names import name_limit, shortened
from ...spec.models import Budget
from ...vocabulary import Provider
from .resource_group import ResourceGroup
from .tags import cluster_tag

_SPENT_PERCENT = 100.0
_START = "timePeriod.startDate"


def monthly_budget(
    plan: ClusterPlan,
    budget: Budget,
    amount: float,
    group: ResourceGroup,
    limit_group_id: pulumi.Input[str] | None,
    opts: pulumi.ResourceOptions,
) -> consumption.Budget:
    """Registers the budget of a calendar month. `limit_group_id`: the action group that is told when it is spent."""
    logical = f"{plan.name}-budget"
    start, moves = _start(plan, budget)
    return consumption.Budget(
        logical,
        budget_name=shortened(logical, name_limit(Provider.AZURE, "budget")),
        scope=group.id,
        category=consumption.CategoryType.COST,
        amount=amount,
        time_grain=consumption.TimeGrainType.MONTHLY,
        # Without an end Azure takes one ten years on.
        time_period=consumption.BudgetTimePeriodArgs(start_date=f"{start.isoformat()}T00:00:00Z"),
        filter=_filter(plan, group),
        notifications=_notifications(budget, limit_group_id),
        opts=pulumi.ResourceOptions.merge(
            opts,
            pulumi.ResourceOptions(
                # The month of the first `up` stays: Azure changes no start, and refuses one that has passed
                # (Azure/CanadaPubSecALZ#317).
                ignore_changes=[_START] if moves else None,
                replace_on_changes=["timeGrain"] if moves else ["timeGrain", _START],
                delete_before_replace=True,
            ),
        ),
    )


def _start(plan: ClusterPlan, budget: Budget) -> tuple[date, bool]:
    """The first day, and whether it is the current month's, which is another one next month."""
    month = plan.now.astimezone(UTC).date().replace(day=1)
    if budget.start is None or budget.start <= month:
        return month, True
    return budget.start, False


def _filter(plan: ClusterPlan, group: ResourceGroup) -> consumption.BudgetFilterArgs | None:
    """A group of the cluster's own counts whole; of another only what carries the cluster's tag."""
    if group.is_new:
        return None
    key, value = cluster_tag(plan)
    return consumption.BudgetFilterArgs(
        tags=consumption.BudgetComparisonExpressionArgs(
            name=key, operator=consumption.BudgetOperatorType.IN_, values=[value]
        )
    )


def _notifications(
    budget: Budget, limit_group_id: pulumi.Input[str] | None
) -> dict[str, pulumi.Input[consumption.NotificationArgs]]:
    """One for each alert level, the one at the limit that also tells the action group, and one for a forecast above the
    budget where those that Azure takes are not used up. Azure refuses a notification that nobody hears."""
    contacts = list(budget.contacts)
    spent = {_SPENT_PERCENT} if limit_group_id is not None else set[float]()
    levels = sorted({float(level) for level in budget.alerts_percent} | spent)
    found: dict[str, pulumi.Input[consumption.NotificationArgs]] = {}
    for level in levels:
        told = limit_group_id if level == _SPENT_PERCENT else None
        if contacts or told is not None:
            found[f"actual-{_key(level)}"] = _notification("Actual", level, contacts, told)
    most = limit(Provider.AZURE, "budget_notifications")
    if contacts and (most is None or len(found) < most.maximum):
        found["forecast-100"] = _notification("Forecasted", _SPENT_PERCENT, contacts, None)
    return found


def _key(level: float) -> str:
    return f"{level:g}".replace(".", "-")


def _notification(
    kind: str, percent: float, contacts: list[str], group_id: pulumi.Input[str] | None
) -> consumption.NotificationArgs:
    return consumption.NotificationArgs(
        enabled=True,
        operator=consumption.OperatorType.GREATER_THAN,
        threshold=percent,
        threshold_type=kind,
        contact_emails=contacts,
        contact_groups=[group_id] if group_id is not None else None,
    )
