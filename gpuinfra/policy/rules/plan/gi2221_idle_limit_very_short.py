"""An idle limit that ends nodes at work.

What: `shutdown.idle_after` is below five minutes.
Why: Compiling, loading a checkpoint and an evaluation step leave GPUs quiet for minutes; the node would go in the middle.
Fix: Take 15m or more; 30m suits training.
References: none
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from ....diagnostics import Diagnostic, Severity
from ....spec.quantities import format_duration
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2221", "idle-limit-very-short", Severity.WARNING, __doc__)
_SHORT = timedelta(minutes=5)


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the cluster."""
    idle = ctx.plan.idle_after
    if idle is not None and idle < _SHORT:
        yield CODE.at("shutdown.idle_after", f"nodes leave after {format_duration(idle)} without GPU work")


RULE = PlanRule(
    CODE,
    ("time",),
    check,
    Examples(("shutdown: {idle_after: 15m}",), ("shutdown: {idle_after: 2m}",)),
)
