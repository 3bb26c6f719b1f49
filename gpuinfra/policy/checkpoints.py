"""How fast a checkpoint is written: the storage that holds it, and that storage's throughput."""

from __future__ import annotations

from ..plan.models import ClusterPlan, StoragePlan
from .mounts import normal, within


def home_of(plan: ClusterPlan, path: str) -> StoragePlan | None:
    """The storage that a path lies on: of several, the one that is mounted deepest; None where none is."""
    found = [s for s in plan.storage if within(normal(path), s.mount)]
    return max(found, key=lambda s: len(normal(s.mount)), default=None)


def mb_per_s(storage: StoragePlan) -> float | None:
    """What a file system writes in a second, all nodes together; None where nothing says it."""
    if storage.throughput_mbps_per_tib is None or storage.size_gib is None:
        return None
    return storage.throughput_mbps_per_tib * storage.size_gib / 1024


def speed_of(plan: ClusterPlan, path: str) -> tuple[StoragePlan | None, float | None]:
    """(the storage that a path lies on, its throughput)."""
    home = home_of(plan, path)
    return home, mb_per_s(home) if home is not None else None
