"""A group of reservations that is no pool.

What: A template aims at a resource group whose type is not AWS::EC2::CapacityReservationPool.
Why: EC2 launches from such pools alone: the launch is refused, or runs on demand beside the paid reservations.
Fix: Give the resource group the configuration AWS::EC2::CapacityReservationPool (and AWS::ResourceGroups::Generic with the allowed type).
References: aws/aws-parallelcluster, CapacityReservationResourceGroupValidator; EC2 User Guide, groups of capacity reservations
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, late, plain

CODE = described("GI3076", "reservation-group-of-other-kind", Severity.ERROR, __doc__, ("AWS CAP-10",))
_GROUP = "aws:resourcegroups/group:Group"
_POOL = "AWS::EC2::CapacityReservationPool"
_PATH = ("capacityReservationSpecification", "capacityReservationTarget", "capacityReservationResourceGroupArn")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template that aims at a group of this program."""
    for nodes in ctx.aws.nodes:
        for group in ctx.aws.link(nodes.template, _PATH[0], nodes.template.get(*_PATH), _GROUP).resources:
            value = group.get("configurations")
            kinds = [plain(c.get("type")) for c in entries(value)]
            if late(value) or any(late(k) for k in kinds):
                yield Undecided(CODE.code, group.name, "what kind of group it is is not known yet")
            elif _POOL not in kinds:
                yield CODE.at(
                    f"{group.name}.configurations",
                    f"template '{nodes.name}' buys from this group, which is no {_POOL}",
                    resource=group.name,
                )


_T = """\
- {{type: aws.resourcegroups.Group, name: held, inputs: {{configurations: {0}}}}}
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs:
    capacityReservationSpecification:
      capacityReservationTarget: {{capacityReservationResourceGroupArn: !ref held.arn }}
"""

RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (_T.format('[{type: "AWS::EC2::CapacityReservationPool"}, {type: "AWS::ResourceGroups::Generic"}]'),),
        (_T.format("null"), _T.format('[{type: "AWS::ResourceGroups::Generic"}]')),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AWS,),
)
