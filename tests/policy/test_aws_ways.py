"""Ways out of AWS subnets and what stands on EKS, in the forms that programs write them."""

from __future__ import annotations

from typing import Any

import pytest

from gpuinfra.policy import check_graph
from gpuinfra.policy.aws_graph import AwsGraph
from gpuinfra.policy.aws_kubernetes import version_of
from gpuinfra.policy.aws_routes import Way, way_out
from gpuinfra.policy.examples import NOW, graph_of

NET = """
- {type: aws.ec2.Vpc, name: net, inputs: {enableDnsHostnames: true}}
- {type: aws.ec2.InternetGateway, name: door, inputs: {vpcId: !ref net.id }}
- {type: aws.ec2.Subnet, name: edge, inputs: {vpcId: !ref net.id , availabilityZone: us-east-1a}}
- {type: aws.ec2.NatGateway, name: nat, inputs: {subnetId: !ref edge.id }}
- {type: aws.ec2.Subnet, name: inside, inputs: {vpcId: !ref net.id , availabilityZone: us-east-1a}}
- {type: aws.ec2.RouteTable, name: table, inputs: {vpcId: !ref net.id }}
- {type: aws.ec2.RouteTableAssociation, name: link, inputs: {subnetId: !ref inside.id , routeTableId: !ref table.id }}
- {type: aws.ec2.RouteTable, name: out, inputs: {vpcId: !ref net.id , routes: [{cidrBlock: 0.0.0.0/0, gatewayId: !ref door.id }]}}
- {type: aws.ec2.RouteTableAssociation, name: edge-link, inputs: {subnetId: !ref edge.id , routeTableId: !ref out.id }}
"""
ROUTE = "- {type: aws.ec2.Route, name: way, inputs: {routeTableId: !ref table.id , %s}}\n"
POOL = """
- type: aws.eks.NodeGroup
  name: pool
  inputs:
    instanceTypes: [g5.xlarge]
    subnetIds: [%s]
    taints: [{key: nvidia.com/gpu, effect: NO_SCHEDULE}]
"""


def codes(text: str, **more: Any) -> set[str]:
    return {d.code for d in check_graph(graph_of(text), now=NOW, **more).diagnostics}


def undecided(text: str) -> set[str]:
    return {u.code for u in check_graph(graph_of(text), now=NOW).undecided}


@pytest.mark.parametrize(
    ("routes", "way"),
    [
        ("", Way.NONE),
        (ROUTE % "destinationCidrBlock: 0.0.0.0/0, natGatewayId: !ref nat.id ", Way.NAT),
        (ROUTE % "destinationCidrBlock: 0.0.0.0/0, gatewayId: !ref door.id ", Way.INTERNET),
        (ROUTE % "destinationCidrBlock: 0.0.0.0/0, gatewayId: igw-1", Way.INTERNET),
        (ROUTE % "destinationCidrBlock: 0.0.0.0/0, networkInterfaceId: eni-1", Way.OTHER),
        (ROUTE % "destinationCidrBlock: 10.0.0.0/8, transitGatewayId: tgw-1", Way.OTHER),
        (ROUTE % "destinationIpv6CidrBlock: '::/0', egressOnlyGatewayId: eigw-1", Way.OTHER),
        (ROUTE % "destinationCidrBlock: 0.0.0.0/0, gatewayId: !unknown ", Way.UNKNOWN),
        (
            ROUTE.replace("!ref table.id ", "!unknown ") % "destinationCidrBlock: 0.0.0.0/0, natGatewayId: nat-1",
            Way.UNKNOWN,
        ),
    ],
)
def test_the_way_out_of_a_subnet(routes: str, way: Way):
    aws = AwsGraph(graph_of(NET + routes))
    (inside,) = [s for s in aws.of_type("aws:ec2/subnet:Subnet") if s.name == "inside"]
    assert way_out(aws, inside) is way


def test_a_subnet_of_a_network_from_elsewhere_is_not_judged():
    text = "- {type: aws.ec2.Subnet, name: inside, inputs: {vpcId: vpc-1}}\n" + POOL % "!ref inside.id "
    assert "GI3070" not in codes(text)
    assert "GI3070" in undecided(text)
    assert not {"GI3070", "GI3071"} & codes(POOL % "subnet-1")


def test_a_node_group_without_a_template_is_judged_by_its_subnets():
    assert "GI3070" in codes(NET + POOL % "!ref inside.id ")
    assert "GI3071" in codes(NET + POOL % "!ref edge.id ")
    public = NET.replace("name: edge, inputs: {", "name: edge, inputs: {mapPublicIpOnLaunch: true, ")
    assert "GI3071" not in codes(public + POOL % "!ref edge.id ")
    assert not {"GI3070", "GI3071"} & codes(
        NET + ROUTE % "destinationCidrBlock: 0.0.0.0/0, natGatewayId: !ref nat.id " + POOL % "!ref inside.id "
    )


def test_a_machine_with_an_elastic_address_gets_out():
    box = "- {type: aws.ec2.Instance, name: box, inputs: {instanceType: g5.xlarge, subnetId: !ref edge.id }}\n"
    address = "- {type: aws.ec2.Eip, name: ip, inputs: {instance: !ref box.id }}\n"
    assert "GI3071" in codes(NET + box)
    assert "GI3071" not in codes(NET + box + address)


def test_an_address_in_vain_is_one_finding():
    nodes = """
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs:
    instanceType: p5.48xlarge
    networkInterfaces: [{associatePublicIpAddress: 'true'}, {networkCardIndex: 1}]
- type: aws.autoscaling.Group
  name: group
  inputs: {vpcZoneIdentifiers: [!ref edge.id ], launchTemplate: {id: !ref nodes.id }}
"""
    found = codes(NET + nodes)
    assert "GI3008" in found
    assert "GI3071" not in found


CLUSTER = """
- {type: aws.eks.Cluster, name: plane, inputs: {version: "1.34", vpcConfig: {
    subnetIds: [!ref inside.id ], endpointPublicAccess: false, endpointPrivateAccess: true}}}
- {type: aws.ec2.VpcEndpoint, name: s3, inputs: {vpcId: !ref net.id , serviceName: com.amazonaws.us-east-1.s3}}
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs:
    instanceType: g5.xlarge
    vpcSecurityGroupIds: [!ref plane.vpcConfig ]
    metadataOptions: {httpTokens: required, httpPutResponseHopLimit: 2}
- type: aws.eks.NodeGroup
  name: pool
  inputs:
    clusterName: !ref plane.name
    subnetIds: [!ref inside.id ]
    taints: [{key: nvidia.com/gpu, effect: NO_SCHEDULE}]
    scalingConfig: {minSize: 0, desiredSize: 0, maxSize: 4}
    launchTemplate: {id: !ref nodes.id }
"""
NAT_WAY = ROUTE % "destinationCidrBlock: 0.0.0.0/0, natGatewayId: !ref nat.id "


def test_a_right_cluster_is_not_blamed():
    new = {f"GI30{n}" for n in range(68, 96)}
    assert codes(NET + NAT_WAY + CLUSTER) & new == set()


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("endpointPublicAccess: false, ", "", "GI3095"),
        ("httpPutResponseHopLimit: 2", "httpPutResponseHopLimit: 1", "GI3080"),
        ("    taints: [{key: nvidia.com/gpu, effect: NO_SCHEDULE}]\n", "", "GI3091"),
        ("com.amazonaws.us-east-1.s3", "com.amazonaws.us-east-1.ec2", "GI3072"),
        ("enableDnsHostnames: true", "enableDnsHostnames: false", "GI3069"),
        ("subnetIds: [!ref inside.id ]\n", "subnetIds: [!ref inside.id , !ref inside.id ]\n", "GI3073"),
        ("instanceType: g5.xlarge", "instanceType: p6e-gb200.36xlarge", ""),
    ],
)
def test_one_thing_wrong_is_one_finding_more(old: str, new: str, code: str):
    right = NET + NAT_WAY + CLUSTER
    assert old in right
    more = codes(right.replace(old, new)) - codes(right)
    assert (code in more) if code else "GI3094" not in more


def test_an_old_cluster_does_not_know_racks():
    text = (NET + NAT_WAY + CLUSTER).replace("instanceType: g5.xlarge", "instanceType: p6e-gb200.36xlarge")
    assert "GI3094" in codes(text.replace('version: "1.34"', 'version: "1.32"'))


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("v1.18.5-eksbuild.1", (1, 18, 5)),
        ("1.33", (1, 33)),
        ("0.5.10", (0, 5, 10)),
        ("latest", None),
        (None, None),
        ("${a.b}", None),
        (1.33, None),
    ],
)
def test_numbers_of_a_version(text: object, numbers: tuple[int, ...] | None):
    assert version_of(text) == numbers
