"""A zone that is written where the region belongs: which region is meant, and where the zone goes."""

from __future__ import annotations

import re

from .. import catalog
from ..diagnostics import Diagnostic
from ..vocabulary import Provider
from . import findings as f
from .zones import Location, region_zones

_LETTER = re.compile(r"(?P<region>.+-.*[0-9](?=-?[a-z]$)|.+(?=-[123]$))-?(?P<zone>[a-z123])")
"""us-east-2a, us-central1-b and eastus-1: the region, and a zone behind it."""


def zone_as_region(provider: Provider, location: Location) -> Diagnostic | None:
    """The finding for a region that is a zone; None for any other text."""
    given, known = location.region.strip().lower(), catalog.regions(provider)
    if location.region in known:
        return None
    regions = [r for r in known if given in region_zones(provider, r)]
    zone = given
    if not regions and (match := _LETTER.fullmatch(given)) and match["region"] in known:
        regions = [match["region"]]
        ids = region_zones(provider, match["region"])
        # A letter of AWS means another zone in each account, so that no id follows from it.
        zone = match["zone"] if match["zone"].isdigit() else given if given in ids else ""
    if len(regions) != 1:
        return None
    ids = region_zones(provider, regions[0])
    where = (
        f", and zone: {_written(zone)}" if zone else f", and as location.zone one of {', '.join(ids)}" if ids else ""
    )
    return f.UNKNOWN_REGION.at(
        "location.region",
        f"'{location.region}' is a zone of {provider}, and no region",
        f"write region: {regions[0]}{where}",
    )


def _written(zone: str) -> str:
    return f'"{zone}"' if zone.isdigit() else zone
