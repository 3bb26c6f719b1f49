"""A scheduler that is not there yet.

What: `scheduler` is slurm or kubernetes.
Why: The words are known and nothing builds them yet: the nodes would come up without a scheduler, and bill.
Fix: Write scheduler: none, and install the scheduler on the nodes yourself.
References: none
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Scheduler
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2239", "scheduler-not-built", Severity.ERROR, __doc__)


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the cluster."""
    if ctx.plan.spec.scheduler is not Scheduler.NONE:
        yield CODE.at("scheduler", f"'{ctx.plan.spec.scheduler}' is not built yet; only 'none' is")


RULE = PlanRule(
    CODE,
    ("job",),
    check,
    Examples(("scheduler: none",), ("scheduler: slurm", "scheduler: kubernetes")),
)
