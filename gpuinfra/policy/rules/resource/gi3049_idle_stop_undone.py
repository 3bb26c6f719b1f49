"""An idle stop that the group undoes.

What: The nodes of a group shut themselves down, or leave it through the API, while the group's least number is above zero or the guest only halts.
Why: A group replaces a halted node within minutes. TerminateInstanceInAutoScalingGroup with decrement fails with ValidationError at the least number, so the last nodes never go.
Fix: Set minSize: 0, and let the node call TerminateInstanceInAutoScalingGroup with ShouldDecrementDesiredCapacity=true.
References: aws/aws-cli#47; EC2 Auto Scaling API, TerminateInstanceInAutoScalingGroup
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_endings import LEAVES_GROUP
from ...aws_graph import SCALING_GROUP, group_size
from ...aws_user_data import script
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3049", "idle-stop-undone", Severity.ERROR, __doc__, ("AWS COST-07",))
_HALT = re.compile(
    r"(?m)(?:^|[;&|\"'=]|ExecStart=|sudo)\s*(?:/usr)?(?:/s?bin/)?(?:shutdown\s+(?:-[hP]|now|\+\d)|poweroff\b|systemctl\s+poweroff)"
)


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group."""
    for nodes in ctx.aws.nodes:
        value = nodes.template.get("userData")
        text = script(value) if isinstance(value, str) else ""
        if not text or ctx.aws.ours(nodes.template):
            continue
        for group in nodes.groups:
            if group.type != SCALING_GROUP:
                continue
            least = group_size(group)[0]
            if LEAVES_GROUP.search(text):
                if late(group.get("minSize")):
                    yield Undecided(CODE.code, group.name, "the least number is not known yet")
                elif least:
                    yield CODE.at(
                        f"{group.name}.minSize",
                        f"idle nodes take themselves out of the group, and its least number is {least:g}: the last "
                        f"{least:g} cannot go",
                        resource=group.name,
                    )
            elif _HALT.search(text):
                yield CODE.at(
                    f"{nodes.name}.userData",
                    f"the node halts itself, and group '{group.name}' replaces it within minutes",
                    resource=nodes.name,
                )


_SCRIPT = base64.b64encode(
    b"#!/bin/bash\naws autoscaling terminate-instance-in-auto-scaling-group --should-decrement-desired-capacity\n"
).decode()
_HALTING = base64.b64encode(b"#!/bin/bash\nsleep 1800\nshutdown -h now\n").decode()
_T = """\
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{userData: {0}}}}}
- type: aws.autoscaling.Group
  name: group
  inputs: {{minSize: {1}, maxSize: 4, launchTemplate: {{id: !ref nodes.id }}}}
"""

RULE = ResourceRule(
    CODE,
    ("cost", "time"),
    check,
    Examples(
        (_T.format(_SCRIPT, 0),), (_T.format(_SCRIPT, 2), _T.format(_HALTING, 0)), (_T.format(_SCRIPT, "!unknown "),)
    ),
    providers=(Provider.AWS,),
)
