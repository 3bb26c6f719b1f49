"""Where the nodes stand: a region that exists, and one zone that offers every type."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .. import catalog
from ..catalog import InstanceType
from ..diagnostics import Collector, did_you_mean
from ..spec.locations import AwsLocation, AzureLocation, GcpLocation
from ..vocabulary import CapacityType, Provider
from . import findings as f
from .models import Decision

Location = AwsLocation | GcpLocation | AzureLocation

_RESERVED = (CapacityType.RESERVATION, CapacityType.CAPACITY_BLOCK)


@dataclass(frozen=True)
class ZoneTraits:
    """How a cloud's zones behave."""

    names: Callable[[str], str]
    """A region's zones as a pattern."""
    subnet_is_zonal: bool
    """A subnet stands in one zone, so an existing one decides the zone."""
    must_be_named: bool
    """The cloud wants a zone for the nodes; otherwise it may be left to the cloud."""
    letters: bool
    """Zones have an account's own letters besides their ids."""


_TRAITS: dict[Provider, ZoneTraits] = {
    # Local Zones and Wavelength Zones end in the same -azN.
    Provider.AWS: ZoneTraits(lambda region: r"[a-z]+[a-z0-9-]*-az\d+", True, True, True),
    Provider.GCP: ZoneTraits(lambda region: re.escape(region) + r"-(?:[a-z]|ai\d[a-z])", False, True, False),
    Provider.AZURE: ZoneTraits(lambda region: r"[123]", False, False, False),
}


def check_region(provider: Provider, location: Location, out: Collector) -> bool:
    """Whether the region is known; a finding with the nearest ones where not."""
    known = catalog.regions(provider)
    if location.region in known:
        return True
    guess = did_you_mean(location.region, known)
    out.add(
        f.UNKNOWN_REGION.at(
            "location.region",
            f"'{location.region}' is not a known region of {provider}",
            f"{guess} List the regions: gpuinfra regions --provider {provider}".strip(),
        )
    )
    return False


def choose_zone(
    provider: Provider,
    location: Location,
    existing_subnet: bool,
    machines: Sequence[tuple[str, InstanceType, CapacityType]],
    out: Collector,
) -> tuple[str, Decision | None]:
    """The nodes' zone, and why; empty where the cloud or an existing subnet decides.

    `machines`: the pool's path, its type and its purchase.
    """
    offers = _offers(provider, location.region, machines, out)
    if location.zone is not None:
        return _named_zone(provider, location, offers, out)
    traits = _TRAITS[provider]
    if existing_subnet and traits.subnet_is_zonal:
        return "", Decision("location.zone", "the subnet's", "the existing subnet stands in one zone, and that is it")
    for path, machine, purchase in machines:
        if purchase in _RESERVED:
            out.add(
                f.ZONE_GUESSED.at(
                    "location.zone", f"{path} uses a reservation of {machine.name}, and its zone is not named"
                )
            )
    if not offers:
        reason = "the tables have no zones for these types; the cloud chooses"
        if traits.must_be_named:
            out.add(
                f.UNKNOWN_ZONE.at(
                    "location.zone",
                    f"no zone is named, and the tables do not say which zones of {location.region} offer "
                    f"{', '.join(sorted({m.name for _, m, _ in machines}))}",
                    "name one in location.zone",
                )
            )
            return "", None
        return "", Decision("location.zone", "none", reason)
    return _common_zone(location, offers, out)


def _offers(
    provider: Provider, region: str, machines: Sequence[tuple[str, InstanceType, CapacityType]], out: Collector
) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Path and zones by type, for the types whose zones are known; a finding for a type that the region lacks."""
    found: dict[str, tuple[str, tuple[str, ...]]] = {}
    for path, machine, _ in machines:
        row = catalog.zones(provider, region, machine.name)
        if row:
            found.setdefault(machine.name, (path, row.zones))
            continue
        listed = {r: z for r in catalog.regions(provider) if (z := catalog.zones(provider, r, machine.name))}
        # A list that is not complete says where the type was seen, and nothing about the other regions.
        elsewhere = list(listed) if all(z.complete for z in listed.values()) else []
        # Same continent first: the data is likely to be near.
        elsewhere.sort(key=lambda r: (r.split("-")[0] != region.split("-")[0], r))
        if elsewhere:
            out.add(
                f.TYPE_NOT_IN_REGION.at(
                    f"{path}.instance_type",
                    f"'{machine.name}' is not offered in {region}",
                    f"move location.region to one of: {', '.join(elsewhere[:8])}"
                    + (f" and {len(elsewhere) - 8} more" if len(elsewhere) > 8 else ""),
                )
            )
    return found


def region_zones(provider: Provider, region: str) -> tuple[str, ...]:
    """Every zone of a region that some type is offered in, sorted; empty where the tables have none."""
    names: set[str] = set()
    for t in catalog.instance_types(provider):
        row = catalog.zones(provider, region, t.name)
        names.update(row.zones if row else ())
    return tuple(sorted(names))


def check_zone(provider: Provider, region: str, zone: str, path: str, out: Collector) -> bool:
    """Whether a zone is one of the region's; a finding at `path` where it is not."""
    traits = _TRAITS[provider]
    known = region_zones(provider, region)
    if traits.letters and re.fullmatch(re.escape(region) + r"[a-z]", zone):
        out.add(
            f.ZONE_LETTER.at(
                path,
                f"'{zone}' is a zone's letter, which means another building in each account",
                f"name the zone's id: {', '.join(known)}" if known else "name the zone's id, as use1-az4",
            )
        )
        return False
    if re.fullmatch(traits.names(region), zone) and (not known or zone in known):
        return True
    guess = did_you_mean(zone, known)
    listed = f"zones known there: {', '.join(known)}" if known else "its zones: 1, 2, 3"
    out.add(f.UNKNOWN_ZONE.at(path, f"'{zone}' is not a known zone of {region}", f"{guess} {listed}".strip()))
    return False


def _named_zone(
    provider: Provider, location: Location, offers: dict[str, tuple[str, tuple[str, ...]]], out: Collector
) -> tuple[str, Decision | None]:
    zone = location.zone or ""
    if not check_zone(provider, location.region, zone, "location.zone", out):
        return "", None
    for name, (path, zones) in offers.items():
        row = catalog.zones(provider, location.region, name)
        if zone not in zones and (row is None or row.complete):
            out.add(
                f.TYPE_NOT_IN_ZONE.at(
                    "location.zone",
                    f"'{name}' ({path}) is not offered in {zone}",
                    f"zones of {location.region} that offer it: {', '.join(zones)}",
                )
            )
    reason = "named in the spec" if offers else "named in the spec; the tables do not say what it offers"
    return zone, Decision("location.zone", zone, reason)


def _common_zone(
    location: Location, offers: dict[str, tuple[str, tuple[str, ...]]], out: Collector
) -> tuple[str, Decision | None]:
    first, *rest = (frozenset(zones) for _, zones in offers.values())
    common = first.intersection(*rest)
    if not common:
        listed = "; ".join(f"{name}: {', '.join(zones)}" for name, (_, zones) in offers.items())
        out.add(
            f.NO_COMMON_ZONE.at(
                "node_pools",
                f"no zone of {location.region} offers every type",
                f"{listed}. Split the pools over clusters, or take other types",
            )
        )
        return "", None
    zone = min(common)
    others = sorted(common - {zone})
    reason = f"the first zone that offers {', '.join(offers)}"
    if others:
        reason += f"; also possible: {', '.join(others)}"
    return zone, Decision("location.zone", zone, reason)
