"""A group that takes a part of an UltraServer.

What: The size of a group of GB200 or GB300 nodes is neither 9 nor 18.
Why: An UltraServer is sold as 9 or 18 machines that share one NVLink domain. A larger group waits for machines that the block does not have; a smaller one leaves paid machines off.
Fix: Make the group as large as the UltraServer that was bought.
References: aws/aws-parallelcluster, UltraserverCapacityBlockSizeValidator
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_capacity import ULTRASERVER, ULTRASERVER_SIZES
from ...aws_graph import NODE_GROUP
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number

CODE = described("GI3450", "ultraserver-in-pieces", Severity.ERROR, __doc__, ("AWS CAP-07",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group; what our own component made is judged by the plan rules."""
    for nodes in ctx.aws.nodes:
        if not ULTRASERVER.match(nodes.instance_type) or ctx.aws.ours(nodes.template):
            continue
        for group in nodes.groups:
            key = ("scalingConfig", "maxSize") if group.type == NODE_GROUP else ("maxSize",)
            if late(group.get(*key)):
                yield Undecided(CODE.code, group.name, "the number of nodes is not known yet")
                continue
            count = number(group.get(*key)) or 0
            # A group of none is one that is not in use.
            if count and count not in ULTRASERVER_SIZES:
                yield CODE.at(
                    f"{group.name}.{'.'.join(key)}",
                    f"{count:g} nodes of {nodes.instance_type}, and they are sold as {' or '.join(map(str, ULTRASERVER_SIZES))}",
                    f"take {min(ULTRASERVER_SIZES, key=lambda s: abs(s - count))}",
                    resource=group.name,
                )


_T = """\
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: {0}, instanceMarketOptions: {{marketType: capacity-block}}}}}}
- {{type: aws.autoscaling.Group, name: group, inputs: {{minSize: 0, maxSize: {1}, launchTemplate: {{id: !ref nodes.id }}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (_T.format("p6e-gb200.36xlarge", 18), _T.format("p6e-gb200.36xlarge", 0), _T.format("p5.48xlarge", 4)),
        (_T.format("p6e-gb200.36xlarge", 4), _T.format("p6e-gb200.36xlarge", 36)),
        (_T.format("p6e-gb200.36xlarge", "!unknown "),),
    ),
    providers=(Provider.AWS,),
)
