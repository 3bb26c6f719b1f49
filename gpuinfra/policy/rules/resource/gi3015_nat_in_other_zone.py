"""Nodes that reach the internet through another zone's NAT gateway.

What: A zone with nodes has no NAT gateway of its own, while another zone has one.
Why: Every byte that the nodes load pays for crossing the zones, on top of the NAT gateway's own price, and the nodes depend on a second zone.
Fix: Put a NAT gateway into the nodes' zone, or load data through a gateway endpoint.
References: VPC User Guide, NAT gateway basics; EC2 pricing, data transfer within a region
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import SUBNET, AwsGraph, Nodes
from ...aws_places import by_id, zone_of, zone_unknown
from ...aws_routes import NAT_GATEWAY, has_nat_route
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3015", "nat-in-other-zone", Severity.WARNING, __doc__, ("AWS NET-20",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding at the first NAT gateway, naming the zones that lack one."""
    gateways = list(ctx.aws.of_type(NAT_GATEWAY))
    subnets = [s for nat in gateways for s in ctx.aws.linked(nat, "subnetId", SUBNET).resources]
    homes = {z for s in subnets if (z := zone_of(s))}
    unknown = next((s for s in subnets if zone_unknown(s)), None)
    if unknown is not None and any(_through(ctx.aws, n) for n in ctx.aws.nodes):
        yield Undecided(CODE.code, unknown.name, "the zone of the NAT gateway is not known yet")
    if not gateways or not homes or len(subnets) < len(gateways) or any(not zone_of(s) for s in subnets):
        return
    used: dict[str, str] = {}
    for nodes in ctx.aws.nodes:
        for subnet in _through(ctx.aws, nodes):
            zone = zone_of(subnet)
            if zone and by_id(zone) in {by_id(h) for h in homes}:
                used.setdefault(zone, nodes.name)
    away = sorted(z for z in used if z not in homes)
    if away:
        yield CODE.at(
            f"{gateways[0].name}.subnetId",
            f"nodes '{used[away[0]]}' in zone {', '.join(away)} go out through a NAT gateway in {', '.join(sorted(homes))}",
            resource=gateways[0].name,
        )


def _through(aws: AwsGraph, nodes: Nodes) -> list[Resource]:
    """The subnets of nodes that go out through a NAT gateway."""
    return [s for s in aws.subnets(nodes).resources if has_nat_route(aws, s)]


_T = """\
- {{type: aws.ec2.Subnet, name: outside, inputs: {{availabilityZone: {1}}}}}
- {{type: aws.ec2.NatGateway, name: nat, inputs: {{subnetId: !ref outside.id }}}}
- {{type: aws.ec2.Subnet, name: inside, inputs: {{availabilityZone: {0}}}}}
- {{type: aws.ec2.RouteTable, name: table, inputs: {{routes: [{{cidrBlock: 0.0.0.0/0, natGatewayId: !ref nat.id }}]}}}}
- type: aws.ec2.RouteTableAssociation
  name: link
  inputs: {{subnetId: !ref inside.id , routeTableId: !ref table.id }}
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{}}}}
- type: aws.autoscaling.Group
  name: group
  inputs: {{vpcZoneIdentifiers: [!ref inside.id ], launchTemplate: {{id: !ref nodes.id }}}}
"""

RULE = ResourceRule(
    CODE,
    ("network", "cost"),
    check,
    Examples(
        (_T.format("us-east-1a", "us-east-1a"),),
        (_T.format("us-east-1b", "us-east-1a"),),
        (_T.format("us-east-1b", "!unknown "),),
    ),
    providers=(Provider.AWS,),
)
