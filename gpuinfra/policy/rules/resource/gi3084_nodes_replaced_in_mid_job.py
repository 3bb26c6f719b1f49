"""GPU nodes that the group replaces by the clock.

What: A scaling group of GPU nodes has a maxInstanceLifetime.
Why: The group ends each node at that age, in the middle of a job; where GPUs are scarce, nothing comes in its place.
Fix: Leave maxInstanceLifetime out (0), and roll new images out between two jobs.
References: aws/aws-parallelcluster, auto scaling of compute nodes; EC2 Auto Scaling User Guide, maximum instance lifetime
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import SCALING_GROUP
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number

CODE = described("GI3084", "nodes-replaced-in-mid-job", Severity.WARNING, __doc__, ("AWS CMP-21",))
_DAY_S = 86400


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group."""
    for nodes, facts in ctx.aws.gpu_nodes:
        for group in nodes.groups:
            value = group.get("maxInstanceLifetime") if group.type == SCALING_GROUP else None
            age = number(value)
            if late(value):
                yield Undecided(CODE.code, group.name, "the most age of a node is not known yet")
            elif age:
                yield CODE.at(
                    f"{group.name}.maxInstanceLifetime",
                    f"the group ends each {facts.name} after {age / _DAY_S:g} days, whatever it is doing",
                    resource=group.name,
                )


_T = """\
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: p5.48xlarge}}}}
- type: aws.autoscaling.Group
  name: group
  inputs: {{maxInstanceLifetime: {0}, launchTemplate: {{id: !ref nodes.id }}}}
"""

RULE = ResourceRule(
    CODE,
    ("capacity", "job"),
    check,
    Examples((_T.format("null"), _T.format(0)), (_T.format(604800),), (_T.format("!unknown "),)),
    providers=(Provider.AWS,),
)
