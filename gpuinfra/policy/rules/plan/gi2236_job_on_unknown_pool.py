"""A job on a pool that does not exist.

What: `job.pools` names a pool that the spec does not have, or one twice.
Severity: warning for a name that stands there twice
Why: The job would run on fewer nodes than meant, or on none.
Fix: Name pools of node_pools.
References: none
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity, did_you_mean
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2236", "job-on-unknown-pool", Severity.ERROR, __doc__)


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each name. A pool that another finding left out of the plan is known all the same."""
    job = ctx.plan.spec.job
    names = [p.name for p in ctx.plan.spec.node_pools]
    for n, name in enumerate(job.pools if job else ()):
        if name not in names:
            hint = did_you_mean(name, names) or f"the pools are {', '.join(names[:5])}"
            yield CODE.at(f"job.pools[{n}]", f"'{name[:60]}' is no pool of this cluster", hint)
        elif job is not None and name in job.pools[:n]:
            yield CODE.at(f"job.pools[{n}]", f"'{name}' stands there twice", severity=Severity.WARNING)


RULE = PlanRule(
    CODE,
    ("job",),
    check,
    Examples(("job: {pools: [gpu]}",), ("job: {pools: [gpus]}",)),
)
