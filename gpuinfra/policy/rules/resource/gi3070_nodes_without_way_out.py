"""GPU nodes in a subnet that leads nowhere.

What: GPU nodes stand in a subnet without a route to a NAT gateway, an internet gateway or another network, and its VPC has no interface endpoint.
Why: The boot script hangs at its first call (the systems manager, the registry, the EKS API), and the node bills without ever working.
Fix: Give the subnet's route table a default route to a NAT gateway in a public subnet, or the VPC interface endpoints for ec2, ssm, ssmmessages, ecr.api, ecr.dkr, sts and logs.
References: aws/aws-parallelcluster docs, network configurations; terraform-aws-modules/terraform-aws-eks#3533
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import SUBNET, AwsGraph
from ...aws_kubernetes import node_groups
from ...aws_routes import Way, endpoints, way_out
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3070", "nodes-without-way-out", Severity.ERROR, __doc__, ("AWS NET-16",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each subnet."""
    for subnet, user in _homes(ctx.aws).values():
        way = way_out(ctx.aws, subnet)
        if way is Way.UNKNOWN:
            yield Undecided(CODE.code, subnet.name, "the routes of the subnet are not known here")
            continue
        kinds = [e.get("vpcEndpointType") for e in endpoints(ctx.aws, subnet)] if way is Way.NONE else ["Interface"]
        if "Interface" in kinds:
            continue
        if any(late(k) for k in kinds):
            yield Undecided(CODE.code, subnet.name, "whether its VPC has an interface endpoint is not known yet")
        else:
            yield CODE.at(
                subnet.name,
                f"nodes '{user}' stand here, and no route leads out: neither a NAT gateway nor an endpoint is there",
                resource=subnet.name,
            )


def _homes(aws: AwsGraph) -> dict[str, tuple[Resource, str]]:
    """The subnets of this program that GPU nodes stand in, each with the name of the nodes."""
    found: dict[str, tuple[Resource, str]] = {}
    for nodes, _ in aws.gpu_nodes:
        for s in aws.subnets(nodes).resources:
            found.setdefault(s.urn, (s, nodes.name))
    for group in node_groups(aws):
        if group.has_gpu:
            for s in aws.linked(group.resource, "subnetIds", SUBNET).resources:
                found.setdefault(s.urn, (s, group.resource.name))
    return found


_T = """\
- {{type: aws.ec2.Vpc, name: net, inputs: {{}}}}
- {{type: aws.ec2.Subnet, name: inside, inputs: {{vpcId: !ref net.id }}}}
- {{type: aws.ec2.RouteTable, name: table, inputs: {{vpcId: !ref net.id , routes: {0}}}}}
- type: aws.ec2.RouteTableAssociation
  name: link
  inputs: {{subnetId: !ref inside.id , routeTableId: !ref table.id }}
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: p5.48xlarge}}}}
- type: aws.autoscaling.Group
  name: group
  inputs: {{vpcZoneIdentifiers: [!ref inside.id ], launchTemplate: {{id: !ref nodes.id }}}}
"""
_ENDPOINT = """\
- type: aws.ec2.VpcEndpoint
  name: door
  inputs: {{vpcId: !ref net.id , vpcEndpointType: {0}, serviceName: {1}}}
"""

RULE = ResourceRule(
    CODE,
    ("network",),
    check,
    Examples(
        (
            _T.format("[{cidrBlock: 0.0.0.0/0, natGatewayId: nat-1}]"),
            _T.format("[{cidrBlock: 0.0.0.0/0, transitGatewayId: tgw-1}]"),
            _T.format("[]") + _ENDPOINT.format("Interface", "com.amazonaws.us-east-1.ssm"),
            _T.format("[], propagatingVgws: [vgw-1]"),
        ),
        (_T.format("[]"), _T.format("[]") + _ENDPOINT.format("Gateway", "com.amazonaws.us-east-1.s3")),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AWS,),
)
