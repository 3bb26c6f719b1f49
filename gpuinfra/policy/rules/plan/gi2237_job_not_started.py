"""A command that nothing starts.

What: `job.command` or `job.launcher` is given.
Why: Nodes boot with everything the job needs, but nothing starts it on them yet: they would bill and wait.
Fix: Run the command given here, on the nodes it names.
References: none
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Launcher
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2237", "job-not-started", Severity.WARNING, __doc__)


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the job, with the command to run by hand in its hint."""
    job = ctx.plan.spec.job
    if job is None:
        return
    if job.command:
        # Imported here: the templates' package is not needed for specs without a job.
        from ....node.manual_commands import manual_commands

        names = {p.name for p in ctx.plan.spec.node_pools}
        manual = next((m for m in manual_commands(ctx.plan) if m.path == "job.command"), None)
        if manual is None and (ctx.refused or not names.issuperset(job.pools)):
            # Why there is no pool to run it on has its finding, and the command cannot be given before.
            return
        hint = manual.shown if manual is not None else "name the pools that it runs on in job.pools"
        yield CODE.at("job.command", "nothing starts the command yet; run it by hand once the nodes are up", hint)
    elif job.launcher is not Launcher.NONE:
        yield CODE.at(
            "job.launcher", f"'{job.launcher}' has no command to launch", "add job.command, as [python, train.py]"
        )


RULE = PlanRule(
    CODE,
    ("job",),
    check,
    Examples(
        ("job: {pools: [gpu]}",),
        ("job: {command: [python, train.py], launcher: torchrun}", "job: {launcher: torchrun}"),
    ),
)
