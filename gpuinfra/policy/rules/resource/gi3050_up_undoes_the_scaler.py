"""A number of nodes that `up` and something else both set.

What: A group has a desired number written out, something else moves it (a schedule, a scaling policy, an autoscaler), and `up` does not ignore it.
Why: The next `up` sets the written number again and starts the whole fleet that was scaled away, or stops nodes at work.
Fix: Add ignoreChanges: [desiredCapacity] (EKS node groups: scalingConfig.desiredSize).
References: pulumi/pulumi-eks#1293; pulumi/pulumi#7081
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import GROUP_POLICY, GROUP_SCHEDULE, NODE_GROUP, SCALING_GROUP, SCHEDULE, AwsGraph
from ...aws_schedules import aims_at, aims_unseen
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, items

CODE = described("GI3050", "up-undoes-the-scaler", Severity.WARNING, __doc__, ("AWS COST-08",))
_AUTOSCALER_TAG = "k8s.io/cluster-autoscaler/"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group."""
    for group in ctx.aws.of_type(SCALING_GROUP, NODE_GROUP):
        key = "scalingConfig.desiredSize" if group.type == NODE_GROUP else "desiredCapacity"
        if group.get(*key.split(".")) is None:
            continue
        ignored = {str(i) for i in items(group.options.get("ignoreChanges"))}
        if {key, key.partition(".")[0], "*"} & ignored:
            continue
        mover = _mover(ctx.aws, group)
        if not mover and (unknown := _aims_unseen(ctx.aws)):
            yield Undecided(CODE.code, group.name, f"which group '{unknown.name}' moves is not known yet")
        elif mover:
            yield CODE.at(
                f"{group.name}.{key}",
                f"{mover} moves the number of nodes, and the next `up` sets it back",
                f"add ignoreChanges: [{key}]",
                resource=group.name,
            )


def _mover(aws: AwsGraph, group: Resource) -> str:
    for r in aws.of_type(GROUP_SCHEDULE, GROUP_POLICY):
        if any(g.urn == group.urn for g in aws.linked(r, "autoscalingGroupName", SCALING_GROUP).resources):
            return f"'{r.name}'"
    for r in aws.of_type(SCHEDULE):
        if aims_at(aws, r, group):
            return f"'{r.name}'"
    tags = [str(t.get("key")) for t in entries(group.get("tags"))]
    return "the cluster autoscaler" if any(t.startswith(_AUTOSCALER_TAG) for t in tags) else ""


def _aims_unseen(aws: AwsGraph) -> Resource | None:
    """A schedule or policy whose group is not known yet."""
    return next((r for r in aws.of_type(GROUP_SCHEDULE, GROUP_POLICY) if aims_unseen(aws, r)), None)


_T = """\
- type: aws.autoscaling.Group
  name: group
  inputs: {{minSize: 0, maxSize: 4, desiredCapacity: 4}}
  options: {0}
- type: aws.autoscaling.Schedule
  name: down
  inputs: {{autoscalingGroupName: {1}, desiredCapacity: 0}}
"""

RULE = ResourceRule(
    CODE,
    ("cost", "drift"),
    check,
    Examples(
        (_T.format("{ignoreChanges: [desiredCapacity]}", "!ref group.name "),),
        (_T.format("{}", "!ref group.name "),),
        (_T.format("{}", "!unknown "),),
    ),
    providers=(Provider.AWS,),
)
