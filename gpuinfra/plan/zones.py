"""Where the nodes stand: a region that exists, and one zone that offers every type."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from .. import catalog
from ..catalog import InstanceType
from ..diagnostics import Collector, did_you_mean
from ..spec.locations import AwsLocation, AzureLocation, GcpLocation
from ..vocabulary import CapacityType, Provider
from . import findings as f
from .models import Decision

Location = AwsLocation | GcpLocation | AzureLocation


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
    outlying: str = ""
    """What follows the region's part in a zone that it has in another city, as dfw2-az1 in use1-dfw2-az1; empty where
    there are none. The tables do not list them."""


_TRAITS: dict[Provider, ZoneTraits] = {
    Provider.AWS: ZoneTraits(lambda region: r"[a-z]+[a-z0-9-]*-az\d+", True, True, True, r"[a-z]{3}\d?-az\d+"),
    Provider.GCP: ZoneTraits(lambda region: re.escape(region) + r"-(?:[a-z]|ai\d[a-z])", False, True, False),
    Provider.AZURE: ZoneTraits(lambda region: r"[123]", False, False, False),
}


@dataclass(frozen=True)
class Standing:
    """A pool's machine, as zones offer it."""

    path: str
    instance: InstanceType
    gpus: int
    purchase: CapacityType
    offered_as: str
    """The name that zones are listed by: the type, or what is attached to it."""


def check_region(provider: Provider, location: Location, out: Collector) -> bool:
    """Whether the region is known; a finding with the nearest ones where not."""
    known = catalog.regions(provider)
    if location.region in known:
        return True
    owner = next((p for p in Provider if p != provider and location.region in catalog.regions(p)), None)
    guess = f"it is a region of {owner}." if owner else did_you_mean(location.region, known)
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
    machines: Sequence[Standing],
    out: Collector,
) -> tuple[str, Decision | None]:
    """The nodes' zone, and why; empty where the cloud or an existing subnet decides, or no machine is known."""
    offers = _offers(provider, location.region, machines, out)
    if location.zone is not None:
        return _named_zone(provider, location, offers, out)
    traits = _TRAITS[provider]
    if existing_subnet and traits.subnet_is_zonal:
        return "", Decision("location.zone", "the subnet's", "the existing subnet stands in one zone, and that is it")
    if not machines:
        return "", None
    for machine in machines:
        if machine.purchase.names_capacity:
            out.add(
                f.ZONE_GUESSED.at(
                    "location.zone",
                    f"{machine.path} uses a reservation of {machine.instance.name}, and its zone is not named",
                )
            )
    if offers:
        return _common_zone(location, offers, out)
    if not traits.must_be_named:
        return "", Decision("location.zone", "none", "the tables have no zones for these types; the cloud chooses")
    return _unverified_zone(provider, location, machines, out)


def _unverified_zone(
    provider: Provider, location: Location, machines: Sequence[Standing], out: Collector
) -> tuple[str, Decision | None]:
    """Machines without GPUs are had nearly everywhere: the region's first zone, said to be unverified. Where GPUs stand
    is not to be guessed."""
    names = ", ".join(sorted({m.instance.name for m in machines}))
    known = region_zones(provider, location.region)
    unsaid = f"no zone is named, and the tables do not say which zones of {location.region} offer {names}"
    if not known or any(m.gpus for m in machines):
        listed = f", one of {', '.join(known)}" if known else ""
        out.add(f.UNKNOWN_ZONE.at("location.zone", unsaid, f"name one in location.zone{listed}"))
        return "", None
    out.add(f.ZONE_UNVERIFIED.at("location.zone", f"{unsaid}; {known[0]} is taken"))
    return known[0], Decision("location.zone", known[0], f"the region's first; whether it offers {names} is unknown")


def _offers(
    provider: Provider, region: str, machines: Sequence[Standing], out: Collector
) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Path and zones by type, for the types whose zones are known; a finding for a type that the region lacks."""
    found: dict[str, tuple[str, tuple[str, ...]]] = {}

    # Every region is looked at, which pools of one type need not do each.
    @cache
    def elsewhere(offered_as: str) -> dict[str, catalog.Availability]:
        return {r: z for r in catalog.regions(provider) if (z := catalog.zones(provider, r, offered_as))}

    for machine in machines:
        row = catalog.zones(provider, region, machine.offered_as)
        if row:
            found.setdefault(machine.instance.name, (machine.path, row.zones))
            if machine.gpus and not machine.purchase.names_capacity:
                _check_priced(provider, region, machine, True, out)
            continue
        listed = elsewhere(machine.offered_as)
        where = f"{machine.path}.instance_type"
        # Where the tables know nothing of the whole region, that says nothing of one type.
        if listed and all(z.complete for z in listed.values()) and region_zones(provider, region):
            out.add(
                f.TYPE_NOT_IN_REGION.at(
                    where,
                    f"'{machine.instance.name}' is not offered in {region}",
                    f"move location.region to one of: {_near_first(region, listed)}",
                )
            )
        elif machine.gpus and not listed:
            _check_priced(provider, region, machine, False, out)
    return found


def _check_priced(provider: Provider, region: str, machine: Standing, offered: bool, out: Collector) -> None:
    """Where the tables have no zones, a price list still says where a type is sold; where it is `offered` and has no
    price, no budget and no cap is judged."""
    if catalog.price(provider, region, machine.offered_as):
        return
    priced = [r for r in catalog.regions(provider) if catalog.price(provider, r, machine.offered_as)]
    if not priced:
        return
    doubt = "no limit of the budget is judged there" if offered else "perhaps it is not sold there"
    ask = "see your own price list" if offered else "ask"
    out.add(
        f.TYPE_UNSEEN.at(
            f"{machine.path}.instance_type",
            f"the price list has no '{machine.instance.name}' in {region}: {doubt}",
            f"{ask} before you deploy, or move location.region to one of: {_near_first(region, priced)}",
        )
    )


def offered_in(provider: Provider, region: str, offered_as: str) -> tuple[str, ...] | None:
    """The zones of a region that offer a type; empty where only its price is known there, and None where, as far as the
    tables say, the region has it not. `offered_as` is the type's name, or that of what is attached to it."""
    row = catalog.zones(provider, region, offered_as)
    if row is not None:
        return row.zones
    if _is_listed_wholly(provider, offered_as) and _has_zones(provider, region):
        return None
    price = catalog.price(provider, region, offered_as)
    return () if price is not None and price.region == region else None


@cache
def _is_listed_wholly(provider: Provider, offered_as: str) -> bool:
    """Whether the tables list every zone that offers a type, so that a region without a row has it not."""
    listed = [z for r in catalog.regions(provider) if (z := catalog.zones(provider, r, offered_as))]
    return bool(listed) and all(z.complete for z in listed)


@cache
def _has_zones(provider: Provider, region: str) -> bool:
    return bool(region_zones(provider, region))


def _near_first(region: str, regions: Iterable[str]) -> str:
    """A few regions as text, those of the same continent first: the data is likely to be near."""
    order = sorted(regions, key=lambda r: (r.split("-")[0] != region.split("-")[0], r))
    return ", ".join(order[:8]) + (f" and {len(order) - 8} more" if len(order) > 8 else "")


def region_zones(provider: Provider, region: str) -> tuple[str, ...]:
    """Every zone of a region that some type is offered in, sorted; empty where the tables have none."""
    names: set[str] = set()
    for t in catalog.instance_types(provider):
        row = catalog.zones(provider, region, t.name)
        names.update(row.zones if row else ())
    return tuple(sorted(names))


def _is_outlying(provider: Provider, zone: str, known: Iterable[str]) -> bool:
    """Whether it may be a Local Zone of the region whose zones are known."""
    stems = {re.escape(name.rsplit("-", 1)[0]) for name in known}
    pattern = _TRAITS[provider].outlying
    return bool(pattern) and any(re.fullmatch(f"{stem}-{pattern}", zone) for stem in stems)


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
    if re.fullmatch(traits.names(region), zone) and (not known or zone in known or _is_outlying(provider, zone, known)):
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
    if _is_outlying(provider, zone, region_zones(provider, location.region)):
        out.add(
            f.ZONE_UNVERIFIED.at(
                "location.zone",
                f"the tables do not say what the Local Zone {zone} offers",
                "ask your cloud before you deploy whether it has the machines",
            )
        )
        return zone, Decision("location.zone", zone, "named in the spec; the tables do not list Local Zones")
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
