"""A GPU pool that cannot scale up from nothing.

What: An AKS pool whose GPUs are claimed through dynamic resource allocation scales down to 0 nodes, or may have no node at all.
Why: A claim is matched with the devices that running nodes publish. At 0 nodes there are none, the autoscaler sees no use in a first node, and the pods stay pending for ever.
Fix: Set minCount to 1 or more, or claim the GPUs through the device plugin.
References: modelplaneai/modelplane#346; modelplaneai/modelplane#345; kubernetes/autoscaler#7799
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import AgentPool, AzureGraph
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number, truth

CODE = described("GI3283", "pool-that-never-wakes", Severity.WARNING, __doc__, ("AZ AKS-04",))
_DRIVER = "nvidia-dra-driver-gpu"
_HELM = ("kubernetes:helm.sh/v3:Release", "kubernetes:helm.sh/v3:Chart", "kubernetes:helm.sh/v4:Chart")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each pool that the autoscaler moves."""
    claimed = _has_driver(ctx.azure)
    for pool in ctx.azure.pools:
        if not pool.has_gpu or (claimed is False and not _is_rack(pool)):
            continue
        if not claimed and not _is_rack(pool):
            yield Undecided(CODE.code, pool.source.name, "whether its GPUs are claimed is not known yet")
            continue
        moved, least, most = (pool.value(k) for k in ("enableAutoScaling", "minCount", "maxCount"))
        if late(moved) or (truth(moved) and (late(least) or late(most))):
            yield Undecided(CODE.code, pool.source.name, "how the pool scales is not known yet")
        elif truth(moved) and (not number(least) or number(most) == 0):
            key = "maxCount" if number(most) == 0 else "minCount"
            yield CODE.at(
                pool.at(key),
                f"the pool may be at 0 nodes of {pool.size}, and nothing wakes it: the GPUs are claimed from running nodes",
                resource=pool.source.name,
            )


def _is_rack(pool: AgentPool) -> bool:
    """Whether the size's GPUs are claimed this way alone."""
    return pool.facts is not None and pool.facts.gpu_model.startswith("GB")


def _has_driver(azure: AzureGraph) -> bool | None:
    """Whether the driver hands out GPUs here: its chart may be told to hand out the racks' channels alone. None where that
    is not known yet."""
    charts = (c for c in azure.of_type(*_HELM) if _DRIVER in str(c.get("chart")))
    told = [c.get("values", "resources", "gpus", "enabled") for c in charts]
    if any(truth(t) is not False and not late(t) for t in told):
        return True
    return None if any(late(t) for t in told) else False


_T = """\
- type: azure-native.containerservice.AgentPool
  name: pool
  inputs: {{vmSize: {0}, enableAutoScaling: true, minCount: {1}, maxCount: 18}}
"""
_GB, _H100 = "Standard_ND128isr_NDR_GB200_v6", "Standard_ND96isr_H100_v5"
_CHART = "- {type: kubernetes:helm.sh/v3:Release, name: dra, inputs: {chart: nvidia-dra-driver-gpu}}\n"
_CHANNELS = _CHART.replace("gpu}", "gpu, values: {resources: {gpus: {enabled: false}}}}")

RULE = ResourceRule(
    CODE,
    ("kubernetes", "capacity"),
    check,
    Examples(
        (_T.format(_GB, 1), _T.format(_H100, 0), _T.format(_H100, 0) + _CHANNELS),
        (_T.format(_GB, 0), _T.format(_H100, 0) + _CHART),
        (_T.format(_GB, "!unknown "),),
    ),
    providers=(Provider.AZURE,),
)
