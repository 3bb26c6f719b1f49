"""A lease that never fires, or fires at the wrong hour.

What: An EventBridge schedule of `at(…)` that is past, has no timezone, whose input is no JSON, has keys of the wrong case or wants fewer nodes than the group's minimum, or whose role EventBridge Scheduler may not use.
Why: Preview accepts all of them. A past moment never comes; without a timezone it is UTC; snake_case keys are ignored by the call, and the nodes run on.
Fix: Write the moment with scheduleExpressionTimezone, the input as {"AutoScalingGroupName": …, "MinSize": 0, "DesiredCapacity": 0}, and a role trusted by scheduler.amazonaws.com.
References: EventBridge Scheduler User Guide, universal targets; EventBridge Scheduler User Guide, execution role
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_capacity import moment
from ...aws_graph import GROUP_SCHEDULE, NODE_GROUP, SCALING_GROUP, SCHEDULE, AwsGraph, group_size
from ...aws_schedules import at_text, calls_scaling, input_of, moment_of, stops
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, late, number

CODE = described("GI3048", "lease-that-never-fires", Severity.ERROR, __doc__, ("AWS COST-06",))
_ROLE = "aws:iam/role:Role"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each schedule and fault."""
    for s in ctx.aws.of_type(SCHEDULE):
        if late(s.get("scheduleExpression")):
            yield Undecided(CODE.code, s.name, "the moment is not known yet")
        at = moment_of(s)
        if at is not None and ctx.now is not None and at <= ctx.now:
            yield CODE.at(
                f"{s.name}.scheduleExpression", f"the moment {s.get('scheduleExpression')} is past", resource=s.name
            )
        if at_text(s) and s.get("scheduleExpressionTimezone") is None:
            yield CODE.at(
                f"{s.name}.scheduleExpressionTimezone",
                f"{s.get('scheduleExpression')} has no timezone, and is taken as UTC",
                resource=s.name,
            )
        if calls_scaling(s):
            yield from _input(s)
            yield from _held_up(ctx.aws, s)
        yield from _role(ctx, s)
    for s in ctx.aws.of_type(GROUP_SCHEDULE):
        yield from _past(ctx, s)


def _past(ctx: GraphContext, s: Resource) -> Iterator[Diagnostic | Undecided]:
    """A scheduled action of a group that happens once, and whose moment is over: it is refused."""
    start = s.get("startTime")
    at = moment(start)
    if late(start):
        yield Undecided(CODE.code, s.name, "the moment is not known yet")
    elif at is not None and ctx.now is not None and at <= ctx.now and s.get("recurrence") is None:
        yield CODE.at(f"{s.name}.startTime", f"the moment {start} is past", resource=s.name)


def _input(s: Resource) -> Iterator[Diagnostic]:
    body = s.get("target", "input")
    if body is None and s.get("target") is not None:
        text = "the call is made without an input, and names no group"
        yield CODE.at(f"{s.name}.target.input", text, resource=s.name)
        return
    if not isinstance(body, str) or (late(body) and input_of(s) is None):
        return
    found = input_of(s)
    if found is None:
        yield CODE.at(f"{s.name}.target.input", "the target's input is no JSON object", resource=s.name)
        return
    wrong = [k for k in found if not k[:1].isupper() or "_" in k]
    if wrong:
        right = "".join(p[:1].upper() + p[1:] for p in wrong[0].split("_"))
        yield CODE.at(
            f"{s.name}.target.input",
            f"the call does not know '{wrong[0]}', and ignores it",
            f"write '{right}'",
            resource=s.name,
        )


def _held_up(aws: AwsGraph, s: Resource) -> Iterator[Diagnostic]:
    """The call is refused where it wants fewer nodes than the group's minimum and leaves the minimum as it is."""
    body = input_of(s) or {}
    flat = {k: v for part in (body, *entries(body.get("ScalingConfig"))) for k, v in part.items()}
    wanted = next((number(flat[k]) for k in ("DesiredCapacity", "DesiredSize") if k in flat), None)
    if wanted is None or "MinSize" in flat:
        return
    for group in aws.of_type(SCALING_GROUP, NODE_GROUP):
        least = group_size(group)[0]
        if least is not None and wanted < least and stops(aws, s, group):
            yield CODE.at(
                f"{s.name}.target.input",
                f"{wanted:g} nodes are wanted, and the minimum of '{group.name}' is {least:g}: the call is refused",
                'add "MinSize": 0 to the input',
                resource=s.name,
            )


def _role(ctx: GraphContext, s: Resource) -> Iterator[Diagnostic]:
    links = ctx.aws.link(s, "target", s.get("target", "roleArn"), _ROLE)
    for role in links.resources if len(links.resources) == 1 else ():
        policy = role.get("assumeRolePolicy")
        if not isinstance(policy, str) or late(policy):
            continue
        try:
            json.loads(policy)
        except ValueError:
            continue
        if "scheduler.amazonaws.com" not in policy:
            yield CODE.at(
                f"{s.name}.target.roleArn",
                f"role '{role.name}' does not trust scheduler.amazonaws.com, so the call is never made",
                resource=s.name,
            )


_T = """\
- type: aws.scheduler.Schedule
  name: lease
  inputs:
    scheduleExpression: {0}
    scheduleExpressionTimezone: {1}
    target: {{arn: "arn:aws:scheduler:::aws-sdk:autoscaling:updateAutoScalingGroup", input: '{2}'}}
"""
_DOWN = "- {{type: aws.autoscaling.Schedule, name: down, inputs: {{desiredCapacity: 0, startTime: {0}}}}}\n"
_CALL = '{"AutoScalingGroupName": "gpu", "MinSize": 0, "DesiredCapacity": 0}'
_GROUP = "- {type: aws.autoscaling.Group, name: gpu, inputs: {name: gpu, minSize: 4, maxSize: 4}}\n"

RULE = ResourceRule(
    CODE,
    ("cost", "time"),
    check,
    Examples(
        (
            _T.format("at(2026-12-05T18:00:00)", "Europe/Berlin", _CALL),
            _DOWN.format("2026-12-05T18:00:00Z"),
            _DOWN.format("2026-11-29T18:00:00Z, recurrence: 0 18 * * *"),
        ),
        (
            _T.format("at(2026-11-29T18:00:00)", "UTC", _CALL),
            _DOWN.format("2026-11-29T18:00:00Z"),
            _T.format("at(2026-12-05T18:00:00)", "null", _CALL),
            _T.format("at(2026-12-05T18:00:00)", "UTC", '{"auto_scaling_group_name": "gpu", "min_size": 0}'),
            _T.format("at(2026-12-05T18:00:00)", "UTC", "MinSize 0"),
            _T.format("at(2026-12-05T18:00:00)", "UTC", '{"AutoScalingGroupName": "gpu", "DesiredCapacity": 0}')
            + _GROUP,
        ),
        (_T.format("!unknown ", "UTC", _CALL),),
    ),
    providers=(Provider.AWS,),
)
