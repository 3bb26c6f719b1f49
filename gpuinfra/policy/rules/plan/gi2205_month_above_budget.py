"""A month that can cost more than its budget.

What: The worst hourly cost, over the lease or a month of 730 hours, is more than `budget.per_month_usd`.
Severity: warning where there is no lease, and an idle limit or a schedule may stop the nodes long before; or where a price that is not known leaves it open
Why: The cloud tells of it when the money is spent, 8 to 24 hours late.
Fix: Shorten the lease, take fewer nodes, or raise the amount.
References: none
"""

from __future__ import annotations

from collections.abc import Iterator

from ....cost import HOURS_PER_MONTH
from ....diagnostics import Diagnostic, Severity
from ...endings import said_to_be_open_ended
from ...money import at_least, dated, lease_that_fits, unknown_gpu_nodes, usd
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2205", "month-above-budget", Severity.ERROR, __doc__)


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the cluster. Without a lease it is a warning where an idle limit or schedule may stop the nodes
    long before the month is over. That nothing at all ends the nodes is another rule's, which names this amount."""
    plan, budget = ctx.plan, ctx.plan.spec.budget
    if budget is None or budget.per_month_usd is None:
        return
    cost = ctx.cost
    worst = cost.worst_usd_per_month
    unknown = unknown_gpu_nodes(plan, cost)
    if worst <= budget.per_month_usd and unknown and not ctx.refused:
        yield CODE.at(
            "budget.per_month_usd",
            f"{usd(budget.per_month_usd)} a month cannot be checked: the price of pool {', '.join(unknown)} is not known, and "
            f"the rest alone can cost {usd(worst)}",
            "look the price up, and set a lease all the same",
            severity=Severity.WARNING,
        )
        return
    if worst <= budget.per_month_usd or said_to_be_open_ended(plan, ctx.options.silenced):
        return
    end = plan.spec.shutdown
    bounded = cost.lease_hours is not None or end is None or (end.idle_after is None and end.stop_at is None)
    hours = HOURS_PER_MONTH if cost.lease_hours is None else min(cost.lease_hours, HOURS_PER_MONTH)
    yield CODE.at(
        "budget.per_month_usd",
        f"{usd(budget.per_month_usd)} a month, and {hours:g} h at {usd(cost.worst_usd_per_hour)} "
        f"an hour can cost {at_least(cost)}{usd(worst)} ({dated(cost, hours)})",
        lease_that_fits(cost, budget.per_month_usd),
        severity=Severity.ERROR if bounded else Severity.WARNING,
    )


RULE = PlanRule(
    CODE,
    ("money",),
    check,
    Examples(
        ("budget: {per_month_usd: 20000}", "{budget: {per_month_usd: 5000}, shutdown: null}"),
        ("budget: {per_month_usd: 5000}", "{budget: {per_month_usd: 5000}, shutdown: {lease: null}}"),
    ),
)
