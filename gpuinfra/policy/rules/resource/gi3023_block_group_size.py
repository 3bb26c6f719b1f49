"""A capacity block's group that is larger than the block, or that grows and shrinks.

What: The group may hold more nodes than the block, or it has nodes wanted before the block has begun.
Why: The surplus nodes fail with ReservationCapacityExceeded, and before the start every launch fails.
Fix: Make the most equal to the block's count, and desired 0 until a schedule raises it at the block's start.
References: aws/aws-parallelcluster, CapacityReservationSizeValidator; awslabs/awsome-distributed-ai PR #299
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_capacity import is_block, reserved_count
from ...aws_graph import group_size, size_unknown
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3023", "block-group-size", Severity.ERROR, __doc__, ("AWS CAP-03",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group of a block."""
    for nodes in ctx.aws.nodes:
        block = is_block(ctx, nodes.template)
        if nodes.groups and block is None:
            yield Undecided(CODE.code, nodes.name, "whether it buys from a block is not known yet")
        if not nodes.groups or not block:
            continue
        count = reserved_count(ctx, nodes.template)
        for group in nodes.groups:
            least, wanted, most = group_size(group)
            _, wanted_unknown, most_unknown = size_unknown(group)
            if most_unknown or (wanted_unknown and (count is None or most is None or most <= count)):
                yield Undecided(CODE.code, group.name, "the group's size is not known yet")
            elif count is not None and most is not None and most > count:
                yield CODE.at(
                    f"{group.name}.maxSize",
                    f"the group may hold {most:g} nodes, and the capacity block has {count:g}",
                    resource=group.name,
                )
            elif most and wanted and wanted != most:
                yield CODE.at(
                    f"{group.name}.desiredCapacity",
                    f"a capacity block is paid in whole: the group wants {wanted:g} of at most {most:g} nodes (least "
                    f"{least or 0:g}); one size while the block runs, and 0 before it",
                    resource=group.name,
                )


_T = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {{instanceMarketOptions: {{marketType: capacity-block}}}}
- type: aws.autoscaling.Group
  name: group
  inputs: {{minSize: 0, desiredCapacity: {0}, maxSize: {1}, launchTemplate: {{id: !ref nodes.id }}}}
"""

RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples((_T.format(0, 8), _T.format(8, 8)), (_T.format(8, 10),), (_T.format(8, "!unknown "),)),
    providers=(Provider.AWS,),
)
