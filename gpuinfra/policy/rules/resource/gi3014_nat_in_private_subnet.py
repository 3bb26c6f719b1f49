"""A NAT gateway that has no way out itself.

What: A public NAT gateway stands in a subnet whose route table has no route to an internet gateway.
Why: The nodes behind it reach nothing: boot hangs at the first download, and the nodes bill.
Fix: Put the NAT gateway into a public subnet, and let it depend on that subnet's internet route.
References: awslabs/awsome-distributed-ai#1143; VPC User Guide, NAT gateways
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import SUBNET
from ...aws_routes import NAT_GATEWAY, has_internet_route
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3014", "nat-in-private-subnet", Severity.ERROR, __doc__, ("AWS NET-20",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each NAT gateway whose subnet and routes belong to this program."""
    for nat in ctx.aws.of_type(NAT_GATEWAY):
        if nat.get("connectivityType") == "private":
            continue
        links = ctx.aws.linked(nat, "subnetId", SUBNET)
        if not links.resources:
            if links.unknown:
                yield Undecided(CODE.code, nat.name, "its subnet is not known yet")
            continue
        public = has_internet_route(ctx.aws, links.resources[0])
        if public is None:
            yield Undecided(CODE.code, nat.name, f"the routes of subnet '{links.resources[0].name}' are not known here")
        elif not public:
            yield CODE.at(
                f"{nat.name}.subnetId",
                f"subnet '{links.resources[0].name}' has no route to an internet gateway, so the NAT gateway has no way out",
                resource=nat.name,
            )


_T = """\
- {{type: aws.ec2.Vpc, name: net, inputs: {{}}}}
- {{type: aws.ec2.InternetGateway, name: door, inputs: {{vpcId: !ref net.id }}}}
- {{type: aws.ec2.Subnet, name: subnet, inputs: {{vpcId: !ref net.id }}}}
- type: aws.ec2.RouteTable
  name: table
  inputs: {{vpcId: !ref net.id , routes: {0}}}
- type: aws.ec2.RouteTableAssociation
  name: link
  inputs: {{subnetId: !ref subnet.id , routeTableId: !ref table.id }}
- {{type: aws.ec2.NatGateway, name: nat, inputs: {{subnetId: !ref subnet.id }}}}
"""

RULE = ResourceRule(
    CODE,
    ("network",),
    check,
    Examples(
        (_T.format("[{cidrBlock: 0.0.0.0/0, gatewayId: !ref door.id }]"),),
        (_T.format("[]"),),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AWS,),
)
