"""A budget on a tag that may count nothing.

What: The cluster has a monthly budget, which AWS counts by the cluster's tag, and the spec does not activate the tag.
Why: Until the organisation's payer account activates the tag for cost allocation, the budget reads 0 USD.
Fix: Activate the tag gpuinfra-cluster in the payer account (Billing, Cost allocation tags), or set location.activate_cost_tag: true where that account deploys.
References: AWS Billing User Guide, user-defined cost allocation tags
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2225", "budget-tag-not-activated", Severity.WARNING, __doc__, ("AWS COST-03",))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the budget, on clouds whose location can activate a tag."""
    budget, active = ctx.plan.spec.budget, getattr(ctx.plan.spec.location, "activate_cost_tag", None)
    if budget is not None and budget.per_month_usd is not None and active is False:
        yield CODE.at(
            "budget.per_month_usd",
            "the budget counts what carries the tag gpuinfra-cluster, and reads 0 USD until that tag is activated for cost "
            "allocation",
        )


RULE = PlanRule(
    CODE,
    ("money", "tags"),
    check,
    Examples(
        ("location: {provider: aws, region: us-east-1, activate_cost_tag: true}",), ("budget: {per_month_usd: 90000}",)
    ),
    providers=(Provider.AWS,),
)
