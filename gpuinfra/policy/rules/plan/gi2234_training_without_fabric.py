"""Training over several nodes of a type without a fabric.

What: A training job spans nodes whose type has no RDMA fabric.
Why: Gradients travel over TCP. Fine-tuning adapters or independent runs do well with it; full training of a large model does not.
Fix: For data-parallel training of large models take a type with a fabric: gpuinfra instances --fabric efa.
References: NCCL documentation, networking
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import FabricKind, Launcher, Workload
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2234", "training-without-fabric", Severity.INFO, __doc__)


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each pool that a launcher spans."""
    job = ctx.plan.spec.job
    if job is None or job.launcher is Launcher.NONE or ctx.plan.spec.workload is not Workload.TRAINING:
        return
    for pool in ctx.plan.gpu_pools:
        if job.pools and pool.name not in job.pools:
            continue
        if pool.multi_node and pool.instance.fabric is FabricKind.NONE:
            yield CODE.at(
                f"{pool.path}.instance_type",
                f"{job.launcher} spans {pool.count_max} nodes of {pool.instance.name}, which has no fabric: they talk TCP",
            )


RULE = PlanRule(
    CODE,
    ("fabric",),
    check,
    Examples(
        ("job: {launcher: torchrun}",), ("{node_pools: [{instance_type: g5.xlarge}], job: {launcher: torchrun}}",)
    ),
)
