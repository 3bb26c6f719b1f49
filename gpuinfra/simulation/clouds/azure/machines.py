"""Groups of machines, and what moves them: programs, schedules, money."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from .... import catalog
from ....plan.resolve import POOL_LABEL
from ....vocabulary import Provider
from ...clockwork import firings
from ...cloud import Due, Refusal, Request
from ...supply import Codes, Wanted, draws, launch, supply
from ...values import as_list, as_map, lookup
from ...world import Thing, World
from .types import AUTOSCALE, SET

_DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")

# Machines.


_CODES = Codes(
    stock="AllocationFailed",
    quota="QuotaExceeded",
    unknown="NotFound",
    closed="OperationNotAllowed",
    full="",
    unlike="OperationNotAllowed",
)


def scale(world: World, id_: str, inputs: Mapping[str, Any], wanted: int, why: str, *, refuse: bool = False) -> None:
    """Brings a set to its number. `refuse`: a program asked, which hears that there is no room, and nothing is made."""
    running = world.running(SET, id_)
    if len(running) > wanted:
        world.end_nodes(running[wanted:], why)
    if wanted <= len(running):
        return
    asked = wanted_of((SET, id_), inputs, wanted - len(running))
    codes = codes_of(bool(inputs.get("zones")))
    for part in _parts(world, asked):
        given = supply(world, part, codes)
        if given.count < part.count and refuse:
            raise Refusal(given.code, given.why)
        launch(world, part, given)


def codes_of(zonal: bool) -> Codes:
    """The words for what machines cannot be had for."""
    return replace(_CODES, stock="ZonalAllocationFailed") if zonal else _CODES


def _parts(world: World, asked: Wanted) -> list[Wanted]:
    """Reserved machines first. A reservation may be overrun: what lies above it is had like any other machine, if there is
    one (Azure, on-demand capacity reservation, overallocating)."""
    given = supply(world, asked, replace(_CODES, full="full")) if asked.reservation else None
    if given is None or given.code != "full":
        return [asked]
    over = replace(asked, reservation="", count=asked.count - given.count)
    return [one for one in (replace(asked, count=given.count), over) if one.count]


def wanted_of(thing: tuple[str, str], inputs: Mapping[str, Any], count: int) -> Wanted:
    """Machines of a scale set's inputs, for a thing (type, id)."""
    size = str(lookup(inputs, "sku.name") or "unknown")
    zones = inputs.get("zones") or [""]
    region, zone = str(inputs.get("location") or ""), str(zones[0])
    group = str(lookup(inputs, "virtualMachineProfile.capacityReservation.capacityReservationGroup.id") or "")
    spot = lookup(inputs, "virtualMachineProfile.priority") == "Spot"
    quota = draws(Provider.AZURE, size, "spot" if spot else "on_demand")
    if quota and not spot:
        quota["cores"] = next(iter(quota.values()))
    market = "spot" if spot else "reserved" if group else "on_demand"
    return Wanted(thing, region, f"{region}-{zone}" if zone else region, size, market, count, group, quota)


def lost(world: World, group: Thing, count: int) -> None:
    """Evicted machines are not made anew: the set is smaller by them."""
    sku = {**as_map(group.outputs.get("sku") or group.inputs.get("sku"))}
    sku["capacity"] = max(0, int(sku.get("capacity") or 0) - count)
    world.keep(replace(group, outputs={**group.outputs, "sku": sku}))


def resize(world: World, group: Thing, wanted: int, why: str) -> None:
    world.acted(group.id, wanted, why)
    sku = {**as_map(group.outputs.get("sku") or group.inputs.get("sku")), "capacity": wanted}
    world.keep(replace(group, outputs={**group.outputs, "sku": sku}))
    scale(world, group.id, group.inputs, wanted, why)


def pool(world: World, group: Thing) -> str:
    return str(as_map(group.inputs.get("tags")).get(POOL_LABEL) or "")


def update(request: Request, old: Thing) -> None:
    if old.type == SET:
        scale(
            request.world,
            old.id,
            request.inputs,
            int(lookup(old.outputs, "sku.capacity") or 0),
            "scaled in",
            refuse=True,
        )


def delete(request: Request, old: Thing) -> None:
    if old.type == SET:
        request.world.end_nodes(request.world.running(SET, old.id), "group deleted")


# What the cloud does by itself: the profile in force bounds a set's number.


def due(world: World, after: datetime, until: datetime) -> list[Due]:
    return [
        Due(moment, setting.name, partial(_bound, setting=setting, profile=profile))
        for setting in world.things(AUTOSCALE)
        if setting.inputs.get("enabled")
        for profile in as_list(setting.inputs.get("profiles"))
        for moment in _moments(profile, after, until)
    ]


def _moments(profile: Mapping[str, Any], after: datetime, until: datetime) -> Iterator[datetime]:
    fixed = lookup(profile, "fixedDate.start")
    if fixed:
        moment = datetime.fromisoformat(str(fixed).replace("Z", "+00:00"))
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        if after < moment <= until:
            yield moment
    schedule = lookup(profile, "recurrence.schedule")
    if schedule:
        days = ",".join(str(_DAYS.index(d)) for d in as_list(schedule.get("days")))
        for hour in as_list(schedule.get("hours")):
            for minute in as_list(schedule.get("minutes")):
                yield from firings(f"{minute} {hour} * * {days}", _zone(str(schedule.get("timeZone"))), after, until)


def _zone(windows_name: str) -> ZoneInfo:
    """A time zone by the name that Windows has for it."""
    rows = catalog.rows("time_zones", "azure")
    name = next((r["iana_name"] for r in rows if r["windows_name"] == windows_name), "UTC")
    return ZoneInfo(name)


def _bound(world: World, setting: Thing, profile: Mapping[str, Any]) -> None:
    group = world.thing(SET, str(setting.inputs.get("targetResourceUri")))
    if group is None:
        return
    least, most = int(lookup(profile, "capacity.minimum") or 0), int(lookup(profile, "capacity.maximum") or 0)
    now = int(lookup(group.outputs, "sku.capacity") or 0)
    why = f"autoscale {setting.name}, profile {profile.get('name')}"
    if not most:
        # Said of a set that is empty already too. A profile that only lets the number be asks for nothing.
        world.acted(group.id, most, why)
    if not least <= now <= most:
        resize(
            world,
            group,
            max(least, min(now, most)),
            why,
        )


def budgets(world: World) -> list[tuple[Thing, float]]:
    found = [t for t in world.things("azure-native:consumption:Budget") if t.inputs.get("timeGrain") == "Monthly"]
    return [(t, float(t.inputs["amount"])) for t in found if t.inputs.get("amount")]


def stopped(world: World, budget: Thing) -> list[Thing]:
    """The sets that the Logic App behind the budget's action group names. Its callback is a secret, and not in the world."""
    told = {
        group
        for n in as_map(budget.inputs.get("notifications")).values()
        if n.get("thresholdType") == "Actual" and n.get("threshold") == 100
        for group in as_list(n.get("contactGroups"))
    }
    if not told & {g.id for g in world.things("azure-native:monitor:ActionGroup")}:
        return []
    named: list[str] = []
    for workflow in world.things("azure-native:logic:Workflow"):
        named += [str(v) for v in as_list(lookup(workflow.inputs, "parameters.scaleSets.value"))]
    return [g for g in world.things(SET) if any(g.id in uri for uri in named)]
