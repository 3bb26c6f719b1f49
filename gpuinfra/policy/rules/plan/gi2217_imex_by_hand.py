"""Racks whose nodes reach each other's GPU memory only when somebody starts IMEX.

What: A pool has several nodes with GB200 or GB300.
Why: NVLink between nodes works when nvidia-imex runs on each of them with the same list of addresses. Nothing here writes that list yet; without it NCCL takes the slower network between the nodes, or fails to share memory.
Fix: On every node write the private address of each node, one a line, to /etc/nvidia-imex/nodes_config.cfg, and run: systemctl enable --now nvidia-imex
References: NVIDIA IMEX Service Guide; Azure/azhpc-images README, GB200; aws-samples, GB200 UltraServers
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2217", "imex-by-hand", Severity.WARNING, __doc__)


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each pool of several nodes."""
    for pool in ctx.plan.gpu_pools:
        if pool.spans_rack:
            yield CODE.at(
                f"{pool.path}.instance_type",
                f"the {pool.count_max} nodes of {pool.instance.name} share NVLink memory through nvidia-imex, and nothing "
                "gives it their addresses",
            )


_T = """\
location: {{provider: azure, region: eastus2}}
node_pools: [{{instance_type: {0}, count: {1}}}]
storage: []
"""
_GB200 = "Standard_ND128isr_NDR_GB200_v6"

RULE = PlanRule(
    CODE,
    ("fabric",),
    check,
    Examples(
        (_T.format(_GB200, 1), _T.format("Standard_ND96isr_H100_v5", 2)),
        (
            _T.format(_GB200, 18),
            "node_pools: [{instance_type: p6e-gb200.36xlarge, count: 9, capacity: {type: capacity_block, id: cr-0aaa1111bbbb2222c}}]",
        ),
    ),
)
