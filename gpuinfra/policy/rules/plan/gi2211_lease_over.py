"""A lease that is over.

What: `shutdown.lease` names a moment that is past.
Why: A schedule in the past never fires, and preview does not notice: the nodes would run without an end.
Fix: Give a later moment, or a duration such as 72h.
References: EventBridge Scheduler User Guide, one-time schedules
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....spec.quantities import format_moment
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2211", "lease-over", Severity.ERROR, __doc__, ("AWS COST-06",))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the lease."""
    ends = ctx.plan.lease.ends
    if ends is not None and ends <= ctx.now:
        yield CODE.at(
            "shutdown.lease",
            f"the cluster has expired: the lease ended {format_moment(ends)}, and it is {format_moment(ctx.now)} now",
        )


RULE = PlanRule(
    CODE,
    ("time",),
    check,
    Examples(('shutdown: {lease: "2026-12-05T18:00:00+01:00"}',), ('shutdown: {lease: "2026-11-29T18:00:00+01:00"}',)),
)
