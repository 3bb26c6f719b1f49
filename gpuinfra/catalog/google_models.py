"""The shapes of rows that only Google Cloud has: what its machines are made of, and what its Kubernetes needs."""

from __future__ import annotations

from typing import NamedTuple


class MachineParts(NamedTuple):
    """What a Google machine type with GPUs is made of, and may be given (facts a1)."""

    pattern: str
    accelerator_type: str
    """The API's word for the GPUs that the type brings. Empty: N1, to which GPUs are attached."""
    boot_types: tuple[str, ...]
    """Disk types that it boots from. Empty: unknown."""
    persistent_disks: bool
    """False: it takes hyperdisks only."""
    local_ssd_counts: tuple[int, ...]
    """How many Local SSDs may be asked for. Empty: unknown, or bundled (see `NicLayout.local_ssd_bundled`)."""
    source: str
    as_of: str


class GkeFloor(NamedTuple):
    """The oldest GKE version of one minor release that serves a machine type's fabric (facts a7)."""

    minor: str
    """As 1.29."""
    version: str
    """As 1.29.15-gke.2467000."""
    source: str
    as_of: str
