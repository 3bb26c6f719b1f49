"""A lease that ends before the work can begin.

What: The lease is shorter than the idle limit, or shorter than nodes need to boot.
Why: The idle limit never counts then, and GPU nodes take 10 to 30 minutes until the first step.
Fix: Take a longer lease, or a shorter idle limit.
References: none
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from ....diagnostics import Diagnostic, Severity
from ....spec.quantities import format_duration
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2212", "lease-too-short", Severity.WARNING, __doc__)
_BOOT = timedelta(minutes=30)


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the lease; one that is over is another rule's."""
    lease, idle = ctx.plan.lease, ctx.plan.idle_after
    left = lease.duration if lease.duration is not None else lease.ends - ctx.now if lease.ends is not None else None
    if left is None or left <= timedelta():
        return
    if idle is not None and idle >= left:
        yield CODE.at(
            "shutdown.idle_after",
            f"{format_duration(idle)} without work is never reached: the lease ends after {format_duration(left)}",
        )
    elif left < _BOOT:
        yield CODE.at(
            "shutdown.lease",
            f"{format_duration(left)} is less than the {format_duration(_BOOT)} that GPU nodes may need to boot",
        )


RULE = PlanRule(
    CODE,
    ("time",),
    check,
    Examples(("shutdown: {lease: 72h}",), ("shutdown: {lease: 20m}", "shutdown: {lease: 2h, idle_after: 3h}")),
)
