"""A GPU instance of its own that nothing ever stops.

What: A program starts a GPU instance outside any group, and nothing in it stops or ends that instance.
Severity: error where an organisation names a price per hour, and the nodes cost as much
Why: It bills until somebody remembers it: a p5.48xlarge bills more in a weekend than many a team in a month. A budget is an alarm that comes 8 to 24 hours late, never a cap.
Fix: Give it an EventBridge schedule that stops or ends it, a CloudWatch alarm with the action ec2:stop on low use, or a watchdog in its boot script with instanceInitiatedShutdownBehavior "terminate".
References: EC2 User Guide, stop and terminate actions of CloudWatch alarms; EventBridge Scheduler User Guide, universal targets
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....catalog import InstanceType
from ....cost import LAG_HOURS
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import BUDGET_ACTION, INSTANCES, LAUNCH_TEMPLATE, SCHEDULE
from ...aws_places import region_of
from ...aws_schedules import calls_scaling
from ...aws_user_data import is_late, script
from ...dear_nodes import demand
from ...machine_rows import gpu_row_of
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, late, plain

CODE = described("GI3402", "lone-node-without-end", Severity.WARNING, __doc__, ("AWS COST-05",))
_ALARM = "aws:cloudwatch/metricAlarm:MetricAlarm"
_STATE = "aws:ec2transitgateway/instanceState:InstanceState"
_TIMED = ("aws:cloudwatch/eventRule:EventRule", "aws:ssm/maintenanceWindow:MaintenanceWindow")
_BY_HAND = ("aws:lambda/function:Function", "aws:ssm/association:Association", "aws:sfn/stateMachine:StateMachine")
_ENDS = (
    "shutdown",
    "poweroff",
    "halt",
    "terminate-instances",
    "stop-instances",
    "terminate_instances",
    "stop_instances",
)
_ENDING_MARKETS = ("capacity-block", "interruptible-capacity-reservation")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each instance; what our own component made is judged by the plan rules."""
    if _swept(ctx):
        return
    for box in ctx.aws.of_type(*INSTANCES):
        launchers = (box, *ctx.aws.linked(box, "launchTemplate", LAUNCH_TEMPLATE).resources)
        kind = _gpu_type(launchers)
        if kind is None or ctx.aws.ours(box) or _ends(ctx, box, launchers):
            continue
        data = [plain(r.get(k)) for r in launchers for k in ("userData", "userDataBase64")]
        if any(isinstance(d, str) and not is_late(d) and any(w in script(d) for w in _ENDS) for d in data):
            continue
        if any(is_late(d) for d in data):
            yield Undecided(CODE.code, box.name, "whether its boot script ends it is not known yet")
        else:
            dear = demand(ctx.options, CODE.code, Provider.AWS, ((kind.name, 1),), region_of(box))
            yield CODE.at(
                box.name,
                f"an instance of {kind.name} runs for ever: no schedule, alarm or watchdog; a budget alone is no cap, its "
                f"data lag 8–{LAG_HOURS} h{dear.text}",
                resource=box.name,
                severity=dear.severity,
            )


def _gpu_type(launchers: tuple[Resource, ...]) -> InstanceType | None:
    name = next((t for r in launchers if (t := r.get("instanceType")) is not None), None)
    return gpu_row_of(Provider.AWS, name)


def _swept(ctx: GraphContext) -> bool:
    """Whether the program has what may stop instances by their tags: which ones, only its code says."""
    timed = ctx.aws.has(*_TIMED) and any(
        r.get(key) is not None for r in _of(ctx, *_TIMED) for key in ("scheduleExpression", "schedule")
    )
    return timed or ctx.aws.has(*_BY_HAND) or any(not calls_scaling(s) for s in _of(ctx, SCHEDULE))


def _of(ctx: GraphContext, *types: str) -> tuple[Resource, ...]:
    return tuple(ctx.aws.of_type(*types))


def _ends(ctx: GraphContext, box: Resource, launchers: tuple[Resource, ...]) -> bool:
    if box.get("validUntil") is not None:
        return True
    if any(r.get("instanceMarketOptions", "marketType") in _ENDING_MARKETS for r in launchers):
        return True
    if any(r.get("state") == "stopped" and _names(r, box) for r in _of(ctx, _STATE)):
        return True
    return any(_names(r, box) for r in _of(ctx, BUDGET_ACTION)) or any(
        _names(a, box) and any(_stops(action) for action in items(a.get("alarmActions")) or [a.get("alarmActions")])
        for a in _of(ctx, _ALARM)
    )


def _names(r: Resource, box: Resource) -> bool:
    """Whether a resource speaks of the instance."""
    return box.urn in (*r.dependencies, *(u for us in r.property_dependencies.values() for u in us))


def _stops(action: Any) -> bool:
    value = plain(action)
    return late(value) or any(
        w in str(value) for w in (":ec2:stop", ":ec2:terminate", "AWS_EC2.InstanceId.Stop", "Terminate")
    )


_T = """\
- {{type: aws.ec2.Instance, name: box, inputs: {{ami: ami-0123456789abcdef0, instanceType: {0}, userData: {1}}}}}
"""
_ALARMED = """\
- type: aws.cloudwatch.MetricAlarm
  name: idle
  inputs: {alarmActions: ["arn:aws:automate:us-east-1:ec2:stop"], dimensions: {InstanceId: !ref box.id }}
"""

RULE = ResourceRule(
    CODE,
    ("cost", "time"),
    check,
    Examples(
        (
            _T.format("p5.48xlarge", "null") + _ALARMED,
            _T.format("p5.48xlarge", '"#!/bin/bash\\n(sleep 8h; shutdown -h now) &"'),
            _T.format("m6i.large", "null"),
        ),
        (_T.format("p5.48xlarge", "null"), _T.format("g5.xlarge", '"#!/bin/bash\\npython serve.py"')),
        (_T.format("p5.48xlarge", "!unknown "),),
    ),
    providers=(Provider.AWS,),
    demands_end=True,
)
