"""What a schedule makes of a group's size, and why one never does: what AWS refuses, and moments that do not come."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from ..plan.cron import CronError, parse_cron
from .aws_expressions import never_comes, refused
from .aws_graph import GROUP_SCHEDULE, NODE_GROUP, SCALING_GROUP, SCHEDULE, AwsGraph, group_size, size_unknown
from .aws_rights import ROLE, may
from .aws_schedules import at_text, call_of, input_of, moment_of, schedules_of
from .moments import is_timezone, moment
from .resource_graph import Resource
from .wire_values import entries, late, number, plain

_KEYS = (("minSize", "desiredCapacity", "maxSize"), ("MinSize", "DesiredCapacity", "MaxSize"))
_UNCHANGED = -1


@dataclass(frozen=True)
class Fault:
    """Why a schedule never does what it is for, and where that stands."""

    path: str
    text: str
    hint: str = ""


@dataclass(frozen=True)
class Sizes:
    """What a schedule sets of a group's size; None for what it leaves alone."""

    least: float | None = None
    wanted: float | None = None
    most: float | None = None
    unknown: bool = False
    """Whether a part of it is not known yet."""


def sizes_of(schedule: Resource) -> Sizes:
    """The numbers that a schedule sets. A group's own schedule sets 0 where none is written, and nothing at -1."""
    if schedule.type == GROUP_SCHEDULE:
        values = [schedule.get(k) for k in _KEYS[0]]
        numbers = [number(v) for v in values]
        numbers[0] = 0 if values[0] is None else numbers[0]
        # What AWS makes of a minimum above zero beside a wanted number that is not written is not told anywhere.
        numbers[1] = 0 if values[1] is None and numbers[0] == 0 else numbers[1]
    else:
        body = input_of(schedule)
        if body is None:
            return Sizes(unknown=late(schedule.get("target", "input")))
        flat = {k: v for part in (body, *entries(body.get("ScalingConfig"))) for k, v in part.items()}
        values = [flat.get(k, flat.get("DesiredSize") if k == "DesiredCapacity" else None) for k in _KEYS[1]]
        numbers = [number(v) for v in values]
    kept = [None if n == _UNCHANGED else n for n in numbers]
    return Sizes(*kept, unknown=any(late(v) for v in values))


def takes_away(schedule: Resource) -> bool:
    """Whether the call deletes the group itself."""
    return ":Delete" in call_of(schedule)


def left_by(schedule: Resource, group: Resource) -> float | None:
    """How many nodes of a group a schedule that aims at it leaves; None where that is not known yet.

    EC2 Auto Scaling API, UpdateAutoScalingGroup: without a wanted number, one outside of the new bounds moves to them.
    """
    least, wanted, _ = group_size(group)
    if takes_away(schedule):
        return 0
    asked = sizes_of(schedule)
    if asked.unknown:
        return None
    if asked.wanted is not None:
        return asked.wanted
    if any(size_unknown(group)[:2]) and asked.most != 0:
        return None
    left = max(least or 0, wanted or 0)
    left = left if asked.most is None else min(left, asked.most)
    return left if asked.least is None else max(left, asked.least)


def faults(aws: AwsGraph, schedule: Resource, now: datetime | None) -> tuple[Fault, ...]:
    """Everything for which a schedule never fires, or its call is refused."""
    build = _of_group_schedule if schedule.type == GROUP_SCHEDULE else _of_schedule
    return tuple(build(aws, schedule, now))


def _of_schedule(aws: AwsGraph, s: Resource, now: datetime | None) -> Iterator[Fault]:
    said, zone = s.get("scheduleExpression"), s.get("scheduleExpressionTimezone")
    yield from _moment(s, said, now)
    if at_text(s) and zone is None:
        yield Fault("scheduleExpressionTimezone", f"{said} has no timezone, and is taken as UTC")
    elif isinstance(zone, str) and not late(zone) and not is_timezone(zone):
        yield Fault("scheduleExpressionTimezone", f"'{zone[:60]}' is no timezone", "write its IANA name")
    yield from _over(s, "endDate", now)
    if call_of(s):
        yield from _input(s)
        yield from _held_up(aws, s)
    yield from _role(aws, s)


def rule_faults(rule: Resource) -> tuple[Fault, ...]:
    """Everything for which the rule of an event that a time makes never fires."""
    said = rule.get("scheduleExpression")
    return tuple(_moment(rule, said, None)) if said is not None else ()


def _moment(s: Resource, said: object, now: datetime | None) -> Iterator[Fault]:
    if not isinstance(said, str) or late(said):
        return
    at = moment_of(s)
    if why := refused(said):
        yield Fault("scheduleExpression", why, "write it as EventBridge takes it, as cron(0 19 ? * MON-FRI *)")
    elif at is not None and now is not None and at <= now:
        yield Fault("scheduleExpression", f"the moment {said} is past")
    elif why := never_comes(said, now):
        yield Fault("scheduleExpression", f"{said[:60]} never comes: {why}")


def _over(s: Resource, key: str, now: datetime | None) -> Iterator[Fault]:
    end = moment(s.get(key))
    if end is not None and now is not None and end <= now:
        yield Fault(key, f"the schedule was over at {s.get(key)}")


def _input(s: Resource) -> Iterator[Fault]:
    body = s.get("target", "input")
    if body is None and s.get("target") is not None:
        yield Fault("target.input", "the call is made without an input, and names no group")
        return
    if not isinstance(body, str) or (late(body) and input_of(s) is None):
        return
    found = input_of(s)
    if found is None:
        yield Fault("target.input", "the target's input is no JSON object")
        return
    wrong = [k for k in found if not k[:1].isupper() or "_" in k]
    if wrong:
        right = "".join(p[:1].upper() + p[1:] for p in wrong[0].split("_"))
        yield Fault("target.input", f"the call does not know '{wrong[0]}', and ignores it", f"write '{right}'")


def _held_up(aws: AwsGraph, s: Resource) -> Iterator[Fault]:
    """The call is refused where it wants fewer nodes than the minimum that then holds, of the group or of its own."""
    asked = sizes_of(s)
    places = _KEYS[0] if s.type == GROUP_SCHEDULE else ("target.input",) * 3
    limit = asked.wanted if asked.wanted is not None else asked.most
    if limit is None or asked.unknown:
        return
    place = places[1] if asked.wanted is not None else places[2]
    what = f"{limit:g} nodes are wanted" if asked.wanted is not None else f"a maximum of {limit:g} is asked for"
    if asked.least is not None:
        if limit < asked.least:
            text = f"{what}, and a minimum of {asked.least:g} beside it: the call is refused"
            yield Fault(places[0], text, f"set {_KEYS[s.type != GROUP_SCHEDULE][0]} to 0")
        return
    for group in aws.of_type(SCALING_GROUP, NODE_GROUP):
        least = group_size(group)[0]
        if least is not None and limit < least and s in schedules_of(aws, group):
            text = f"{what}, and the minimum of '{group.name}' is {least:g}: the call is refused"
            yield Fault(place, text, _lower(s))


def may_be_held_up(aws: AwsGraph, s: Resource) -> bool:
    """Whether the call may be refused for a number that is not known yet: one of a group's own schedule, or the minimum
    that then holds."""
    asked = sizes_of(s)
    if asked.unknown:
        return s.type == GROUP_SCHEDULE
    if asked.least is not None or (asked.wanted is None and asked.most is None):
        return False
    groups = aws.of_type(SCALING_GROUP, NODE_GROUP)
    return any(size_unknown(g)[0] and s in schedules_of(aws, g) for g in groups)


def _lower(s: Resource) -> str:
    if s.type == GROUP_SCHEDULE:
        return "set minSize: 0"
    return 'add "MinSize": 0 to the input' + (
        " of updateAutoScalingGroup" if call_of(s).endswith(":SetDesiredCapacity") else ""
    )


def _role(aws: AwsGraph, s: Resource) -> Iterator[Fault]:
    links = aws.link(s, "target", s.get("target", "roleArn"), ROLE)
    for role in links.resources if len(links.resources) == 1 else ():
        policy = plain(role.get("assumeRolePolicy"))
        trusted = policy if isinstance(policy, str) and not late(policy) and _is_json(policy) else None
        if trusted is not None and "scheduler.amazonaws.com" not in trusted:
            text = f"role '{role.name}' does not trust scheduler.amazonaws.com, so the call is never made"
            yield Fault("target.roleArn", text)
        elif (right := call_of(s)) and may(aws, role, right) is False:
            text = f"role '{role.name}' may not do {right}, so the call is refused"
            yield Fault("target.roleArn", text, f"allow {right} in a policy of the role")


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _of_group_schedule(aws: AwsGraph, s: Resource, now: datetime | None) -> Iterator[Fault]:
    line, start = s.get("recurrence"), moment(s.get("startTime"))
    if isinstance(line, str) and not late(line):
        yield from _cron(line)
        yield from _over(s, "endTime", now)
    elif line is None and start is not None and now is not None and start <= now:
        yield Fault("startTime", f"the moment {s.get('startTime')} is past, and nothing repeats it")
    zone = s.get("timeZone")
    if isinstance(zone, str) and not late(zone) and not is_timezone(zone):
        yield Fault("timeZone", f"'{zone[:60]}' is no timezone", "write its IANA name")
    yield from _held_up(aws, s)


def _cron(line: str) -> Iterator[Fault]:
    if line.startswith("@"):
        return
    try:
        at = parse_cron(line)
    except CronError as e:
        yield Fault("recurrence", f"'{line[:60]}': {e}", "write it as 0 19 * * *")
        return
    if not at.comes:
        yield Fault("recurrence", f"'{line[:60]}' never comes: no month in it has such a day")


def is_off(schedule: Resource) -> bool:
    """Whether a schedule is switched off."""
    return schedule.type == SCHEDULE and str(schedule.get("state")).upper() == "DISABLED"
