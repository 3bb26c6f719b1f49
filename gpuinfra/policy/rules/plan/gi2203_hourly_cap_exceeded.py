"""An hourly cap below what the cluster can cost.

What: `budget.per_hour_usd` is less than the worst hourly cost of all pools, storage and network together.
Severity: warning where a price that is not known leaves it open
Why: A cap that is compared with one node, or only where no type is named, is no cap: 16 nodes at 55 USD are 880 USD.
Fix: Raise the cap to the figure given, or take fewer or cheaper nodes.
References: field survey of seeded mistakes, 'cap 50 USD an hour, explicit p5' and 'cap 300 USD an hour, 16 p5'
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ...money import at_least, dated, unknown_nodes, usd
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2203", "hourly-cap-exceeded", Severity.ERROR, __doc__)

_MORE = "take fewer or cheaper nodes; before the cap is raised, learn the price of what is not in this figure"


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding: an error where the known part is above the cap, a warning where an unknown price leaves it open. A part that
    deciding refused has no price that could be looked up."""
    budget = ctx.plan.spec.budget
    if budget is None or budget.per_hour_usd is None:
        return
    cost, cap = ctx.cost, budget.per_hour_usd
    path = "budget.per_hour_usd"
    if cost.worst_usd_per_hour > cap:
        nodes = ", ".join(f"{p.count_max} × {p.instance.name}" for p in ctx.plan.pools[:4])
        yield CODE.at(
            path,
            f"the cap is {usd(cap)} an hour, and the cluster ({nodes}) can cost {at_least(cost)}"
            f"{usd(cost.worst_usd_per_hour)} ({dated(cost)})",
            _MORE if at_least(cost) else "",
        )
    elif cost.unbounded and not ctx.refused:
        pools = unknown_nodes(ctx.plan, cost)
        what = f"pool {', '.join(pools)}" if pools else ", ".join(cost.unbounded[:4])
        yield CODE.at(
            path,
            f"the cap of {usd(cap)} an hour cannot be checked: the price of {what} is not known",
            "look the price up, and set a lease all the same",
            severity=Severity.WARNING,
        )


RULE = PlanRule(
    CODE,
    ("money",),
    check,
    Examples(
        ("budget: {per_hour_usd: 150}",),
        (
            "{node_pools: [{count: 1}], budget: {per_hour_usd: 50}}",
            "{node_pools: [{count: 16}], budget: {per_hour_usd: 300}}",
        ),
    ),
)
