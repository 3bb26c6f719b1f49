"""What nodes without an end cost an hour, beside the price from which an organisation lets none run without one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .. import catalog
from ..catalog import Price
from ..diagnostics import Severity
from ..vocabulary import Provider
from .money import usd
from .rule import RuleOptions


@dataclass(frozen=True)
class Demand:
    """How much it counts that nodes have no end: None leaves it to the rule. The text goes at the end of a message."""

    severity: Severity | None = None
    text: str = ""


def demand(
    options: RuleOptions, code: str, provider: Provider, parts: Sequence[tuple[str, float]], region: str = ""
) -> Demand:
    """What an organisation's price (where it named one) makes of nodes that run for ever.

    `parts`: names of the price table with how many of each run. Where the region is not known the cheapest one counts, so
    that the amount is never too high. What the tables have no price for needs an end like the dearest.
    """
    above = options.end_demanded_above(code)
    if above is None:
        return Demand()
    limit = f"from {usd(above)} an hour on an end is demanded here"
    amount, dates = 0.0, list[str]()
    for name, count in parts:
        one = _price(provider, name, region)
        if one is None or one.on_demand_usd_hour is None:
            return Demand(Severity.ERROR, f"; what {name or 'the nodes'} cost is not known, and {limit}")
        amount += count * one.on_demand_usd_hour
        dates.append(one.as_of)
    if amount < above:
        return Demand()
    dated = f"list price of {min(dates)}" if all(dates) else "the list price has no date"
    return Demand(Severity.ERROR, f"; at least {usd(amount)} an hour ({dated}), and {limit}")


def _price(provider: Provider, name: str, region: str) -> Price | None:
    found = catalog.price(provider, region, name) if region else None
    if found is not None and found.on_demand_usd_hour is not None:
        return found
    known = [p for p in catalog.prices(provider) if p.instance_type == name and p.on_demand_usd_hour is not None]
    return min(known, key=lambda p: p.on_demand_usd_hour or 0.0, default=None)
