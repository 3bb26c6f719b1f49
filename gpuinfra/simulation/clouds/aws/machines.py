"""Groups of machines, and what moves them: programs, schedules, money."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from .... import catalog
from ....plan.resolve import POOL_LABEL
from ....vocabulary import Provider
from ...clockwork import firings
from ...cloud import Due, Request
from ...supply import Codes, Wanted, draws, launch, supply
from ...values import as_list, as_map, lookup
from ...world import Node, Thing, World
from .types import ACTION, GROUP, SCHEDULE, TEMPLATE
from .words import zone_id, zone_of_subnet

# Machines.


_CODES = Codes(
    stock="InsufficientInstanceCapacity",
    quota="VcpuLimitExceeded",
    unknown="InvalidCapacityReservationId.NotFound",
    closed="Unsupported",
    full="ReservationCapacityExceeded",
    unlike="InvalidParameterValue",
)
_CONFIGURATION = "aws:ec2/launchConfiguration:LaunchConfiguration"
_SPOT_QUOTA = "MaxSpotInstanceCountExceeded"


def _scale(world: World, inputs: Mapping[str, Any], id_: str, why: str = "scaled in") -> None:
    """Brings a group to its number, as far as there are machines. A shortage fails nothing here: the group goes on
    trying, and its activities say why."""
    wanted = int(inputs.get("desiredCapacity") or 0)
    running = world.running(GROUP, id_)
    if len(running) > wanted:
        world.end_nodes(running[wanted:], why)
    if wanted > len(running):
        asked = _wanted(world, inputs, id_, wanted - len(running))
        launch(world, asked, supply(world, asked, codes_of(asked.market)))


def codes_of(market: str) -> Codes:
    """The words for what machines of a market cannot be had for."""
    return replace(_CODES, quota=_SPOT_QUOTA) if market == "spot" else _CODES


def _wanted(world: World, inputs: Mapping[str, Any], id_: str, count: int) -> Wanted:
    template = template_of(world, inputs)
    region, zone = place_of(world, inputs)
    machine = str(lookup(template, "instanceType") or "unknown")
    market = market_of(inputs, template)
    return Wanted(
        (GROUP, id_),
        region,
        zone,
        machine,
        market,
        count,
        reservation=reservation_of(template),
        draws=draws(Provider.AWS, machine, market) if market in ("spot", "on_demand") else {},
        margin=_margin(machine) if market == "capacity_block" else timedelta(),
    )


def market_of(group: Mapping[str, Any], template: Mapping[str, Any]) -> str:
    """How the machines of a group are bought."""
    shares = as_map(lookup(group, "mixedInstancesPolicy.instancesDistribution"))
    # Without a share of its own a mixed group is on demand as a whole.
    mixed = float(shares.get("onDemandPercentageAboveBaseCapacity", 100)) < 100
    if mixed or lookup(template, "instanceMarketOptions.marketType") == "spot":
        return "spot"
    if lookup(template, "instanceMarketOptions.marketType") == "capacity-block":
        return "capacity_block"
    return "reserved" if reservation_of(template) else "on_demand"


def reservation_of(template: Mapping[str, Any]) -> str:
    """The reservation, or the group of them, that a template targets; empty for none."""
    target = as_map(lookup(template, "capacityReservationSpecification.capacityReservationTarget"))
    return str(target.get("capacityReservationId") or target.get("capacityReservationResourceGroupArn") or "")


def _margin(machine: str) -> timedelta:
    """Machines of a block are taken before its end: half an hour, an hour for those of an UltraServer (facts aws a4)."""
    what = "capacity_block_end_margin_minutes"
    row = catalog.limit(Provider.AWS, f"{what}_ultraserver" if machine.startswith("p6e-") else what)
    return timedelta(minutes=row.maximum or 0) if row else timedelta()


def margin_of(asked: Wanted) -> timedelta:
    """How long before its end a block gives no more of the machines that are asked for."""
    return _margin(asked.machine) if asked.market == "capacity_block" else timedelta()


def margin(node: Node) -> timedelta:
    """How long before its window's end a machine is taken."""
    return _margin(node.instance_type) if node.market == "capacity_block" else timedelta()


def again(world: World, group: Thing) -> None:
    """The group asks again for what it is short of."""
    _scale(world, group.outputs, group.id)


def template_of(world: World, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a group launches, by the id or the name of its template, or by a launch configuration of the old kind."""
    named = _launched(inputs)
    things = world.things(TEMPLATE, _CONFIGURATION) if named else []
    found = next((t for t in things if named & {t.id, t.outputs.get("name")}), None)
    return found.inputs if found else {}


def _launched(inputs: Mapping[str, Any]) -> set[Any]:
    """The ids and names by which a group names what it launches."""
    mixed = as_map(lookup(inputs, "mixedInstancesPolicy.launchTemplate.launchTemplateSpecification"))
    own = as_map(inputs.get("launchTemplate"))
    named = own.get("id"), own.get("name"), mixed.get("launchTemplateId"), mixed.get("launchTemplateName")
    return {*named, inputs.get("launchConfiguration")} - {None, ""}


def launches_what_stands_outside(world: World, inputs: Mapping[str, Any]) -> bool:
    """Whether a group names a template that no program of this world made."""
    named = _launched(inputs)
    return bool(named) and not any(world.was_made(str(one)) for one in named)


def wanted_of(inputs: Mapping[str, Any]) -> int:
    """How many machines a group is made for: without a word of it, as many as it must have."""
    wanted = inputs.get("desiredCapacity")
    return int(inputs.get("minSize") or 0) if wanted is None else int(wanted)


def place_of(world: World, inputs: Mapping[str, Any]) -> tuple[str, str]:
    """The region and the zone of the first subnet."""
    subnets = inputs.get("vpcZoneIdentifiers") or [""]
    thing = world.thing("aws:ec2/subnet:Subnet", str(subnets[0]))
    if thing is None:
        # One that stands outside of this world, or zones by their names.
        region, named = str(inputs.get("region") or ""), as_list(inputs.get("availabilityZones"))
        zone = zone_id(str(named[0])) if named else zone_of_subnet(str(subnets[0] or ""), region)[1]
        return region, zone
    zone = thing.inputs.get("availabilityZoneId") or thing.outputs.get("availabilityZoneId") or ""
    return str(thing.inputs.get("region") or thing.outputs.get("region") or ""), str(zone)


def resize(world: World, group: Thing, wanted: int, why: str) -> None:
    world.acted(group.id, wanted, why)
    moved = {**group.outputs, "desiredCapacity": wanted}
    if wanted == 0:
        moved["minSize"] = 0
    world.keep(replace(group, outputs=moved))
    _scale(world, moved, group.id, why)


def pool(world: World, group: Thing) -> str:
    tags = as_list(group.inputs.get("tags"))
    return next((str(t.get("value")) for t in tags if t.get("key") == POOL_LABEL), "")


# What the cloud does by itself.


def due(world: World, after: datetime, until: datetime) -> list[Due]:
    found: list[Due] = []
    for schedule in world.things(SCHEDULE):
        for moment in _moments(schedule, after, until):
            found.append(Due(moment, schedule.name, partial(_fire, schedule=schedule)))
    for action in world.things(ACTION):
        found += [Due(m, action.name, partial(_act, action=action)) for m in _acts(action, after, until)]
    return found


def _acts(action: Thing, after: datetime, until: datetime) -> Iterator[datetime]:
    """The moments of a group's own scheduled action."""
    start, line = action.inputs.get("startTime"), action.inputs.get("recurrence")
    first = datetime.fromisoformat(str(start)) if start else None
    if line:
        zone = ZoneInfo(str(action.inputs.get("timeZone") or "UTC"))
        yield from firings(str(line), zone, max(after, first) if first else after, until)
    elif first is not None and after < first <= until:
        yield first


def _act(world: World, action: Thing) -> None:
    group = world.thing(GROUP, str(action.inputs.get("autoscalingGroupName")))
    if group is None:
        return
    # -1 is the provider's word for a number that stays as it is.
    numbers = {k: action.inputs.get(k) for k in ("minSize", "maxSize", "desiredCapacity")}
    moved = {**group.outputs, **{k: int(v) for k, v in numbers.items() if v is not None and int(v) >= 0}}
    world.keep(replace(group, outputs=moved))
    _scale(world, moved, group.id, f"schedule {action.name}")


def _moments(schedule: Thing, after: datetime, until: datetime) -> Iterator[datetime]:
    expression = str(schedule.inputs.get("scheduleExpression") or "")
    zone = ZoneInfo(str(schedule.inputs.get("scheduleExpressionTimezone") or "UTC"))
    if expression.startswith("at("):
        moment = datetime.fromisoformat(expression[3:-1]).replace(tzinfo=zone).astimezone(UTC)
        if after < moment <= until:
            yield moment
    elif expression.startswith("cron("):
        line = _five_fields(expression[5:-1])
        yield from firings(line, zone, after, until)


def _five_fields(six: str) -> str:
    """EventBridge's six fields as a crontab's five: names of days stay, `?` means any, the year is always *."""
    minute, hour, day, month, weekday, _ = six.split()
    return " ".join([minute, hour, day.replace("?", "*"), month, weekday.replace("?", "*")])


def _fire(world: World, schedule: Thing) -> None:
    asked = json.loads(str(lookup(schedule.inputs, "target.input") or "{}"))
    group = world.thing(GROUP, str(asked.get("AutoScalingGroupName")))
    if group is not None:
        resize(world, group, int(asked.get("DesiredCapacity", 0)), f"schedule {schedule.name}")
    if schedule.inputs.get("actionAfterCompletion") == "DELETE":
        world.forget(schedule.type, schedule.id)


def budgets(world: World) -> list[tuple[Thing, float]]:
    found = [t for t in world.things("aws:budgets/budget:Budget") if t.inputs.get("timeUnit") == "MONTHLY"]
    return [(t, float(t.inputs["limitAmount"])) for t in found if t.inputs.get("limitAmount")]


def stopped(world: World, budget: Thing) -> list[Thing]:
    """The groups of the function that the budget's topic calls."""
    told = {
        topic
        for n in as_list(budget.inputs.get("notifications"))
        if n.get("notificationType") == "ACTUAL"
        for topic in as_list(n.get("subscriberSnsTopicArns"))
    }
    heard = [t for t in world.things("aws:sns/topicSubscription:TopicSubscription") if t.inputs.get("topic") in told]
    functions = {f.outputs.get("arn"): f for f in world.things("aws:lambda/function:Function")}
    names: list[str] = []
    for subscription in heard:
        function = functions.get(subscription.inputs.get("endpoint"))
        if function is not None:
            names += _groups_of(function)
    return [g for g in world.things(GROUP) if g.id in names]


def _groups_of(function: Thing) -> list[str]:
    """What groups.json in the function's archive names."""
    assets = as_map(lookup(function.inputs, "code.assets"))
    text = lookup(assets.get("groups.json") or {}, "text")
    return list(json.loads(text)) if isinstance(text, str) else []


def started(request: Request, id_: str) -> None:
    """A new group launches what it wants."""
    _scale(request.world, {**request.inputs, "desiredCapacity": wanted_of(request.inputs)}, id_)


def changed(request: Request, old: Thing) -> None:
    """A changed group keeps to its new bounds."""
    least, most = int(old.outputs.get("minSize") or 0), int(old.outputs.get("maxSize") or 0)
    moved = {**old.outputs, "desiredCapacity": max(least, min(int(old.outputs.get("desiredCapacity") or 0), most))}
    request.world.keep(replace(old, outputs=moved))
    if _refreshes(request.inputs, old.inputs):
        request.world.end_nodes(request.world.running(GROUP, old.id), "instance refresh")
    _scale(request.world, moved, old.id)


def _refreshes(new: Mapping[str, Any], old: Mapping[str, Any]) -> bool:
    """Whether the provider starts an instance refresh: it is asked for, and what the group launches, or a property that is
    named as a trigger, is another. Without it nodes that run stay as they are (facts aws a10)."""
    refresh = as_map(new.get("instanceRefresh"))
    watched = {"launchTemplate", "launchConfiguration", "mixedInstancesPolicy", *as_list(refresh.get("triggers"))}
    return bool(refresh) and any(new.get(key) != old.get(key) for key in watched)
