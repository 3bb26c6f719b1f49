"""The images of a pool: what it boots, what runs on it, and the MIG layout; the seam that `resolve` calls.

(Contract, to be filled by the builder of the compatibility solver: keep this signature. The body below is a stand-in
that lets the rest run meanwhile.)
"""

from __future__ import annotations

from dataclasses import dataclass

from ..catalog import Accelerator, InstanceType
from ..diagnostics import Diagnostic
from ..spec.models import Image
from ..vocabulary import FabricKind, KernelModule, Provider, Workload
from .models import ContainerPlan, Decision, MigPlan, NodeImagePlan


@dataclass(frozen=True, slots=True)
class ImageDecision:
    """`node_image` is None only where nothing can boot the pool (an error says why)."""

    node_image: NodeImagePlan | None
    container: ContainerPlan | None
    mig: MigPlan | None
    decisions: tuple[Decision, ...]
    diagnostics: tuple[Diagnostic, ...]


def resolve_images(
    path: str,
    *,
    provider: Provider,
    instance: InstanceType,
    accelerator: Accelerator | None,
    gpus: int,
    fabric: FabricKind,
    mig: str | tuple[str, ...] | None,
    image: Image,
    workload: Workload,
) -> ImageDecision:
    """The images of the pool at `path`. Findings of the images stand at `image.node` and `image.container`, of the MIG
    layout at `<path>.mig`; their text is the same for pools with the same trouble."""
    arch = "arm64" if instance.arch == "arm64" else "x86_64"
    selector = f"/aws/service/deeplearning/ami/{arch}/base-oss-nvidia-driver-gpu-ubuntu-24.04/latest/ami-id"
    node = NodeImagePlan(selector if image.node == "auto" else image.node, "parameter" if "/" in selector else "id", None,
                         "", KernelModule.UNKNOWN, "ubuntu", "/dev/sda1", 200, False, "stand-in")
    return ImageDecision(node, None, None, (Decision("image.node", node.selector, node.reason),), ())
