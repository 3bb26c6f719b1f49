"""A checkpoint that takes longer than its interval.

What: At the file system's throughput one checkpoint takes more than half of the interval.
Why: The nodes then write more than they compute, and the saves pile up.
Fix: Save less often, or take more throughput or size.
References: FSx for Lustre User Guide, performance
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....spec.quantities import format_duration
from ...checkpoints import speed_of
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2267", "checkpoint-slower-than-interval", Severity.WARNING, __doc__)


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the job, where size, interval and throughput are known."""
    checkpoint = ctx.plan.spec.job.checkpoint if ctx.plan.spec.job else None
    if checkpoint is None or checkpoint.every is None or checkpoint.size_gib is None:
        return
    home, speed = speed_of(ctx.plan, checkpoint.path)
    if not speed or home is None:
        return
    seconds, interval = float(checkpoint.size_gib) * 1024 / speed, checkpoint.every.total_seconds()
    if seconds > interval / 2:
        yield CODE.at(
            "job.checkpoint.every",
            f"{float(checkpoint.size_gib):g} GiB at {speed:,.0f} MB/s ('{home.name}') take {seconds / 60:.0f} minutes of the "
            f"{format_duration(checkpoint.every)} between two checkpoints",
        )


_T = "job: {{checkpoint: {{path: /scratch/ckpt, size_gib: {0}, every: 10m}}}}"

RULE = PlanRule(
    CODE,
    ("storage", "job"),
    check,
    Examples((_T.format(400),), (_T.format(4000),)),
)
