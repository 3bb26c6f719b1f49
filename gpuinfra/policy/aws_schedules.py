"""Schedules that end or move node groups: which group, when, and to what size."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, cast
from zoneinfo import ZoneInfo

from .aws_graph import GROUP_SCHEDULE, NODE_GROUP, SCALING_GROUP, SCHEDULE, AwsGraph
from .resource_graph import OutputRef, Resource
from .wire_values import late

_WORDS = re.compile(r"\$\{([^{}.]+)\.|\"([^\"]+)\"")
_AT = re.compile(r"at\((\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?)\)")
_SCALING_CALLS = {
    "updateautoscalinggroup": "autoscaling:UpdateAutoScalingGroup",
    "setdesiredcapacity": "autoscaling:SetDesiredCapacity",
    "updatenodegroupconfig": "eks:UpdateNodegroupConfig",
    "deleteautoscalinggroup": "autoscaling:DeleteAutoScalingGroup",
    "deletenodegroup": "eks:DeleteNodegroup",
}
"""The calls that change a group's size or take it away, with the right that each needs."""


def at_text(schedule: Resource) -> str:
    """The moment in an `at(…)` expression, as text without a zone; empty where it is none or not known."""
    value = schedule.get("scheduleExpression")
    match = _AT.fullmatch(value.strip()) if isinstance(value, str) else None
    return match[1] if match else ""


def moment_of(schedule: Resource) -> datetime | None:
    """The instant of an `at(…)` expression in its timezone (UTC where none is named); None where it is not known."""
    text = at_text(schedule)
    zone = schedule.get("scheduleExpressionTimezone")
    if not text or late(zone):
        return None
    try:
        naive = datetime.fromisoformat(text)
        return naive.replace(tzinfo=ZoneInfo(zone) if isinstance(zone, str) and zone != "UTC" else UTC)
    except (ValueError, KeyError, OSError):
        return None


def input_of(schedule: Resource) -> Mapping[str, Any] | None:
    """The JSON object that the target is called with; None where it is absent, unknown or no JSON object."""
    value = schedule.get("target", "input")
    if not isinstance(value, str):
        return None
    try:
        found = json.loads(value)
    except ValueError:
        return None
    return cast(Mapping[str, Any], found) if isinstance(found, dict) else None


def call_of(schedule: Resource) -> str:
    """The right that the target's call needs, where it is one that changes a group's size or takes it away; else empty."""
    arn = schedule.get("target", "arn")
    return _SCALING_CALLS.get(arn.rpartition(":")[2].lower(), "") if isinstance(arn, str) else ""


def calls_scaling(schedule: Resource) -> bool:
    """Whether the target is one of the calls that change a group's size or take it away."""
    return bool(call_of(schedule))


def aims_at(aws: AwsGraph, schedule: Resource, group: Resource) -> bool:
    """Whether a schedule moves the size of this group, as far as can be seen."""
    if schedule.type == GROUP_SCHEDULE:
        links = aws.linked(schedule, "autoscalingGroupName", SCALING_GROUP)
        value = schedule.get("autoscalingGroupName")
        # An EKS node group gives the name of the scaling group that it hides.
        hidden = group.urn in schedule.property_dependencies.get("autoscalingGroupName", ())
        named = isinstance(value, str) and value == _name(group)
        return hidden or named or any(g.urn == group.urn for g in links.resources)
    if schedule.type != SCHEDULE or not calls_scaling(schedule):
        return False
    urns = schedule.property_dependencies.get("target", ())
    body = schedule.get("target", "input")
    if group.urn in urns or f"${{{group.name}." in str(body):
        return True
    if isinstance(body, str) and not late(body):
        return bool(_name(group)) and f'"{_name(group)}"' in body
    return late(body) and not any(aws_type in u for u in urns for aws_type in (SCALING_GROUP, NODE_GROUP))


def schedules_of(aws: AwsGraph, group: Resource) -> tuple[Resource, ...]:
    """The schedules that move the size of a group, as far as can be seen."""
    return aws.once("schedules by group", lambda: _by_group(aws)).get(group.urn, ())


def _by_group(aws: AwsGraph) -> dict[str, tuple[Resource, ...]]:
    groups = tuple(aws.of_type(SCALING_GROUP, NODE_GROUP))
    by_word: dict[str, list[Resource]] = {}
    for g in groups:
        for word in {g.urn, g.name, _name(g)} - {""}:
            by_word.setdefault(word, []).append(g)
    found: dict[str, list[Resource]] = {}
    for s in aws.of_type(GROUP_SCHEDULE, SCHEDULE):
        named = _named_by(s)
        # Text that is not known yet may name any group.
        likely = groups if named is None else {g.urn: g for w in named for g in by_word.get(w, ())}.values()
        for g in likely:
            if aims_at(aws, s, g):
                found.setdefault(g.urn, []).append(s)
    return {urn: tuple(listed) for urn, listed in found.items()}


def _named_by(schedule: Resource) -> set[str] | None:
    """The URNs and names that a schedule speaks of; None where it may be any."""
    own = schedule.type == GROUP_SCHEDULE
    value = schedule.get("autoscalingGroupName") if own else schedule.get("target", "input")
    urns = {u for us in schedule.property_dependencies.values() for u in us}
    if not isinstance(value, str):
        raw = schedule.inputs.get("autoscalingGroupName")
        named = {raw.resource} if isinstance(raw, OutputRef) else set[str]()
        typed = any(kind in u for u in urns for kind in (SCALING_GROUP, NODE_GROUP))
        return urns | named if own or typed else None
    if not own and late(value) and not any(kind in u for u in urns for kind in (SCALING_GROUP, NODE_GROUP)):
        return None
    return urns | {value} | {word for pair in _WORDS.findall(value) for word in pair}


def aims_unseen(aws: AwsGraph, schedule: Resource) -> bool:
    """Whether the group that a group's own schedule moves is not known yet."""
    value = schedule.get("autoscalingGroupName")
    return late(value) and not aws.linked(schedule, "autoscalingGroupName", SCALING_GROUP).resources


def _name(group: Resource) -> str:
    value = group.get("nodeGroupName" if group.type == NODE_GROUP else "name")
    return value if isinstance(value, str) else ""
