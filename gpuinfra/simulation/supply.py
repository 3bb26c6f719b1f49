"""What a group of machines can have: reserved machines, quota, and what its zone has left."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from fnmatch import fnmatchcase

from .. import catalog
from ..catalog import InstanceType
from ..vocabulary import Provider
from .world import Reservation, World

EVERYWHERE = "*:"
"""What stands before the name of a quota that counts all regions together."""


@dataclass(frozen=True)
class Codes:
    """A cloud's own words for what a group cannot have."""

    stock: str
    quota: str
    unknown: str
    """No such reservation."""
    closed: str
    """The window of the reservation has not begun, or is over."""
    full: str
    """The reservation holds no more machines."""
    unlike: str
    """The reservation is of another type or zone."""
    unsold: str = ""
    """The zone does not have the type. Empty where that cannot be told: AWS's letters are other zones in each account, and
    no table lists Azure's."""


@dataclass(frozen=True)
class Wanted:
    """Machines that a group asks for."""

    group: tuple[str, str]
    region: str
    zone: str
    machine: str
    market: str
    count: int
    reservation: str = ""
    draws: Mapping[str, float] = field(default_factory=dict[str, float])
    """What each machine takes of each quota."""
    margin: timedelta = timedelta()
    """How long before the end of its window a reservation gives no more machines."""
    elsewhere: str = ""
    """Where the type is offered, where its zone does not have it."""


@dataclass(frozen=True)
class Given:
    """How many there are, and why no more: a code and a sentence; empty where all are given."""

    count: int
    code: str = ""
    why: str = ""


def supply(world: World, wanted: Wanted, codes: Codes) -> Given:
    """What can be had now. Reserved machines count neither against the zone nor against a quota: they did when they were
    reserved (facts aws (c), gcp (c))."""
    # A world whose stock names the type has it there, whatever the tables say.
    if wanted.elsewhere and world.left(wanted.zone, wanted.machine) is None:
        return Given(0, codes.unsold, f"{wanted.machine} does not exist in zone {wanted.zone} ({wanted.elsewhere})")
    if wanted.reservation:
        return _of_reservation(world, wanted, codes)
    given = Given(wanted.count)
    for name, units in wanted.draws.items():
        most = limit_of(world, wanted.region, name)
        if most is None or not units:
            continue
        free = int(max(0.0, most - used(world, wanted.region, name)) // units)
        if free < given.count:
            plain = name.removeprefix(EVERYWHERE)
            needs = wanted.count * units
            given = Given(free, codes.quota, f"quota {plain} in {wanted.region}: limit {most:g}, {needs:g} more wanted")
    left = world.left(wanted.zone, wanted.machine)
    if left is not None and left < given.count:
        given = Given(left, codes.stock, f"{wanted.count - left} of {wanted.machine} in {wanted.zone}")
    return given


def exhaust(world: World, zone: str, machine: str) -> None:
    """Leaves a zone without another machine of a type; `*` is every one. Reserved machines are no part of what it has."""
    with world.step():
        taken = Counter((n.zone, n.instance_type) for n in world.nodes() if n.ended_at is None and not n.reservation)
        rows = {(zone, machine), *((z, t) for z, t, _ in world.stock()), *taken}
        for at, type_ in rows:
            if zone in (at, "*") and machine in (type_, "*"):
                world.set_stock(at, type_, taken[at, type_])
        world.note("exhaust", zone, machine)


def launch(world: World, wanted: Wanted, given: Given) -> None:
    """Starts what was given, and notes what was not; the same shortage is noted once."""
    reserved = bool(wanted.reservation)
    world.launch(
        wanted.group,
        (wanted.region, wanted.zone),
        wanted.machine,
        wanted.market,
        given.count,
        reservation=wanted.reservation,
        draws={} if reserved else wanted.draws,
    )
    if given.count < wanted.count:
        text = f"{given.code}: {given.why}"
        before = [e for e in world.events() if e.subject == wanted.group[1] and e.what == "shortage"]
        if not before or before[-1].detail != text or given.count:
            world.note("shortage", wanted.group[1], text)


def _of_reservation(world: World, wanted: Wanted, codes: Codes) -> Given:
    known = world.reservations()
    if not known:
        # A world that names no reservation has whatever the program names.
        return Given(wanted.count)
    one = find(known, wanted.reservation)
    if one is None:
        return Given(0, codes.unknown, f"the reservation '{wanted.reservation}' does not exist")
    if one.instance_type != wanted.machine or one.zone not in (wanted.zone, "*"):
        unlike = f"'{one.id}' is of {one.instance_type} in {one.zone}, not of {wanted.machine} in {wanted.zone}"
        return Given(0, codes.unlike, unlike)
    if not is_open(one, world.now, wanted.margin):
        return Given(0, codes.closed, f"the reservation '{one.id}' is not active: {_window(one)}")
    taken = sum(1 for n in world.nodes() if n.ended_at is None and find([one], n.reservation))
    free = max(0, one.nodes - taken)
    if free < wanted.count:
        return Given(free, codes.full, f"the reservation '{one.id}' holds {one.nodes}, and {taken} are used")
    return Given(wanted.count)


def find(known: list[Reservation], name: str) -> Reservation | None:
    """The reservation of a name: its own, the end of a path, or what a path goes through."""
    parts = set(name.split("/"))
    return next((r for r in known if r.id == name or r.id in parts or name == r.id.rsplit("/", 1)[-1]), None)


def is_open(one: Reservation, now: datetime, margin: timedelta) -> bool:
    """Whether machines can be had in it now."""
    return (one.starts is None or one.starts <= now) and (one.ends is None or now < one.ends - margin)


def _window(one: Reservation) -> str:
    begin = f"{one.starts:%Y-%m-%d %H:%M}" if one.starts else "any time"
    return f"it lasts from {begin} to {one.ends:%Y-%m-%d %H:%M} UTC" if one.ends else f"it begins {begin} UTC"


# Quotas.


def draws(
    provider: Provider, machine: str, market: str, *, patterns: tuple[str, ...] = (), devices: int | None = None
) -> dict[str, float]:
    """What one machine takes of its quota, by the table. `patterns` are other words to look it up by (attached GPUs), and
    `devices` how many GPUs it has, where the machine's own row does not say."""
    rows = [r for r in catalog.rows("quotas", provider.value) if r["market"] == market]
    names = patterns or (machine,)
    fits = [r for r in rows if any(fnmatchcase(name, r["pattern"]) for name in names)]
    if not fits:
        return {}
    row = max(fits, key=lambda r: len(r["pattern"]))
    found = catalog.instance_type(provider, machine)
    known = found if isinstance(found, InstanceType) else None
    gpus = devices if devices is not None else (known.gpu_count if known else 0)
    amount = (known.vcpus if known else None) if row["unit"] == "vcpu" else gpus
    return {row["quota"]: float(amount or 0)}


def limit_of(world: World, region: str, name: str) -> float | None:
    """The limit of a quota in a region: one written for the region goes before one for all. None: the world sets none."""
    set_ = {plain(key): amount for key, amount in world.quotas().items()}
    bare = name.removeprefix(EVERYWHERE)
    return set_.get(plain(f"{region}:{bare}"), set_.get(plain(bare)))


def used(world: World, region: str, name: str) -> float:
    """What running machines take of a quota."""
    running = [n for n in world.nodes() if n.ended_at is None]
    return sum(n.draws.get(name, 0.0) for n in running if name.startswith(EVERYWHERE) or n.region == region)


def plain(name: str) -> str:
    """A quota's name without case and blanks, in which Azure's APIs differ (skypilot-org/skypilot#10119)."""
    return re.sub(r"[^a-z0-9:]", "", name.lower())


def quota_names() -> set[str]:
    """Every quota that the tables name, and those that count all machines of a region or a project."""
    named = {r["quota"] for p in Provider for r in catalog.rows("quotas", p.value)}
    return {*named, "GPUS_ALL_REGIONS", "cores"}
