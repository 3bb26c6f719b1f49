"""A capacity block of a length or size that is not sold.

What: Start and end are no whole number of days from 1 to 14, or of weeks up to 182 days; the end is not after the start, or is past; or the pool has more than 64 nodes.
Severity: warning where a length or a start only looks odd
Why: The times then are not the block's, and the schedules made from them fire at the wrong hour; a pool larger than the block fails with ReservationCapacityExceeded.
Fix: Copy the times from the block's offer.
References: EC2 User Guide, Capacity Blocks for ML
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from ....diagnostics import Diagnostic, Severity
from ....plan.models import PoolPlan
from ....spec.quantities import format_moment
from ....vocabulary import CapacityType, Provider
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2215", "block-not-sold", Severity.ERROR, __doc__, ("AWS CAP-03", "AWS CAP-06"))
_MOST_NODES = 64
_LONGEST = timedelta(days=182)
_DAY = timedelta(days=1)
_FARTHEST = timedelta(weeks=8)
_HOUR = (11, 30)
"""When blocks end, UTC (EC2 User Guide, "Find and purchase Capacity Blocks")."""


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each pool and fault. A length that only looks odd is a warning."""
    for pool in ctx.plan.pools:
        if pool.capacity.type is not CapacityType.CAPACITY_BLOCK or not ctx.sold(pool):
            continue
        if pool.count_max > _MOST_NODES:
            yield CODE.at(
                f"{pool.path}.count", f"{pool.count_max} nodes in one capacity block, which holds at most {_MOST_NODES}"
            )
        yield from _times(pool, ctx.now)


def _times(pool: PoolPlan, now: datetime) -> Iterator[Diagnostic]:
    starts, ends = pool.capacity.starts, pool.capacity.ends
    path = f"{pool.path}.capacity"
    if ends is not None and ends <= now:
        yield CODE.at(f"{path}.ends", f"the block ended {format_moment(ends)}", "buy another block, and give its id")
        return
    if starts is not None and starts > now + _FARTHEST:
        yield CODE.at(
            f"{path}.starts",
            f"a block can be bought at most 8 weeks ahead, and this one starts {format_moment(starts)}",
            severity=Severity.WARNING,
        )
    if starts is None or ends is None:
        return
    length = ends - starts
    if length <= timedelta():
        yield CODE.at(
            f"{path}.ends", f"the block ends {format_moment(ends)}, not after its start {format_moment(starts)}"
        )
    elif length > _LONGEST:
        yield CODE.at(f"{path}.ends", f"{length.days} days; a block runs at most {_LONGEST.days}")
    elif not (_whole(length) or (_at_the_usual_hour(ends) and _about_whole(length))):
        days = length / _DAY
        near = round(days) if days <= 14 else round(days / 7) * 7
        yield CODE.at(
            f"{path}.ends",
            f"{days:.4g} days is not a length that blocks are sold in (1 to 14 days, then whole weeks; all end at 11:30 UTC)",
            f"check the times; the nearest length is {max(near, 1)} day{'' if near <= 1 else 's'}",
            severity=Severity.WARNING,
        )


def _whole(length: timedelta) -> bool:
    return not length % _DAY and (length <= 14 * _DAY or not length.days % 7)


def _about_whole(length: timedelta) -> bool:
    """Every block ends at the same hour, so that one which starts at another is somewhat shorter or longer than was asked."""
    return length < 15 * _DAY or any(not (length.days + more) % 7 for more in (0, 1))


def _at_the_usual_hour(ends: datetime) -> bool:
    at = ends.astimezone(UTC)
    return (at.hour, at.minute) == _HOUR


_T = """\
node_pools:
  - count: {0}
    capacity: {{type: capacity_block, id: cr-0aaa1111bbbb2222c, starts: "{1}", ends: "{2}"}}
"""

RULE = PlanRule(
    CODE,
    ("capacity", "time"),
    check,
    Examples(
        (
            _T.format(8, "2026-12-01T11:30:00Z", "2026-12-08T11:30:00Z"),
            _T.format(8, "2026-12-01T17:00:00Z", "2026-12-02T11:30:00Z"),
            _T.format(8, "2026-12-01T12:00:00Z", "2026-12-22T11:30:00Z"),
        ),
        (
            _T.format(8, "2026-12-08T11:30:00Z", "2026-12-01T11:30:00Z"),
            _T.format(65, "2026-12-01T11:30:00Z", "2026-12-08T11:30:00Z"),
            _T.format(8, "2026-12-01T11:30:00Z", "2026-12-17T11:30:00Z"),
            _T.format(8, "2026-12-01T12:00:00Z", "2026-12-02T11:00:00Z"),
        ),
    ),
    providers=(Provider.AWS,),
)
