"""What can be spent before a budget notices.

What: The cluster has a budget of the cloud.
Why: Spend data come 8 to 24 hours late on all three clouds, so a budget is an alarm and never a cap.
Fix: Set the lease and the idle limit so that this amount can be borne.
References: AWS Cost Management User Guide, budgets; Azure Cost Management, data latency; Google Cloud Billing, budgets
"""

from __future__ import annotations

from collections.abc import Iterator

from ....cost import LAG_HOURS
from ....diagnostics import Diagnostic, Severity
from ...money import at_least, dated_by, usd
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2210", "budget-is-no-cap", Severity.INFO, __doc__, ("AWS COST-05", "GCP-BUD-03"))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding with the figure, where the cluster is dear enough to matter."""
    budget = ctx.plan.spec.budget
    if budget is None or budget.per_month_usd is None or not ctx.plan.gpu_pools:
        return
    cost, worst = ctx.cost, ctx.cost.unnoticed_usd_per_hour
    price = dated_by((line, line.worst_usd_per_hour or 0.0) for line in cost.running)
    open_ended = at_least(cost, cost.running)
    if worst >= 1:
        yield CODE.at(
            "budget",
            f"spend data lag 8–{LAG_HOURS} h: {open_ended or 'up to '}{usd(cost.unnoticed_usd())} can be spent "
            f"before the budget notices ({open_ended}{usd(worst)} an hour, {price})",
        )


_BLOCK = """\
location: {provider: aws, region: us-east-2, zone: use2-az1}
node_pools: [{instance_type: p5.48xlarge, capacity: {type: capacity_block, id: cr-0aaa1111bbbb2222c}}]
storage: []
budget: {per_month_usd: 90000}
"""

RULE = PlanRule(
    CODE,
    ("money",),
    check,
    Examples(("budget: null", _BLOCK), ("budget: {per_month_usd: 90000}",)),
)
