"""A GPU pool of a managed cluster that lacks what its machines need.

What: A GB200 or GB300 pool that is not Ubuntu2404 or installs AKS's own driver; a pool whose gpuInstanceProfile is none, or whose GPU has no MIG; or a GPU pool without a taint.
Severity: warning for a pool without a taint
Why: Only Ubuntu 24.04 and the GPU operator's driver serve GB sizes. Without a taint any pod may land on the dear nodes and keep them from scaling in.
Fix: Set osSKU: Ubuntu2404 and gpuProfile: {driver: None}; add nodeTaints: ["sku=gpu:NoSchedule"].
References: Azure/ai-infrastructure-on-azure, infrastructure_references/aks; AKS docs, use GPUs for compute-intensive workloads
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from ....catalog import Accelerator, InstanceType, accelerator
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import AgentPool
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, late, plain

CODE = described("GI3229", "agent-pool-incomplete", Severity.ERROR, __doc__, ("AZ AKS-02", "AZ AKS-03"))

_PROFILES = ("MIG1g", "MIG2g", "MIG3g", "MIG4g", "MIG7g")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each fault of a pool."""
    for pool in ctx.azure.pools:
        if not pool.has_gpu or pool.facts is None:
            continue
        if _is_rack(pool):
            yield from _rack(pool)
        yield from _slices(pool, pool.facts)
        values = [pool.value(k) for k in (*(("osSKU", "gpuProfile") if _is_rack(pool) else ()), "gpuInstanceProfile")]
        if _is_rack(pool):
            values.append(_driver(pool))
        if any(map(late, values)):
            yield Undecided(CODE.code, pool.source.name, "its system, driver or partition is not known yet")
        taints = pool.value("nodeTaints")
        if late(taints):
            yield Undecided(CODE.code, pool.source.name, "the taints are not known yet")
        # AKS itself taints the nodes of a spot pool.
        elif not items(taints) and late(pool.value("scaleSetPriority")):
            yield Undecided(CODE.code, pool.source.name, "whether the nodes are spot is not known yet")
        elif not items(taints) and str(pool.value("scaleSetPriority")).lower() != "spot":
            yield CODE.at(
                pool.at("nodeTaints"),
                f"nodes of {pool.size} have no taint: any pod may land on them",
                'add nodeTaints: ["sku=gpu:NoSchedule"]',
                resource=pool.source.name,
                severity=Severity.WARNING,
            )


def _is_rack(pool: AgentPool) -> bool:
    return pool.facts is not None and pool.facts.gpu_model.startswith("GB")


def _driver(pool: AgentPool) -> Any:
    profile = pool.value("gpuProfile")
    return plain(cast("Mapping[str, Any]", profile).get("driver")) if isinstance(profile, Mapping) else None


def _slices(pool: AgentPool, facts: InstanceType) -> Iterator[Diagnostic]:
    profile = pool.value("gpuInstanceProfile")
    if profile is None or late(profile):
        return
    gpu = accelerator(facts.gpu_model)
    if facts.mig_supported is False or (isinstance(gpu, Accelerator) and gpu.mig_max_instances == 0):
        text, hint = f"{profile}, and the GPU of {pool.size} has no MIG", "leave gpuInstanceProfile out"
    elif profile not in _PROFILES:
        text, hint = f"'{profile}' is no MIG profile of AKS", f"take one of {', '.join(_PROFILES)}"
    else:
        return
    yield CODE.at(pool.at("gpuInstanceProfile"), text, hint, resource=pool.source.name)


def _rack(pool: AgentPool) -> Iterator[Diagnostic]:
    system, profile, driver = pool.value("osSKU"), pool.value("gpuProfile"), _driver(pool)
    if not late(system) and system != "Ubuntu2404":
        yield CODE.at(
            pool.at("osSKU"), f"{pool.size} boots Ubuntu2404 alone", "set osSKU: Ubuntu2404", resource=pool.source.name
        )
    if not late(profile) and not late(driver) and driver != "None":
        yield CODE.at(
            pool.at("gpuProfile.driver"),
            f"AKS would lay its own driver on {pool.size}, which takes the GPU operator's",
            "set gpuProfile: {driver: None}",
            resource=pool.source.name,
        )


_T = """\
- type: azure-native.containerservice.AgentPool
  name: pool
  inputs: {{vmSize: {0}, osSKU: {1}, gpuProfile: {{driver: "{2}"}}, nodeTaints: {3}}}
"""
_GB, _H100 = "Standard_ND128isr_NDR_GB200_v6", "Standard_ND96isr_H100_v5"
_TAINT = '["sku=gpu:NoSchedule"]'

RULE = ResourceRule(
    CODE,
    ("kubernetes",),
    check,
    Examples(
        (_T.format(_GB, "Ubuntu2404", "None", _TAINT), _T.format(_H100, "Ubuntu", "Install", _TAINT)),
        (
            _T.format(_GB, "Ubuntu", "None", _TAINT),
            _T.format(_GB, "Ubuntu2404", "Install", _TAINT),
            _T.format(_H100, "Ubuntu", "Install", "[]"),
            _T.format("Standard_NC24ads_A100_v4, gpuInstanceProfile: MIG9g", "Ubuntu", "Install", _TAINT),
            _T.format("Standard_NC4as_T4_v3, gpuInstanceProfile: MIG1g", "Ubuntu", "Install", _TAINT),
        ),
        (_T.format(_H100, "Ubuntu", "Install", "!unknown "),),
    ),
    providers=(Provider.AZURE,),
)
