"""From a plan to cost lines. Pure: no clock, no network, no Pulumi.

What is left out because it costs cents: the scheduler's calls, the function that stops nodes, the topic that tells of
it, and the budget itself. Storage and networks that were there before are billed elsewhere and have no line.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import fsum

from ..plan.models import ClusterPlan
from .nodes import node_lines
from .services import network_lines, storage_lines
from .units import HOURS_PER_MONTH, LAG_HOURS, CostLine


@dataclass(frozen=True)
class CostEstimate:
    """The whole. `usd_per_hour` sums what is known; with entries in `unknown` it is 'at least'."""

    lines: tuple[CostLine, ...]
    usd_per_hour: float
    worst_usd_per_hour: float
    lease_hours: float | None
    usd_per_lease: float | None
    """None without a lease."""
    worst_usd_per_lease: float | None
    worst_usd_per_month: float
    """min(lease, 730 h) x worst hourly rate; a capacity block's nodes bill no longer than its window."""
    unknown: tuple[str, ...]
    """Names of the lines without a price."""
    left_out: tuple[str, ...] = ()
    """Names of the pools and storages that deciding refused, so that they have no line: with entries here every sum is
    'at least'."""

    @property
    def by_use(self) -> tuple[str, ...]:
        """Names of the lines that are billed by what is used (traffic, objects kept): in no sum."""
        return tuple(line.name for line in self.lines if line.by_use)

    @property
    def unbounded(self) -> tuple[str, ...]:
        """Names of the lines whose worst case is unknown too: with entries here the worst figures are 'at least'."""
        return tuple(line.name for line in self.lines if line.worst_usd_per_hour is None and not line.by_use)

    @property
    def unknown_nodes(self) -> tuple[str, ...]:
        """Names of the lines of nodes without a price."""
        return tuple(line.name for line in self.lines if line.of_nodes and line.usd_per_hour is None)

    @property
    def running(self) -> tuple[CostLine, ...]:
        """The lines that go on spending while nobody looks: all but what was paid whole when it was bought."""
        return tuple(line for line in self.lines if not line.paid_ahead)

    @property
    def unnoticed_usd_per_hour(self) -> float:
        """The most that an hour can add to the bill. Known lines only."""
        return _known(line.worst_usd_per_hour for line in self.running)

    def unnoticed_usd(self, hours: float = LAG_HOURS) -> float:
        """The most that can be spent in so many hours, or until the lease is over: before an alert, which comes
        LAG_HOURS late. Known lines only."""
        return self.unnoticed_usd_per_hour * (hours if self.lease_hours is None else min(hours, self.lease_hours))

    @property
    def residual_usd_per_hour(self) -> float:
        """What goes on billing an hour when every node is stopped: storage, NAT, addresses. Known lines only."""
        return _known(line.usd_per_hour for line in self.lines if not line.ends_with_nodes)

    @property
    def main_as_of(self) -> str:
        """The date of the price that makes most of the sum, or the empty string where that price is undated."""
        priced = [line for line in self.lines if line.usd_per_hour]
        return max(priced, key=lambda line: line.usd_per_hour or 0).as_of if priced else ""

    @property
    def oldest_as_of(self) -> str:
        """The oldest date among the prices in the sum, or the empty string where one of them is undated."""
        dates = [line.as_of for line in self.lines if line.usd_per_hour]
        return min(dates, default="")

    @property
    def has_estimates(self) -> bool:
        """Whether a price in the sum was derived and not read."""
        return any(line.estimate for line in self.lines if line.usd_per_hour)


def estimate(plan: ClusterPlan) -> CostEstimate:
    """The cost of a plan as it stands at `plan.now`."""
    lines = (
        *(line for pool in plan.pools for line in node_lines(plan, pool)),
        *storage_lines(plan),
        *network_lines(plan),
    )
    hourly = _known(line.usd_per_hour for line in lines)
    worst = _known(line.worst_usd_per_hour for line in lines)
    hours = lease_hours(plan)
    month = HOURS_PER_MONTH if hours is None else min(hours, HOURS_PER_MONTH)
    return CostEstimate(
        lines=lines,
        usd_per_hour=hourly,
        worst_usd_per_hour=worst,
        lease_hours=hours,
        usd_per_lease=None if hours is None else _over(hours, ((line.usd_per_hour, line) for line in lines)),
        worst_usd_per_lease=None
        if hours is None
        else _over(hours, ((line.worst_usd_per_hour, line) for line in lines)),
        worst_usd_per_month=_over(month, ((line.worst_usd_per_hour, line) for line in lines)),
        unknown=tuple(line.name for line in lines if line.usd_per_hour is None and not line.by_use),
        left_out=_left_out(plan),
    )


def _left_out(plan: ClusterPlan) -> tuple[str, ...]:
    decided = {part.path for part in (*plan.pools, *plan.storage)}
    parts = {f"node_pools[{n}]": f"pool {pool.name}" for n, pool in enumerate(plan.spec.node_pools)}
    parts |= {f"storage[{n}]": f"storage {one.name}" for n, one in enumerate(plan.spec.storage)}
    return tuple(name for path, name in parts.items() if path not in decided)


def lease_hours(plan: ClusterPlan) -> float | None:
    """Hours from the plan's moment to the end of the lease, at least 0; None without a lease."""
    return hours_until(plan.lease.duration if plan.lease.duration is not None else plan.lease.ends, plan.now)


def hours_until(lease: timedelta | datetime | None, now: datetime) -> float | None:
    """Hours of a lease from a moment on: of its duration, or to its end, at least 0; None without one."""
    if lease is None:
        return None
    left = lease if isinstance(lease, timedelta) else lease - now
    return max(0.0, left.total_seconds() / 3600)


def _over(hours: float, rates: Iterable[tuple[float | None, CostLine]]) -> float:
    """What known hourly rates come to over so many hours."""
    return fsum(
        rate * (hours if line.hours_at_most is None else min(hours, line.hours_at_most))
        for rate, line in rates
        if rate is not None
    )


def _known(amounts: Iterable[float | None]) -> float:
    return fsum(a for a in amounts if a is not None)
