"""Groups of machines, and what moves them: programs, schedules, money."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from ....plan.resolve import POOL_LABEL
from ....policy.gcp_zones import offered_elsewhere
from ....vocabulary import Provider
from ...clockwork import firings
from ...cloud import Due, Refusal, Request
from ...supply import EVERYWHERE, Codes, Wanted, draws, launch, supply
from ...values import as_list, as_map, lookup
from ...world import Node, Thing, World
from .types import GROUP, INSTANCE, JOB, REGION_GROUP, REQUESTS, TEMPLATES

# Machines.


def place_of(inputs: Mapping[str, Any]) -> str:
    """The zone, region or location that the inputs name."""
    return str(next((inputs[k] for k in ("zone", "region", "location") if inputs.get(k)), "global"))


def template_of(world: World, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    link = next((str(v.get("instanceTemplate") or "") for v in as_list(inputs.get("versions"))), "")
    found = next((t for t in world.things(*TEMPLATES) if t.id and (link.endswith(t.id) or t.id in link)), None)
    return found.inputs if found else {}


CODES = Codes(
    stock="ZONE_RESOURCE_POOL_EXHAUSTED",
    quota="QUOTA_EXCEEDED",
    unknown="RESOURCE_NOT_FOUND",
    closed="RESERVATION_NOT_ACTIVE",
    full="RESERVATION_CAPACITY_EXCEEDED",
    unlike="INCOMPATIBLE_RESERVATION",
    unsold="400 invalid",
)
_MODELS = {"SPOT": "spot", "FLEX_START": "flex"}


def scale(world: World, type_: str, id_: str, inputs: Mapping[str, Any], wanted: int, why: str) -> None:
    """Brings a group to its number, as far as there are machines. A shortage fails nothing: the group's errors say it."""
    running = world.running(type_, id_)
    if len(running) > wanted:
        world.end_nodes(running[wanted:], why)
    if wanted > len(running):
        asked = _wanted(world, type_, id_, inputs, wanted - len(running))
        launch(world, asked, supply(world, asked, CODES))


def _wanted(world: World, type_: str, id_: str, inputs: Mapping[str, Any], count: int) -> Wanted:
    asked = wanted_of(template_of(world, inputs), (type_, id_), place_of(inputs), count)
    return replace(asked, region=asked.zone) if type_ == REGION_GROUP else asked


def wanted_of(template: Mapping[str, Any], thing: tuple[str, str], place: str, count: int) -> Wanted:
    """Machines of a template, for a thing (type, id) in a zone."""
    machine = str(template.get("machineType") or "unknown")
    reservation = reservation_of(template)
    market = _MODELS.get(
        str(lookup(template, "scheduling.provisioningModel")), "reserved" if reservation else "on_demand"
    )
    attached = as_list(template.get("guestAccelerators"))
    quota = _draws(machine, market, attached)
    elsewhere = _elsewhere(place, machine, attached)
    return Wanted(
        thing, place.rsplit("-", 1)[0], place, machine, market, count, reservation, quota, elsewhere=elsewhere
    )


def _elsewhere(place: str, machine: str, attached: list[Any]) -> str:
    """Where what is wanted is offered, where the zone lacks it. A regional group looks for zones that have it."""
    if place.count("-") != 2:
        return ""
    names = [machine, *(f"accelerator:{str(a.get('type')).rpartition('/')[2]}" for a in attached)]
    return next((where for name in names if (where := offered_elsewhere(place, name))), "")


def _draws(machine: str, market: str, attached: list[Any]) -> dict[str, float]:
    """Spot and flex-start draw on the preemptible pool; the rest on the family's and on that of all regions (facts gcp
    (c))."""
    pool = "on_demand" if market == "on_demand" else "spot"
    found = draws(
        Provider.GCP,
        machine,
        pool,
        patterns=tuple(str(a.get("type")) for a in attached),
        devices=sum(int(a.get("count") or 0) for a in attached) if attached else None,
    )
    if market == "on_demand" and found:
        found[f"{EVERYWHERE}GPUS_ALL_REGIONS"] = next(iter(found.values()))
    return found


def reservation_of(template: Mapping[str, Any]) -> str:
    """The reservation that a template names; empty for none."""
    values = as_list(lookup(template, "reservationAffinity.specificReservation.values"))
    return str(values[0]) if values else ""


def request(world: World, group: Thing, id_: str, count: int) -> None:
    """A resize request: accepted, and given as a whole when there is room, be it now or after days."""
    asked = _wanted(world, group.type, group.id, group.inputs, count)
    given = supply(world, asked, CODES)
    if given.count < count:
        world.set_meta(f"request:{id_}", str(count))
        launch(world, asked, replace(given, count=0))
        return
    world.set_meta(f"request:{id_}", "")
    resize(world, group, int(group.outputs.get("targetSize") or 0) + count, "resize request")


def again(world: World, group: Thing) -> None:
    """The group asks again for what it is short of, and requests that wait are looked at."""
    wanted = int(group.outputs.get("targetSize") or 0)
    if wanted > len(world.running(group.type, group.id)):
        scale(world, group.type, group.id, group.inputs, wanted, "")
    for one in world.things(*REQUESTS):
        waiting = world.meta(f"request:{one.id}")
        if waiting and f"/{group.id.rsplit('/', 1)[-1]}/" in one.id:
            request(world, group, one.id, int(waiting))


def resize(world: World, group: Thing, wanted: int, why: str) -> None:
    world.acted(group.id, wanted, why)
    world.keep(replace(group, outputs={**group.outputs, "targetSize": wanted}))
    scale(world, group.type, group.id, group.inputs, wanted, why)


def pool(world: World, group: Thing) -> str:
    return str(as_map(template_of(world, group.inputs).get("labels")).get(POOL_LABEL) or "")


def update(request: Request, old: Thing) -> None:
    if old.type in (GROUP, REGION_GROUP):
        scale(request.world, old.type, old.id, request.inputs, int(old.outputs.get("targetSize") or 0), "scaled in")


def delete(request: Request, old: Thing) -> None:
    if old.inputs.get("deletionPolicy") == "PREVENT" and request.inputs.get("deletionPolicy") == "PREVENT":
        raise Refusal("deletion prevented", f"{old.name} has deletion_policy PREVENT")
    if old.type in (GROUP, REGION_GROUP):
        request.world.end_nodes(request.world.running(old.type, old.id), "group deleted")


# What the cloud does by itself.


def due(world: World, after: datetime, until: datetime) -> list[Due]:
    found = [
        Due(
            moment,
            job.name,
            partial(_post, uri=str(lookup(job.inputs, "httpTarget.uri") or ""), why=f"schedule {job.name}"),
        )
        for job in world.things(JOB)
        if not job.inputs.get("paused")
        for moment in _moments(job, after, until)
    ]
    for group in world.things(GROUP, REGION_GROUP):
        duration = lookup(template_of(world, group.inputs), "scheduling.maxRunDuration.seconds")
        if duration:
            found += _run_out(world, group, timedelta(seconds=int(duration)), after, until)
    for one in world.things(INSTANCE):
        duration = lookup(one.inputs, "scheduling.maxRunDuration.seconds")
        if duration:
            found += _run_out(world, one, timedelta(seconds=int(duration)), after, until)
    return found


def _moments(job: Thing, after: datetime, until: datetime) -> Iterator[datetime]:
    zone = ZoneInfo(str(job.inputs.get("timeZone") or "UTC"))
    yield from firings(str(job.inputs.get("schedule") or ""), zone, after, until)


def _post(world: World, uri: str, why: str) -> None:
    """The compute API's own `resize`, as a scheduler or a workflow calls it."""
    match = re.search(r"(projects/[^?]*/instanceGroupManagers/[^/?]+)/resize\?size=(\d+)", uri)
    group = next((g for g in world.things(GROUP, REGION_GROUP) if match and g.id == match[1]), None)
    if match and group is not None:
        resize(world, group, int(match[2]), why)


def _run_out(world: World, group: Thing, most: timedelta, after: datetime, until: datetime) -> Iterator[Due]:
    for node in world.running(group.type, group.id):
        end = node.launched_at + most
        if after < end <= until:
            yield Due(
                end,
                f"{group.name} machine {node.id}",
                partial(_end, group_type=group.type, group_id=group.id, node=node),
            )


def _end(world: World, group_type: str, group_id: str, node: Node) -> None:
    world.end_nodes([node], "run duration over", world.now)
    group = world.thing(group_type, group_id)
    if group is not None and group_type == INSTANCE:
        if lookup(group.inputs, "scheduling.instanceTerminationAction") == "DELETE":
            world.forget(group_type, group_id)
        else:
            world.keep(replace(group, outputs={**group.outputs, "currentStatus": "TERMINATED"}))
    elif group is not None:
        size = max(0, int(group.outputs.get("targetSize") or 0) - 1)
        world.keep(replace(group, outputs={**group.outputs, "targetSize": size}))


def budgets(world: World) -> list[tuple[Thing, float]]:
    found = world.things("gcp:billing/budget:Budget")
    amounts = [(t, lookup(t.inputs, "amount.specifiedAmount.units")) for t in found]
    return [(t, float(amount)) for t, amount in amounts if amount]


def stopped(world: World, budget: Thing) -> list[Thing]:
    """The groups that the workflow behind the budget's topic names."""
    topic = lookup(budget.inputs, "allUpdatesRule.pubsubTopic")
    triggers = [
        t for t in world.things("gcp:eventarc/trigger:Trigger") if lookup(t.inputs, "transport.pubsub.topic") == topic
    ]
    started = {lookup(t.inputs, "destination.workflow") for t in triggers}
    names: set[str] = set()
    for workflow in world.things("gcp:workflows/workflow:Workflow"):
        if workflow.id in started:
            names |= set(
                re.findall(
                    r"projects/[^\"?]*/instanceGroupManagers/[^\"/?]+", str(workflow.inputs.get("sourceContents"))
                )
            )
    return [g for g in world.things(GROUP, REGION_GROUP) if g.id in names]
