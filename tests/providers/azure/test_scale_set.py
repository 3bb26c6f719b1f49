"""The scale set of a pool: what is written, what is left out, and what a change of it does."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import pytest

from gpuinfra import catalog
from gpuinfra.plan import resolve
from gpuinfra.policy.judgement import judge
from gpuinfra.policy.resource_graph import Resource, ResourceGraph, option_path_faults
from gpuinfra.spec.load import parse
from gpuinfra.vocabulary import FabricKind, Provider

from .clusters import NOW, RESERVATION, SCALE_SET, cluster, location, only, pool, recorded

T4, A10, NC, ND_A100 = (
    "Standard_NC8as_T4_v3",
    "Standard_NV36ads_A10_v5",
    "Standard_NC24ads_A100_v4",
    "Standard_ND96asr_v4",
)
GALLERY = "/subscriptions/s/resourceGroups/r/providers/Microsoft.Compute/galleries/g/images/i/versions/1.0.0"


def made(spec: dict[str, Any], **options: Any) -> Resource:
    return only(recorded(spec, **options), SCALE_SET)


def one(**changes: Any) -> Resource:
    return made(cluster(node_pools=[pool(**changes)], image={"node": "auto"}))


def profile(scale_set: Resource) -> dict[str, Any]:
    return scale_set.get("virtualMachineProfile")


# Placement.


def test_infiniband_nodes_are_one_set_in_one_placement_group_and_fault_domain() -> None:
    found = one()
    assert found.get("orchestrationMode") == "Uniform"
    assert found.get("singlePlacementGroup") is True
    assert found.get("platformFaultDomainCount") == 1
    assert found.get("overprovision") is False
    assert found.get("zones") == ["1"]
    assert found.get("proximityPlacementGroup") is None
    assert found.get("upgradePolicy") == {"mode": "Manual"}
    assert found.get("sku") == {"name": "Standard_ND96isr_H100_v5", "tier": "Standard", "capacity": 4}


def test_two_pools_of_infiniband_are_two_sets() -> None:
    graph = recorded(cluster(node_pools=[pool(), pool(name="other")], job=None))
    assert {s.get("vmScaleSetName") for s in graph.of_type(SCALE_SET)} == {"train-gpu", "train-other"}


@pytest.mark.parametrize(
    ("changes", "together"),
    [
        ({"count": 1}, True),
        ({"count": {"min": 0, "max": 2}}, True),
        ({"fabric": "none"}, False),
        ({"instance_type": T4, "count": 3}, False),
    ],
)
def test_only_what_talks_over_infiniband_or_may_is_kept_together(changes: dict[str, Any], together: bool) -> None:
    found = one(**changes)
    assert found.get("singlePlacementGroup") is together
    assert found.get("platformFaultDomainCount") == (1 if together else None)


def test_without_a_zone_none_is_written() -> None:
    where = location()
    del where["zone"]
    assert made(cluster(location=where)).get("zones") is None


def test_a_proximity_group_of_the_user_is_found_in_the_cluster_s_group_or_by_its_id() -> None:
    here = one(instance_type=T4, proximity="near")
    assert here.get("proximityPlacementGroup", "id").endswith(
        "/providers/Microsoft.Compute/proximityPlacementGroups/near"
    )
    given = "/subscriptions/s/resourceGroups/r/providers/Microsoft.Compute/proximityPlacementGroups/near"
    assert one(instance_type=T4, proximity=given).get("proximityPlacementGroup", "id") == given


# Purchase.


def test_on_demand_is_regular_and_has_no_word_of_spot() -> None:
    found = profile(one())
    assert found["priority"] == "Regular"
    assert not {"evictionPolicy", "billingProfile", "capacityReservation"} & set(found)


def test_spot_is_deleted_and_has_no_price_limit() -> None:
    found = profile(one(instance_type=T4, capacity={"type": "spot"}))
    assert (found["priority"], found["evictionPolicy"]) == ("Spot", "Delete")
    assert found["billingProfile"] == {"maxPrice": -1}


def test_a_reservation_is_taken_from_in_one_fault_domain() -> None:
    found = one(instance_type=T4, capacity={"type": "reservation", "id": RESERVATION})
    assert profile(found)["capacityReservation"] == {"capacityReservationGroup": {"id": RESERVATION}}
    assert profile(found)["priority"] == "Regular"
    assert found.get("platformFaultDomainCount") == 1
    assert found.get("singlePlacementGroup") is False
    assert found.get("proximityPlacementGroup") is None


# Disks.


@pytest.mark.parametrize(
    ("instance_type", "placement"),
    [
        ("Standard_ND96isr_H100_v5", "ResourceDisk"),
        (T4, "ResourceDisk"),
        (A10, "ResourceDisk"),
        # 176 and 64 GiB do not hold a root of 200.
        ("Standard_NC4as_T4_v3", None),
        (NC, None),
        # Where the size of the drive was not read, it is not used.
        (ND_A100, None),
        ("Standard_NC40ads_H100_v5", None),
    ],
)
def test_the_root_is_on_a_drive_of_the_machine_where_it_fits(instance_type: str, placement: str | None) -> None:
    disk = profile(one(instance_type=instance_type, count=1))["storageProfile"]["osDisk"]
    assert disk["caching"] == "ReadOnly"
    if placement:
        assert disk["diffDiskSettings"] == {"option": "Local", "placement": placement}
        assert "managedDisk" not in disk
    else:
        assert disk["managedDisk"] == {"storageAccountType": "Premium_LRS"}
        assert "diffDiskSettings" not in disk


@pytest.mark.parametrize(("local_nvme", "placement"), [("none", "NvmeDisk"), ("raid0", None)])
def test_an_nvme_drive_holds_the_root_only_where_the_spec_wants_none_for_data(
    local_nvme: str, placement: str | None
) -> None:
    spec = cluster(
        location=location(region="eastus2"),
        node_pools=[pool(instance_type="Standard_ND128isr_GB300_v6", count=18, local_nvme=local_nvme)],
        image={"node": GALLERY},
    )
    storage = profile(made(spec))["storageProfile"]
    assert storage["diskControllerType"] == "NVMe"
    assert storage["osDisk"].get("diffDiskSettings", {}).get("placement") == placement


def test_a_root_on_the_machine_costs_nothing() -> None:
    from gpuinfra.cost import estimate

    def lines(name: str) -> set[str]:
        loaded = parse(cluster(node_pools=[pool(instance_type=name, count=1)]))
        assert loaded.spec
        plan = resolve(loaded.spec, NOW).plan
        assert plan
        return {line.name for line in estimate(plan).lines}

    assert "gpu root volumes" not in lines(T4)
    assert "gpu root volumes" in lines(NC)


# Images, drivers and the firmware.


def test_a_urn_is_written_in_its_parts_and_a_gallery_image_by_its_id() -> None:
    assert profile(one())["storageProfile"]["imageReference"] == {
        "publisher": "microsoft-dsvm",
        "offer": "ubuntu-hpc",
        "sku": "2404",
        "version": "latest",
    }
    urn = "microsoft-dsvm:ubuntu-hpc:2204:22.04.2026072901"
    found = profile(made(cluster(image={"node": urn})))["storageProfile"]["imageReference"]
    assert found["version"] == "22.04.2026072901"
    assert profile(made(cluster(image={"node": GALLERY})))["storageProfile"]["imageReference"] == {"id": GALLERY}


def test_an_image_with_a_purchase_plan_brings_it() -> None:
    found = made(cluster(image={"node": "almalinux:almalinux-hpc:9-hpc-gen2:latest"}))
    assert found.get("plan") == {"name": "9-hpc-gen2", "product": "almalinux-hpc", "publisher": "almalinux"}
    assert one().get("plan") is None


def test_an_hpc_image_gets_no_driver_extension() -> None:
    for name in ("Standard_ND96isr_H100_v5", NC, T4):
        assert "extensionProfile" not in profile(one(instance_type=name, count=1))


def test_grid_is_laid_on_a_stock_image_inside_the_set_and_its_failure_loses_no_set() -> None:
    (extension,) = profile(one(instance_type=A10, count=1))["extensionProfile"]["extensions"]
    assert (extension["publisher"], extension["type"]) == ("Microsoft.HpcCompute", "NvidiaGpuDriverLinux")
    assert extension["suppressFailures"] is True
    assert extension["settings"] == {}
    assert "protectedSettings" not in extension
    nc = one(instance_type="Standard_NC144ds_xl_RTXPRO6000BSE_v6", count=1)
    (extension,) = profile(nc)["extensionProfile"]["extensions"]
    assert extension["settings"] == {"installGridNC": True}


def test_trusted_launch_is_written_where_size_and_image_are_known_to_take_it() -> None:
    assert profile(one(instance_type=A10, count=1))["securityProfile"] == {
        "securityType": "TrustedLaunch",
        "uefiSettings": {"secureBootEnabled": False, "vTpmEnabled": True},
    }
    for name in ("Standard_ND96isr_H100_v5", ND_A100):
        assert "securityProfile" not in profile(one(instance_type=name, count=1))


# The guest.


def test_nodes_are_logged_in_to_by_key_and_told_of_their_end() -> None:
    found = profile(one())
    login = found["osProfile"]
    assert login["linuxConfiguration"]["disablePasswordAuthentication"] is True
    (key,) = login["linuxConfiguration"]["ssh"]["publicKeys"]
    assert key["path"] == "/home/azureuser/.ssh/authorized_keys"
    assert "adminPassword" not in login
    assert len(login["computerNamePrefix"]) <= 15
    notice = found["scheduledEventsProfile"]["terminateNotificationProfile"]
    assert notice == {"enable": True, "notBeforeTimeout": "PT10M"}


def test_a_set_without_a_key_gets_one_that_nobody_holds() -> None:
    """ARM makes no Linux set without a key, and a key made from a sentence has no private half."""
    spec = cluster(network={"ssh_keys": []})
    login = profile(made(spec))["osProfile"]["linuxConfiguration"]
    assert login["disablePasswordAuthentication"] is True
    (key,) = login["ssh"]["publicKeys"]
    kind, body, _ = key["keyData"].split()
    assert kind == "ssh-ed25519"
    assert base64.b64decode(body)[-32:] == hashlib.sha256(b"gpuinfra: nobody holds this key").digest()
    (said,) = [d for d in judge(parse(spec), NOW).diagnostics if d.code == "GI2253"]
    assert not said.is_error


def test_an_image_whose_login_is_not_known_gets_an_account_of_ours() -> None:
    found = made(cluster(image={"node": GALLERY}))
    assert profile(found)["osProfile"]["adminUsername"] == "azureuser"


@pytest.mark.parametrize("public", [True, False])
def test_a_node_has_one_interface_and_an_address_only_where_it_is_public(public: bool) -> None:
    (interface,) = profile(one(public_ip=public))["networkProfile"]["networkInterfaceConfigurations"]
    assert interface["enableAcceleratedNetworking"] is True
    (address,) = interface["ipConfigurations"]
    assert ("publicIPAddressConfiguration" in address) is public


# What a change does.


def test_nodes_leave_a_subnet_before_it_goes() -> None:
    place = "virtualMachineProfile.networkProfile.networkInterfaceConfigurations[*].ipConfigurations[*].subnet"
    assert place in one().options["replaceOnChanges"]


def test_what_arm_refuses_to_change_is_a_replacement_in_the_preview() -> None:
    """Cases AZ-02: the preview calls these updates, and ARM answers PropertyChangeNotAllowed."""
    options = one().options
    assert options["deleteBeforeReplace"] is True
    assert {
        "orchestrationMode",
        "singlePlacementGroup",
        "zones",
        "platformFaultDomainCount",
        "proximityPlacementGroup",
        "sku.name",
        "virtualMachineProfile.priority",
        "virtualMachineProfile.evictionPolicy",
        "virtualMachineProfile.securityProfile",
        "virtualMachineProfile.storageProfile.osDisk",
        "virtualMachineProfile.storageProfile.diskControllerType",
        "virtualMachineProfile.storageProfile.imageReference.publisher",
        "virtualMachineProfile.storageProfile.imageReference.offer",
    } <= set(options["replaceOnChanges"])


def test_a_uniform_set_says_nothing_that_flexible_ones_alone_take() -> None:
    """deleteOption is refused, or without meaning, in a uniform set: its disks and addresses go with their node."""
    found = recorded(
        cluster(node_pools=[pool(instance_type=T4, capacity={"type": "spot"})], network={"public_nodes": True})
    )
    assert found.of_type(SCALE_SET)
    for one_set in found.of_type(SCALE_SET):
        assert "deleteOption" not in str(one_set.inputs)


def test_what_arm_changes_in_place_is_no_replacement() -> None:
    paths = set(one().options["replaceOnChanges"])
    assert not {p for p in paths if p in ("sku", "sku.capacity", "identity", "tags") or "customData" in p}
    assert not {p for p in paths if p.endswith(("imageReference.sku", "imageReference.version"))}


def test_a_set_may_leave_its_placement_group_in_place() -> None:
    assert "singlePlacementGroup" not in one(instance_type=T4).options["replaceOnChanges"]


@pytest.mark.parametrize(
    ("changes", "left_alone"),
    [
        ({}, True),
        ({"shutdown": {"lease": "72h"}}, True),
        ({"node_pools": [pool(instance_type=T4, count={"min": 0, "max": 1, "initial": 1})], "shutdown": None}, True),
        ({"node_pools": [pool(instance_type=T4, count=1)], "shutdown": None}, False),
    ],
)
def test_up_leaves_the_number_alone_where_something_else_moves_it(changes: dict[str, Any], left_alone: bool) -> None:
    spec = {k: v for k, v in cluster(**changes).items() if v is not None}
    assert made(spec).options.get("ignoreChanges") == (["sku.capacity"] if left_alone else None)


@pytest.fixture(scope="module")
def graph() -> ResourceGraph:
    return recorded(
        cluster(
            location=location(bastion=True),
            node_pools=[pool(), pool(name="spot", instance_type=NC, capacity={"type": "spot"})],
            storage=[
                {"name": "scratch", "kind": "lustre", "size_gib": 8192, "mount": "/scratch"},
                {"name": "home", "kind": "nfs", "size_gib": 1024, "mount": "/shared"},
            ],
        )
    )


def test_every_path_of_an_option_is_one_that_the_type_has(graph: ResourceGraph) -> None:
    assert [(f.resource.name, f.path, f.near) for f in option_path_faults(graph)] == []


# Every family in every way that it is sold.


def purchases(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [{"type": "on_demand"}, {"type": "spot"}]
    return [*found, {"type": "reservation", "id": RESERVATION}]


EVERY = [(t.name, c) for t in catalog.instance_types(Provider.AZURE) for c in purchases(t.name)]


@pytest.mark.parametrize(("name", "capacity"), EVERY, ids=[f"{n}-{c['type']}" for n, c in EVERY])
def test_what_the_plan_accepts_is_rendered(name: str, capacity: dict[str, Any]) -> None:
    spec = cluster(
        location=location(),
        node_pools=[pool(instance_type=name, count=2, capacity=capacity)],
        image={"node": "auto"},
        shutdown={"lease": "8h"},
    )
    judged = judge(parse(spec), NOW)
    if judged.plan is None or any(d.is_error for d in judged.diagnostics):
        # Refused with a reason; nothing is rendered.
        assert [d for d in judged.diagnostics if d.is_error]
        return
    (planned,) = judged.plan.pools
    if not planned.node_image.selector:
        spec["image"] = {"node": GALLERY}
    found = made(spec)
    assert found.get("sku", "name") == name
    assert profile(found)["priority"] == ("Spot" if capacity["type"] == "spot" else "Regular")
    assert found.get("singlePlacementGroup") is (
        planned.instance.fabric is FabricKind.INFINIBAND and planned.multi_node
    )
    reference = profile(found)["storageProfile"]["imageReference"]
    assert all(reference.values())


def test_some_of_every_family_is_rendered() -> None:
    """Were the plan to refuse all, the test above would pass empty."""
    rendered = {
        t.family
        for t in catalog.instance_types(Provider.AZURE)
        if (
            j := judge(parse(cluster(node_pools=[pool(instance_type=t.name, count=1)], image={"node": "auto"})), NOW)
        ).plan
        and not any(d.is_error for d in j.diagnostics)
    }
    assert {"NC_T4_v3", "NV_A10_v5", "NC_A100_v4", "NC_H100_v5", "ND_A100_v4", "ND_H100_v5", "ND_H200_v5"} <= rendered
    assert {"ND_MI300X_v5", "ND_GB200_v6", "ND_GB300_v6", "NC_RTXPRO6000BSE_v6"} <= rendered
