"""A file system that cannot feed its nodes.

What: The throughput of all Lustre storage, shared by the nodes of a training cluster, is below 25 MB/s for each GPU.
Why: GPUs wait for data at the full price. 25 MB/s is a floor: images and video need far more, text less.
Fix: Take a higher throughput_mbps_per_tib, or more size.
References: FSx for Lustre User Guide, performance; aws/aws-parallelcluster, SharedEbsPerformanceBottleNeckValidator
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import StorageKind, Workload
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2268", "file-system-starves-nodes", Severity.WARNING, __doc__, ("AWS FSX-15",))
_MBPS_PER_GPU = 25


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the cluster, where every Lustre storage shows its throughput and nothing else can feed the nodes."""
    plan = ctx.plan
    gpus = sum(p.count_max * p.gpus_per_node for p in plan.gpu_pools)
    lustre = [s for s in plan.storage if s.kind is StorageKind.LUSTRE]
    if plan.spec.workload is not Workload.TRAINING or not lustre or not gpus or len(lustre) != len(plan.storage):
        return
    speeds = [s.throughput_mbps_per_tib * s.size_gib / 1024 for s in lustre if s.throughput_mbps_per_tib and s.size_gib]
    if len(speeds) == len(lustre) and sum(speeds) < _MBPS_PER_GPU * gpus:
        yield CODE.at(
            f"{lustre[0].path}.throughput_mbps_per_tib",
            f"{sum(speeds):,.0f} MB/s for {gpus} GPUs, {sum(speeds) / gpus:.1f} MB/s each",
        )


RULE = PlanRule(
    CODE,
    ("storage",),
    check,
    Examples(
        ("storage: [{size_gib: 9600}]",),
        ("{node_pools: [{count: 16}], storage: [{size_gib: 1200, throughput_mbps_per_tib: 125}]}",),
    ),
)
