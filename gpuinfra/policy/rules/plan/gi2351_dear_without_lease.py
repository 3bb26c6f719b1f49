"""Dear nodes that only an idle limit or a schedule ends.

What: Nodes that cost more than 10 USD an hour (or the amount of the settings), or whose price is not known, have an idle limit or a schedule and no lease.
Why: An idle limit never fires on a job that hangs with its GPUs busy, nor on a node whose guest is gone; a schedule stops the evening and not the month. Only a lease bounds what a run can cost, from outside the guest.
Fix: Add shutdown.lease with the time that the work needs; it can be made longer while the cluster runs.
References: field survey of seeded mistakes, '16 p5 always on'; iterative/cml#661
"""

from __future__ import annotations

from collections.abc import Iterator

from ....cost import HOURS_PER_MONTH
from ....diagnostics import Diagnostic, Severity
from ...endings import needs_lease, without_lease
from ...money import at_least, dated, unknown_gpu_nodes, usd
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2351", "dear-without-lease", Severity.ERROR, __doc__, ("AWS COST-05", "GCP-SCH-13", "AZ BUD-05"))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the cluster. That nothing at all ends the nodes is another rule's."""
    plan = ctx.plan
    pools = without_lease(plan)
    if not pools or not needs_lease(plan, ctx.cost, ctx.options):
        return
    cost, worst, unknown = ctx.cost, ctx.cost.worst_usd_per_hour, unknown_gpu_nodes(plan, ctx.cost)
    nodes = " and ".join(f"{p.count_max} × {p.instance.name}" for p in pools[:3])
    price = (
        f"{at_least(cost)}{usd(worst)} an hour, {usd(worst * HOURS_PER_MONTH)} a month ({dated(cost)})"
        if worst and not unknown
        else f"the price of pool {', '.join(unknown)} is not known"
    )
    run = plan.spec.budget.per_run_usd if plan.spec.budget is not None else None
    hours = run / worst if run is not None and worst else None
    most = "at most " if at_least(cost) else ""
    held = (
        f"; budget.per_run_usd ({usd(run)}) lasts {most}{hours:,.0f} h" if run is not None and hours is not None else ""
    )
    end = plan.spec.shutdown
    only = "an idle limit" if end is not None and end.idle_after is not None else "a schedule"
    yield CODE.at("shutdown.lease", f"{nodes} with {only} and no lease: {price}{held}")


_CHEAP = "{node_pools: [{instance_type: g4dn.xlarge}], shutdown: {lease: null, idle_after: 30m}, storage: []}"

RULE = PlanRule(
    CODE,
    ("money", "time"),
    check,
    Examples(
        ("shutdown: {lease: 72h, idle_after: 30m}", _CHEAP, "shutdown: null"),
        (
            "shutdown: {lease: null, idle_after: 30m}",
            '{budget: {per_run_usd: 5000}, shutdown: {lease: null, idle_after: null, stop_at: {cron: "0 20 * * *", timezone: UTC}}}',
        ),
    ),
)
