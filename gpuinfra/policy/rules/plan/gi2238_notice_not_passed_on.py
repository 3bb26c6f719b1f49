"""A checkpoint field that nothing acts on.

What: `job.checkpoint.on_notice` or `every` is given.
Severity: info for the interval
Why: No agent on the nodes hears the cloud's reclaim notice yet, and none asks the job for a checkpoint.
Fix: Save from inside the job at that interval, and send the signal by hand at a notice, with the command given here.
References: none
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....spec.quantities import format_duration
from ...rule import Examples, PlanContext, PlanRule, described
from ...signals import can_be_handled

CODE = described("GI2238", "notice-not-passed-on", Severity.WARNING, __doc__, ("AWS COST-10",))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each field. A signal that cannot be sent or handled is another rule's."""
    checkpoint = ctx.plan.spec.job.checkpoint if ctx.plan.spec.job else None
    if checkpoint is None:
        return
    if checkpoint.on_notice is not None and can_be_handled(checkpoint.on_notice):
        # Imported here: the templates' package is not needed for specs without a job.
        from ....node.manual_commands import manual_commands

        manual = next((m for m in manual_commands(ctx.plan) if m.path == "job.checkpoint.on_notice"), None)
        hint = manual.shown if manual is not None else ""
        yield CODE.at("job.checkpoint.on_notice", f"nothing sends {checkpoint.on_notice} at a reclaim notice yet", hint)
    if checkpoint.every is not None:
        yield CODE.at(
            "job.checkpoint.every",
            f"nothing asks the job for a checkpoint every {format_duration(checkpoint.every)} yet",
            "give the interval to your program",
            severity=Severity.INFO,
        )


RULE = PlanRule(
    CODE,
    ("job",),
    check,
    Examples(
        ("job: {checkpoint: {path: /scratch/ckpt}}",),
        (
            "job: {checkpoint: {path: /scratch/ckpt, on_notice: SIGTERM}}",
            "job: {checkpoint: {path: /scratch/ckpt, every: 30m}}",
        ),
    ),
)
