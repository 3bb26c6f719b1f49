"""What making, changing and removing something does to the world, and what is refused then."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

from ...cloud import Refusal, Request
from ...world import Thing
from . import held, machines, ranges, refusals
from .types import ACTION, BUDGET, GROUP, INSTANCE, LUSTRE, NODE_GROUP, PLACEMENT, SCHEDULE, SUBNET, TEMPLATE, VPC


def create(request: Request, id_: str) -> None:
    """Raises Refusal."""
    made = _CREATED.get(request.type)
    if made:
        made(request, id_)


def _group_made(request: Request, id_: str) -> None:
    if request.world.thing(GROUP, id_) is not None:
        raise Refusal("AlreadyExists", f"AutoScalingGroup by this name already exists - {id_}")
    refusals.group(request.world, request.inputs)
    machines.started(request, id_)


def _schedule_made(request: Request, id_: str) -> None:
    refusals.schedule_target(request)
    expression = str(request.inputs.get("scheduleExpression") or "")
    if expression.startswith("at("):
        zone = ZoneInfo(str(request.inputs.get("scheduleExpressionTimezone") or "UTC"))
        if datetime.fromisoformat(expression[3:-1]).replace(tzinfo=zone) <= request.world.now:
            raise Refusal("ValidationException", f"Invalid Schedule Expression {expression}: it lies in the past")


def _action_made(request: Request, id_: str) -> None:
    start = request.inputs.get("startTime")
    if start and datetime.fromisoformat(str(start)) <= request.world.now:
        raise Refusal("ValidationError", "Given start time is in the past")


_CREATED: dict[str, Callable[[Request, str], None]] = {
    GROUP: _group_made,
    TEMPLATE: refusals.template,
    PLACEMENT: refusals.placement,
    SUBNET: ranges.subnet,
    VPC: ranges.vpc,
    LUSTRE: refusals.lustre,
    BUDGET: refusals.budget,
    SCHEDULE: _schedule_made,
    ACTION: _action_made,
    INSTANCE: held.instance,
    NODE_GROUP: held.node_group,
}


def update(request: Request, old: Thing) -> None:
    """Raises Refusal."""
    if request.type == GROUP:
        # The number of machines belongs to the group: what something else moved stays within the new bounds. One that the
        # program changes has to lie in them.
        same = request.inputs.get("desiredCapacity") == old.inputs.get("desiredCapacity")
        bounds = {k: v for k, v in request.inputs.items() if k != "desiredCapacity" or not same}
        refusals.group(request.world, bounds)
        machines.changed(request, old)
    elif request.type == NODE_GROUP:
        held.node_group(request, old.id)
    elif request.type == TEMPLATE:
        refusals.template(request, old.id)
    elif request.type == LUSTRE:
        refusals.lustre_changed(request, old)
    elif request.type == BUDGET:
        refusals.budget(request, old.id)


def delete(request: Request, old: Thing) -> None:
    """Raises Refusal."""
    if old.type == GROUP:
        request.world.end_nodes(request.world.running(GROUP, old.id), "group deleted")
    elif old.type == PLACEMENT:
        refusals.placement_gone(request.world, old.id)
