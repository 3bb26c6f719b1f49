"""Money in the words of findings: amounts, and the worst case of a plan with what is not known about it."""

from __future__ import annotations

from ..cost import CostEstimate
from ..plan.models import ClusterPlan

HOURS_PER_MONTH = 730
DEAR_USD_PER_HOUR = 10.0
"""From this worst hourly price on, GPU nodes need an end: a forgotten weekend then costs more than 600 USD."""

LAG_HOURS = 24
"""The clouds' spend data come 8 to 24 hours late (AWS Cost Management User Guide; Azure Cost Management, data
latency; Google Cloud Billing, budgets)."""


def usd(amount: float) -> str:
    """An amount for a sentence: cents below 1000, whole dollars above."""
    return f"{amount:,.2f} USD" if amount < 1000 else f"{amount:,.0f} USD"


def unknown_nodes(plan: ClusterPlan, cost: CostEstimate) -> tuple[str, ...]:
    """Names of the pools that have a node price which is not known."""
    paths = {
        line.path
        for line in cost.lines
        if line.worst_usd_per_hour is None and not line.by_use and line.path.startswith("node_pools")
    }
    return tuple(p.name for p in plan.pools if any(x == p.path or x.startswith(f"{p.path}.") for x in paths))


def at_least(cost: CostEstimate) -> str:
    """'at least ' before a worst case that leaves out a line whose price is unknown, else nothing."""
    return "at least " if cost.unbounded else ""


def spent(cost: CostEstimate, hours: float) -> str:
    """What may be spent in so many hours, as 'up to 240.00 USD'; 'at least' where nothing bounds a line."""
    return f"{at_least(cost) or 'up to '}{usd(cost.worst_usd_per_hour * hours)}"


def dated(cost: CostEstimate) -> str:
    """The date of the price that weighs most, for the end of a sentence."""
    lines = [line for line in cost.lines if line.worst_usd_per_hour]
    if not lines:
        return "no price is known"
    main = max(lines, key=lambda line: line.worst_usd_per_hour or 0)
    when = f"price of {main.as_of}" if main.as_of else "price undated"
    return f"{when}, estimated" if main.estimate else when
