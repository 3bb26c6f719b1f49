"""Training data that pay for the NAT gateway.

What: GPU nodes go out through a NAT gateway, and their VPC has no gateway endpoint for S3.
Why: A NAT gateway bills each GiB. A data set of 10 TiB that is read in each of 20 epochs costs thousands of dollars; the endpoint costs nothing.
Fix: Add a VpcEndpoint of type Gateway for com.amazonaws.<region>.s3 with the private route tables in routeTableIds.
References: VPC User Guide, gateway endpoints for Amazon S3; VPC pricing, NAT gateway
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import SUBNET, AwsGraph
from ...aws_kubernetes import node_groups
from ...aws_routes import VPC, Way, endpoints, way_out
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3072", "s3-traffic-through-nat", Severity.WARNING, __doc__, ("AWS NET-17",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each VPC that this program makes."""
    said: set[str] = set()
    for subnet, user in _homes(ctx.aws):
        for vpc in ctx.aws.linked(subnet, "vpcId", VPC).resources:
            if vpc.urn in said or way_out(ctx.aws, subnet) is not Way.NAT:
                continue
            said.add(vpc.urn)
            services = [e.get("serviceName") for e in endpoints(ctx.aws, subnet)]
            if any(isinstance(s, str) and s.endswith(".s3") for s in services):
                continue
            if any(late(s) for s in services):
                yield Undecided(CODE.code, vpc.name, "whether an endpoint is for S3 is not known yet")
            else:
                yield CODE.at(
                    vpc.name,
                    f"nodes '{user}' go out through a NAT gateway, and no gateway endpoint takes the traffic to S3",
                    resource=vpc.name,
                )


def _homes(aws: AwsGraph) -> Iterator[tuple[Resource, str]]:
    for nodes in aws.nodes:
        facts = aws.facts_of(nodes)
        if facts is not None and facts.has_gpu:
            yield from ((s, nodes.name) for s in aws.subnets(nodes).resources)
    for group in node_groups(aws):
        if group.has_gpu:
            yield from ((s, group.resource.name) for s in aws.linked(group.resource, "subnetIds", SUBNET).resources)


_T = """\
- {{type: aws.ec2.Vpc, name: net, inputs: {{}}}}
- {{type: aws.ec2.Subnet, name: inside, inputs: {{vpcId: !ref net.id }}}}
- type: aws.ec2.RouteTable
  name: table
  inputs: {{vpcId: !ref net.id , routes: [{{cidrBlock: 0.0.0.0/0, natGatewayId: nat-1}}]}}
- type: aws.ec2.RouteTableAssociation
  name: link
  inputs: {{subnetId: !ref inside.id , routeTableId: !ref table.id }}
- {{type: aws.ec2.VpcEndpoint, name: door, inputs: {{vpcId: !ref net.id , serviceName: {0}}}}}
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: p5.48xlarge}}}}
- type: aws.autoscaling.Group
  name: group
  inputs: {{vpcZoneIdentifiers: [!ref inside.id ], launchTemplate: {{id: !ref nodes.id }}}}
"""

RULE = ResourceRule(
    CODE,
    ("network", "cost"),
    check,
    Examples(
        (_T.format("com.amazonaws.us-east-1.s3"),),
        (_T.format("com.amazonaws.us-east-1.ssm"),),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AWS,),
)
