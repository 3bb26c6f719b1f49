"""A signal that does not exist, or that no program hears.

What: `job.checkpoint.on_notice` is no signal of Linux, or is one that the kernel never hands to a program.
Severity: warning for SIGKILL and SIGSTOP; else an error, though the row is a warning: a word that is no signal is a value misspelt, as those of every other field are errors
Why: At a reclaim notice there are 30 seconds to two minutes; a command that fails, or kills the job, saves nothing.
Fix: Write SIGTERM or SIGUSR1, and save the state when the program gets it.
References: signal(7)
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity, nearest
from ...rule import Examples, PlanContext, PlanRule, described
from ...signals import NAMES, can_be_handled, known

CODE = described("GI2244", "signal-that-cannot-be-sent", Severity.ERROR, __doc__, ("AWS COST-10",))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the signal."""
    checkpoint = ctx.plan.spec.job.checkpoint if ctx.plan.spec.job else None
    signal = checkpoint.on_notice if checkpoint else None
    if signal is None or can_be_handled(signal):
        return
    path = "job.checkpoint.on_notice"
    if name := known(signal):
        yield CODE.at(path, f"{name} ends or stops the job at once: it cannot save", severity=Severity.WARNING)
        return
    near = nearest(signal, NAMES) or nearest(f"SIG{signal}", NAMES)
    shown = signal.encode("unicode_escape").decode()[:40]
    yield CODE.at(path, f"'{shown}' is no signal", f"did you mean {' or '.join(near)}?" if near else "")


_T = "job: {{checkpoint: {{path: /scratch/ckpt, on_notice: '{0}'}}}}"

RULE = PlanRule(
    CODE,
    ("job",),
    check,
    Examples(
        (_T.format("SIGTERM"), _T.format("USR1"), _T.format("SIGRTMIN+3"), _T.format("10")),
        (_T.format("SIGFOO"), _T.format("SIGTERN"), _T.format("a; rm -rf /"), _T.format("SIGKILL"), _T.format("99")),
    ),
)
