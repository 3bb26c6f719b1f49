"""A budget on a tag that is not activated.

What: The monthly budget counts by the cluster's tag, and the account has not activated that tag for cost allocation.
Why: Until the payer account activates it the budget reads 0 USD, and neither mails nor stops anything.
Fix: Activate the tag gpuinfra-cluster in the payer account (Billing, Cost allocation tags), or set location.activate_cost_tag: true where that account deploys. A tag appears there about a day after its first use.
References: AWS Billing User Guide, user-defined cost allocation tags
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Severity
from ....plan.label_forms import CLUSTER_LABEL
from ....vocabulary import Provider
from ...account_facts import Absent
from ...account_pools import passed, unsure
from ...rule import AccountContext, AccountRule, AccountVerdict, Examples, described

CODE = described("GI4051", "cost-tag-inactive", Severity.WARNING, __doc__, ("AWS COST-03",))
_PATH = "budget.per_month_usd"


def check(ctx: AccountContext) -> Iterator[AccountVerdict]:
    """One verdict for a monthly budget whose tag the spec itself does not activate."""
    budget = ctx.plan.spec.budget
    if budget is None or budget.per_month_usd is None or getattr(ctx.plan.spec.location, "activate_cost_tag", False):
        return
    active = ctx.facts.entry("cost_tags", CLUSTER_LABEL)
    if isinstance(active, Absent):
        yield unsure(CODE, _PATH, active)
    elif active:
        yield passed(CODE, _PATH, f"the tag {CLUSTER_LABEL} is activated for cost allocation")
    else:
        yield CODE.at(_PATH, f"the tag {CLUSTER_LABEL} is not activated for cost allocation: the budget reads 0 USD")


_T = "account: {{cost_tags: {0}}}"

RULE = AccountRule(
    CODE,
    ("money", "tags"),
    check,
    Examples((_T.format("{gpuinfra-cluster: true}"),), (_T.format("{gpuinfra-cluster: false}"),), (_T.format("{}"),)),
    providers=(Provider.AWS,),
)
