"""From a plan to cost lines. Pure: no clock, no network, no Pulumi."""

from __future__ import annotations

from dataclasses import dataclass

from ..plan.models import ClusterPlan

HOURS_PER_MONTH = 730


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """The whole. `usd_per_hour` sums what is known; with entries in `unknown` it is 'at least'."""

    lines: tuple[CostLine, ...]
    usd_per_hour: float
    worst_usd_per_hour: float
    lease_hours: float | None
    usd_per_lease: float | None
    """None without a lease."""
    worst_usd_per_month: float
    """min(lease, 730 h) x worst hourly rate."""
    unknown: tuple[str, ...]
    """Names of the lines without a price."""


def estimate(plan: ClusterPlan) -> CostEstimate:
    """The cost of a plan as it stands at `plan.now`."""
    raise NotImplementedError
