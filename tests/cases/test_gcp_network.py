"""GCP-C02: two A4 nodes wired like machines with one interface, in a guessed zone."""

from __future__ import annotations

from typing import Any

import pytest

from .gcp_programs import GOOGLE, errors, instance, judge, resource, spec_errors
from .judging import codes, rows, said

PATH = "projects/acme-lab/global/networkProfiles/"
GVNIC, MRDMA, IDPF = "GVNIC", "MRDMA", "IDPF"


def network(name: str, **inputs: Any) -> dict[str, Any]:
    return resource("gcp.compute.Network", name, name=name, autoCreateSubnetworks=False, **inputs)


def subnet(name: str, of: str, cidr: str, region: str = "us-central1") -> dict[str, Any]:
    return resource("gcp.compute.Subnetwork", name, name=name, network=of, region=region, ipCidrRange=cidr)


def nic(kind: str, on: str, **more: Any) -> dict[str, Any]:
    return {"nicType": kind, "subnetwork": on, **more}


def cluster(
    kind: str = "a4-highgpu-8g",
    cards: int = 8,
    profile: str = f"{PATH}us-central1-b-vpc-roce",
    zone: str = "us-central1-b",
    **changes: Any,
) -> list[dict[str, Any]]:
    """One RDMA machine with its networks, as the facts render it."""
    hosts = [network(f"net{i}", mtu=8896) for i in range(2)]
    rdma = network("lab-rdma", mtu=8896, networkProfile=profile, routingMode="REGIONAL")
    subnets = [subnet(f"sub{i}", f"net{i}", f"10.0.{i}.0/24") for i in range(2)]
    subnets += [subnet(f"rdma{i}", "lab-rdma", changes.get(f"cidr{i}", f"10.1.{i}.0/24")) for i in range(cards)]
    nics = [nic(GVNIC, f"sub{i}") for i in range(2)] + [nic(MRDMA, f"rdma{i}") for i in range(cards)]
    box = instance(
        zone=zone,
        machineType=kind,
        networkInterfaces=nics,
        scheduling={
            "onHostMaintenance": "TERMINATE",
            "provisioningModel": "RESERVATION_BOUND",
            "automaticRestart": True,
        },
        reservationAffinity={
            "type": "SPECIFIC_RESERVATION",
            "specificReservation": {"key": "compute.googleapis.com/reservation-name", "values": ["res-h"]},
        },
    )
    return [*hosts, rdma, *subnets, box]


def test_c02_one_mistake_is_one_finding_each():
    """The case as it was written down: one network for both host interfaces, seven cards, a bare profile of zone a."""
    bad = [
        network("lab-rdma", networkProfile="us-central1-a-vpc-roce"),
        *(subnet(f"rdma{i}", "lab-rdma", f"10.1.{i}.0/24") for i in range(7)),
        instance(
            zone="us-central1-b",
            machineType="a4-highgpu-8g",
            networkInterfaces=[
                {"nicType": GVNIC, "network": "default"},
                {"nicType": GVNIC, "network": "default"},
                *(nic(MRDMA, f"rdma{i}") for i in range(7)),
            ],
        ),
    ]
    report = judge(*bad)
    assert rows(report, errors=True, cloud=GOOGLE) == {"NET-01", "NET-03", "NET-05", "NET-06", "NET-07"}
    assert len(report.diagnostics) == 5
    assert "9 interfaces" in said(report, "GI3101").message
    assert "takes 10" in said(report, "GI3101").message
    assert "7 subnets" in said(report, "GI3107").message
    assert "interfaces 0 and 1" in said(report, "GI3103").message
    assert "us-central1-b" in said(report, "GI3105").hint
    assert "projects/<project>/global/networkProfiles/us-central1-a-vpc-roce" in said(report, "GI3106").hint


@pytest.mark.parametrize(("kind", "cards"), [("a4-highgpu-8g", 8), ("a3-ultragpu-8g", 8), ("a4x-highgpu-4g", 4)])
def test_c02_the_right_wiring_passes(kind: str, cards: int):
    assert codes(judge(*cluster(kind, cards))) == []


def test_c02_no_firewall_on_the_rdma_network():
    wall = resource(
        "gcp.compute.Firewall", "inner", network="lab-rdma", allows=[{"protocol": "tcp"}], sourceRanges=["10.1.0.0/16"]
    )
    assert errors(*cluster(), wall) == {"NET-08"}
    router = resource("gcp.compute.Router", "out", network="lab-rdma")
    assert errors(*cluster(), router) == {"NET-08"}


def test_c02_subnets_that_overlap():
    report = judge(*cluster(cidr1="10.1.0.128/25"))
    assert rows(report, errors=True, cloud=GOOGLE) == {"NET-11"}
    assert len(report.diagnostics) == 1


def test_c02_the_network_of_another_zone():
    assert errors(*cluster(profile=f"{PATH}us-central1-a-vpc-roce")) == {"NET-05"}


def test_c02_a_network_without_the_profile():
    bad = [{**r, "inputs": {k: v for k, v in r["inputs"].items() if k != "networkProfile"}} for r in cluster()]
    assert errors(*bad) == {"NET-04"}


def metal(subnets: int, stack: str = "IPV6_ONLY", suffix: str = "vpc-roce-metal") -> list[dict[str, Any]]:
    hosts = [network(f"net{i}", mtu=8896) for i in range(2)]
    own = [subnet(f"sub{i}", f"net{i}", f"10.0.{i}.0/24") for i in range(2)]
    rdma = network("lab-rdma", mtu=8896, networkProfile=f"{PATH}us-central1-b-{suffix}")
    extra = [subnet(f"rdma{i}", "lab-rdma", f"10.1.{i}.0/24") for i in range(subnets)]
    cards = [
        {"nicType": MRDMA, "network": "lab-rdma", "subnetwork": "default-subnet-1-lab-rdma", "stackType": stack}
    ] * 8
    nics = [nic(IDPF, "sub0"), nic(IDPF, "sub1"), *cards]
    box = instance(zone="us-central1-b", machineType="a4x-maxgpu-4g-metal", networkInterfaces=nics)
    return [*hosts, *own, rdma, *extra, box]


def test_c02_bare_metal_declares_no_subnet():
    assert codes(judge(*metal(0))) == []
    assert errors(*metal(1)) == {"NET-07"}
    assert errors(*metal(0, stack="IPV4_ONLY")) == {"NET-07"}
    assert errors(*metal(0, suffix="vpc-roce")) >= {"NET-04"}


def test_c02_a_zone_without_the_type_lists_the_zones():
    report = judge(instance(zone="us-central1-c", machineType="a4-highgpu-8g"))
    assert rows(report, errors=True, cloud=GOOGLE) == {"ACC-05"}
    assert "us-central1-b" in said(report, "GI3136").hint


A4 = "instance_type: a4-highgpu-8g, count: 2, capacity: {type: reservation, id: res-h}"


def test_c02_as_a_spec():
    assert spec_errors(A4, "us-central1-b") == {}
    found = spec_errors(A4, "us-central1-c")
    assert list(found) == ["GI2014"]
    assert "us-central1-b" in found["GI2014"]


@pytest.mark.parametrize(
    ("slot", "kind", "row"), [(0, MRDMA, "NET-02"), (9, GVNIC, "NET-02"), (1, "VIRTIO_NET", "NET-02")]
)
def test_the_kind_of_each_slot(slot: int, kind: str, row: str):
    resources = cluster()
    resources[-1]["inputs"]["networkInterfaces"][slot]["nicType"] = kind
    assert row in errors(*resources)


def test_an_outer_address_on_a_card():
    resources = cluster()
    resources[-1]["inputs"]["networkInterfaces"][5]["accessConfigs"] = [{}]
    assert errors(*resources) == {"NET-08"}


def test_machines_of_another_zone_than_their_rdma_network_are_one_mistake():
    boxes = [
        instance(f"box{i}", zone="us-central1-b", machineType="a4-highgpu-8g", networkInterfaces=[nic(MRDMA, "r0")])
        for i in range(5)
    ]
    profile = "projects/acme-lab/global/networkProfiles/us-central1-a-vpc-roce"
    found = said(judge(network("rdma", networkProfile=profile), subnet("r0", "rdma", "10.1.0.0/24"), *boxes), "GI3105")
    assert found.resource == "rdma"
    assert "'box0', 'box1', 'box2' and others" in found.message
