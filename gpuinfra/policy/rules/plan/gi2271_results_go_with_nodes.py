"""Nodes with fast local drives, an end, and nowhere to keep results.

What: A pool has local NVMe, the nodes end by lease, idle limit, schedule, spot or block, and the cluster has no `storage`.
Why: Local drives and root disks are wiped when a node stops: whatever the work left there is gone.
Fix: Add a storage for results, as {name: out, kind: bucket, mount: /out}.
References: EC2 User Guide, instance store data persistence
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import CapacityType
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2271", "results-go-with-nodes", Severity.WARNING, __doc__, ("AWS CMP-13",))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the cluster, at its first such pool."""
    plan, end = ctx.plan, ctx.plan.spec.shutdown
    if plan.spec.storage:
        return
    stops = plan.lease.present or plan.idle_after is not None or (end is not None and end.stop_at is not None)
    for pool in plan.pools:
        ends = stops or pool.capacity.type not in (CapacityType.ON_DEMAND, CapacityType.RESERVATION)
        if pool.local_nvme.mount and ends:
            size = f" ({pool.local_nvme.total_gb:g} GB)" if pool.local_nvme.total_gb else ""
            yield CODE.at(
                "storage",
                f"nodes of '{pool.name}' end, their local NVMe at {pool.local_nvme.mount}{size} is wiped with them, and the "
                "cluster has no other storage",
            )
            return


RULE = PlanRule(
    CODE,
    ("storage", "time"),
    check,
    Examples(("node_pools: [{}]",), ("storage: []",)),
)
