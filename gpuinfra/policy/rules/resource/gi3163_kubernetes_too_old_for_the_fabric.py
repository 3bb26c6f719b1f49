"""A GKE version below what the machine type's fabric needs.

What: A pool with the networks of its fabric runs a GKE version below the oldest one that serves them.
Why: Nodes join and GPUDirect does not start, or the pool is refused.
Fix: Take the version named, or a newer minor release.
References: GoogleCloudPlatform/cluster-toolkit:modules/compute/gke-node-pool/gpu_direct.tf; Google Cloud docs, GPUDirect on GKE
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .... import catalog
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3163", "kubernetes-too-old-for-the-fabric", Severity.ERROR, __doc__, ("GCP-GKE-02",))
_AUTO = "acceleratorNetworkProfile:auto"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each pool. A version that names a minor release alone is its newest patch, and passes there."""
    for m in ctx.gcp.pools:
        more = m.source.get("networkConfig", "additionalNodeNetworkConfigs") is not None
        auto = m.source.get("networkConfig", "acceleratorNetworkProfile") == "auto"
        floors = catalog.gke_floors(m.machine_type) if more else catalog.gke_floors(_AUTO) if auto else ()
        if not floors:
            continue
        cluster = ctx.gcp.cluster_of(m.source)
        owner, key = (m.source, "version") if m.source.get("version") is not None else (cluster, "minMasterVersion")
        value = owner.get(key) if owner is not None else None
        if late(value):
            yield Undecided(CODE.code, m.name, "the version of GKE is not known yet")
        elif owner is not None and isinstance(value, str) and (floor := _floor(value, floors)):
            yield CODE.at(
                f"{owner.name}.{key}",
                f"{value} is too old for the networks of {m.machine_type}, which need {floor} or newer",
                resource=owner.name,
            )


def _floor(version: str, floors: tuple[catalog.GkeFloor, ...]) -> str:
    """The version that is needed, where this one is below it; else empty."""
    have = _numbers(version)
    if len(have) < 2:
        return ""
    first = min(floors, key=lambda f: _numbers(f.minor))
    if have[:2] < _numbers(first.minor):
        return first.version
    same = next((f for f in floors if _numbers(f.minor) == have[:2]), None)
    return same.version if same is not None and len(have) > 2 and have < _numbers(same.version) else ""


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(n[:9]) for n in re.findall(r"[0-9]+", version))


_T = """\
- type: gcp.container.NodePool
  name: pool
  inputs:
    version: {0}
    nodeConfig: {{machineType: a3-megagpu-8g}}
    networkConfig: {{additionalNodeNetworkConfigs: [{{network: a}}]}}
"""


RULE = ResourceRule(
    CODE,
    ("kubernetes", "fabric"),
    check,
    Examples(
        (
            _T.format("1.30.14-gke.1922000"),
            _T.format('"1.34"'),
        ),
        (
            _T.format("1.30.14-gke.1000000"),
            _T.format('"1.27"'),
        ),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.GCP,),
)
