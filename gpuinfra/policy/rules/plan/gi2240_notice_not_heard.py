"""Spot nodes on which nothing hears the reclaim notice.

What: A pool is spot, and the spec says nothing of what its job does at the notice.
Why: The cloud tells a spot node that it takes it back, and no agent on the nodes listens yet: processes end where they stand.
Fix: Poll the cloud's metadata service from the program, and make a restart harmless; a training job needs job.checkpoint.
References: EC2 User Guide, Spot interruption notices; Azure docs, Scheduled Events for Linux VMs; Compute Engine, Spot VMs
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import CapacityType, Provider
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2240", "notice-not-heard", Severity.WARNING, __doc__, ("AWS COST-10", "AZ SPOT-05"))
_NOTICE = {Provider.AWS: "two minutes", Provider.GCP: "30 seconds", Provider.AZURE: "30 seconds, best effort"}


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the cluster. GI2231 (training without a checkpoint) and GI2238 (on_notice) say it themselves."""
    plan = ctx.plan
    spot = [p for p in plan.pools if p.capacity.type is CapacityType.SPOT and ctx.sold(p)]
    checkpoint = plan.spec.job.checkpoint if plan.spec.job else None
    trains = plan.spec.workload.exchanges_data and any(p.gpus_per_node for p in spot)
    if not spot or trains or (checkpoint is not None and checkpoint.on_notice is not None):
        return
    names = " and ".join(f"'{p.name}'" for p in spot[:3])
    yield CODE.at(
        f"{spot[0].path}.capacity.type",
        f"nothing on the nodes of pool {names} hears the reclaim notice ({_NOTICE[plan.provider]}) yet",
    )


_T = "{{workload: inference, node_pools: [{{instance_type: g6.xlarge, capacity: {{type: {0}}}}}], storage: []}}"

RULE = PlanRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (_T.format("on_demand"), "node_pools: [{instance_type: p4d.24xlarge, capacity: {type: spot}}]"),
        (_T.format("spot"),),
    ),
)
