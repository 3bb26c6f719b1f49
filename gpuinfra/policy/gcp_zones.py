"""Where Google Cloud offers a type of machine or GPU, as far as the table lists every zone."""

from __future__ import annotations

from .. import catalog
from ..vocabulary import Provider
from .gcp_types import region_of


def offered_elsewhere(zone: str, name: str) -> str:
    """Where a type is offered instead; empty where the zone has it, or the table cannot tell.

    An attached GPU is `accelerator:` and its kind."""
    region = region_of(zone)
    row = catalog.zones(Provider.GCP, region, name)
    if row is not None:
        lacks = row.complete and zone not in row.zones
        return f"zones of {region} that offer it: {', '.join(row.zones)}" if lacks else ""
    listed = {r: z for r in catalog.regions(Provider.GCP) if (z := catalog.zones(Provider.GCP, r, name))}
    if region not in catalog.regions(Provider.GCP) or not listed or not all(z.complete for z in listed.values()):
        return ""
    near = sorted(listed, key=lambda r: (r.split("-")[0] != region.split("-")[0], r))
    return f"regions that offer it: {', '.join(near[:8])}"
