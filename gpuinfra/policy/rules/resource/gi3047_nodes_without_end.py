"""GPU nodes that nothing ever stops.

What: A program keeps GPU nodes (a least or wanted number above zero), and nothing takes the last of them away: no schedule, scaling policy, autoscaler or script, or one that is switched off, leaves nodes or only adds some.
Severity: error where an organisation names a price per hour, and the nodes cost as much
Why: Nodes bill until somebody remembers them. A budget is an alarm that comes 8 to 24 hours late, never a cap.
Fix: Add a lease (an EventBridge schedule that sets the group to zero), or an idle policy with a least number of 0.
References: AWS Cost Management User Guide, budgets update up to three times a day
"""

from __future__ import annotations

from collections.abc import Iterator

from ....cost import LAG_HOURS
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_capacity import BLOCK_MARKET, market
from ...aws_endings import end_of
from ...aws_graph import Nodes, group_size
from ...aws_kubernetes import node_groups
from ...aws_places import region_of
from ...dear_nodes import demand
from ...found_ends import Kind
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3047", "nodes-without-end", Severity.WARNING, __doc__, ("AWS COST-05",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group of GPU nodes; what our own component made is judged by the plan rules."""
    for nodes in ctx.aws.nodes:
        facts = ctx.aws.facts_of(nodes)
        # The nodes of a capacity block end with it; that something winds them down before, another rule asks.
        if facts is not None and facts.has_gpu and market(nodes.template) != BLOCK_MARKET:
            for group in nodes.groups:
                yield from _judged(ctx, group, nodes, facts.name)
    for bare in node_groups(ctx.aws):
        if bare.nodes is None and bare.has_gpu:
            kind = bare.types[0] if bare.types else str(bare.resource.get("amiType"))
            yield from _judged(ctx, bare.resource, None, kind)


def _judged(ctx: GraphContext, group: Resource, nodes: Nodes | None, kind: str) -> Iterator[Diagnostic | Undecided]:
    if ctx.aws.ours(group):
        return
    end = end_of(ctx.aws, group, nodes, ctx.now)
    if end.kind in (Kind.ENDS, Kind.SAID):
        return
    least, wanted, _ = group_size(group)
    kept = max(least or 0, wanted or 0)
    if not kept and _size_unknown(group):
        yield Undecided(CODE.code, group.name, "how many nodes run is not known yet")
    elif kept and end.kind is Kind.UNSEEN:
        yield Undecided(CODE.code, group.name, end.text)
    elif kept:
        own = f"{group.name}.{'scalingConfig' if 'scalingConfig' in group.inputs else 'minSize'}"
        why = end.text or "no schedule, lease or idle policy"
        dear = demand(ctx.options, CODE.code, Provider.AWS, ((kind, kept),), region_of(group))
        yield CODE.at(
            end.path or own,
            f"{kept:g} nodes of {kind} run for ever: {why}; a budget alone is no cap, its data lag 8–{LAG_HOURS} h"
            f"{dear.text}",
            resource=end.source or group.name,
            severity=dear.severity,
        )


def _size_unknown(group: Resource) -> bool:
    keys = ("scalingConfig", "minSize", "desiredCapacity")
    inside = [group.get("scalingConfig", k) for k in ("minSize", "desiredSize")]
    return any(late(v) for v in (*(group.get(k) for k in keys), *inside))


_T = """\
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: p5.48xlarge}}}}
- type: aws.autoscaling.Group
  name: group
  inputs: {{minSize: {0}, maxSize: 4, launchTemplate: {{id: !ref nodes.id }}}}
"""

_BARE = """\
- {type: aws.eks.NodeGroup, name: pool, inputs: {instanceTypes: [g5.xlarge], scalingConfig: {minSize: 1, maxSize: 2}}}
"""

_LEASE = """\
- type: aws.scheduler.Schedule
  name: lease
  inputs:
    scheduleExpression: at(2026-12-05T18:00:00)
    scheduleExpressionTimezone: UTC
    state: {0}
    target: {{arn: "arn:aws:scheduler:::aws-sdk:autoscaling:updateAutoScalingGroup", input: {1}}}
"""
_NIGHT = """\
- type: aws.autoscaling.Schedule
  name: night
  inputs: {{autoscalingGroupName: !ref group.name , recurrence: "0 19 * * *", minSize: {0}, maxSize: 4, desiredCapacity: {1}}}
"""
_ONE = """'{"AutoScalingGroupName": "${group.name}", "MinSize": 1}'"""
_END = _ONE.replace("1", '0, "DesiredCapacity": 0')
_IDLE = """\
- type: aws.autoscaling.Policy
  name: idle
  inputs: {{autoscalingGroupName: !ref group.name , adjustmentType: ChangeInCapacity, scalingAdjustment: {0}}}
"""

RULE = ResourceRule(
    CODE,
    ("cost", "time"),
    check,
    Examples(
        (
            _T.format(0),
            _T.format(1) + _LEASE.format("ENABLED", _END),
            _T.format(1) + _NIGHT.format(0, 0),
            _T.format(0).replace("maxSize", "desiredCapacity: 2, maxSize") + _IDLE.format(-1),
        ),
        (
            _T.format(1),
            _BARE,
            _T.format(1) + _LEASE.format("DISABLED", _END),
            _T.format(1) + _LEASE.format("ENABLED", _ONE),
            _T.format(1) + _NIGHT.format(1, 1),
            _T.format(1) + _NIGHT.format(0, -1),
            _T.format(0).replace("maxSize", "desiredCapacity: 2, maxSize") + _IDLE.format(1),
        ),
        (_T.format("!unknown "), _T.format(1) + _LEASE.format("ENABLED", "!unknown ")),
    ),
    providers=(Provider.AWS,),
    demands_end=True,
)
