"""Where nodes boot from: a disk of its own, or a drive of the machine that is paid for anyway."""

from __future__ import annotations

from .. import catalog
from ..vocabulary import LocalNvme
from .models import Decision, LocalNvmePlan, NodeImagePlan

# Azure, ephemeral OS disks (2026-09): at most 2040 GiB, and Trusted Launch keeps one of the drive.
_LARGEST_GIB = 2040
_KEPT_GIB = 1
_NVME = "NvmeDisk"


def plan_root(instance: str, image: NodeImagePlan, nvme: LocalNvmePlan, path: str) -> tuple[str, Decision | None]:
    """The drive that holds the root disk, in the cloud's word, and why; empty: a disk of its own."""
    row = catalog.infiniband(instance)
    if row is None or not row.root_on or row.root_on_gib is None:
        return "", None
    # A root on NVMe takes a whole drive, which the spec wants for its data.
    if row.root_on == _NVME and nvme.mode is not LocalNvme.NONE:
        return "", None
    if image.root_gib > min(row.root_on_gib - _KEPT_GIB, _LARGEST_GIB):
        return "", None
    reason = f"{image.root_gib} GiB fit on a drive of {row.root_on_gib} GiB that the machine has: nothing bills for it"
    return row.root_on, Decision(f"{path}.root_disk", row.root_on, reason)
