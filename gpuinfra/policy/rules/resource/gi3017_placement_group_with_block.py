"""A placement group on a capacity block.

What: A template buys from a capacity block and names a placement group.
Why: The block's nodes already stand together, and EC2 refuses the launch with a group.
Fix: Leave the placement out.
References: aws/aws-parallelcluster, PlacementGroupCapacityTypeValidator; EC2 User Guide, Capacity Blocks for ML
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_capacity import is_block
from ...aws_graph import LAUNCH_TEMPLATE
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3017", "placement-group-with-block", Severity.ERROR, __doc__, ("AWS PLC-02",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template."""
    for template in ctx.aws.of_type(LAUNCH_TEMPLATE):
        block = is_block(ctx, template)
        placement = template.get("placement")
        if placement is None or block is False:
            continue
        if block is None or late(placement):
            yield Undecided(CODE.code, template.name, "the purchase or the placement is not known yet")
            continue
        key = next((k for k in ("groupName", "groupId") if template.get("placement", k) is not None), None)
        if key:
            yield CODE.at(
                f"{template.name}.placement.{key}",
                "a capacity block takes no placement group, and the launch is refused",
                resource=template.name,
            )


_T = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs:
    instanceType: p5.48xlarge
    instanceMarketOptions: {{marketType: {0}}}
    placement: {{groupName: acme}}
"""

RULE = ResourceRule(
    CODE,
    ("placement", "capacity"),
    check,
    Examples((_T.format("spot"),), (_T.format("capacity-block"),), (_T.format("!unknown "),)),
    providers=(Provider.AWS,),
)
