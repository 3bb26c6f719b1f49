"""Money and time: the budget with its alerts and what happens at its limit, and the end of the cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import pulumi
import pulumi_aws as aws

from ...plan.arguments import check_covers, check_names
from ...plan.models import ClusterPlan, PoolPlan
from ...spec.locations import AwsLocation
from ...spec.models import Budget, ClusterSpec
from ...vocabulary import OnLimit
from ..lease import Limits, lease_end
from ..planning import planned
from .on_limit import deny_starts, limit_topic, scale_to_zero
from .shutdown import Shutdown
from .tags import cluster_tag, tags

_SPENT_PERCENT = 100.0
_MOST_NOTIFICATIONS = 10
_START_AGAIN = "set the groups' desired capacity (aws autoscaling set-desired-capacity)"


class Spend(pulumi.ComponentResource):
    """A cluster's budget and its end. Spend data lags 8 to 24 hours: the budget is an alarm, and the end is the cap."""

    lease_end: pulumi.Output[str | None]
    """The end, UTC; None without a lease."""
    budget_name: pulumi.Output[str] | None

    def __init__(
        self,
        name: str,
        spec: ClusterSpec | ClusterPlan,
        opts: pulumi.ResourceOptions | None = None,
        *,
        pools: Sequence[str] | None = None,
    ) -> None:
        """The budget and the end of a spec. `pools`: for the groups of these pools alone."""
        plan = planned(spec, name, opts)
        check_names("pools", "pool", pools, [p.name for p in plan.pools])
        super().__init__("gpuinfra:aws:Spend", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        chosen = [p for p in plan.pools if pools is None or p.name in pools]
        self._groups = frozenset(p.cloud_name for p in chosen)
        self._end = lease_end(plan, child)
        self._end.warn_when_over(plan.lease.path, _START_AGAIN)
        shutdown = plan.spec.shutdown
        stop_at = shutdown.stop_at if shutdown else None
        if plan.lease.present or stop_at:
            ends = Shutdown(plan, chosen, child)
            if plan.lease.present:
                ends.at_end(self._end)
            if stop_at:
                ends.at_times(stop_at.cron, stop_at.timezone)
        budget = plan.spec.budget
        made = _budget(plan, budget, budget.per_month_usd, chosen, child) if budget and budget.per_month_usd else None
        self.lease_end = pulumi.Output.from_input(cast("pulumi.Input[str | None]", self._end.text))
        self.budget_name = made.name if made else None
        self.register_outputs({"leaseEnd": self.lease_end})

    def check_covers(self, pool: PoolPlan) -> None:
        """Raises ValueError where the end and the budget are not those of the pool's group, which would run on."""
        check_covers("spend", "Spend", pool, sorted(self._groups))

    def until_end(self, nodes: int) -> pulumi.Input[int]:
        """So many nodes while the lease lasts, and none after it."""
        return self._end.until_end(nodes)

    def limits(self, pool: PoolPlan) -> Limits:
        """How many nodes a pool's group may have: none once the lease is over."""
        return self._end.limits(pool)


def _budget(
    plan: ClusterPlan, budget: Budget, amount: float, pools: Sequence[PoolPlan], opts: pulumi.ResourceOptions
) -> aws.budgets.Budget:
    # The spec's room for what only AWS understands.
    location = cast(AwsLocation, plan.spec.location)
    key, value = cluster_tag(plan)
    if location.activate_cost_tag:
        aws.costexplorer.CostAllocationTag(f"{plan.name}-cost-tag", tag_key=key, status="Active", opts=opts)
    stops = budget.on_limit is not OnLimit.NOTIFY
    topic = allowed = None
    if stops:
        topic, allowed = limit_topic(plan, opts)
        scale_to_zero(plan, pools, topic, opts)
    name = f"{plan.name}-budget"
    made = aws.budgets.Budget(
        name,
        name=name,
        budget_type="COST",
        time_unit="MONTHLY",
        # AWS wants the amount as text.
        limit_amount=f"{amount:.2f}".removesuffix(".00"),
        limit_unit="USD",
        # A user's tag is spelt `user:key$value`; without the prefix the budget reads 0 for ever
        # (hashicorp/terraform-provider-aws#39850).
        cost_filters=[aws.budgets.BudgetCostFilterArgs(name="TagKeyValue", values=[f"user:{key}${value}"])],
        notifications=_notifications(budget, topic.arn if topic else None),
        time_period_start=f"{budget.start.isoformat()}_00:00" if budget.start else None,
        tags=tags(plan, name),
        # AWS Budgets tries the topic when the notification is made.
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[allowed] if allowed else None)),
    )
    if stops and location.deployer_roles:
        told: list[tuple[str, pulumi.Input[str]]] = [("EMAIL", address) for address in budget.contacts]
        deny_starts(plan, location.deployer_roles, made, told or ([("SNS", topic.arn)] if topic else []), opts)
    return made


def _notifications(
    budget: Budget, topic_arn: pulumi.Input[str] | None
) -> list[aws.budgets.BudgetNotificationArgs] | None:
    """One for each alert level, the one at the limit that also tells the topic, and one for a forecast above the budget
    where the ten that AWS takes are not used up. AWS refuses a notification that nobody hears."""
    contacts = list(budget.contacts)
    levels = sorted({float(level) for level in budget.alerts_percent} | ({_SPENT_PERCENT} if topic_arn else set()))
    found: list[aws.budgets.BudgetNotificationArgs] = []
    for level in levels:
        told = topic_arn if level == _SPENT_PERCENT else None
        if contacts or told is not None:
            found.append(_notification("ACTUAL", level, contacts, told))
    if contacts and len(found) < _MOST_NOTIFICATIONS:
        found.append(_notification("FORECASTED", _SPENT_PERCENT, contacts, None))
    return found or None


def _notification(
    kind: str, percent: float, contacts: list[str], topic_arn: pulumi.Input[str] | None
) -> aws.budgets.BudgetNotificationArgs:
    return aws.budgets.BudgetNotificationArgs(
        comparison_operator="GREATER_THAN",
        notification_type=kind,
        threshold=percent,
        threshold_type="PERCENTAGE",
        subscriber_email_addresses=contacts or None,
        subscriber_sns_topic_arns=[topic_arn] if topic_arn is not None else None,
    )
