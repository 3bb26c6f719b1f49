"""An idle limit that the least number of nodes holds up.

What: `shutdown.idle_after` is set, and a pool's `count.min` is above 0.
Why: A node may leave its group only down to the least number: the last nodes never go, and bill.
Fix: Set count.min to 0; `initial` says how many nodes start.
References: aws/aws-cli#47; EC2 Auto Scaling API, TerminateInstanceInAutoScalingGroup
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....spec.models import CountRange
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2220", "idle-held-up-by-minimum", Severity.ERROR, __doc__, ("AWS COST-07",))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each pool with GPUs: the others have no idle timer."""
    if ctx.plan.idle_after is None:
        return
    timed = {p.path for p in ctx.plan.gpu_pools}
    for n, pool in enumerate(ctx.plan.spec.node_pools):
        path = f"node_pools[{n}]"
        if path in timed and isinstance(pool.count, CountRange) and pool.count.min > 0:
            yield CODE.at(
                f"{path}.count.min",
                f"min is {pool.count.min}, and idle nodes shall leave: the last {pool.count.min} of '{pool.name}' cannot",
                f"write count: {{min: 0, max: {pool.count.max}, initial: {pool.count.initial or pool.count.min}}}",
            )


RULE = PlanRule(
    CODE,
    ("time", "money"),
    check,
    Examples(
        (
            "node_pools: [{count: {min: 0, max: 2}}]",
            "{node_pools: [{count: {min: 2, max: 2}}], shutdown: {idle_after: null}}",
        ),
        ("node_pools: [{count: {min: 2, max: 2}}]",),
    ),
)
