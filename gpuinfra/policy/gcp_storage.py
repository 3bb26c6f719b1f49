"""Sizes of Google's file systems, by the bands of the catalog."""

from __future__ import annotations

from collections.abc import Sequence

from ..catalog import StorageTier

MULTI_REGIONS = {"us": "us-", "eu": "europe-", "asia": "asia-"}
"""Locations of buckets over a continent, and how the regions begin that may hold their data."""


def in_band(band: StorageTier, size: float) -> bool:
    """Whether a size in GiB is one of a band's steps."""
    if size in band.extra_sizes_gib:
        return True
    if size < band.min_gib or (band.max_gib is not None and size > band.max_gib):
        return False
    return (size - band.min_gib) % band.step_gib == 0


def nearest_sizes(bands: Sequence[StorageTier], size: float) -> tuple[int, ...]:
    """The sizes next to one that is not sold, the lower one first."""
    below: list[int] = []
    above: list[int] = []
    for band in bands:
        steps = max(0, int((size - band.min_gib) // band.step_gib))
        for found in (band.min_gib + steps * band.step_gib, band.min_gib + (steps + 1) * band.step_gib):
            if band.max_gib is None or found <= band.max_gib:
                (below if found < size else above).append(found)
        if band.max_gib is not None and band.max_gib < size:
            below.append(band.max_gib)
    return (*([max(below)] if below else []), *([min(above)] if above else []))
