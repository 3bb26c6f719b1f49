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
from ...aws_graph import SUBNET, AwsGraph
from ...aws_kubernetes import node_groups
from ...aws_places import by_id, zone_of, zone_unknown
from ...aws_routes import NAT_GATEWAY, has_nat_route, nat_gateways
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3015", "nat-in-other-zone", Severity.WARNING, __doc__, ("AWS NET-20",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding at the first NAT gateway that nodes of another zone use, naming their zones. Nodes that are known to
    have no GPU read no data sets."""
    gateways = list(ctx.aws.of_type(NAT_GATEWAY))
    subnets = [s for nat in gateways for s in ctx.aws.linked(nat, "subnetId", SUBNET).resources]
    unknown = next((s for s in subnets if zone_unknown(s)), None)
    used = list(_through(ctx.aws)) if gateways else []
    if unknown is not None and used:
        yield Undecided(CODE.code, unknown.name, "the zone of the NAT gateway is not known yet")
    if not subnets or len(subnets) < len(gateways) or any(not zone_of(s) for s in subnets):
        return
    away: dict[str, tuple[str, Resource]] = {}
    homes: set[str] = set()
    for user, subnet in used:
        named = nat_gateways(ctx.aws, subnet) or tuple(gateways)
        theirs = {zone_of(s) for nat in named for s in ctx.aws.linked(nat, "subnetId", SUBNET).resources}
        zone = zone_of(subnet)
        if zone and theirs and zone not in theirs and by_id(zone) in {by_id(h) for h in theirs}:
            away.setdefault(zone, (user, named[0]))
            homes |= theirs
    blind = next((s for _, s in used if zone_unknown(s)), None)
    if not away and blind is not None:
        yield Undecided(CODE.code, blind.name, "the zone of the nodes' subnet is not known yet")
    if away:
        user, nat = away[min(away)]
        yield CODE.at(
            f"{nat.name}.subnetId",
            f"nodes '{user}' in zone {', '.join(sorted(away))} go out through a NAT gateway in {', '.join(sorted(homes))}",
            resource=nat.name,
        )


def _through(aws: AwsGraph) -> Iterator[tuple[str, Resource]]:
    """(nodes, each of their subnets that goes out through a NAT gateway)."""
    for nodes in aws.nodes:
        if not aws.without_gpus(nodes):
            yield from ((nodes.name, s) for s in aws.subnets(nodes).resources if has_nat_route(aws, s))
    for group in node_groups(aws):
        if group.nodes is None and group.has_gpu:
            homes = aws.linked(group.resource, "subnetIds", SUBNET).resources
            yield from ((group.resource.name, s) for s in homes if has_nat_route(aws, s))


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
