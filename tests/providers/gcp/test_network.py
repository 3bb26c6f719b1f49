from __future__ import annotations

from typing import Any

import pulumi
import pytest

from gpuinfra.diagnostics import GpuInfraError
from gpuinfra.gcp import ClusterNetwork, ExistingNetwork
from gpuinfra.policy.resource_graph import UNKNOWN, OutputRef, ResourceGraph
from gpuinfra.testing import record

from .clusters import (
    FIREWALL,
    FLEX,
    GROUP,
    HOME,
    LUSTRE,
    NETWORK,
    RESERVED,
    SUBNET,
    SUBNETWORK,
    TEMPLATE,
    cluster,
    of_type,
    only,
    pool,
    recorded,
    source,
    spec_of,
    waits_for,
)

NAT = "gcp:compute/routerNat:RouterNat"
PEERING = "gcp:servicenetworking/connection:Connection"
ADDRESS = "gcp:compute/globalAddress:GlobalAddress"
IAP = "35.235.240.0/20"
EXISTING = {"existing": {"network": "prod", "subnet": "prod"}}


@pytest.fixture(scope="module")
def graph() -> ResourceGraph:
    return recorded(cluster())


@pytest.fixture(scope="module")
def a4() -> ResourceGraph:
    return recorded(of_type("a4-highgpu-8g", capacity=RESERVED))


def opened(graph: ResourceGraph) -> list[tuple[str | None, Any, Any, list[str]]]:
    """Network, sources, ports and protocols of each rule."""
    return [
        (
            source(r.inputs["network"]) or r.get("network"),
            r.get("sourceRanges") or r.get("sourceTags"),
            r.get("allows", 0, "ports"),
            [a["protocol"] for a in r.get("allows")],
        )
        for r in graph.of_type(FIREWALL)
    ]


def test_the_vpc_makes_no_subnet_by_itself(graph: ResourceGraph) -> None:
    vpc = only(graph, NETWORK)
    assert (vpc.get("autoCreateSubnetworks"), vpc.get("routingMode"), vpc.get("project")) == (
        False,
        "REGIONAL",
        "acme-lab",
    )
    subnet = only(graph, SUBNET)
    assert (subnet.get("ipCidrRange"), subnet.get("privateIpGoogleAccess")) == ("10.40.0.0/17", True)
    assert subnet.inputs["network"] == OutputRef("train-vpc", "id")


def test_a_subnets_text_does_not_change_with_the_number_of_nodes() -> None:
    """Google takes a description at creation alone: another text replaces the subnet, and every node in it."""
    texts = {only(recorded(cluster(node_pools=[pool(count=n)])), SUBNET).get("description") for n in (1, 9)}
    assert len(texts) == 1


@pytest.mark.parametrize(
    ("spec", "mtu"),
    [
        (cluster(node_pools=[pool(count=1)]), 1460),
        (cluster(), 8896),
        (cluster(node_pools=[pool(count=1), pool(name="many")]), 8896),
        (of_type("a3-megagpu-8g", capacity={"type": "spot"}), 8244),
        (of_type("a3-highgpu-8g", capacity={"type": "spot"}), 8244),
        (of_type("a4-highgpu-8g", capacity=RESERVED), 8896),
        (of_type("a4x-maxgpu-4g-metal", capacity=RESERVED), 4096),
    ],
)
def test_packets_are_as_large_as_the_machines_take(spec: dict[str, Any], mtu: int) -> None:
    assert recorded(spec).named("train-vpc").get("mtu") == mtu


def test_private_nodes_leave_through_nat_and_wait_for_it(graph: ResourceGraph) -> None:
    nat = only(graph, NAT)
    assert nat.get("sourceSubnetworkIpRangesToNat") == "LIST_OF_SUBNETWORKS"
    assert [source(s["name"]) for s in nat.get("subnetworks")] == ["train-nodes-subnet"]
    assert nat.get("enableDynamicPortAllocation") is True
    assert nat.get("enableEndpointIndependentMapping") is False, "Google refuses both"
    assert {"train-nat", "train-nodes-inside", "train-ssh-iap"} <= waits_for(graph, only(graph, GROUP))


def test_public_nodes_need_no_nat() -> None:
    graph = recorded(cluster(network={"public_nodes": True}))
    assert not graph.of_type(NAT, "gcp:compute/router:Router")
    (nic,) = only(graph, TEMPLATE).get("networkInterfaces")
    assert nic["accessConfigs"] == [{"networkTier": "PREMIUM"}]


def test_shells_come_through_the_proxy_and_nothing_is_open_to_the_world(graph: ResourceGraph) -> None:
    """GCP-NET-13."""
    assert ("train-vpc", [IAP], ["22"], ["tcp"]) in opened(graph)
    named = recorded(cluster(network={"ssh_from": ["203.0.113.0/24", "2001:db8::/48"]}))
    for graph_ in (graph, named):
        assert not [r for r in opened(graph_) if {"0.0.0.0/0", "::/0"} & set(r[1])]
        assert all(r.get("direction") == "INGRESS" for r in graph_.of_type(FIREWALL))
    ranges = [r[1] for r in opened(named) if r[2] == ["22"]]
    assert sorted(map(str, ranges)) == sorted(map(str, [[IAP], ["203.0.113.0/24"], ["2001:db8::/48"]])), (
        "one rule takes no ranges of both kinds"
    )


def test_nodes_talk_to_each_other_on_every_protocol(graph: ResourceGraph) -> None:
    assert ("train-vpc", ["10.40.0.0/17"], None, ["tcp", "udp", "icmp"]) in opened(graph)


# Networks of GPUs.


@pytest.mark.parametrize(("name", "gpus"), [("a3-highgpu-8g", 4), ("a3-megagpu-8g", 8)])
def test_each_gvnic_has_a_vpc_of_its_own(name: str, gpus: int) -> None:
    """GCP-NET-03, GCP-NET-14: two interfaces of a machine never share a network, and each has its inner rule."""
    graph = recorded(of_type(name, capacity={"type": "spot"}))
    apart = {f"train-gpu{n}-vpc" for n in range(gpus)}
    assert {r.name for r in graph.of_type(NETWORK)} == apart | {"train-vpc"}
    assert {graph.named(n).get("mtu") for n in apart} == {8244}
    inner = {r[0]: r for r in opened(graph) if r[0] in apart}
    for subnet in graph.of_type(SUBNET):
        network = source(subnet.inputs["network"])
        if network in apart:
            assert inner[network][1] == [subnet.get("ipCidrRange")]
            assert inner[network][3] == ["tcp", "udp", "icmp"]
    assert {f"train-gpu{n}-inside" for n in range(gpus)} <= waits_for(graph, only(graph, GROUP))
    assert [s["name"].resource for s in only(graph, NAT).get("subnetworks")] == ["train-nodes-subnet"]


@pytest.mark.parametrize(("name", "rdma"), [("a3-ultragpu-8g", 8), ("a4-highgpu-8g", 8), ("a4x-highgpu-4g", 4)])
def test_rdma_interfaces_share_one_network_of_their_zone(name: str, rdma: int) -> None:
    """GCP-C02: two regular VPCs and one RDMA network with a subnet for each interface."""
    spec = of_type(name, capacity=RESERVED)
    graph = recorded(spec)
    assert {r.name for r in graph.of_type(NETWORK)} == {"train-vpc", "train-host1-vpc", "train-rdma-vpc"}
    network = graph.named("train-rdma-vpc")
    zone = spec["location"]["zone"]
    assert network.get("networkProfile") == f"projects/acme-lab/global/networkProfiles/{zone}-vpc-roce"
    assert (network.get("mtu"), network.get("routingMode"), network.get("autoCreateSubnetworks")) == (
        8896,
        "REGIONAL",
        False,
    )
    subnets = [s for s in graph.of_type(SUBNET) if source(s.inputs["network"]) == "train-rdma-vpc"]
    assert len(subnets) == rdma
    assert len({s.get("ipCidrRange") for s in subnets}) == rdma


def test_an_rdma_network_takes_no_rule_router_or_nat(a4: ResourceGraph) -> None:
    """GCP-NET-08."""
    assert "train-rdma-vpc" not in {r[0] for r in opened(a4)}
    assert {source(r.inputs["network"]) for r in a4.of_type("gcp:compute/router:Router")} == {"train-vpc"}


def test_bare_metal_gets_a_network_that_makes_its_own_subnet() -> None:
    graph = recorded(of_type("a4x-maxgpu-4g-metal", capacity=RESERVED))
    network = graph.named("train-rdma-metal-vpc")
    assert network.get("networkProfile").endswith("-vpc-roce-metal")
    assert "train-rdma-metal-vpc" not in {source(s.inputs["network"]) for s in graph.of_type(SUBNET)}
    for name in ("train-vpc", "train-host1-vpc"):
        assert graph.named(name).get("enableUlaInternalIpv6") is True
    for name in ("train-nodes-subnet", "train-host1-subnet"):
        assert (graph.named(name).get("stackType"), graph.named(name).get("ipv6AccessType")) == (
            "IPV4_IPV6",
            "INTERNAL",
        )


def test_pools_share_the_networks_that_they_have_in_common() -> None:
    pools = [
        pool(name="one", instance_type="a3-ultragpu-8g", capacity=RESERVED),
        pool(name="two", instance_type="a3-ultragpu-8g", capacity=FLEX),
    ]
    graph = recorded(cluster(location=of_type("a3-ultragpu-8g")["location"], node_pools=pools))
    assert len(graph.of_type(NETWORK)) == 3


def test_an_rdma_network_without_a_zone_is_refused() -> None:
    spec = of_type("a4-highgpu-8g", capacity=RESERVED)
    waivers = [
        {"code": code, "path": path, "reason": "the zone is new", "expires": "2099-12-31"}
        for code, path in (("GI2012", "location.zone"), ("GI2013", "node_pools[0].instance_type"))
    ]
    spec = {**spec, "location": {"provider": "gcp", "project": "acme-lab", "region": "asia-east1"}, "waivers": waivers}
    with pytest.raises(GpuInfraError, match="an RDMA network stands in one zone"):
        recorded(spec)


# File systems.


def test_file_systems_are_peered_before_they_are_made() -> None:
    graph = recorded(cluster(storage=[LUSTRE, HOME]))
    address, peering = only(graph, ADDRESS), only(graph, PEERING)
    assert (address.get("purpose"), address.get("addressType")) == ("VPC_PEERING", "INTERNAL")
    assert address.get("prefixLength") <= 22, "a /23 for Lustre, and Filestore beside it"
    assert peering.get("service") == "servicenetworking.googleapis.com"
    assert peering.inputs["reservedPeeringRanges"] == [OutputRef("train-services", "name")]
    assert peering.get("deletionPolicy") == "REMOVE_PEERING", "GCP-STO-07: the VPC could never be deleted"
    for kind in ("gcp:lustre/instance:Instance", "gcp:filestore/instance:Instance"):
        assert "train-services-peering" in waits_for(graph, only(graph, kind))
    (rule,) = [r for r in opened(graph) if r[2] == ["988", "6988"]]
    assert rule[1] == [f"{address.get('address')}/{address.get('prefixLength')}"]


def test_without_file_systems_nothing_is_peered(graph: ResourceGraph) -> None:
    assert not graph.of_type(ADDRESS, PEERING)
    bucket = {"name": "out", "kind": "bucket", "mount": "/out"}
    assert not recorded(cluster(storage=[bucket])).of_type(ADDRESS, PEERING)


# Existing networks.


def test_an_existing_network_by_name_gets_rules_for_the_nodes_alone() -> None:
    graph = recorded(cluster(network=EXISTING))
    assert not graph.of_type(NETWORK, SUBNET, NAT)
    (nic,) = only(graph, TEMPLATE).get("networkInterfaces")
    assert nic["subnetwork"] == SUBNETWORK
    rules = graph.of_type(FIREWALL)
    assert {r.get("network") for r in rules} == {"projects/acme-lab/global/networks/prod"}
    assert all(r.get("targetTags") == ["train-nodes"] for r in rules), "other machines of the network are not touched"
    assert [r.get("sourceTags") for r in rules if not r.get("sourceRanges")] == [["train-nodes"]]
    assert only(graph, TEMPLATE).get("tags") == ["train-nodes"]


@pytest.mark.parametrize(
    "link",
    ["projects/host/global/networks/prod", "https://www.googleapis.com/compute/v1/projects/host/global/networks/prod"],
)
def test_the_firewall_of_a_shared_network_is_its_owners(link: str) -> None:
    graph = recorded(cluster(), network=ExistingNetwork(link, "projects/host/regions/us-central1/subnetworks/prod"))
    assert not graph.of_type(FIREWALL)
    assert any("GI2173" in text and "project host" in text for _, text in graph.logs)


def test_rules_can_be_left_to_others() -> None:
    graph = recorded(cluster(), network=ExistingNetwork("prod", "prod", firewall_rules=False))
    assert not graph.of_type(FIREWALL)
    assert not [text for _, text in graph.logs if "GI2173" in text]


def test_gpu_networks_are_made_beside_an_existing_one() -> None:
    graph = recorded({**of_type("a3-highgpu-8g", capacity={"type": "spot"}), "network": EXISTING})
    assert {r.name for r in graph.of_type(NETWORK)} == {f"train-gpu{n}-vpc" for n in range(4)}
    nics = only(graph, TEMPLATE).get("networkInterfaces")
    assert nics[0]["subnetwork"].endswith("/subnetworks/prod")
    assert len({str(n["subnetwork"]) for n in nics}) == 5


@pytest.mark.parametrize("preview", [True, False])
def test_ids_of_another_stack_may_be_unknown(preview: bool) -> None:
    spec = spec_of()

    def program() -> None:
        other = pulumi.StackReference("acme/network/prod")
        place = ExistingNetwork(other.require_output("network"), other.require_output("subnet"))
        ClusterNetwork("net", spec, existing=place)

    ids = {"network": "projects/acme-lab/global/networks/prod", "subnet": SUBNETWORK}
    graph = record(program, preview=preview, stack_references={"acme/network/prod": ids})
    assert {r.get("network") for r in graph.of_type(FIREWALL)} == {ids["network"]}
    assert {r.get("project") for r in graph.of_type(FIREWALL)} == {"acme-lab"}
    blank = record(program, preview=preview, stack_references={"acme/network/prod": {}})
    assert all("None" not in str(r.inputs) for r in blank)
    if preview:
        assert {r.get("network") for r in blank.of_type(FIREWALL)} == {UNKNOWN}


def test_alone_it_is_a_component_with_its_own_name() -> None:
    graph = record(lambda: ClusterNetwork("shared", spec_of()))
    assert only(graph, "gpuinfra:gcp:ClusterNetwork").name == "shared"
    assert graph.named("shared-vpc").parent == graph.named("shared").urn
    assert not graph.of_type(GROUP, TEMPLATE)
