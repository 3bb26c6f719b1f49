"""Groups of machines, and what moves them: programs, schedules, money."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from ....plan.resolve import POOL_LABEL
from ...clockwork import firings
from ...cloud import Due, Refusal, Request
from ...values import as_list, as_map, lookup
from ...world import Thing, World
from .types import GROUP, LUSTRE, SCHEDULE, TEMPLATE

# What makes machines.


def create(request: Request, id_: str) -> None:
    made = _CREATED.get(request.type)
    if made:
        made(request, id_)


def _group_made(request: Request, id_: str) -> None:
    if request.world.thing(GROUP, id_) is not None:
        raise Refusal("AlreadyExists", f"AutoScalingGroup by this name already exists - {id_}")
    least, most = int(request.inputs.get("minSize", 0)), int(request.inputs.get("maxSize", 0))
    if least > most:
        raise Refusal("ValidationError", "Min bound must be less than or equal to the max bound")
    _scale(request.world, request.inputs, id_)


def _lustre_made(request: Request, id_: str) -> None:
    size = int(request.inputs.get("storageCapacity") or 0)
    if request.inputs.get("deploymentType") == "PERSISTENT_2" and size not in (1200,) and size % 2400:
        raise Refusal("BadRequest", f"Storage capacity {size} is not valid: 1200, or a multiple of 2400 GiB")


def _schedule_made(request: Request, id_: str) -> None:
    expression = str(request.inputs.get("scheduleExpression") or "")
    if expression.startswith("at("):
        zone = ZoneInfo(str(request.inputs.get("scheduleExpressionTimezone") or "UTC"))
        if datetime.fromisoformat(expression[3:-1]).replace(tzinfo=zone) <= request.world.now:
            raise Refusal("ValidationException", f"Invalid Schedule Expression {expression}: it lies in the past")


_CREATED: dict[str, Callable[[Request, str], None]] = {
    GROUP: _group_made,
    LUSTRE: _lustre_made,
    SCHEDULE: _schedule_made,
}


def _scale(world: World, inputs: Mapping[str, Any], id_: str, why: str = "scaled in") -> None:
    """Brings a group to its number, as far as its zone has machines. A shortage fails nothing here: the group goes on
    trying, and its activities say why."""
    wanted = int(inputs.get("desiredCapacity") or 0)
    running = world.running(GROUP, id_)
    if len(running) > wanted:
        world.end_nodes(running[wanted:], why)
    missing = wanted - len(running)
    if missing <= 0:
        return
    template = _template_of(world, inputs)
    region, zone = _place_of(world, inputs)
    instance_type = str(lookup(template, "instanceType") or "unknown")
    market = "spot" if inputs.get("mixedInstancesPolicy") else "on_demand"
    left = world.left(zone, instance_type)
    can = missing if left is None else min(missing, left)
    world.launch((GROUP, id_), (region, zone), instance_type, market, can)
    if can < missing:
        world.note("shortage", id_, f"InsufficientInstanceCapacity: {missing - can} of {instance_type} in {zone}")


def _template_of(world: World, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    id_ = lookup(inputs, "launchTemplate.id") or lookup(
        inputs, "mixedInstancesPolicy.launchTemplate.launchTemplateSpecification.launchTemplateId"
    )
    thing = world.thing(TEMPLATE, str(id_))
    return thing.inputs if thing else {}


def _place_of(world: World, inputs: Mapping[str, Any]) -> tuple[str, str]:
    subnets = inputs.get("vpcZoneIdentifiers") or [""]
    thing = world.thing("aws:ec2/subnet:Subnet", str(subnets[0]))
    if thing is None:
        return str(inputs.get("region") or ""), ""
    zone = thing.inputs.get("availabilityZoneId") or thing.inputs.get("availabilityZone") or ""
    return str(thing.inputs.get("region") or ""), str(zone)


def resize(world: World, group: Thing, wanted: int, why: str) -> None:
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
    return found


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


def update(request: Request, old: Thing) -> None:
    if request.type == GROUP:
        most, wanted = int(old.outputs.get("maxSize") or 0), int(old.outputs.get("desiredCapacity") or 0)
        moved = {**old.outputs, "desiredCapacity": min(wanted, most)}
        request.world.keep(replace(old, outputs=moved))
        _scale(request.world, moved, old.id)


def delete(request: Request, old: Thing) -> None:
    if old.type == GROUP:
        request.world.end_nodes(request.world.running(GROUP, old.id), "group deleted")
