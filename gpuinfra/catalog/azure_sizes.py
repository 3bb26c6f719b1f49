"""The shape of what only Azure's sizes have."""

from __future__ import annotations

from typing import NamedTuple


class InfiniBand(NamedTuple):
    """The InfiniBand, image and disk facts of an Azure size (facts azure a3 to a5, a8)."""

    instance_type: str
    adapters: int
    gbps_per_adapter: float | None
    single_placement_group: bool
    max_nodes: int
    """Nodes of one scale set with a single placement group, before a support request."""
    trusted_launch: bool | None
    capacity_reservation: bool | None
    generations: tuple[int, ...]
    """Generations of images that the size boots: (2,), or (1, 2). Empty: unknown."""
    disk_controller: str
    driver_kind: str
    """cuda, grid or rocm."""
    source: str
    as_of: str
    weak: tuple[str, ...] = ()
    notes: str = ""
    root_on: str = ""
    """The machine's own drive that can hold the root disk: CacheDisk, ResourceDisk or NvmeDisk; empty where unknown."""
    root_on_gib: int | None = None
    """Its size; one drive's, where there are several."""
