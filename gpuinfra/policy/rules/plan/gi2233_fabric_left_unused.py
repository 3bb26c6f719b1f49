"""Training over TCP on machines that have a fabric.

What: Several nodes of a training cluster have `fabric: none`, and their type has one.
Why: Collectives fall back to TCP: the job runs, many times slower, at the full price, and nothing says so.
Fix: Leave fabric at auto.
References: modelplaneai/modelplane#197; skypilot-org/skypilot#3592
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import FabricKind, FabricWish, Workload
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2233", "fabric-left-unused", Severity.WARNING, __doc__, ("AWS NET-07", "GCP-NET-16"))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each pool."""
    if ctx.plan.spec.workload is not Workload.TRAINING:
        return
    wishes = {f"node_pools[{n}]": p.fabric for n, p in enumerate(ctx.plan.spec.node_pools)}
    for pool in ctx.plan.gpu_pools:
        has = pool.instance.fabric is not FabricKind.NONE
        if has and pool.multi_node and wishes.get(pool.path) is FabricWish.NONE:
            speed = f" of {pool.instance.fabric_gbps:g} Gbps" if pool.instance.fabric_gbps else ""
            yield CODE.at(
                f"{pool.path}.fabric",
                f"'none' for {pool.count_max} nodes of {pool.instance.name}, which have {pool.instance.fabric}{speed}",
            )


RULE = PlanRule(
    CODE,
    ("fabric",),
    check,
    Examples(("node_pools: [{fabric: auto}]",), ("node_pools: [{fabric: none}]",)),
)
