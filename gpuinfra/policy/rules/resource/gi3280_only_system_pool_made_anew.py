"""The only system pool of a cluster, made anew.

What: The one pool of mode System in an AKS cluster changes its size or its GPU partition.
Why: Both replace the pool, and AKS deletes no last system pool: the update is refused half way, or the cluster is without its own services.
Fix: Add a second System pool first, move over, and then remove the old one; keep GPUs in pools of mode User.
References: AKS docs, manage system node pools; Azure REST API, agent pools
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import CLUSTER, AgentPool
from ...last_inputs import last
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, late, plain

CODE = described("GI3280", "only-system-pool-made-anew", Severity.ERROR, __doc__, ("AZ AKS-05",))
_REPLACED_BY = ("vmSize", "gpuInstanceProfile")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each cluster whose last inputs are known."""
    homes: dict[str, list[AgentPool]] = {}
    for pool in ctx.azure.pools:
        if str(pool.value("mode")).lower() == "system":
            homes.setdefault(_home(ctx, pool), []).append(pool)
    for pools in homes.values():
        if len(pools) != 1:
            continue
        (pool,) = pools
        was = _before(ctx, pool)
        if was is None:
            continue
        now, old = [pool.value(k) for k in _REPLACED_BY], [plain(was.get(k)) for k in _REPLACED_BY]
        if any(map(late, now)):
            yield Undecided(CODE.code, pool.source.name, "what the pool becomes is not known yet")
            continue
        found = [k for k, a, b in zip(_REPLACED_BY, now, old, strict=True) if _word(a) != _word(b)]
        if found:
            yield CODE.at(
                pool.at(found[0]),
                f"the only system pool changes {', '.join(found)} ({old[0]} to {now[0]}), and AKS removes no last one",
                resource=pool.source.name,
            )


def _home(ctx: GraphContext, pool: AgentPool) -> str:
    """The cluster of a pool: its URN, or its name where this program does not make it."""
    if pool.path:
        return pool.source.urn
    made_here = ctx.azure.linked(pool.source, "resourceName", CLUSTER).resources
    return made_here[0].urn if made_here else str(pool.value("resourceName"))


def _before(ctx: GraphContext, pool: AgentPool) -> Mapping[str, Any] | None:
    """What the pool was at the last deployment; None where nobody looked, or it was not there."""
    was = last(ctx, pool.source)
    if was is None or not pool.path:
        return was.inputs if was is not None else None
    named = [b for b in entries(was.get("agentPoolProfiles")) if plain(b.get("name")) == pool.value("name")]
    return named[0] if named else None


def _word(value: object) -> str:
    return str(value).lower()


_T = """\
- type: azure-native.containerservice.AgentPool
  name: pool
  inputs: {{resourceName: plane, mode: {0}, vmSize: {1}}}
"""
_URN = "urn:pulumi:dev::example::azure-native:containerservice:AgentPool::pool"
_WAS = {"resourceName": "plane", "mode": "System", "vmSize": "Standard_NC40ads_H100_v5"}

RULE = ResourceRule(
    CODE,
    ("kubernetes", "drift"),
    check,
    Examples(
        (_T.format("System", "Standard_NC40ads_H100_v5"), _T.format("User", "Standard_NC80adis_H100_v5")),
        (_T.format("System", "Standard_NC80adis_H100_v5"),),
        (_T.format("System", "!unknown "),),
        facts={_URN: {"inputs": _WAS}},
    ),
    providers=(Provider.AZURE,),
)
