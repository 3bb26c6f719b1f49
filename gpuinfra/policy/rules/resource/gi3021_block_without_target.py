"""The market of a capacity block without the block.

What: A template has market type `capacity-block` and no reservation as its target, or no instance type.
Why: EC2 cannot tell which block is meant, and refuses the launch.
Fix: Set capacityReservationTarget to the block's `cr-…` id, and the instance type in the template.
References: eksctl-io/eksctl#8155; EKS User Guide, Capacity Blocks with managed node groups
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_capacity import BLOCK_MARKET, has_target, market
from ...aws_graph import LAUNCH_TEMPLATE
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3021", "block-without-target", Severity.ERROR, __doc__, ("AWS CAP-01",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template."""
    for template in ctx.aws.of_type(LAUNCH_TEMPLATE):
        said = market(template)
        if late(said) and not has_target(template):
            yield Undecided(CODE.code, template.name, "the market type is not known yet")
        if said != BLOCK_MARKET:
            continue
        missing: list[str] = []
        if not has_target(template):
            missing.append("no capacity reservation as its target")
        if template.get("instanceType") is None and template.get("instanceRequirements") is None:
            missing.append("no instance type")
        if missing:
            yield CODE.at(
                f"{template.name}.capacityReservationSpecification",
                f"the market type is 'capacity-block', and the template has {' and '.join(missing)}",
                resource=template.name,
            )


_T = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {{instanceType: p5.48xlarge, instanceMarketOptions: {{marketType: {0}}}{1}}}
"""
_TARGET = ", capacityReservationSpecification: {capacityReservationTarget: {capacityReservationId: cr-1}}"

RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (_T.format("capacity-block", _TARGET), _T.format("spot", "")),
        (_T.format("capacity-block", ""),),
        (_T.format("!unknown ", ""),),
    ),
    providers=(Provider.AWS,),
)
