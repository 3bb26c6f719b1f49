"""Spot training that saves nothing.

What: A training or simulation job runs on spot nodes without a checkpoint path, or without a signal at the reclaim notice.
Why: The cloud takes spot nodes back with two minutes (AWS) or 30 seconds (Google, Azure) of notice; all work since the last save is lost.
Fix: Add job.checkpoint: {path: /scratch/ckpt, every: 30m, on_notice: SIGTERM}, and save often.
References: runs-on/runs-on#277; EC2 User Guide, Spot interruption notices
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import CapacityType
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described(
    "GI2231", "spot-without-checkpoint", Severity.WARNING, __doc__, ("AWS COST-10", "AZ SPOT-04", "AZ SPOT-05")
)


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the job."""
    spot = [p for p in ctx.plan.gpu_pools if p.capacity.type is CapacityType.SPOT and ctx.sold(p)]
    if not spot or not ctx.plan.spec.workload.exchanges_data:
        return
    job = ctx.plan.spec.job
    names = ", ".join(p.name for p in spot[:3])
    if job is None or job.checkpoint is None:
        yield CODE.at(
            "job.checkpoint",
            f"pool {names} is spot, and the job has no checkpoint path; no agent on the nodes hears the reclaim notice yet",
        )
    elif job.checkpoint.on_notice is None:
        yield CODE.at(
            "job.checkpoint.on_notice",
            f"pool {names} is spot, and nothing tells the job to save at the reclaim notice; no agent on the nodes hears "
            "it yet",
            "let the program listen itself, or add on_notice: SIGTERM for the command to run by hand",
        )


_T = """\
node_pools: [{{instance_type: p4d.24xlarge, capacity: {{type: spot}}}}]
job: {{checkpoint: {{path: /scratch/ckpt{0}}}}}
"""

RULE = PlanRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (_T.format(", on_notice: SIGTERM"),),
        (_T.format(""), "node_pools: [{instance_type: p4d.24xlarge, capacity: {type: spot}}]"),
    ),
)
