"""Security groups both in the interfaces and beside them.

What: A template names security groups in its network interfaces and in `vpcSecurityGroupIds` as well.
Why: EC2 refuses security groups on the template as soon as it has interfaces of its own.
Fix: Name the groups inside each network interface only.
References: hashicorp/terraform-provider-aws#4570; terraform-aws-modules/terraform-aws-eks#1880
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, late

CODE = described("GI3010", "security-groups-in-two-places", Severity.ERROR, __doc__, ("AWS NET-10",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template."""
    for nodes in ctx.aws.nodes:
        beside = next((k for k in ("vpcSecurityGroupIds", "securityGroupNames") if nodes.template.inputs.get(k)), None)
        if beside is None and nodes.template.inputs.get("vpcSecurityGroupIds") is None:
            continue
        listed = nodes.template.get("networkInterfaces")
        if nodes.interfaces is None and late(listed):
            yield Undecided(CODE.code, nodes.name, "the network interfaces are not known yet")
        elif beside and (own := items(listed)):
            yield CODE.at(
                f"{nodes.name}.{beside}",
                f"security groups are named beside {len(own)} network interfaces, which EC2 refuses",
                resource=nodes.name,
            )


_T = "- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{{0}}}}}\n"

RULE = ResourceRule(
    CODE,
    ("network",),
    check,
    Examples(
        (_T.format("networkInterfaces: [{securityGroups: [sg-1]}]"), _T.format("vpcSecurityGroupIds: [sg-1]")),
        (_T.format("networkInterfaces: [{deviceIndex: 0}], vpcSecurityGroupIds: [sg-1]"),),
        (_T.format("networkInterfaces: !unknown , vpcSecurityGroupIds: [sg-1]"),),
    ),
    providers=(Provider.AWS,),
)
