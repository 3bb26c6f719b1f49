"""A capacity block's group that nothing winds down.

What: A group on a capacity block has no schedule that brings it to zero before the block ends.
Why: The cloud terminates the nodes from 30 minutes before the end: without a schedule the job dies where it stands, and the group goes on trying to launch.
Fix: Add an autoscaling schedule to desired 0 forty minutes before the end, and save a checkpoint before it.
References: EC2 User Guide, Capacity Blocks for ML; eksctl-io/eksctl PR #8207
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_capacity import is_block
from ...aws_graph import NODE_GROUP
from ...aws_leases import is_off, left_by
from ...aws_schedules import schedules_of
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3028", "block-without-end", Severity.WARNING, __doc__, ("AWS CAP-09",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group. EKS winds its managed groups down itself; of our own component the plan rules speak."""
    for nodes in ctx.aws.nodes:
        if not nodes.groups:
            continue
        block = is_block(ctx, nodes.template)
        for group in nodes.groups:
            if group.type == NODE_GROUP or block is False or ctx.aws.ours(group):
                continue
            if _ends(ctx, group):
                continue
            if block is None:
                yield Undecided(CODE.code, group.name, "the market type is not known yet")
            else:
                yield CODE.at(
                    group.name, "nothing scales the group to zero before its capacity block ends", resource=group.name
                )


def _ends(ctx: GraphContext, group: Resource) -> bool:
    """Whether a schedule brings the group to zero, or may. One that never fires is another rule's."""
    return any(not is_off(s) and not left_by(s, group) for s in schedules_of(ctx.aws, group))


_T = """\
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceMarketOptions: {{marketType: {0}}}}}}}
- type: aws.autoscaling.Group
  name: group
  inputs: {{minSize: 0, maxSize: 8, launchTemplate: {{id: !ref nodes.id }}}}
"""
_DOWN = """\
- type: aws.autoscaling.Schedule
  name: down
  inputs: {autoscalingGroupName: !ref group.name , desiredCapacity: 0, startTime: "2026-12-08T10:50:00Z"}
"""

RULE = ResourceRule(
    CODE,
    ("capacity", "time"),
    check,
    Examples((_T.format("capacity-block") + _DOWN,), (_T.format("capacity-block"),), (_T.format("!unknown "),)),
    providers=(Provider.AWS,),
)
