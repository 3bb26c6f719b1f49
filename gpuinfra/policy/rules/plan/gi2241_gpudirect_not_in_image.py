"""GPUDirect that does not work on the node image.

What: Several nodes exchange data over GPUDirect-TCPX or TCPXO, and the node image lacks what the plugin and the receive manager, which are laid on at boot, build on.
Severity: info for an image of your own, of which nothing is known
Why: TCPX needs Google's own kernel build, TCPXO a kernel module that is packaged for Ubuntu. Without them NCCL falls back to plain TCP without a word, at some 15 % of the bandwidth.
Fix: For TCPX build an image with the kernel linux-gcp-tcpx, as the blueprint of GoogleCloudPlatform/cluster-toolkit for A3 High does, and name it in image.node; for TCPXO take an Ubuntu image. The boot check says whether plugin and receive manager are there.
References: skypilot-org/skypilot#3592; Compute Engine, Maximize GPU network bandwidth with GPUDirect; GoogleCloudPlatform/cluster-toolkit, a3-highgpu-8g
"""

from __future__ import annotations

from collections.abc import Iterator

from ....catalog import NodeImage
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import FabricKind, Provider
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2241", "gpudirect-not-in-image", Severity.WARNING, __doc__, ("GCP-NET-16",))
_NAMES = {FabricKind.GPUDIRECT_TCPX: "TCPX", FabricKind.GPUDIRECT_TCPXO: "TCPXO"}
_HINTS = {
    FabricKind.GPUDIRECT_TCPX: "build an image with the kernel linux-gcp-tcpx, as the a3-highgpu-8g blueprint of "
    "GoogleCloudPlatform/cluster-toolkit does, and name it in image.node",
    FabricKind.GPUDIRECT_TCPXO: "write image.node: auto, which takes an Ubuntu image",
}


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each pool. Of an image that the catalog lacks nothing can be told, and that is said."""
    for pool in ctx.plan.gpu_pools:
        kind = pool.fabric.kind
        lacks, severity = _lacks(kind, pool.node_image.image)
        if not pool.multi_node or not lacks:
            continue
        image = pool.node_image.image
        yield CODE.at(
            "image.node",
            f"{pool.count_max} nodes of {pool.instance.name} exchange data over {kind}, and "
            f"{image.name if image else pool.node_image.selector} {lacks}",
            f"{_HINTS[kind]}; the boot check says whether plugin and receive manager run",
            severity=severity,
        )


def _lacks(kind: FabricKind, image: NodeImage | None) -> tuple[str, Severity]:
    """What an image lacks; empty where it lacks nothing that is known, or the fabric is another."""
    if kind not in _NAMES:
        return "", Severity.INFO
    if image is None:
        return f"is not in the catalog, so whether {_NAMES[kind]} works on it cannot be told", Severity.INFO
    if image.os.startswith("cos"):
        return "has the kernel for it, and nothing starts plugin and receive manager", Severity.WARNING
    if kind is FabricKind.GPUDIRECT_TCPX:
        return "has no kernel for TCPX: plugin and receive manager are laid on at boot and find none", Severity.WARNING
    if not image.os.startswith("ubuntu"):
        return "has no package of the module that TCPXO needs", Severity.WARNING
    return "", Severity.INFO


_T = """\
location: {{provider: gcp, project: acme-lab, region: us-central1, zone: us-central1-a}}
node_pools: [{{instance_type: {0}, count: {1}}}]
storage: []
"""
_ROCKY = "image: {node: family/rocky-linux-9-optimized-gcp-nvidia-580}\n"

RULE = PlanRule(
    CODE,
    ("fabric",),
    check,
    Examples(
        (_T.format("a3-highgpu-8g", 1), _T.format("g2-standard-4", 2), _T.format("a3-megagpu-8g", 2)),
        (_T.format("a3-highgpu-8g", 2), _T.format("a3-megagpu-8g", 2) + _ROCKY),
    ),
    providers=(Provider.GCP,),
)
