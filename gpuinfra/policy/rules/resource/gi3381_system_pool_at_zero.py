"""A system pool that may have no node.

What: A pool of mode System has count 0, or lets the autoscaler go below one node.
Why: AKS keeps its own services there and takes 1 to 1000 nodes for such a pool: the cluster is refused.
Fix: Write count or minCount 1 or more (2 for a cluster that matters), and let the GPU pools of mode User go to 0.
References: AKS docs, manage system node pools; Azure REST API, agent pools
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number, truth

CODE = described("GI3381", "system-pool-at-zero", Severity.ERROR, __doc__)


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each pool."""
    for pool in ctx.azure.pools:
        mode, moved = pool.value("mode"), pool.value("enableAutoScaling")
        keys = ("minCount", "maxCount", "count") if truth(moved) else ("count",)
        values = {k: pool.value(k) for k in keys}
        zero = next((k for k, v in values.items() if number(v) == 0), "")
        system = str(mode).lower() == "system"
        if late(mode) and zero:
            yield Undecided(CODE.code, pool.source.name, "the mode of the pool is not known yet")
        elif system and zero:
            yield CODE.at(
                pool.at(zero),
                f"{zero} 0, and a system pool has 1 node or more",
                f"write {zero}: 1 or more, or take another pool for the system",
                resource=pool.source.name,
            )
        elif system and (late(moved) or any(map(late, values.values()))):
            yield Undecided(CODE.code, pool.source.name, "how many nodes the system pool has is not known yet")


_T = """\
- type: azure-native.containerservice.AgentPool
  name: pool
  inputs: {{mode: {0}, count: {1}, enableAutoScaling: {2}, minCount: {3}, maxCount: 4}}
"""
_INLINE = """\
- type: azure-native.containerservice.ManagedCluster
  name: plane
  inputs: {{agentPoolProfiles: [{{name: system, mode: System, count: {0}, vmSize: Standard_D4s_v5}}]}}
"""

RULE = ResourceRule(
    CODE,
    ("kubernetes",),
    check,
    Examples(
        (_T.format("System", 2, "false", "null"), _T.format("User", 0, "true", 0), _INLINE.format(2)),
        (_T.format("System", 1, "true", 0), _INLINE.format(0)),
        (_T.format("System", 1, "true", "!unknown "), _INLINE.format("!unknown ")),
    ),
    providers=(Provider.AZURE,),
)
