from __future__ import annotations

import pulumi
import pytest

from gpuinfra.aws import ClusterNetwork, ExistingNetwork
from gpuinfra.policy.resource_graph import OutputRef, ResourceGraph
from gpuinfra.spec.load import parse

from .clusters import EGRESS, GROUP, INGRESS, LAUNCH_TEMPLATE, cluster, only, pool, recorded

SUBNET = "aws:ec2/subnet:Subnet"
LUSTRE = {"name": "scratch", "kind": "lustre", "size_gib": 9600, "throughput_mbps_per_tib": 500, "mount": "/scratch"}
EXISTING = {"existing": {"network": "vpc-0a1b2c3d4e5f60718", "subnet": "subnet-0f1e2d3c4b5a69788"}}


@pytest.fixture(scope="module")
def graph() -> ResourceGraph:
    return recorded(cluster())


def rules(graph: ResourceGraph, type_: str) -> set[tuple[object, ...]]:
    return {
        (
            r.get("ipProtocol"),
            r.get("fromPort"),
            r.get("toPort"),
            graph_ref(r.inputs["securityGroupId"]),
            graph_ref(r.inputs.get("referencedSecurityGroupId")) or r.get("cidrIpv4") or r.get("cidrIpv6"),
        )
        for r in graph.of_type(type_)
    }


def graph_ref(value: object) -> str | None:
    return value.resource if isinstance(value, OutputRef) else None


def test_vpc_answers_names(graph: ResourceGraph) -> None:
    vpc = graph.named("train-vpc")
    assert vpc.get("enableDnsSupport") is True
    assert vpc.get("enableDnsHostnames") is True
    assert vpc.get("cidrBlock") == "10.40.0.0/16"


def test_subnets_stand_in_the_zone_by_its_id_and_hand_out_no_addresses(graph: ResourceGraph) -> None:
    subnets = graph.of_type(SUBNET)
    assert {s.name for s in subnets} == {"train-nodes-subnet", "train-public-subnet"}
    for subnet in subnets:
        assert subnet.get("availabilityZoneId") == "use2-az1"
        assert subnet.get("availabilityZone") is None
        assert subnet.get("mapPublicIpOnLaunch") is False


def test_nat_stands_in_the_public_subnet_and_waits_for_its_route(graph: ResourceGraph) -> None:
    nat = graph.named("train-nat")
    assert nat.inputs["subnetId"] == OutputRef("train-public-subnet", "id")
    assert {graph.named("train-public-route").urn, graph.named("train-public-routing").urn} <= set(nat.dependencies)
    route = graph.named("train-private-route")
    assert (route.get("destinationCidrBlock"), route.inputs["natGatewayId"]) == (
        "0.0.0.0/0",
        OutputRef("train-nat", "id"),
    )
    assert graph.named("train-private-routing").inputs["subnetId"] == OutputRef("train-nodes-subnet", "id")
    assert graph.named("train-public-route").inputs["gatewayId"] == OutputRef("train-igw", "id")


def test_s3_traffic_goes_past_the_nat_gateway(graph: ResourceGraph) -> None:
    endpoint = only(graph, "aws:ec2/vpcEndpoint:VpcEndpoint")
    assert endpoint.get("vpcEndpointType") == "Gateway"
    assert endpoint.get("serviceName") == "com.amazonaws.us-east-2.s3"
    assert endpoint.inputs["routeTableIds"] == [OutputRef("train-private-routes", "id")]


def test_efa_rules_name_the_group_itself_both_ways_and_the_world_once(graph: ResourceGraph) -> None:
    """AWS-C03: egress to 0.0.0.0/0 is not egress to self."""
    sg = "train-nodes-sg"
    assert rules(graph, INGRESS) == {("-1", None, None, sg, sg)}
    assert rules(graph, EGRESS) == {("-1", None, None, sg, sg), ("-1", None, None, sg, "0.0.0.0/0")}
    group = graph.named(sg)
    assert "ingress" not in group.inputs
    assert "egress" not in group.inputs


def test_nodes_wait_for_the_way_out_and_for_their_rules(graph: ResourceGraph) -> None:
    waits = {graph.by_urn(u).name for u in only(graph, GROUP).dependencies}  # type: ignore[union-attr]
    assert {"train-private-route", "train-private-routing", "train-nodes-to-nodes", "train-nodes-from-nodes"} <= waits


def test_ssh_is_closed_unless_a_range_is_named() -> None:
    assert not [r for r in recorded(cluster()).of_type(INGRESS) if r.get("fromPort") == 22]
    open_ = recorded(cluster(network={"ssh_from": ["203.0.113.0/24"]}))
    (rule,) = [r for r in open_.of_type(INGRESS) if r.get("fromPort") == 22]
    assert (rule.get("toPort"), rule.get("ipProtocol"), rule.get("cidrIpv4")) == (22, "tcp", "203.0.113.0/24")


def test_lustre_ports_are_open_both_ways_between_nodes_and_servers() -> None:
    graph = recorded(cluster(storage=[LUSTRE]))
    nodes, servers = "train-nodes-sg", "train-lustre-sg"
    for low, high in ((988, 988), (1018, 1023)):
        for type_ in (INGRESS, EGRESS):
            found = rules(graph, type_)
            for group, other in ((servers, nodes), (nodes, servers), (servers, servers)):
                assert ("tcp", low, high, group, other) in found
    every = [
        (r.type, *map(str, sorted(r.inputs.items(), key=str))) for t in (INGRESS, EGRESS) for r in graph.of_type(t)
    ]
    assert len(every) == len(set(every)), "AWS refuses a rule that is there already"


def test_a_pool_with_public_addresses_stands_beside_the_nat_gateway() -> None:
    pools = [
        pool(name="desk", instance_type="g5.xlarge", count=1, public_ip=True),
        pool(name="cpu", instance_type="m7i.xlarge"),
    ]
    graph = recorded(cluster(node_pools=pools))
    assert graph.named("train-desk-pool-group").inputs["vpcZoneIdentifiers"] == [OutputRef("train-public-subnet", "id")]
    assert graph.named("train-cpu-pool-group").inputs["vpcZoneIdentifiers"] == [OutputRef("train-nodes-subnet", "id")]
    addresses = {
        t.name: t.get("networkInterfaces", 0, "associatePublicIpAddress") for t in graph.of_type(LAUNCH_TEMPLATE)
    }
    assert addresses == {"train-desk-pool-template": "true", "train-cpu-pool-template": "false"}


def test_without_private_nodes_there_is_no_nat_gateway() -> None:
    graph = recorded(cluster(node_pools=[pool(instance_type="g5.xlarge", count=1)], network={"public_nodes": True}))
    assert not graph.of_type("aws:ec2/natGateway:NatGateway", "aws:ec2/eip:Eip")
    assert graph.named("train-public-routing").inputs["subnetId"] == OutputRef("train-nodes-subnet", "id")
    assert only(graph, "aws:ec2/vpcEndpoint:VpcEndpoint").inputs["routeTableIds"] == [
        OutputRef("train-public-routes", "id")
    ]


def test_an_existing_network_gets_security_groups_and_nothing_else() -> None:
    graph = recorded(cluster(network=EXISTING))
    made = {r.type for r in graph if r.type.startswith(("aws:ec2/", "aws:vpc/"))}
    assert made == {
        "aws:ec2/securityGroup:SecurityGroup",
        INGRESS,
        EGRESS,
        LAUNCH_TEMPLATE,
        "aws:ec2/placementGroup:PlacementGroup",
    }
    assert graph.named("train-nodes-sg").get("vpcId") == "vpc-0a1b2c3d4e5f60718"
    assert only(graph, GROUP).get("vpcZoneIdentifiers") == ["subnet-0f1e2d3c4b5a69788"]


def test_groups_of_an_existing_network_go_on_every_interface_and_may_mount() -> None:
    place = ExistingNetwork("vpc-0a1b2c3d4e5f60718", "subnet-0f1e2d3c4b5a69788", ["sg-0123456789abcdef0"])
    graph = recorded(cluster(storage=[LUSTRE]), network=place)
    groups = [OutputRef("train-nodes-sg", "id"), "sg-0123456789abcdef0"]
    assert all(nic["securityGroups"] == groups for nic in only(graph, LAUNCH_TEMPLATE).get("networkInterfaces"))
    sources = {r.get("referencedSecurityGroupId") for r in graph.of_type(INGRESS) if r.get("fromPort") == 988}
    assert "sg-0123456789abcdef0" in sources


def test_groups_must_be_a_list() -> None:
    with pytest.raises(TypeError, match="give a list"):
        ExistingNetwork("vpc-0", "subnet-0", "sg-0")
    with pytest.raises(TypeError, match="give a list"):
        ExistingNetwork("vpc-0", "subnet-0", pulumi.Output.from_input(["sg-0"]))  # type: ignore[arg-type]


def test_alone_it_is_a_component_with_its_own_name() -> None:
    from gpuinfra.testing import record

    spec = parse(cluster()).spec
    assert spec
    graph = record(lambda: ClusterNetwork("shared", spec))
    assert only(graph, "gpuinfra:aws:ClusterNetwork").name == "shared"
    assert graph.named("shared-vpc").parent == graph.named("shared").urn
    assert not graph.of_type(GROUP, LAUNCH_TEMPLATE)
