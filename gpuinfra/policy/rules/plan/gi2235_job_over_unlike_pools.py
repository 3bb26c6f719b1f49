"""One job over pools that cannot work as one.

What: A job spans pools with different GPUs, GPU counts or fabrics; or two InfiniBand pools.
Severity: warning where the spec names no pools or no launcher, and where pools are alike and only far apart
Why: A launcher gives each process an equal share: unlike nodes run at the speed of the slowest, or fail. InfiniBand joins the nodes of one pool only.
Fix: Name one pool in job.pools, or make it one larger pool.
References: aws/aws-parallelcluster, InstancesAcceleratorsValidator and InstancesEFAValidator; Azure docs, set up InfiniBand
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....plan.models import PoolPlan
from ....vocabulary import FabricKind, Launcher
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2235", "job-over-unlike-pools", Severity.ERROR, __doc__, ("AWS CMP-03", "AZ IB-01", "AWS PLC-08"))
_BOUND_TO_ONE_POOL = (FabricKind.INFINIBAND,)
"""Fabrics whose partition is one group of nodes (one scale set, one partition key)."""


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the job: an error where a launcher spans pools that the spec names, else a warning."""
    job = ctx.plan.spec.job
    if job is None:
        return
    spanned = [p for p in ctx.plan.pools if (p.name in job.pools if job.pools else p.gpus_per_node)]
    if len(spanned) < 2:
        return
    certain = job.launcher is not Launcher.NONE
    severity = Severity.ERROR if certain and job.pools else Severity.WARNING
    a, b = spanned[0], next((p for p in spanned[1:] if _kind(p) != _kind(spanned[0])), None)
    if b is not None:
        yield CODE.at(
            "job.pools",
            f"the job spans '{a.name}' ({_shown(a)}) and '{b.name}' ({_shown(b)})",
            f"write job.pools: [{a.name}]",
            severity=severity,
        )
    elif (certain or job.pools) and a.fabric.kind in _BOUND_TO_ONE_POOL:
        names = " and ".join(f"'{p.name}'" for p in spanned)
        yield CODE.at(
            "job.pools",
            f"the job spans {len(spanned)} pools over {a.fabric.kind}, which joins the nodes of one pool only",
            f"make {names} one pool of {sum(p.count_max for p in spanned)} nodes",
        )
    elif certain and a.fabric.present and any(p.placement.mode == "new" for p in spanned):
        yield CODE.at(
            "job.pools",
            f"the job spans {len(spanned)} pools, each close together and perhaps far from the other",
            f"make '{a.name}' and '{spanned[1].name}' one pool",
            severity=Severity.WARNING,
        )


def _kind(pool: PoolPlan) -> tuple[object, ...]:
    return (pool.instance.gpu_model, pool.gpus_per_node, pool.fabric.kind, len(pool.fabric.nics))


def _shown(pool: PoolPlan) -> str:
    fabric = f", {pool.fabric.kind}" if pool.fabric.present else ", no fabric"
    return f"{pool.instance.name}: {pool.gpus_per_node} × {pool.instance.gpu_model or 'no GPU'}{fabric}"


_T = """\
node_pools: [{{}}, {{name: other, instance_type: {0}, count: 2}}]
job: {{launcher: torchrun, pools: [gpu{1}]}}
"""

RULE = PlanRule(
    CODE,
    ("fabric",),
    check,
    Examples((_T.format("p4d.24xlarge", ""),), (_T.format("p4d.24xlarge", ", other"),)),
)
