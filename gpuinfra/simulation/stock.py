"""What the simulated clouds have: a YAML file of machines by zone and type, quotas, reservations, what is slow, and how
long spot machines live."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from difflib import get_close_matches
from functools import cache, partial
from pathlib import Path
from typing import Any

from .. import catalog
from ..catalog import Miss
from ..engine.deployment import DeploymentError
from ..vocabulary import Provider
from .supply import plain, quota_names
from .values import as_map, is_map
from .world import Reservation, World

_PARTS = {"zones", "quotas", "reservations", "slow", "spot"}
_LONGEST_SLEEP = 5.0
_RESERVED = {"type", "zone", "count", "kind", "starts", "ends"}
Write = Callable[[World], None]


def fill(world: World, path: str | None, seed: int | None) -> None:
    """Takes over a stock file and a seed. Raises DeploymentError where the file cannot be used; then nothing changes."""
    writes = list(_entries(path)) if path is not None else []
    with world.step():
        if seed is not None:
            world.set_meta("seed", str(seed))
        for write in writes:
            write(world)


def _entries(path: str) -> Iterator[Write]:
    import yaml

    try:
        document: Any = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as e:
        raise DeploymentError(f"{path}: cannot be read: {' '.join(str(e).split())[:200]}") from e
    if not is_map(document) or not {*document} <= _PARTS:
        raise DeploymentError(
            f"{path}: holds no stock; write zones: {{use2-az1: {{p5.48xlarge: 4}}}}, quotas: {{L-417A185B: 768}}, and "
            "reservations, slow and spot as docs/how-to/simulated-clouds.md shows them"
        )
    yield from _zones(path, as_map(document.get("zones")))
    yield from _quotas(path, as_map(document.get("quotas")))
    for name, given in as_map(document.get("reservations")).items():
        yield partial(_reserve, one=_reservation(path, str(name), as_map(given)))
    for type_, seconds in as_map(document.get("slow")).items():
        amount = _amount(path, f"slow.{type_}", seconds, "number of seconds")
        if amount > _LONGEST_SLEEP:
            raise DeploymentError(f"{path}: slow.{type_}: at most {_LONGEST_SLEEP:g} seconds, which are real ones")
        yield partial(_remember, key=f"slow:{type_}", value=str(amount))
    hours = as_map(document.get("spot")).get("mean_hours")
    if hours is not None:
        yield partial(
            _remember, key="spot_mean_hours", value=str(_amount(path, "spot.mean_hours", hours, "number of hours"))
        )


def _zones(path: str, zones: Mapping[str, Any]) -> Iterator[Write]:
    for zone, types in zones.items():
        if not known_zone(str(zone)):
            raise DeploymentError(f"{path}: zones.{zone} is no zone that the tables list (gpuinfra regions)")
        for type_, amount in as_map(types).items():
            _check_type(path, f"zones.{zone}", str(type_))
            nodes = int(_amount(path, f"zones.{zone}.{type_}", amount))
            yield partial(_set_stock, zone=str(zone), type_=str(type_), nodes=nodes)


def _quotas(path: str, quotas: Mapping[str, Any]) -> Iterator[Write]:
    known = {plain(name): name for name in quota_names()}
    for name, amount in quotas.items():
        bare = str(name).rsplit(":", 1)[-1]
        if plain(bare) not in known:
            near = get_close_matches(plain(bare), known, 3, 0.4)
            meant = f"; near it: {', '.join(known[n] for n in near)}" if near else ""
            raise DeploymentError(f"{path}: quotas.{name}: no such quota is known{meant}")
        yield partial(_set_quota, name=str(name), amount=_amount(path, f"quotas.{name}", amount, "amount"))


def _reservation(path: str, name: str, given: Mapping[str, Any]) -> Reservation:
    where = f"reservations.{name}"
    if not {"type", "zone", "count"} <= {*given} <= _RESERVED:
        raise DeploymentError(
            f"{path}: {where}: write type, zone and count, and kind (reservation or window), starts and ends where it has them"
        )
    kind = str(given.get("kind", "window" if given.get("ends") else "reservation"))
    if kind not in ("reservation", "window"):
        raise DeploymentError(f"{path}: {where}.kind: '{kind}' is neither reservation nor window")
    zone = str(given["zone"])
    if not known_zone(zone):
        raise DeploymentError(f"{path}: {where}.zone: '{zone}' is no zone that the tables list (gpuinfra regions)")
    _check_type(path, where, str(given["type"]))
    count = int(_amount(path, f"{where}.count", given["count"]))
    starts, ends = (_moment(path, f"{where}.{key}", given.get(key)) for key in ("starts", "ends"))
    if starts and ends and ends <= starts:
        raise DeploymentError(f"{path}: {where}: ends before it starts")
    return Reservation(name, str(given["type"]), zone, count, kind, starts, ends)


def _moment(path: str, where: str, value: Any) -> datetime | None:
    if value is None:
        return None
    try:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    except ValueError:
        raise DeploymentError(f"{path}: {where}: '{value}' is no moment; write 2026-12-01T11:30:00Z") from None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def _check_type(path: str, where: str, type_: str) -> None:
    if type_ != "*" and not _known_type(type_):
        raise DeploymentError(f"{path}: {where}: '{type_}' is no instance type (gpuinfra instances)")


def _set_stock(world: World, zone: str, type_: str, nodes: int) -> None:
    world.set_stock(zone, type_, nodes)


def _set_quota(world: World, name: str, amount: float) -> None:
    world.set_quota(name, amount)


def _reserve(world: World, one: Reservation) -> None:
    world.set_reservation(one)


def _remember(world: World, key: str, value: str) -> None:
    world.set_meta(key, value)


def _amount(path: str, where: str, amount: Any, what: str = "number of machines") -> float:
    if isinstance(amount, bool) or not isinstance(amount, (int, float)) or amount < 0:
        raise DeploymentError(f"{path}: {where}: '{amount}' is no {what}")
    return float(amount)


@cache
def _zones_of_the_tables() -> frozenset[str]:
    """Every zone of the tables. Where they name none for a region, its zones are numbers, and the region stands for
    machines without a zone."""
    from ..plan.zones import region_zones

    found: set[str] = {"*"}
    for provider in Provider:
        for region in catalog.regions(provider):
            found |= {*region_zones(provider, region)} or {region, *(f"{region}-{n}" for n in (1, 2, 3))}
    return frozenset(found)


def known_zone(zone: str) -> bool:
    """Whether some cloud has the zone; `*` is every one. A numbered zone has its region before it: eastus-1."""
    return zone in _zones_of_the_tables()


def _known_type(name: str) -> bool:
    return any(not isinstance(catalog.instance_type(provider, name), Miss) for provider in Provider)
