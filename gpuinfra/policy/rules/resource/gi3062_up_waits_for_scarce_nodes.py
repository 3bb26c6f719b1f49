"""An `up` that waits for scarce nodes, and fails.

What: A group of GPU nodes leaves waitForCapacityTimeout at its default of ten minutes.
Why: GPU capacity often takes longer: `up` hangs, fails, and leaves the group tainted although it goes on trying.
Fix: Set waitForCapacityTimeout: "0".
References: Terraform AWS provider, aws_autoscaling_group, waiting for capacity
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import SCALING_GROUP, group_size, size_unknown
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3062", "up-waits-for-scarce-nodes", Severity.WARNING, __doc__, ("AWS CMP-19",))
_AT_ONCE = ("0", "0s", "0m")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group that has nodes to wait for."""
    for nodes, facts in ctx.aws.gpu_nodes:
        for group in nodes.groups:
            if group.type != SCALING_GROUP:
                continue
            said = group.get("waitForCapacityTimeout")
            least, wanted, _ = group_size(group)
            unknown = any(size_unknown(group)[:2]) and not least and not wanted and str(said) not in _AT_ONCE
            if late(said) or unknown:
                yield Undecided(CODE.code, group.name, "how long `up` waits, or for how many, is not known yet")
            elif str(said) not in _AT_ONCE and (least or wanted):
                what = f"'{said}'" if said is not None else "10 minutes, the default"
                yield CODE.at(
                    f"{group.name}.waitForCapacityTimeout",
                    f"`up` waits {what} for {facts.name}, and fails when they do not come",
                    resource=group.name,
                )


_T = """\
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: p5.48xlarge}}}}
- type: aws.autoscaling.Group
  name: group
  inputs: {{minSize: 2, maxSize: 2, waitForCapacityTimeout: {0}, launchTemplate: {{id: !ref nodes.id }}}}
"""

RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples((_T.format('"0"'),), (_T.format("null"), _T.format("10m")), (_T.format("!unknown "),)),
    providers=(Provider.AWS,),
)
