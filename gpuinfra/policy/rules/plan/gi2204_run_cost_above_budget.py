"""A run that can cost more than its budget.

What: The worst hourly cost times the lease is more than `budget.per_run_usd`; or there is no lease, so nothing bounds the run.
Severity: warning where there is no lease, and an idle limit or a schedule may end the run; or where a price that is not known leaves it open
Why: This is known before anything is bought, and cannot be undone after.
Fix: Shorten the lease, take fewer nodes, or raise the amount.
References: none
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ...endings import said_to_be_open_ended, said_to_lack_a_lease
from ...money import at_least, dated, lease_that_fits, unknown_gpu_nodes, usd
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2204", "run-cost-above-budget", Severity.ERROR, __doc__)


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the cluster. That nothing at all ends the nodes is another rule's, which names this amount."""
    budget, cost = ctx.plan.spec.budget, ctx.cost if ctx.plan.spec.budget else None
    if budget is None or budget.per_run_usd is None or cost is None:
        return
    path = "budget.per_run_usd"
    if cost.lease_hours is None and (
        said_to_be_open_ended(ctx.plan, ctx.options.silenced) or said_to_lack_a_lease(ctx.plan, cost, ctx.options)
    ):
        return
    if cost.lease_hours is None:
        yield CODE.at(
            path,
            f"{usd(budget.per_run_usd)} for a run that has no lease: {at_least(cost) or 'at '}{usd(cost.worst_usd_per_hour)} an hour "
            f"({dated(cost)}) nothing holds it",
            "add shutdown.lease",
            severity=Severity.WARNING,
        )
        return
    worst = cost.worst_usd_per_lease or 0.0
    if worst > budget.per_run_usd:
        yield CODE.at(
            path,
            f"{usd(budget.per_run_usd)} for the run, and {cost.lease_hours:g} h at "
            f"{usd(cost.worst_usd_per_hour)} an hour can cost {at_least(cost)}{usd(worst)} ({dated(cost, cost.lease_hours)})",
            lease_that_fits(cost, budget.per_run_usd),
        )
    elif (unknown := unknown_gpu_nodes(ctx.plan, cost)) and not ctx.refused:
        yield CODE.at(
            path,
            f"{usd(budget.per_run_usd)} for the run cannot be checked: the price of pool {', '.join(unknown)} is not known, "
            f"and the rest alone can cost {usd(worst)}",
            "look the price up, and choose the lease by it",
            severity=Severity.WARNING,
        )


_CHEAP = """\
node_pools: [{instance_type: g4dn.xlarge}]
storage: []
budget: {per_run_usd: 50}
shutdown: {lease: null, idle_after: 30m}
"""

RULE = PlanRule(
    CODE,
    ("money", "time"),
    check,
    Examples(
        ("budget: {per_run_usd: 20000}", "{budget: {per_run_usd: 5000}, shutdown: null}"),
        ("budget: {per_run_usd: 5000}", _CHEAP),
    ),
)
