"""The end of a cluster as text, and how many nodes a group may have before and after it.

The end lives outside the guest, since a guest that hangs still bills.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

import pulumi
import pulumiverse_time as clock

from ..plan.models import ClusterPlan, PoolPlan
from ..spec.quantities import format_duration, format_moment


@dataclass(frozen=True)
class Limits:
    """Nodes of a group."""

    least: int
    initial: pulumi.Input[int]
    most: pulumi.Input[int]


@dataclass(frozen=True)
class LeaseEnd:
    """The end of a lease. `text` is UTC, as 2026-12-05T17:00:00Z; None without a lease. `now` is what it is judged by."""

    text: pulumi.Input[str] | None
    now: datetime
    _numbers: dict[int, pulumi.Output[int]] = field(default_factory=dict[int, pulumi.Output[int]])
    """Numbers that depend on the end, made once however many groups take them."""

    def limits(self, pool: PoolPlan) -> Limits:
        """The planned numbers while the lease lasts, and no node after it: `up` does not buy again."""
        return Limits(pool.count_min, self.until_end(pool.count_initial), self.until_end(pool.count_max))

    def warn_when_over(self, path: str, start_again: str) -> None:
        """Says in the output of `up` that the lease is over, and how nodes are started again by hand; nothing before the
        end, or while it is not known."""
        if self.text is not None:
            pulumi.Output.from_input(self.text).apply(lambda text: _warn(text, self.now, path, start_again))

    def until_end(self, nodes: int) -> pulumi.Input[int]:
        """So many nodes while the lease lasts, and none after it."""
        if self.text is None:
            return nodes
        if isinstance(self.text, str):
            return 0 if is_over(self.text, self.now) else nodes
        if nodes not in self._numbers:
            text = pulumi.Output.from_input(self.text)
            self._numbers[nodes] = text.apply(lambda text: 0 if is_over(text, self.now) else nodes)
        return self._numbers[nodes]


def lease_end(plan: ClusterPlan, opts: pulumi.ResourceOptions) -> LeaseEnd:
    """The end of the plan's lease. A duration starts at the first `up`, which the stack's state remembers; another
    duration in the spec starts anew."""
    lease = plan.lease
    if lease.ends is not None:
        return LeaseEnd(format_moment(lease.ends), plan.now)
    if lease.duration is None:
        return LeaseEnd(None, plan.now)
    offset = clock.Offset(
        f"{plan.name}-lease",
        offset_seconds=int(lease.duration.total_seconds()),
        triggers={"lease": format_duration(lease.duration)},
        opts=opts,
    )
    return LeaseEnd(offset.rfc3339, plan.now)


def is_over(text: str, now: datetime) -> bool:
    """Whether the end has passed; False for a text that is no moment (a placeholder, where nothing is known yet)."""
    try:
        end = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return False
    return end.tzinfo is not None and end <= now


def _warn(text: str, now: datetime, path: str, start_again: str) -> None:
    if is_over(text, now):
        pulumi.log.warn(
            f"{path}: the lease ended at {text}: the cluster has expired, and no node is started again; to go on change "
            f"{path}, run up, and {start_again}, which up leaves alone"
        )
