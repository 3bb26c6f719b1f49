"""Money in the words of findings: amounts, and the worst case of a plan with what is not known about it."""

from __future__ import annotations

from collections.abc import Iterable

from ..cost import CostEstimate, CostLine
from ..plan.models import ClusterPlan

DEAR_USD_PER_HOUR = 10.0
"""From this worst hourly price on, GPU nodes need an end: a forgotten weekend then costs more than 600 USD."""

_CENT = 0.01


def usd(amount: float) -> str:
    """An amount for a sentence: cents below 1000, whole dollars above; what is less than a cent is not shown as nothing."""
    if 0 < amount < _CENT:
        return f"{amount:.2g} USD" if amount >= _CENT / 100 else f"less than {_CENT / 100:g} USD"
    return f"{amount:,.2f} USD" if amount < 1000 else f"{amount:,.0f} USD"


def unknown_nodes(plan: ClusterPlan, cost: CostEstimate) -> tuple[str, ...]:
    """Names of the pools that have a node price which is not known."""
    paths = {
        line.path
        for line in cost.lines
        if line.worst_usd_per_hour is None and not line.by_use and line.path.startswith("node_pools")
    }
    return tuple(p.name for p in plan.pools if any(x == p.path or x.startswith(f"{p.path}.") for x in paths))


def unknown_gpu_nodes(plan: ClusterPlan, cost: CostEstimate) -> tuple[str, ...]:
    """Those of them that have GPUs: what else a cluster has costs little beside its GPUs."""
    dear = {p.name for p in plan.gpu_pools}
    return tuple(name for name in unknown_nodes(plan, cost) if name in dear)


def at_least(cost: CostEstimate, lines: Iterable[CostLine] | None = None) -> str:
    """'at least ' before a worst case (of some lines) that leaves out one whose price is unknown, or a part of the cluster
    that deciding refused; else nothing."""
    names = {line.name for line in (cost.lines if lines is None else lines)}
    return "at least " if cost.left_out or names.intersection(cost.unbounded) else ""


def spent(cost: CostEstimate, hours: float) -> str:
    """What may be spent in so many hours, as 'up to 240.00 USD'; 'at least' where nothing bounds a line."""
    return f"{at_least(cost) or 'up to '}{usd(cost.worst_usd_per_hour * hours)}"


def lease_that_fits(cost: CostEstimate, amount: float) -> str:
    """What to do about an amount that is passed, for a hint. Where a part has no price only a bound can be named."""
    hours = int(amount / cost.worst_usd_per_hour) if cost.worst_usd_per_hour else 0
    if not hours:
        return "take fewer nodes, or raise the amount"
    if not at_least(cost):
        return f"a lease of {hours}h fits, or raise the amount"
    missing = (*cost.left_out, *cost.unbounded)
    return (
        f"{hours}h is the most that a lease can have, and less by what {', '.join(missing[:4])} costs, which is not known: "
        "learn it first, or raise the amount"
    )


def dated(cost: CostEstimate, hours: float = 1) -> str:
    """The date of the price that weighs most in the worst case of so many hours, for the end of a sentence."""
    weights = [(line, _weight(line, hours)) for line in cost.lines]
    return dated_by(weights)


def _weight(line: CostLine, hours: float) -> float:
    most = hours if line.hours_at_most is None else min(hours, line.hours_at_most)
    return (line.worst_usd_per_hour or 0.0) * most


def dated_by(weights: Iterable[tuple[CostLine, float]]) -> str:
    """The date of the heaviest of some lines, each with its share of a sum."""
    main, weight = max(weights, key=lambda pair: pair[1], default=(None, 0.0))
    if main is None or not weight:
        return "no price is known"
    when = f"price of {main.as_of}" if main.as_of else "price undated"
    return f"{when}, estimated" if main.estimate else when
