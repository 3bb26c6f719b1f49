"""What Azure nodes boot, as far as the image reference and the tables tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from ..catalog import NodeImage, node_image
from ..plan.node_image_naming import is_generation_1
from ..vocabulary import Provider
from .azure_graph import AzureNodes, Extension
from .wire_values import late, plain

# The sku says it; Canonical's offers that are named by the release have generation 2 images but for `-gen1`.
_GENERATION_2 = re.compile(r"(?i)gen2|^canonical:ubuntu-\d\d_\d\d-lts")
PLACE = "storageProfile.imageReference"
# The publisher of the driver extensions; the types are told apart by their words.
_DRIVER_PUBLISHER = "microsoft.hpccompute"


@dataclass(frozen=True)
class Booted:
    """An image reference."""

    urn: str
    """publisher:offer:sku:version; empty where the image is an id, or something of it is unknown."""
    id: str
    """The image's own id; empty where there is none, or it is unknown."""
    unknown: bool
    row: NodeImage | None
    """What the tables know of it."""

    @property
    def driver_kind(self) -> str:
        """cuda, rocm, grid, none, or empty where unknown."""
        return self.row.driver_kind if self.row else ""

    @property
    def hpc(self) -> bool:
        """Whether it is an image of the HPC line, which brings driver and fabric."""
        return "-hpc" in self.urn.split(":")[1] if self.urn else False

    @property
    def generation(self) -> int | None:
        """1 or 2; None where the name does not say it."""
        if not self.urn:
            return None
        if is_generation_1(self.urn):
            return 1
        return 2 if _GENERATION_2.search(self.urn) or self.row is not None else None


def booted(nodes: AzureNodes) -> Booted | None:
    """The image of nodes; None where no reference is written."""
    value = nodes.get("storageProfile", "imageReference")
    if value is None:
        return None
    if not isinstance(value, Mapping):
        return Booted("", "", True, None)
    block = cast("Mapping[str, Any]", value)
    ids = [plain(block.get(k)) for k in ("id", "sharedGalleryImageId", "communityGalleryImageId")]
    parts = [plain(block.get(k)) for k in ("publisher", "offer", "sku")]
    if any(late(v) for v in (*ids, *parts)):
        return Booted("", "", True, None)
    named = next((v for v in ids if isinstance(v, str) and v), "")
    if named or not all(isinstance(v, str) and v for v in parts):
        return Booted("", named, False, None)
    version = plain(block.get("version"))
    text = version if isinstance(version, str) and version and not late(version) else "latest"
    stem = ":".join(str(v).replace(":", "") for v in parts)
    found = node_image(Provider.AZURE, stem)
    return Booted(f"{stem}:{text}", "", False, found if isinstance(found, NodeImage) else None)


def is_gpu_driver(extension: Extension) -> bool:
    """Whether an extension lays a GPU driver on the node."""
    kind = extension.kind.lower()
    return extension.publisher.lower() == _DRIVER_PUBLISHER and "gpudriver" in kind


def lays_gpu_driver(extensions: Iterable[Extension]) -> bool | None:
    """Whether one of the extensions lays a GPU driver; None where that is not known yet."""
    found = list(extensions)
    if any(is_gpu_driver(e) for e in found):
        return True
    return None if any(late(plain(e.block.get(k))) for e in found for k in ("publisher", "type")) else False


def is_fabric_driver(extension: Extension) -> bool:
    """Whether an extension lays the InfiniBand driver on the node."""
    return extension.publisher.lower() == _DRIVER_PUBLISHER and "infinibanddriver" in extension.kind.lower()
