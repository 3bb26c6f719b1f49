"""A GKE cluster that has GPU pools and no other, or names GKE's own taint again.

What: Every pool of a cluster has GPUs and the default pool is removed; or a pool writes the taint nvidia.com/gpu that GKE adds itself.
Why: GKE keeps the taint off GPU nodes when there is nowhere else to go: system pods fill the GPU nodes and hold them up. A taint that is named twice is refused.
Fix: Keep a small CPU pool for the system, and leave the taint to GKE.
References: terraform-google-modules/terraform-google-kubernetes-engine#703; hashicorp/terraform-provider-google#7928
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_types import CLUSTER, last_part
from ...machine_rows import gpu_row_of
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, late, plain, truth

CODE = described("GI3167", "cluster-of-gpu-pools-only", Severity.ERROR, __doc__, ("GCP-GKE-06",))
_TAINT = "nvidia.com/gpu"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each cluster that this program makes, and one for each pool with the taint."""
    for cluster in ctx.gcp.of_type(CLUSTER):
        pools = [m for m in ctx.gcp.pools if cluster is ctx.gcp.cluster_of(m.source)]
        removed = cluster.get("removeDefaultNodePool")
        if not pools or truth(cluster.get("enableAutopilot")) or late(cluster.get("nodePools")):
            continue
        if late(removed) or any(m.has_gpus is None for m in pools):
            yield Undecided(CODE.code, cluster.name, "whether the cluster has a pool without GPUs is not known yet")
        elif _no_other(cluster) and all(m.has_gpus for m in pools):
            yield CODE.at(
                pools[0].name,
                f"every pool of cluster '{cluster.name}' has GPUs: system pods have nowhere else to run",
                resource=pools[0].name,
            )
    for m in ctx.gcp.pools:
        for n, taint in enumerate(entries(m.get("taints"))):
            if m.has_gpus and plain(taint.get("key")) == _TAINT:
                yield CODE.at(m.path(f"taints[{n}].key"), f"GKE adds {_TAINT} itself", resource=m.name)


def _no_other(cluster: Resource) -> bool:
    """Whether the cluster comes with no pool of other machines."""
    return (
        truth(cluster.get("removeDefaultNodePool"))
        or cluster.get("nodePools") is not None
        or _default_has_gpus(cluster)
    )


def _default_has_gpus(cluster: Resource) -> bool:
    """Whether the pool that comes with a cluster is one of GPU nodes."""
    kind = cluster.get("nodeConfig", "machineType")
    brings = gpu_row_of(Provider.GCP, last_part(kind)) if isinstance(kind, str) else None
    return brings is not None or bool(entries(cluster.get("nodeConfig", "guestAccelerators")))


_T = """\
- {{type: gcp.container.Cluster, name: plane, inputs: {{removeDefaultNodePool: {0}}}}}
- type: gcp.container.NodePool
  name: pool
  inputs: {{cluster: !ref plane.id , nodeConfig: {{machineType: {1}, taints: {2}}}}}
"""


_GPU_DEFAULT = """\
- {type: gcp.container.Cluster, name: plane, inputs: {nodeConfig: {machineType: g2-standard-4}}}
- {type: gcp.container.NodePool, name: pool, inputs: {cluster: !ref plane.id , nodeConfig: {machineType: g2-standard-8}}}
"""

RULE = ResourceRule(
    CODE,
    ("kubernetes",),
    check,
    Examples(
        (
            _T.format("false", "g2-standard-4", "null"),
            _T.format("true", "e2-standard-4", "null"),
        ),
        (
            _GPU_DEFAULT,
            _T.format("true", "g2-standard-4", "null"),
            _T.format("false", "g2-standard-4", "[{key: nvidia.com/gpu, value: present, effect: NO_SCHEDULE}]"),
        ),
        (_T.format("!unknown ", "g2-standard-4", "null"),),
    ),
    providers=(Provider.GCP,),
)
