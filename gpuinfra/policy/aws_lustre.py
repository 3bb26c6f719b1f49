"""What FSx for Lustre takes, by deployment type: sizes, throughputs, and what each may be combined with.

Source: FSx for Lustre User Guide and API reference (CreateFileSystemLustreConfiguration), as of 2026-11-30.
"""

from __future__ import annotations

from .resource_graph import Resource
from .wire_values import late

PERSISTENT_1, PERSISTENT_2, SCRATCH_1, SCRATCH_2 = "PERSISTENT_1", "PERSISTENT_2", "SCRATCH_1", "SCRATCH_2"
DEPLOYMENTS = (PERSISTENT_2, PERSISTENT_1, SCRATCH_2, SCRATCH_1)

THROUGHPUTS: dict[tuple[str, str], tuple[int, ...]] = {
    (PERSISTENT_2, "SSD"): (125, 250, 500, 1000),
    (PERSISTENT_1, "SSD"): (50, 100, 200),
    (PERSISTENT_1, "HDD"): (12, 40),
}
"""MB/s for each TiB. Scratch types take none."""

_LADDERS: dict[tuple[str, str], tuple[tuple[int, ...], int]] = {
    (PERSISTENT_2, "SSD"): ((1200,), 2400),
    (PERSISTENT_1, "SSD"): ((1200,), 2400),
    (SCRATCH_2, "SSD"): ((1200,), 2400),
    (SCRATCH_1, "SSD"): ((1200, 2400), 3600),
}
_HDD_STEPS = {12: 6000, 40: 1800}

EFA_STEPS = {125: 38400, 250: 19200, 500: 9600, 1000: 4800}
"""Capacity of an EFA-enabled file system is a multiple of this, by throughput."""

METADATA_IOPS = (1500, 3000, 6000)
METADATA_STEP, METADATA_MAX = 12000, 192000

REPLACED_BY = (
    "subnetIds",
    "securityGroupIds",
    "kmsKeyId",
    "efaEnabled",
    "deploymentType",
    "storageType",
    "importPath",
    "exportPath",
    "importedFileChunkSize",
    "backupId",
    "copyTagsToBackups",
    "driveCacheType",
)
"""Inputs of an FSx for Lustre file system of which a change makes it anew (facts aws a10)."""

ABSENT = {"deploymentType": SCRATCH_1, "storageType": "SSD", "efaEnabled": False, "copyTagsToBackups": False}
"""What the provider takes these for where they are absent."""

KEPT = frozenset({"kmsKeyId", "exportPath", "importedFileChunkSize"})
"""What the file system keeps where the program no longer says it: the provider computes it."""


def deployment(fs: Resource) -> str:
    """The deployment type that is meant: the one given; PERSISTENT_2 where absent beside a throughput or metadata, which
    scratch types lack; else SCRATCH_1, the provider's default. Empty where unknown."""
    said = fs.get("deploymentType")
    if late(said):
        return ""
    if isinstance(said, str):
        return said
    persistent = ("perUnitStorageThroughput", "metadataConfiguration", "efaEnabled")
    return PERSISTENT_2 if any(fs.get(k) is not None for k in persistent) else SCRATCH_1


def storage_type(fs: Resource) -> str:
    """SSD where absent; empty where unknown."""
    said = fs.get("storageType")
    return "" if late(said) else str(said or "SSD")


def nearest_sizes(kind: str, storage: str, throughput: int | None, size: float) -> tuple[int, ...]:
    """The sizes in GiB next to one that is not sold, lower first; empty where the size is right or cannot be judged."""
    if storage == "HDD":
        step = _HDD_STEPS.get(throughput or 0, 0)
        return _around((), step, size) if step else ()
    ladder = _LADDERS.get((kind, storage))
    return _around(ladder[0], ladder[1], size) if ladder else ()


def _around(extra: tuple[int, ...], step: int, size: float) -> tuple[int, ...]:
    if size in extra or (size > 0 and size % step == 0):
        return ()
    below = max((s for s in (*extra, int(size // step) * step) if 0 < s < size), default=0)
    above = min(s for s in (*extra, (int(max(size, 0) // step) + 1) * step) if s > size)
    return (below, above) if below else (above,)


def least_metadata_iops(capacity: float) -> int:
    """The fewest metadata IOPS that a capacity in GiB takes."""
    for limit, iops in ((1200, 1500), (2400, 3000), (9600, 6000)):
        if capacity <= limit:
            return iops
    return 12000 * max(1, int(capacity // 24000))
