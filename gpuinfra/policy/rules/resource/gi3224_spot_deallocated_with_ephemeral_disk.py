"""Spot nodes that are to be deallocated, on a disk that cannot be.

What: A spot set or machine has an ephemeral system disk, and its eviction policy is Deallocate or is not written.
Why: An ephemeral disk lives on the host and is gone when the machine leaves it, so that Azure refuses Deallocate. It is the default.
Fix: Set evictionPolicy: Delete.
References: Azure docs, ephemeral OS disks; Azure docs, spot in scale sets
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3224", "spot-deallocated-with-ephemeral-disk", Severity.ERROR, __doc__, ("AZ SPOT-03",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each set and machine."""
    for nodes in ctx.azure.nodes:
        policy = nodes.get("evictionPolicy")
        if nodes.spot is False or nodes.ephemeral is False:
            continue
        if nodes.spot is None or nodes.ephemeral is None or late(policy):
            yield Undecided(CODE.code, nodes.name, "the priority, the disk or the eviction policy is not known yet")
        elif str(policy).lower() != "delete":
            said = f"is {policy}" if policy is not None else "is not written, which means Deallocate"
            yield CODE.at(
                nodes.at("evictionPolicy"),
                f"the system disk is ephemeral, and the eviction policy {said}",
                "set evictionPolicy: Delete",
                resource=nodes.name,
            )
    for pool in ctx.azure.pools:
        values = [pool.value(k) for k in ("scaleSetPriority", "osDiskType", "scaleSetEvictionPolicy")]
        # A pool that leaves the policy out has Delete.
        words = [str(v).lower() for v in values]
        wrong = all(
            late(v) or w == k for v, w, k in zip(values, words, ("spot", "ephemeral", "deallocate"), strict=True)
        )
        if wrong and any(map(late, values)):
            yield Undecided(CODE.code, pool.source.name, "the priority, the disk or the policy is not known yet")
        elif wrong:
            yield CODE.at(
                pool.at("scaleSetEvictionPolicy"),
                "the system disk is ephemeral, and the eviction policy is Deallocate",
                "set scaleSetEvictionPolicy: Delete",
                resource=pool.source.name,
            )


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs:
    virtualMachineProfile:
      priority: Spot
      evictionPolicy: {0}
      storageProfile: {{osDisk: {{caching: ReadOnly, diffDiskSettings: {1}}}}}
"""
_POOL = """\
- type: azure-native.containerservice.AgentPool
  name: pool
  inputs: {{scaleSetPriority: Spot, osDiskType: {0}, scaleSetEvictionPolicy: {1}}}
"""
_LOCAL = "{option: Local}"

RULE = ResourceRule(
    CODE,
    ("capacity", "storage"),
    check,
    Examples(
        (_T.format("Delete", _LOCAL), _T.format("Deallocate", "null"), _POOL.format("Ephemeral", "null")),
        (_T.format("Deallocate", _LOCAL), _T.format("null", _LOCAL), _POOL.format("Ephemeral", "Deallocate")),
        (_T.format("!unknown ", _LOCAL), _POOL.format("Ephemeral", "!unknown ")),
    ),
    providers=(Provider.AZURE,),
)
