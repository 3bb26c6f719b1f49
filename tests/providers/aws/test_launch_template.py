from __future__ import annotations

from typing import Any

import pytest

from gpuinfra.policy.resource_graph import UNKNOWN, OutputRef, Resource

from .clusters import BLOCK, LAUNCH_TEMPLATE, boot_document, cluster, home, only, pool, recorded

FAMILIES = {
    # AWS-C01: type -> (interfaces, whether card 0 carries EFA beside the primary, cards with EFA)
    "p4d.24xlarge": (5, True, 4),
    "p4de.24xlarge": (5, True, 4),
    "p5.48xlarge": (33, True, 32),
    "p5e.48xlarge": (33, True, 32),
    "p5en.48xlarge": (17, True, 16),
    "p6-b200.48xlarge": (9, True, 8),
    "p6-b300.48xlarge": (17, False, 16),
    "g6e.48xlarge": (5, True, 4),
    "g5.8xlarge": (2, True, 1),
    "g6.8xlarge": (2, True, 1),
    "g4dn.8xlarge": (2, True, 1),
    "g7e.48xlarge": (5, True, 4),
}


def template(spec: dict[str, Any], **options: Any) -> Resource:
    return only(recorded(spec, **options), LAUNCH_TEMPLATE)


@pytest.mark.parametrize(("name", "shape"), FAMILIES.items())
def test_interfaces_of_each_family(name: str, shape: tuple[int, bool, int]) -> None:
    count, card0_efa, efa = shape
    spec = cluster(location=home(name), node_pools=[pool(instance_type=name, count=2, fabric="required")])
    nics = template(spec).get("networkInterfaces")
    slots = [(n["networkCardIndex"], n["deviceIndex"]) for n in nics]
    kinds = {slot: n["interfaceType"] for slot, n in zip(slots, nics, strict=True)}
    assert len(nics) == count
    assert len(set(slots)) == count
    assert kinds[0, 0] == "interface"
    assert ((0, 1) in kinds) == card0_efa
    assert [k for slot, k in kinds.items() if slot != (0, 0)] == ["efa-only"] * efa
    assert {slot for slot in slots if slot[0]} == {(card, 0) for card in range(1, efa + (not card0_efa))}
    assert [n.get("associatePublicIpAddress") for n in nics] == ["false", *[None] * (count - 1)]
    for nic in nics[1:]:
        assert set(nic) == {"networkCardIndex", "deviceIndex", "interfaceType", "deleteOnTermination", "securityGroups"}


def test_security_groups_stand_in_the_interfaces_alone() -> None:
    found = template(cluster())
    assert all(n["securityGroups"] == [OutputRef("train-nodes-sg", "id")] for n in found.get("networkInterfaces"))
    assert "vpcSecurityGroupIds" not in found.inputs
    assert all("subnetId" not in n for n in found.get("networkInterfaces"))


def test_a_node_without_fabric_has_one_ordinary_interface() -> None:
    spec = cluster(node_pools=[pool(instance_type="g5.xlarge", count=1)])
    (nic,) = template(spec).get("networkInterfaces")
    assert (nic["interfaceType"], nic["associatePublicIpAddress"]) == ("interface", "false")


def test_metadata_service_wants_a_token_and_reaches_containers() -> None:
    options = template(cluster()).get("metadataOptions")
    assert (options["httpTokens"], options["httpPutResponseHopLimit"], options["httpEndpoint"]) == (
        "required",
        2,
        "enabled",
    )


def test_the_root_disk_is_the_images_own_and_encrypted() -> None:
    (disk,) = template(cluster()).get("blockDeviceMappings")
    assert disk["ebs"]["encrypted"] == "true", "the SDK takes text here"
    assert disk["ebs"]["deleteOnTermination"] == "true"
    assert disk["ebs"]["volumeType"] == "gp3"
    assert disk["ebs"]["volumeSize"] >= 150
    assert disk["deviceName"].startswith("/dev/")


def test_instances_volumes_and_interfaces_are_tagged_for_the_budget() -> None:
    specifications = template(cluster(labels={"team": "nlp"})).get("tagSpecifications")
    assert [s["resourceType"] for s in specifications] == ["instance", "volume", "network-interface"]
    for s in specifications:
        assert s["tags"] == {"gpuinfra-cluster": "train", "gpuinfra-pool": "gpu", "team": "nlp", "Name": "train-gpu"}


@pytest.mark.parametrize("preview", [False, True])
def test_an_image_id_is_taken_as_it_stands(preview: bool) -> None:
    spec = cluster(image={"node": "ami-0123456789abcdef0", "container": "nvcr.io/nvidia/pytorch:25.08-py3"})
    assert template(spec, preview=preview).get("imageId") == "ami-0123456789abcdef0"


def test_a_parameter_is_read_once_and_its_value_pinned() -> None:
    path = "/aws/service/deeplearning/ami/x86_64/base-oss-nvidia-driver-gpu-ubuntu-24.04/latest/ami-id"
    spec = cluster(
        image={"node": path, "container": "nvcr.io/nvidia/pytorch:25.08-py3"}, node_pools=[pool(), pool(name="other")]
    )
    graph = recorded(spec)
    assert [a["name"] for token, a in graph.invokes if token == "aws:ssm/getParameter:getParameter"] == [path]
    ids = {t.get("imageId") for t in graph.of_type(LAUNCH_TEMPLATE)}
    assert len(ids) == 1
    assert not ids.pop().startswith("resolve:")


def test_on_demand_says_nothing_of_the_purchase() -> None:
    assert not {"instanceMarketOptions", "capacityReservationSpecification"} & set(template(cluster()).inputs)


def test_a_reservation_is_targeted_without_market_and_without_group() -> None:
    """AWS-C06: sixteen reserved nodes, eleven launched."""
    reservation = {"type": "reservation", "id": "cr-0ddd3333eeee4444f"}
    graph = recorded(cluster(node_pools=[pool(capacity=reservation)]))
    found = only(graph, LAUNCH_TEMPLATE)
    specification = found.get("capacityReservationSpecification")
    assert specification == {
        "capacityReservationPreference": "capacity-reservations-only",
        "capacityReservationTarget": {"capacityReservationId": "cr-0ddd3333eeee4444f"},
    }
    assert not {"instanceMarketOptions", "placement"} & set(found.inputs)
    assert not graph.of_type("aws:ec2/placementGroup:PlacementGroup")


def test_a_group_of_reservations_is_targeted_by_its_arn() -> None:
    arn = "arn:aws:resource-groups:us-east-2:123456789012:group/h100"
    found = template(cluster(node_pools=[pool(capacity={"type": "reservation", "id": arn})]))
    target = found.get("capacityReservationSpecification", "capacityReservationTarget")
    assert target == {"capacityReservationResourceGroupArn": arn}


def test_a_capacity_block_is_a_market_of_its_own() -> None:
    found = template(cluster(node_pools=[pool(capacity=BLOCK)], shutdown={"lease": "2026-12-08T10:00:00Z"}))
    assert found.get("instanceMarketOptions") == {"marketType": "capacity-block"}
    assert found.get("capacityReservationSpecification") == {
        "capacityReservationTarget": {"capacityReservationId": BLOCK["id"]}
    }
    assert "placement" not in found.inputs
    assert found.get("instanceType") == "p5.48xlarge"


def test_the_users_own_placement_group_is_taken_and_none_is_made() -> None:
    graph = recorded(cluster(node_pools=[pool(proximity="acme-pg")]))
    assert only(graph, LAUNCH_TEMPLATE).get("placement") == {"groupName": "acme-pg"}
    assert not graph.of_type("aws:ec2/placementGroup:PlacementGroup")


def test_no_block_of_the_template_is_empty() -> None:
    def empty(value: Any) -> bool:
        if isinstance(value, dict):
            return not value or any(empty(v) for v in value.values())
        return isinstance(value, list) and (not value or any(empty(v) for v in value))

    for capacity in ({"type": "on_demand"}, {"type": "spot"}, {"type": "reservation", "id": "cr-0ddd3333eeee4444f"}):
        found = template(cluster(node_pools=[pool(capacity=capacity)]))
        assert not [k for k, v in found.inputs.items() if empty(v)], capacity


def test_user_data_is_a_document_that_cloud_init_reads() -> None:
    document = boot_document(template(cluster()))
    assert {"write_files", "runcmd"} <= set(document)


def test_preview_knows_all_that_is_decided() -> None:
    found = template(cluster(), preview=True)
    assert found.get("instanceType") == "p5.48xlarge"
    assert len(found.get("networkInterfaces")) == 33
    assert found.get("networkInterfaces", 0, "securityGroups", 0) is UNKNOWN
    assert isinstance(found.get("userData"), str), "nothing late is in it, so it is known"
