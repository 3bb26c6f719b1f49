"""GPU nodes that the group replaces while they work.

What: A scaling group of GPU nodes has a maxInstanceLifetime; or its nodes run slurmd, and the process ReplaceUnhealthy is not suspended.
Why: The group ends a node at that age, or after one failed status check, in the middle of a job; where GPUs are scarce, nothing comes in its place. Slurm drains and requeues by itself.
Fix: Leave maxInstanceLifetime out (0), and roll new images out between two jobs; under Slurm set suspendedProcesses: [ReplaceUnhealthy].
References: aws/aws-parallelcluster, auto scaling of compute nodes; EC2 Auto Scaling User Guide, maximum instance lifetime
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import SCALING_GROUP
from ...aws_user_data import script
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, late, number

CODE = described("GI3084", "nodes-replaced-in-mid-job", Severity.WARNING, __doc__, ("AWS CMP-21",))
_DAY_S = 86400
_SUSPENDED, _REPLACES = "suspendedProcesses", "ReplaceUnhealthy"
_SLURM = re.compile(r"(?m)^[^#\n]*\bslurmd\b")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group."""
    for nodes, facts in ctx.aws.gpu_nodes:
        value = nodes.template.get("userData")
        slurm = isinstance(value, str) and _SLURM.search(script(value)) is not None
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
            elif slurm and group.type == SCALING_GROUP:
                yield from _unhealthy(group)


def _unhealthy(group: Resource) -> Iterator[Diagnostic | Undecided]:
    suspended = group.get(_SUSPENDED)
    if late(suspended) or any(late(v) for v in items(suspended)):
        yield Undecided(CODE.code, group.name, "which processes of the group are suspended is not known yet")
    elif _REPLACES not in items(suspended):
        yield CODE.at(
            f"{group.name}.{_SUSPENDED}",
            f"the nodes run Slurm, and {_REPLACES} ends one that fails a check, whatever it is doing",
            f"set {_SUSPENDED}: [{_REPLACES}]",
            resource=group.name,
        )


_T = """\
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: p5.48xlarge}}}}
- type: aws.autoscaling.Group
  name: group
  inputs: {{maxInstanceLifetime: {0}, launchTemplate: {{id: !ref nodes.id }}}}
"""

_SLURM_GROUP = """\
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: p5.48xlarge, userData: "#!/bin/bash\\nsystemctl start slurmd"}}}}
- type: aws.autoscaling.Group
  name: group
  inputs: {{suspendedProcesses: {0}, launchTemplate: {{id: !ref nodes.id }}}}
"""

RULE = ResourceRule(
    CODE,
    ("capacity", "job"),
    check,
    Examples(
        (_T.format("null"), _T.format(0), _SLURM_GROUP.format("[ReplaceUnhealthy]")),
        (_T.format(604800), _SLURM_GROUP.format("null")),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AWS,),
)
