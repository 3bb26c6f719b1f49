"""GPUDirect that the node image does not bring.

What: Several nodes exchange data over GPUDirect-TCPX or TCPXO, and the node image is not known to hold it.
Severity: info for an image of your own, of which nothing is known
Why: TCPX needs Google's kernel build, its NCCL plugin and a receive manager that runs on every node. Without them NCCL falls back to plain TCP without a word, at some 15 % of the bandwidth.
Fix: Build an image with the installer of TCPX or TCPXO, as the blueprint of GoogleCloudPlatform/cluster-toolkit for the machine type does, and name it in image.node; the boot check says whether plugin and receive manager are there.
References: skypilot-org/skypilot#3592; Compute Engine, Maximize GPU network bandwidth with GPUDirect; GoogleCloudPlatform/cluster-toolkit, a3-highgpu-8g
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import FabricKind, Provider
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2241", "gpudirect-not-in-image", Severity.WARNING, __doc__, ("GCP GCP-NET-16",))
_NEEDS = {
    FabricKind.GPUDIRECT_TCPX: ("has no TCPX kernel build, no plugin and no receive manager", Severity.WARNING),
    # Google lists the accelerator images for A3 Mega, without saying whether plugin and receive manager are in them.
    FabricKind.GPUDIRECT_TCPXO: ("is not known to hold the TCPXO plugin and its receive manager", Severity.INFO),
}

_NAMES = {FabricKind.GPUDIRECT_TCPX: "TCPX", FabricKind.GPUDIRECT_TCPXO: "TCPXO"}


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each pool. Of an image that the catalog lacks nothing can be told, and that is said."""
    for pool in ctx.plan.gpu_pools:
        if not pool.multi_node or pool.fabric.kind not in _NEEDS:
            continue
        lacks, severity = _NEEDS[pool.fabric.kind]
        image = pool.node_image.image
        if image is not None and image.os.startswith("cos"):
            lacks, severity = "has the kernel for it, and nothing starts plugin and receive manager", Severity.WARNING
        if image is None:
            lacks, severity = "is not in the catalog, so whether it holds them cannot be told", Severity.INFO
        yield CODE.at(
            "image.node",
            f"{pool.count_max} nodes of {pool.instance.name} exchange data over {pool.fabric.kind}, and "
            f"{image.name if image else pool.node_image.selector} {lacks}",
            f"build an image with the {_NAMES[pool.fabric.kind]} installer, as the {pool.instance.name} blueprint of "
            "GoogleCloudPlatform/cluster-toolkit does, and name it in image.node; the boot check says whether plugin and "
            "receive manager are there",
            severity=severity,
        )


_T = """\
location: {{provider: gcp, project: acme-lab, region: us-central1, zone: us-central1-a}}
node_pools: [{{instance_type: {0}, count: {1}}}]
storage: []
"""

RULE = PlanRule(
    CODE,
    ("fabric",),
    check,
    Examples(
        (_T.format("a3-highgpu-8g", 1), _T.format("g2-standard-4", 2)),
        (_T.format("a3-highgpu-8g", 2), _T.format("a3-megagpu-8g", 2)),
    ),
    providers=(Provider.GCP,),
)
