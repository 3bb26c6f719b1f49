"""A checkpoint that takes longer than the reclaim notice.

What: A job runs on spot nodes, and at the file system's throughput one checkpoint takes longer than the cloud's notice.
Why: A save that begins at the notice is cut off in the middle. What counts is the last one before: all work since then is lost, on every node.
Fix: Save so often that the interval can be lost, make the checkpoint smaller, or take more throughput or size.
References: EC2 User Guide, Spot interruption notices; Azure docs, Scheduled Events for Linux VMs; Compute Engine, Spot VMs
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import CapacityType, Provider
from ...checkpoints import speed_of
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2350", "checkpoint-slower-than-notice", Severity.WARNING, __doc__, ("AWS COST-10", "AZ SPOT-04"))
_NOTICE_S = {Provider.AWS: 120, Provider.GCP: 30, Provider.AZURE: 30}


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the job, where the size and the throughput are known."""
    plan = ctx.plan
    job, checkpoint = plan.spec.job, plan.spec.job.checkpoint if plan.spec.job else None
    if job is None or checkpoint is None or checkpoint.size_gib is None:
        return
    pools = [p for p in plan.gpu_pools if not job.pools or p.name in job.pools]
    spot = [p for p in pools if p.capacity.type is CapacityType.SPOT and ctx.sold(p)]
    home, speed = speed_of(plan, checkpoint.path)
    if not spot or home is None or not speed:
        return
    seconds, notice = float(checkpoint.size_gib) * 1024 / speed, _NOTICE_S[plan.provider]
    if seconds > notice:
        fits = speed * notice / 1024
        yield CODE.at(
            "job.checkpoint.size_gib",
            f"{float(checkpoint.size_gib):g} GiB at {speed:,.0f} MB/s ('{home.name}') take {seconds:,.0f} s, and the notice "
            f"of spot pool '{spot[0].name}' is {notice} s: {fits:,.0f} GiB fit",
        )


_T = """\
node_pools: [{{instance_type: p4d.24xlarge, capacity: {{type: {1}}}}}]
job: {{checkpoint: {{path: /scratch/ckpt, size_gib: {0}, on_notice: SIGTERM}}}}
"""

RULE = PlanRule(
    CODE,
    ("storage", "job", "capacity"),
    check,
    Examples(
        (_T.format(400, "spot"), _T.format(4000, "on_demand")),
        (_T.format(4000, "spot"),),
    ),
)
