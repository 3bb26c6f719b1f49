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
from ...clockwork import firings
from ...cloud import Due, Refusal, Request
from ...values import as_list, as_map, lookup
from ...world import Thing, World
from .types import AUTOSCALE, SET

_DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")

# Machines.


def scale(world: World, id_: str, inputs: Mapping[str, Any], wanted: int, why: str, *, refuse: bool = False) -> None:
    running = world.running(SET, id_)
    if len(running) > wanted:
        world.end_nodes(running[wanted:], why)
    missing = wanted - len(running)
    if missing <= 0:
        return
    size = str(lookup(inputs, "sku.name") or "unknown")
    zones = inputs.get("zones") or [""]
    region, zone = str(inputs.get("location") or ""), str(zones[0])
    place = f"{region}-{zone}" if zone else region
    left = world.left(place, size)
    market = "spot" if lookup(inputs, "virtualMachineProfile.priority") == "Spot" else "on_demand"
    if left is not None and left < missing:
        code = "ZonalAllocationFailed" if zone else "AllocationFailed"
        message = f"{missing - left} of {size} in {place} could not be had"
        if refuse:
            raise Refusal(code, message)
        world.note("shortage", id_, f"{code}: {message}")
    world.launch((SET, id_), (region, place), size, market, missing if left is None else min(missing, left))


def resize(world: World, group: Thing, wanted: int, why: str) -> None:
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
    if not least <= now <= most:
        resize(world, group, max(least, min(now, most)), f"autoscale {setting.name}")


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
