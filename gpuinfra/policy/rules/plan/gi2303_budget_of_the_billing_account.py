"""A budget that belongs to the billing account.

What: The cluster has a monthly budget, which Google and Azure keep in the currency of the billing account.
Why: The budget's amount is taken as it is written: an account in euros makes 90000 dollars 90000 euros. On Google making it wants rights on the account, which rights on the project do not bring; under a person's own credentials the provider must also name a project for the quota.
Fix: Write the amount in the account's currency. On Google deploy with the role Billing Account Costs Manager; for a person's credentials set gcp:userProjectOverride and gcp:billingProject.
References: Cloud Billing Budget API; Azure Consumption API, budgets; hashicorp/terraform-provider-google#7948; hashicorp/terraform-provider-google#19796
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...money import usd
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2303", "budget-of-the-billing-account", Severity.INFO, __doc__, ("GCP-BUD-04",))

_WHOSE = {
    Provider.GCP: "the project's billing account, and is made only by whoever has billing rights there",
    Provider.AZURE: "the subscription's billing account",
}

_HINT = {Provider.AZURE: "write the amount in the account's currency"}
"""Where the fix of the rule says too much."""


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the budget."""
    budget = ctx.plan.spec.budget
    if budget is not None and budget.per_month_usd is not None:
        yield CODE.at(
            "budget.per_month_usd",
            f"the budget is {usd(budget.per_month_usd).removesuffix(' USD')} in the currency of {_WHOSE[ctx.plan.provider]}",
            _HINT.get(ctx.plan.provider, ""),
        )


_AZURE = """\
location: {{provider: azure, region: eastus}}
node_pools: [{{instance_type: Standard_ND96isr_H100_v5}}]
storage: []
budget: {0}
"""
_GCP = """\
location: {{provider: gcp, project: acme-lab, region: us-central1}}
node_pools: [{{instance_type: g2-standard-4}}]
storage: []
budget: {0}
"""

RULE = PlanRule(
    CODE,
    ("money",),
    check,
    Examples(
        (_GCP.format("null"), _GCP.format("{per_month_usd: null, per_run_usd: 900}")),
        (_GCP.format("{per_month_usd: 90000}"), _AZURE.format("{per_month_usd: 90000}")),
    ),
    providers=(Provider.GCP, Provider.AZURE),
)
