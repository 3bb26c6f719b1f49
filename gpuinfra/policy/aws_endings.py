"""What ends a group of AWS nodes, what only looks like it, and what cannot be seen into."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, cast

from .aws_graph import (
    EVENT_RULE,
    GROUP_POLICY,
    GROUP_SCHEDULE,
    NODE_GROUP,
    SCALING_GROUP,
    SCHEDULE,
    AwsGraph,
    Nodes,
    group_size,
    size_unknown,
)
from .aws_kubernetes import charts
from .aws_leases import faults, is_off, left_by, rule_faults
from .aws_rights import ROLE, may, roles_of
from .aws_schedules import aims_unseen, call_of, schedules_of
from .aws_user_data import is_late, script
from .found_ends import End, Kind, best_of
from .resource_graph import Resource
from .wire_values import entries, late, number, plain, truth

LEAVES_GROUP = re.compile(r"terminate-instance-in-auto-scaling-group|TerminateInstanceInAutoScalingGroup")
"""How a node's script takes the node out of its group."""
_SETS_GROUP = re.compile(r"autoscaling (?:set-desired-capacity|update-auto-scaling-group)|eks update-nodegroup-config")
_SCALER_TAG = "k8s.io/cluster-autoscaler/"
_SCALERS = ("cluster-autoscaler", "karpenter")
_FUNCTION = "aws:lambda/function:Function"
_TARGET = "aws:cloudwatch/eventTarget:EventTarget"
_SUBSCRIPTION = "aws:sns/topicSubscription:TopicSubscription"
_ACTORS = (":lambda:", ":states:", ":ssm:", ":ecs:", ":codebuild:", ":events:")
_ENDING_RIGHTS = (
    "autoscaling:UpdateAutoScalingGroup",
    "autoscaling:SetDesiredCapacity",
    "autoscaling:DeleteAutoScalingGroup",
    "autoscaling:TerminateInstanceInAutoScalingGroup",
    "eks:UpdateNodegroupConfig",
    "eks:DeleteNodegroup",
    "ec2:TerminateInstances",
    "states:StartExecution",
    "ssm:StartAutomationExecution",
    "cloudformation:DeleteStack",
)


def end_of(aws: AwsGraph, group: Resource, nodes: Nodes | None, now: datetime | None) -> End:
    """The best that is known of a group's end."""
    others = aws.once("what may end any group", lambda: (*_actors(aws), *_unseen(aws)))
    return best_of((*_schedules(aws, group, now), *_policies(aws, group), *_scalers(aws, group, nodes), *others))


def _schedules(aws: AwsGraph, group: Resource, now: datetime | None) -> Iterator[End]:
    return (_of_schedule(aws, s, group, now) for s in schedules_of(aws, group))


def _unseen(aws: AwsGraph) -> Iterator[End]:
    for s in aws.of_type(GROUP_SCHEDULE):
        if aims_unseen(aws, s):
            yield End(Kind.UNSEEN, f"which group '{s.name}' moves is not known yet")


def _of_schedule(aws: AwsGraph, s: Resource, group: Resource, now: datetime | None) -> End:
    if is_off(s):
        return End(Kind.NONE, f"'{s.name}' is switched off", s.name, "state")
    if any(f.path != "scheduleExpressionTimezone" for f in faults(aws, s, now)):
        return End(Kind.SAID)
    left = left_by(s, group)
    if left is None:
        return End(Kind.UNSEEN, f"what '{s.name}' leaves is not known yet")
    if not left and s.type == SCHEDULE and late(s.get("state")):
        return End(Kind.UNSEEN, f"whether '{s.name}' is switched off is not known yet")
    if not left:
        return End(Kind.ENDS)
    least, wanted, _ = group_size(group)
    if left > max(least or 0, wanted or 0):
        return End(Kind.NONE)
    place = (
        "target.input" if s.type == SCHEDULE else "minSize" if number(s.get("minSize")) == left else "desiredCapacity"
    )
    return End(Kind.NONE, f"'{s.name}' leaves {left:g} of them", s.name, place)


def _policies(aws: AwsGraph, group: Resource) -> Iterator[End]:
    for p in aws.of_type(GROUP_POLICY):
        if not any(g.urn == group.urn for g in aws.linked(p, "autoscalingGroupName", SCALING_GROUP).resources):
            continue
        why, key = _never_shrinks(p)
        least = group_size(group)[0]
        if why:
            yield End(Kind.NONE, f"'{p.name}' {why}", p.name, key)
        elif least:
            yield End(Kind.NONE, f"'{p.name}' goes no lower than the least number, {least:g}", group.name, "minSize")
        elif size_unknown(group)[0] or _unseen_policy(p):
            yield End(Kind.UNSEEN, f"whether '{p.name}' takes every node away is not known yet")
        else:
            yield End(Kind.ENDS)


def _never_shrinks(policy: Resource) -> tuple[str, str]:
    """Why a scaling policy takes no node away, and its key; empty where it may."""
    if truth(policy.get("enabled")) is False:
        return "is switched off", "enabled"
    kind = policy.get("policyType")
    if kind == "TargetTrackingScaling" and truth(policy.get("targetTrackingConfiguration", "disableScaleIn")):
        return "only adds nodes", "targetTrackingConfiguration.disableScaleIn"
    if kind == "PredictiveScaling":
        mode = policy.get("predictiveScalingConfiguration", "mode")
        return ("only forecasts", "predictiveScalingConfiguration.mode") if mode in (None, "ForecastOnly") else ("", "")
    steps = [number(s.get("scalingAdjustment")) for s in entries(policy.get("stepAdjustments"))]
    steps += [number(policy.get("scalingAdjustment"))] if kind in (None, "SimpleScaling") else []
    change = policy.get("adjustmentType") in ("ChangeInCapacity", "PercentChangeInCapacity")
    if change and steps and all(s is not None and s >= 0 for s in steps):
        return "only adds nodes", "stepAdjustments" if kind == "StepScaling" else "scalingAdjustment"
    return "", ""


def _unseen_policy(policy: Resource) -> bool:
    named = [policy.get(k) for k in ("enabled", "policyType", "adjustmentType", "scalingAdjustment")]
    named.append(policy.get("targetTrackingConfiguration", "disableScaleIn"))
    named.append(policy.get("predictiveScalingConfiguration", "mode"))
    named += [plain(s.get("scalingAdjustment")) for s in entries(policy.get("stepAdjustments"))]
    return any(late(v) for v in (*named, policy.get("stepAdjustments")))


def _scalers(aws: AwsGraph, group: Resource, nodes: Nodes | None) -> Iterator[End]:
    """What goes down to the least number by itself: the cluster's autoscaler, or the nodes' own script."""
    value = nodes.template.get("userData") if nodes is not None else None
    text = script(value) if isinstance(value, str) else ""
    if is_late(value) and not group_size(group)[0] and (nodes is None or _nodes_may_end(aws, nodes)):
        # Below a least number a node takes nobody, itself least of all.
        yield End(Kind.UNSEEN, "whether the nodes' boot script ends them is not known yet")
    if _SETS_GROUP.search(text):
        yield End(Kind.ENDS)
    if LEAVES_GROUP.search(text):
        # With a least number another rule says that the last nodes stay.
        yield End(Kind.SAID if group_size(group)[0] else Kind.ENDS)
    if _tagged(group) or any(charts(aws, name) for name in _SCALERS):
        unseen = End(Kind.UNSEEN, "the least number of nodes is not known yet")
        yield unseen if size_unknown(group)[0] else End(Kind.NONE) if group_size(group)[0] else End(Kind.ENDS)


def _nodes_may_end(aws: AwsGraph, nodes: Nodes) -> bool:
    """Whether a script of the nodes could take one out of its group: not where their role surely lacks the right, since
    the group replaces a machine that merely stops."""
    roles = roles_of(aws, nodes.template)
    return not roles or any(may(aws, r, right) is not False for r in roles for right in _ENDING_RIGHTS)


def _tagged(group: Resource) -> bool:
    tags = group.get("tags")
    if isinstance(tags, Mapping):
        return any(str(k).startswith(_SCALER_TAG) for k in cast("Mapping[str, Any]", tags))
    return any(str(plain(t.get("key"))).startswith(_SCALER_TAG) for t in entries(tags))


def _actors(aws: AwsGraph) -> Iterator[End]:
    """What a schedule, an event or a message calls, whose doing stands in code."""
    for s in aws.of_type(SCHEDULE):
        if not call_of(s) and not is_off(s) and _acts(aws, s, "target", s.get("target", "arn")):
            yield End(Kind.UNSEEN, f"what '{s.name}' calls cannot be seen into")
    for t in aws.of_type(_TARGET):
        if _acts(aws, t, "arn", t.get("arn")):
            yield _by_event(aws, t)
    for t in aws.of_type(_SUBSCRIPTION):
        if t.get("protocol") == "lambda" and _acts(aws, t, "endpoint", t.get("endpoint")):
            yield End(Kind.UNSEEN, f"what '{t.name}' calls cannot be seen into")


def _by_event(aws: AwsGraph, target: Resource) -> End:
    """What an event's rule calls, unless the rule is switched off or never fires."""
    for rule in aws.linked(target, "rule", EVENT_RULE).resources:
        if rule_faults(rule):
            return End(Kind.SAID)
        for key, off in (("state", "DISABLED"), ("isEnabled", "FALSE")):
            if str(rule.get(key)).upper() == off:
                return End(Kind.NONE, f"'{rule.name}' is switched off", rule.name, key)
    return End(Kind.UNSEEN, f"what '{target.name}' calls cannot be seen into")


def _acts(aws: AwsGraph, owner: Resource, key: str, arn: object) -> bool:
    """Whether a target can end nodes: a function whose role surely may not is none."""
    called = [r for r in aws.link(owner, key, arn).resources if r.type not in (ROLE, SCALING_GROUP, NODE_GROUP)]
    if late(arn) and not called:
        return True
    functions = [r for r in called if r.type == _FUNCTION]
    if functions and len(functions) == len(called):
        return any(_may_end(aws, f) for f in functions)
    if isinstance(arn, str) and not late(arn):
        return any(part in arn for part in _ACTORS) or arn.rpartition(":")[2].lower() in ("invoke", "startexecution")
    return any(part.strip(":") in r.type for r in called for part in (":lambda", ":sfn", ":ssm", ":ecs", ":codebuild"))


def _may_end(aws: AwsGraph, function: Resource) -> bool:
    roles = aws.linked(function, "role", ROLE).resources
    return not roles or any(may(aws, r, right) is not False for r in roles for right in _ENDING_RIGHTS)
