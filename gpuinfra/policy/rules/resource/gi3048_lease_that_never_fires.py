"""A lease that never fires, or fires at the wrong hour.

What: A schedule whose moment is past, cannot be read or never comes (cron of EventBridge Scheduler has six fields, that of a group's own schedule five); an `at(…)` without timezone; an input that is no JSON, has keys of the wrong case, or wants fewer nodes than the minimum; or a role that EventBridge Scheduler may not use, or that may not do the call.
Why: Preview accepts all of them. A past moment never comes; without a timezone it is UTC; snake_case keys are ignored by the call; a call without the right is refused when its moment comes, and the nodes run on.
Fix: Write the moment with scheduleExpressionTimezone, the input as {"AutoScalingGroupName": …, "MinSize": 0, "DesiredCapacity": 0}, and a role trusted by scheduler.amazonaws.com.
References: EventBridge Scheduler User Guide, universal targets; EventBridge Scheduler User Guide, execution role
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import EVENT_RULE, GROUP_SCHEDULE, SCHEDULE
from ...aws_leases import faults, may_be_held_up, rule_faults
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3048", "lease-that-never-fires", Severity.ERROR, __doc__, ("AWS COST-06",))

_MOMENTS = ("scheduleExpression", "scheduleExpressionTimezone", "recurrence", "startTime")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each schedule and fault."""
    for s in ctx.aws.of_type(SCHEDULE, GROUP_SCHEDULE):
        if any(late(s.get(k)) for k in _MOMENTS):
            yield Undecided(CODE.code, s.name, "the moment is not known yet")
        elif may_be_held_up(ctx.aws, s):
            yield Undecided(CODE.code, s.name, "what it sets, or the group's least number, is not known yet")
        for fault in faults(ctx.aws, s, ctx.now):
            yield CODE.at(f"{s.name}.{fault.path}", fault.text, fault.hint, resource=s.name)
    for rule in ctx.aws.of_type(EVENT_RULE):
        if late(rule.get("scheduleExpression")):
            yield Undecided(CODE.code, rule.name, "the moment is not known yet")
        for fault in rule_faults(rule):
            yield CODE.at(f"{rule.name}.{fault.path}", fault.text, fault.hint, resource=rule.name)


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
_NIGHT = """\
- {{type: aws.autoscaling.Group, name: group, inputs: {{minSize: 2, maxSize: 4}}}}
- type: aws.autoscaling.Schedule
  name: night
  inputs: {{autoscalingGroupName: !ref group.name , recurrence: "{0}", minSize: {1}, maxSize: 4, desiredCapacity: 0}}
"""
_RIGHTS = """\
- type: aws.iam.Role
  name: caller
  inputs: {{assumeRolePolicy: '{{"Statement": [{{"Principal": {{"Service": "scheduler.amazonaws.com"}}}}]}}'}}
- type: aws.iam.RolePolicy
  name: rights
  inputs: {{role: !ref caller.id , policy: '{{"Statement": [{{"Effect": "Allow", "Action": "{0}", "Resource": "*"}}]}}'}}
"""
_GROUP = "- {type: aws.autoscaling.Group, name: gpu, inputs: {name: gpu, minSize: 4, maxSize: 4}}\n"

_CALLER = _T.format("at(2026-12-05T18:00:00)", "UTC", _CALL).replace("input:", "roleArn: !ref caller.arn , input:")

RULE = ResourceRule(
    CODE,
    ("cost", "time"),
    check,
    Examples(
        (
            _T.format("at(2026-12-05T18:00:00)", "Europe/Berlin", _CALL),
            _T.format("cron(0 19 ? * MON-FRI *)", "Europe/Berlin", _CALL),
            _T.format("rate(12 hours)", "null", _CALL),
            _NIGHT.format("0 19 * * *", 0),
            _RIGHTS.format("autoscaling:Update*") + _CALLER,
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
            _T.format("cron(0 19 * * ?)", "UTC", _CALL),
            _T.format("cron(0 19 31 2 ? *)", "UTC", _CALL),
            _T.format("every evening", "UTC", _CALL),
            "- {type: aws.cloudwatch.EventRule, name: night, inputs: {scheduleExpression: cron(0 19 * * *)}}\n",
            _NIGHT.format("0 19 ? * * *", 0),
            _NIGHT.format("0 19 * * *", 1),
            _RIGHTS.format("ec2:StopInstances") + _CALLER,
        ),
        (_T.format("!unknown ", "UTC", _CALL),),
    ),
    providers=(Provider.AWS,),
)
