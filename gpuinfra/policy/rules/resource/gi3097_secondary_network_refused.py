"""A secondary network, or an interface in one, that EC2 does not give.

What: A secondary network has a range outside /12 to /28; or a template with secondary interfaces aims at no reservation.
Why: Secondary networks carry RDMA for long-term reservations alone: the launch is refused for every other node, and the range at create.
Fix: Take a range between /12 and /28, and aim the template at the reservation; leave secondaryInterfaces out elsewhere.
References: EC2 API, CreateSecondaryNetwork; EC2 User Guide, secondary networks
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_capacity import has_target, market, target_is_late
from ...aws_graph import LAUNCH_TEMPLATE
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, late

CODE = described("GI3097", "secondary-network-refused", Severity.ERROR, __doc__, ("AWS NET-23",))
_NETWORK = "aws:ec2/secondaryNetwork:SecondaryNetwork"
_WIDEST, _NARROWEST = 12, 28


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each network and template."""
    for network in ctx.aws.of_type(_NETWORK):
        value = network.get("ipv4CidrBlock")
        if late(value):
            yield Undecided(CODE.code, network.name, "the range is not known yet")
            continue
        try:
            prefix = ip_network(str(value), strict=False).prefixlen
        except ValueError:
            continue
        if not _WIDEST <= prefix <= _NARROWEST:
            yield CODE.at(
                f"{network.name}.ipv4CidrBlock",
                f"/{prefix}, and a secondary network has /{_WIDEST} to /{_NARROWEST}",
                resource=network.name,
            )
    for template in ctx.aws.of_type(LAUNCH_TEMPLATE):
        wanted = template.get("secondaryInterfaces")
        if late(wanted):
            yield Undecided(CODE.code, template.name, "whether there are secondary interfaces is not known yet")
        if not items(wanted):
            continue
        if late(market(template)) or (target_is_late(template) and market(template) != "spot"):
            yield Undecided(CODE.code, template.name, "how the nodes are bought is not known yet")
        elif not has_target(template) or market(template) == "spot":
            how = "are spot" if market(template) == "spot" else "aim at no reservation"
            yield CODE.at(
                f"{template.name}.secondaryInterfaces",
                f"the nodes {how}, and secondary interfaces are for long-term reservations alone",
                resource=template.name,
            )


_N = "- {{type: aws.ec2.SecondaryNetwork, name: rdma, inputs: {{networkType: rdma, ipv4CidrBlock: {0}}}}}\n"
_T = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs:
    secondaryInterfaces: [{{networkCardIndex: 1, secondarySubnetId: ss-1}}]
    capacityReservationSpecification: {0}
"""
_TARGET = "{capacityReservationTarget: {capacityReservationId: cr-1}}"

RULE = ResourceRule(
    CODE,
    ("network", "fabric"),
    check,
    Examples(
        (_N.format("10.64.0.0/16"), _T.format(_TARGET)),
        (_N.format("10.64.0.0/30"), _T.format("null")),
        (_N.format("!unknown "), _T.format("!unknown ")),
    ),
    providers=(Provider.AWS,),
)
