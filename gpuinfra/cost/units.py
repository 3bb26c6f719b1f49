"""A cost line, and how a price per GiB-month or per month becomes one per hour."""

from __future__ import annotations

from dataclasses import dataclass

from ..catalog import ServicePrice

HOURS_PER_MONTH = 730
"""What the clouds' own calculators take for a month."""

LAG_HOURS = 24
"""The clouds' spend data come 8 to 24 hours late (AWS Cost Management User Guide; Azure Cost Management, data
latency; Google Cloud Billing, budgets)."""

_HOURS_PER_UNIT = {"hour": 1, "month": HOURS_PER_MONTH}


@dataclass(frozen=True)
class CostLine:
    """One thing that bills. `usd_per_hour` is quantity x unit price as an hourly rate; None where the price is unknown.

    `worst_usd_per_hour` counts most nodes of a range, and on demand where a spot price is unknown; None when nothing
    bounds it.
    """

    name: str
    path: str
    quantity: float
    unit: str
    """As 'instance-hour', 'GiB-month'."""
    unit_price_usd: float | None
    usd_per_hour: float | None
    worst_usd_per_hour: float | None
    as_of: str
    source: str
    estimate: bool
    note: str
    """Why a price is unknown, or how it was derived."""
    by_use: bool = False
    """Billed by what is used, which no plan knows: the unit price may be known, the amount is not."""
    ends_with_nodes: bool = False
    """Nothing is billed once the nodes are gone."""
    hours_at_most: float | None = None
    """Hours that it can bill at all, where that is bounded otherwise than by the lease: a capacity block's window."""
    paid_ahead: bool = False
    """Paid whole when it was bought, before anything runs: hours add nothing to it."""

    @property
    def of_nodes(self) -> bool:
        """Whether it is the nodes themselves, or GPUs that are attached to them: no sum without it is the cluster's."""
        return self.unit in ("instance-hour", "GPU-hour")


def hours_of(unit: str) -> int | None:
    """How many hours one unit of a price spans, as 730 for GiB-month; None where the unit is no time ('GB')."""
    return _HOURS_PER_UNIT.get(unit.rpartition("-")[2])


@dataclass(frozen=True)
class Metered:
    """Something with a quantity that a service price may answer for."""

    name: str
    path: str
    quantity: float
    worst_quantity: float
    unit: str
    """The unit where the tables have no price to say it."""
    ends_with_nodes: bool = False
    note: str = ""


def service_line(what: Metered, price: ServicePrice | None) -> CostLine:
    """The line of a service: unknown where the tables have no price, or one whose unit is no time."""
    hours = hours_of(price.unit) if price else None
    usd = price.usd if price else None
    known = price is not None and usd is not None and hours is not None
    return CostLine(
        name=what.name,
        path=what.path,
        quantity=what.quantity,
        unit=price.unit if price else what.unit,
        unit_price_usd=usd,
        usd_per_hour=what.quantity * usd / hours if known and usd is not None and hours else None,
        worst_usd_per_hour=what.worst_quantity * usd / hours if known and usd is not None and hours else None,
        as_of=price.as_of if price else "",
        source=price.source if price else "",
        estimate=price.estimate if price else False,
        note=_joined("" if known else "the tables have no price for it", what.note, price.notes if price else ""),
        ends_with_nodes=what.ends_with_nodes,
    )


def by_use_line(what: Metered, price: ServicePrice | None) -> CostLine:
    """The line of something billed by use: its unit price where the tables have it, and no amount."""
    return CostLine(
        name=what.name,
        path=what.path,
        quantity=what.quantity,
        unit=price.unit if price else what.unit,
        unit_price_usd=price.usd if price else None,
        usd_per_hour=None,
        worst_usd_per_hour=None,
        as_of=price.as_of if price else "",
        source=price.source if price else "",
        estimate=price.estimate if price else False,
        note=_joined("billed by use", what.note, price.notes if price else ""),
        by_use=True,
        ends_with_nodes=what.ends_with_nodes,
    )


def _joined(*parts: str) -> str:
    return "; ".join(p for p in parts if p)
