"""Zones and machine types that a person names, held against the tables: what is no zone, and what no machine of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from .. import catalog
from ..catalog import Miss
from ..diagnostics import did_you_mean
from ..vocabulary import Provider

ANY = "*"
"""Every zone, or every type."""


@cache
def _zones_of_the_tables() -> Mapping[str, Provider]:
    """Every zone of the tables, and whose it is. Where they name none for a region, its zones are numbers, and the region
    stands for machines without a zone."""
    from ..plan.zones import region_zones

    found: dict[str, Provider] = {}
    for provider in Provider:
        for region in catalog.regions(provider):
            zones = region_zones(provider, region) or (region, *(f"{region}-{n}" for n in (1, 2, 3)))
            found |= dict.fromkeys(zones, provider)
    return found


def known_zone(zone: str) -> bool:
    """Whether some cloud has the zone; `*` is every one. A numbered zone has its region before it: eastus-1."""
    return zone == ANY or zone in _zones_of_the_tables()


def regions() -> frozenset[str]:
    """Every region of every cloud."""
    return frozenset(region for provider in Provider for region in catalog.regions(provider))


def zone_fault(zone: str) -> str:
    """Why a zone is none; empty where it is one."""
    if known_zone(zone):
        return ""
    guess = did_you_mean(zone, _zones_of_the_tables())
    return f"'{zone}' is no zone that the tables list{f'; {guess}' if guess else ''} (gpuinfra regions)"


def type_fault(zone: str, type_: str) -> str:
    """Why a known zone cannot have machines of a type; empty where it can, as far as names say."""
    if type_ == ANY:
        return ""
    found = {provider: catalog.instance_type(provider, type_) for provider in Provider}
    owners = [provider for provider, one in found.items() if not isinstance(one, Miss)]
    here = _zones_of_the_tables().get(zone)
    if owners and (here is None or here in owners):
        return ""
    if owners and here is not None:
        return f"'{type_}' is an instance type of {owners[0].value}, and {zone} a zone of {here.value}"
    looked = [one for provider, one in found.items() if here in (None, provider) and isinstance(one, Miss)]
    near = [name for one in looked for name in one.nearest][:3]
    guess = f"; did you mean {' or '.join(near)}?" if near else ""
    return f"'{type_}' is no instance type{guess} (gpuinfra instances)"
