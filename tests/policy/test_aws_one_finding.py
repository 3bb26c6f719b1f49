"""One mistake of an AWS program is one finding, wherever it was written: the rule that names the cause speaks."""

from __future__ import annotations

import pytest

from gpuinfra.policy import check_graph
from gpuinfra.policy.examples import NOW, graph_of
from gpuinfra.policy.internet_ranges import open_to

FABRIC = {"GI3001", "GI3002", "GI3003", "GI3004", "GI3005", "GI3006", "GI3007"}
PURCHASE = {"GI3021", "GI3022", "GI3024", "GI3063", "GI3064"}


def said(text: str) -> dict[str, str]:
    """The message of each code."""
    return {d.code: d.message for d in check_graph(graph_of(text), now=NOW).diagnostics}


def undecided(text: str) -> set[str]:
    return {u.code for u in check_graph(graph_of(text), now=NOW).undecided}


def template(kind: str, cards: list[int], device: int = 0) -> str:
    listed = ", ".join(f"{{networkCardIndex: {c}, deviceIndex: {device}, interfaceType: efa}}" for c in cards)
    return f"- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: {kind}, networkInterfaces: [{listed}]}}}}\n"


@pytest.mark.parametrize(
    ("kind", "cards", "code"),
    [
        ("p6-b300.48xlarge", [*range(16)], "GI3003"),
        ("p4d.24xlarge", [0, 1, 2, 4], "GI3004"),
        ("p4d.24xlarge", [0, 1, 2, 3, 4], "GI3004"),
        ("p4d.24xlarge", [0, 1], "GI3001"),
    ],
)
def test_an_interface_on_the_wrong_card_is_one_finding(kind: str, cards: list[int], code: str):
    assert said(template(kind, cards)).keys() & FABRIC == {code}


def test_a_forgotten_card_index_is_one_finding():
    listed = ", ".join(f"{{deviceIndex: {n}, interfaceType: efa}}" for n in range(4))
    text = f"- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: p4d.24xlarge, networkInterfaces: [{listed}]}}}}\n"
    assert said(text).keys() & FABRIC == {"GI3005"}


GROUP = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs:
    instanceType: p5.48xlarge
    instanceMarketOptions: {{marketType: {0}}}
    capacityReservationSpecification: {1}
- type: aws.eks.NodeGroup
  name: pool
  inputs: {{capacityType: {2}, launchTemplate: {{id: !ref nodes.id }}}}
"""
TARGET = "{capacityReservationTarget: {capacityReservationId: cr-0123456789abcdef0}}"


@pytest.mark.parametrize(
    ("market", "target", "kind", "code"),
    [
        ("spot", TARGET, "CAPACITY_BLOCK", "GI3024"),
        ("spot", "null", "CAPACITY_BLOCK", "GI3064"),
        ("spot", "null", "SPOT", "GI3063"),
        ("spot", TARGET, "ON_DEMAND", "GI3024"),
        ("capacity-block", "null", "CAPACITY_BLOCK", "GI3021"),
        ("capacity-block", TARGET, "ON_DEMAND", "GI3064"),
    ],
)
def test_a_purchase_that_does_not_fit_is_one_finding(market: str, target: str, kind: str, code: str):
    assert said(GROUP.format(market, target, kind)).keys() & PURCHASE == {code}


BOX = """\
- {{type: aws.ec2.Subnet, name: edge, inputs: {{cidrBlock: 10.0.0.0/24}}}}
- {{type: aws.ec2.SecurityGroup, name: fabric, inputs: {{}}}}
{0}
- type: aws.ec2.Instance
  name: box
  inputs: {{instanceType: p4d.24xlarge, {1}}}
"""
CARD = """\
- type: aws.ec2.NetworkInterface
  name: card{0}
  inputs: {{subnetId: !ref edge.id , securityGroups: [!ref fabric.id ], interfaceType: efa}}
"""
ATTACHED = """\
- type: aws.ec2.NetworkInterfaceAttachment
  name: at{0}
  inputs: {{instanceId: !ref box.id , networkInterfaceId: !ref card{0}.id , deviceIndex: 1, networkCardIndex: {0}}}
"""
FIRST = "networkInterfaces: [{networkInterfaceId: !ref card0.id , deviceIndex: 0}]"


def test_interfaces_that_are_resources_are_counted_as_those_of_their_machine():
    alone = said(BOX.format(CARD.format(0), FIRST))
    assert "no EFA on card 1–3" in alone["GI3001"]
    assert "GI3011" in alone  # the group of the interface is read as well
    whole = BOX.format(
        "".join(CARD.format(n) for n in range(4)), "primaryNetworkInterface: {networkInterfaceId: !ref card0.id }"
    ) + "".join(ATTACHED.format(n) for n in range(1, 4))
    assert not said(whole).keys() & FABRIC


def test_an_interface_from_elsewhere_leaves_the_layout_undecided():
    text = BOX.format("", "networkInterfaces: [{networkInterfaceId: eni-0123456789abcdef0, deviceIndex: 0}]")
    assert "GI3001" in undecided(text)
    assert not said(text).keys() & FABRIC


def test_interfaces_attached_later_are_no_reason_to_refuse_the_groups_of_the_machine():
    text = BOX.format(CARD.format(1), "vpcSecurityGroupIds: [!ref fabric.id ]") + ATTACHED.format(1)
    assert "GI3010" not in said(text)


EDGE = """\
- {{type: aws.ec2.Vpc, name: net, inputs: {{}}}}
- {{type: aws.ec2.InternetGateway, name: gate, inputs: {{vpcId: !ref net.id }}}}
- {{type: aws.ec2.Subnet, name: edge, inputs: {{vpcId: !ref net.id }}}}
- type: aws.ec2.RouteTable
  name: table
  inputs: {{vpcId: !ref net.id , routes: [{{cidrBlock: 0.0.0.0/0, gatewayId: !ref gate.id }}]}}
- {{type: aws.ec2.RouteTableAssociation, name: link, inputs: {{subnetId: !ref edge.id , routeTableId: !ref table.id }}}}
- {{type: aws.ec2.NetworkInterface, name: card, inputs: {{subnetId: !ref edge.id }}}}
- type: aws.ec2.Instance
  name: box
  inputs: {{instanceType: g5.xlarge, networkInterfaces: [{{networkInterfaceId: !ref card.id , deviceIndex: 0}}]}}
{0}
"""


def test_an_elastic_address_may_be_bound_to_the_interface():
    assert "GI3071" in said(EDGE.format(""))
    assert "GI3071" not in said(
        EDGE.format("- {type: aws.ec2.Eip, name: ip, inputs: {networkInterface: !ref card.id }}")
    )


def test_every_subnet_that_a_range_overlaps_is_named():
    subnets = "".join(
        f"- {{type: aws.ec2.Subnet, name: {n}, inputs: {{vpcId: vpc-1, cidrBlock: {c}}}}}\n"
        for n, c in (("a", "10.0.0.0/24"), ("b", "10.0.1.0/24"), ("c", "10.0.0.0/22"))
    )
    assert said(subnets)["GI3293"].count("subnet '") == 2
    google = "- {type: gcp.compute.Network, name: net, inputs: {}}\n" + "".join(
        f"- {{type: gcp.compute.Subnetwork, name: {n}, inputs: {{network: !ref net.id , ipCidrRange: {c}}}}}\n"
        for n, c in (("a", "10.0.0.0/24"), ("b", "10.0.1.0/24"), ("c", "10.0.0.0/22"))
    )
    message = said(google)["GI3111"]
    assert "'a' and 10.0.1.0/24 of 'b', all of network 'net'" in message


def test_what_holds_the_internet():
    assert open_to(["0.0.0.0/0"]) == "0.0.0.0/0, the whole internet"
    assert open_to(["10.0.0.0/8", "128.0.0.0/1", "0.0.0.0/1"]).endswith("together the whole internet")
    assert "50% of the internet" in open_to(["0.0.0.0/1"])
    assert open_to(["::/1", "8000::/1"]).endswith("the whole internet")
    assert open_to(["2000::/3"])
    without_private = ["0.0.0.0/5", "8.0.0.0/7", "11.0.0.0/8", "12.0.0.0/6", "16.0.0.0/4", "32.0.0.0/3", "64.0.0.0/2"]
    assert open_to([*without_private, "128.0.0.0/3", "160.0.0.0/5", "192.0.0.0/9", "208.0.0.0/4"])
    assert not open_to(["203.0.113.0/24", "10.0.0.0/8", "64.0.0.0/2", "Internet", "fd00::/8", "x/y"])


def test_halves_in_two_rules_are_one_finding():
    rules = "".join(
        f"- type: aws.vpc.SecurityGroupIngressRule\n  name: {n}\n"
        f"  inputs: {{securityGroupId: sg-1, cidrIpv4: {c}, ipProtocol: tcp, fromPort: 22, toPort: 22}}\n"
        for n, c in (("low", "0.0.0.0/1"), ("high", "128.0.0.0/1"))
    )
    found = [d for d in check_graph(graph_of(rules), now=NOW).diagnostics if d.code == "GI3013"]
    assert [d.resource for d in found] in (["low"], ["high"])


def test_a_link_that_persistent_2_refuses_is_not_said_of_its_backups_too():
    text = """\
- type: aws.fsx.LustreFileSystem
  name: scratch
  inputs: {deploymentType: PERSISTENT_2, importPath: "s3://b", automaticBackupRetentionDays: 7}
"""
    assert said(text).keys() & {"GI3036", "GI3087"} == {"GI3036"}


def test_a_node_group_over_zones_is_told_of_its_subnets():
    text = """\
- {type: aws.ec2.Subnet, name: a, inputs: {availabilityZone: us-east-1a}}
- {type: aws.ec2.Subnet, name: b, inputs: {availabilityZone: us-east-1b}}
- {type: aws.ec2.PlacementGroup, name: close, inputs: {strategy: cluster}}
- {type: aws.ec2.LaunchTemplate, name: nodes, inputs: {placement: {groupName: !ref close.name }}}
- {type: aws.eks.NodeGroup, name: pool, inputs: {subnetIds: [!ref a.id , !ref b.id ], launchTemplate: {id: !ref nodes.id }}}
"""
    found = check_graph(graph_of(text), now=NOW).diagnostics
    assert [d.path for d in found if d.code == "GI3019"] == ["pool.subnetIds"]


HEAD = """\
- {{type: aws.iam.Role, name: role, inputs: {{}}}}
- type: aws.iam.RolePolicy
  name: rights
  inputs: {{role: !ref role.id , policy: '{{"Statement": [{{"Effect": "Allow", "Action": "ec2:*", "Resource": "*"}}]}}'}}
- {{type: aws.iam.InstanceProfile, name: profile, inputs: {{role: !ref role.name }}}}
- {{type: aws.ec2.Instance, name: head, inputs: {{instanceType: m7i.2xlarge, iamInstanceProfile: !ref profile.name }}}}
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: {0}}}}}
"""


def test_the_rights_of_a_head_are_those_of_its_cluster():
    assert "GI3085" in said(HEAD.format("p5.48xlarge"))
    assert "GI3085" not in said(HEAD.format("m7i.2xlarge"))
