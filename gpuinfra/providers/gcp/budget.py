"""The cluster's budget at the project's billing account, and who is told of it."""

from __future__ import annotations

import pulumi
from pulumi_gcp import billing, monitoring

from ...plan.models import ClusterPlan
from ...plan.names import name_limit, shortened
from ...policy.money import usd
from ...spec.models import Budget
from ...vocabulary import Provider
from .labels import cluster_label, labels
from .names import project_of
from .on_limit import LimitTopic
from .project import billing_of

_SPENT = 1.0
_NANOS_OF_A_CENT = 10_000_000
_CURRENCY = "USD"


def cluster_budget(
    plan: ClusterPlan, budget: Budget, amount: float, topic: LimitTopic | None, opts: pulumi.ResourceOptions
) -> billing.Budget:
    """Registers the budget, which counts what carries the cluster's label in this project, month by month."""
    owner = billing_of(plan, opts.parent)
    made = billing.Budget(
        f"{plan.name}-budget",
        billing_account=owner.account,
        display_name=shortened(f"{plan.name}-budget", name_limit(Provider.GCP, "budget")),
        amount=billing.BudgetAmountArgs(specified_amount=_amount(amount)),
        budget_filter=billing.BudgetBudgetFilterArgs(
            # The number: a project's id is refused as an invalid argument (hashicorp/terraform-provider-google#9375).
            projects=[owner.project_number.apply(_project)],
            # One label and one value is all that a budget takes.
            labels=dict([cluster_label(plan)]),
            calendar_period="MONTH",
            credit_types_treatment="INCLUDE_ALL_CREDITS",
        ),
        threshold_rules=_thresholds(budget),
        all_updates_rule=_told(plan, budget, topic, opts),
        # Cloud Billing tries the topic when the budget is made.
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[topic.allowed] if topic else None)),
    )
    made.amount.apply(lambda given: _say_currency(amount, given.specified_amount))
    return made


def _amount(amount: float) -> billing.BudgetAmountSpecifiedAmountArgs:
    """In cents, and without a currency: the account's own counts, and naming another is refused
    (hashicorp/terraform-provider-google#19796)."""
    whole, cents = divmod(round(amount * 100), 100)
    return billing.BudgetAmountSpecifiedAmountArgs(units=str(whole), nanos=cents * _NANOS_OF_A_CENT or None)


def _project(number: str | None) -> str:
    # None under mocks that leave computed outputs out; the SDK's types do not know it.
    return f"projects/{number}" if number is not None else number  # pyright: ignore[reportReturnType]


def _thresholds(budget: Budget) -> list[billing.BudgetThresholdRuleArgs]:
    """One for each alert level, as a ratio, and one for a forecast above the budget."""
    levels = sorted({float(level) for level in budget.alerts_percent})
    spent = [
        billing.BudgetThresholdRuleArgs(threshold_percent=round(level / 100, 6), spend_basis="CURRENT_SPEND")
        for level in levels
    ]
    forecast = billing.BudgetThresholdRuleArgs(threshold_percent=_SPENT, spend_basis="FORECASTED_SPEND")
    return [*spent, forecast]


def _told(
    plan: ClusterPlan, budget: Budget, topic: LimitTopic | None, opts: pulumi.ResourceOptions
) -> billing.BudgetAllUpdatesRuleArgs | None:
    """Who hears of the budget; None: the administrators of the billing account, whom Google tells by itself."""
    channels = [_channel(plan, n, address, opts) for n, address in enumerate(budget.contacts)]
    if not channels and topic is None:
        return None
    return billing.BudgetAllUpdatesRuleArgs(
        monitoring_notification_channels=[channel.name for channel in channels] or None,
        # The account's administrators and users may be a whole company: they hear only where nobody else does.
        disable_default_iam_recipients=bool(channels),
        enable_project_level_recipients=False,
        pubsub_topic=topic.id if topic else None,
        # A topic is refused without it, and this is the only one.
        schema_version="1.0" if topic else None,
    )


def _channel(
    plan: ClusterPlan, number: int, address: str, opts: pulumi.ResourceOptions
) -> monitoring.NotificationChannel:
    return monitoring.NotificationChannel(
        f"{plan.name}-contact-{number}",
        type="email",
        display_name=f"Budget of {plan.name}",
        labels={"email_address": address},
        user_labels=labels(plan),
        enabled=True,
        force_delete=False,
        project=project_of(plan),
        opts=opts,
    )


def _say_currency(amount: float, made: billing.outputs.BudgetAmountSpecifiedAmount | None) -> None:
    """Says at `up` that an account in another currency counts the spec's dollars as its own money."""
    currency = made.currency_code if made is not None else None
    if currency and currency.isalpha() and currency != _CURRENCY:
        number = usd(amount).removesuffix(f" {_CURRENCY}")
        pulumi.log.warn(
            f"budget.per_month_usd: the billing account counts in {currency}, so that the budget is {number} {currency} and "
            f"not {number} {_CURRENCY}: write the amount in {currency}"
        )
