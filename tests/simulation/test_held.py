"""Machines of plain programs: one alone, or the nodes of a Kubernetes pool, count against stock, quota and reservations."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pulumi
import pytest

from gpuinfra.simulation.clockwork import advance, all_clouds
from gpuinfra.simulation.showing import seen
from gpuinfra.simulation.world import Reservation, World
from gpuinfra.testing import RecordingError
from tests.specs import NOW

from .in_process import Clouds, RefusedError

INSTANCE, NODES = "aws:ec2/instance:Instance", "aws:eks/nodeGroup:NodeGroup"
VM, POOL = "gcp:compute/instance:Instance", "gcp:container/nodePool:NodePool"
MACHINE, AGENTS = "azure-native:compute:VirtualMachine", "azure-native:containerservice:AgentPool"
CLUSTER, AKS_PLANE = "gcp:container/cluster:Cluster", "azure-native:containerservice:ManagedCluster"
SUBNET = (
    "aws:ec2/subnet:Subnet",
    "s",
    {"vpcId": "vpc-1", "cidrBlock": "10.0.0.0/24", "availabilityZone": "us-east-2a"},
)
NIC = {"network": "default"}
BOOT = {"initializeParams": {"image": "debian", "type": "pd-balanced"}}
GPU = {"onHostMaintenance": "TERMINATE"}
AWS: dict[str, Any] = {"ami": "ami-1", "instanceType": "g5.8xlarge", "availabilityZone": "us-east-2a"}
GROUP: dict[str, Any] = {
    "clusterName": "eks",
    "nodeRoleArn": "arn:aws:iam::1:role/r",
    "subnetIds": ["subnet-1"],
    "instanceTypes": ["g5.8xlarge"],
    "scalingConfig": {"desiredSize": 2, "minSize": 0, "maxSize": 4},
}
GCP: dict[str, Any] = {
    "machineType": "g2-standard-4",
    "zone": "us-central1-a",
    "networkInterfaces": [NIC],
    "bootDisk": BOOT,
    "scheduling": GPU,
}
GKE: dict[str, Any] = {
    "cluster": "gke",
    "location": "us-central1-a",
    "nodeCount": 2,
    "nodeConfig": {"machineType": "g2-standard-4"},
}
AZURE: dict[str, Any] = {
    "resourceGroupName": "g",
    "location": "eastus",
    "zones": ["1"],
    "hardwareProfile": {"vmSize": "Standard_NC4as_T4_v3"},
}
PLANE: dict[str, Any] = {
    "location": "us-central1-a",
    "nodePools": [{"name": "gpu", "nodeCount": 2, "nodeConfig": {"machineType": "g2-standard-4"}}],
}
AKS: dict[str, Any] = {"resourceGroupName": "g", "resourceName": "aks", "vmSize": "Standard_NC4as_T4_v3", "count": 2}

INSIDE: dict[str, Any] = {
    "resourceGroupName": "g",
    "location": "eastus",
    "agentPoolProfiles": [{"name": "gpu", "mode": "System", "vmSize": "Standard_NC4as_T4_v3", "count": 2}],
}


def _with(inputs: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {**inputs, **more}


def make(clouds: Clouds, type_: str, inputs: dict[str, Any]) -> None:
    clouds.up(lambda: pulumi.CustomResource(type_, "it", inputs))


def said(clouds: Clouds, type_: str, inputs: dict[str, Any]) -> str:
    with pytest.raises((RefusedError, RecordingError)) as caught:
        make(clouds, type_, inputs)
    error: BaseException | None = caught.value
    while error is not None and not isinstance(error, RefusedError):
        error = error.__cause__ or error.__context__
    assert isinstance(error, RefusedError)
    assert error.moment == "apply"
    return error.text


def none_left(world: World) -> None:
    world.set_stock("*", "*", 0)


def no_quota(*names: str) -> Callable[[World], None]:
    def set_(world: World) -> None:
        for name in names:
            world.set_quota(name, 0)

    return set_


@pytest.mark.parametrize(("type_", "inputs", "spoil", "code"), [
    (INSTANCE, AWS, none_left, "InsufficientInstanceCapacity: 1 of g5.8xlarge in use2-az1"),
    (INSTANCE, AWS, no_quota("L-DB2E81BA"), "VcpuLimitExceeded"),
    (INSTANCE, _with(AWS, instanceMarketOptions={"marketType": "spot"}), no_quota("L-3819A6DF"),
     "MaxSpotInstanceCountExceeded"),
    (NODES, GROUP, none_left, "AsgInstanceLaunchFailures: Could not launch the nodes. InsufficientInstanceCapacity"),
    (VM, GCP, none_left, "ZONE_RESOURCE_POOL_EXHAUSTED: 1 of g2-standard-4 in us-central1-a"),
    (VM, GCP, no_quota("NVIDIA_L4_GPUS"), "QUOTA_EXCEEDED"),
    (POOL, GKE, none_left, "ZONE_RESOURCE_POOL_EXHAUSTED: 2 of g2-standard-4"),
    (MACHINE, AZURE, none_left, "ZonalAllocationFailed: 1 of Standard_NC4as_T4_v3 in eastus-1"),
    (MACHINE, AZURE, no_quota("Standard NCASv3_T4 Family"), "QuotaExceeded"),
    (AGENTS, AKS, none_left, "AllocationFailed: 2 of Standard_NC4as_T4_v3"),
    (CLUSTER, PLANE, none_left, "ZONE_RESOURCE_POOL_EXHAUSTED: 2 of g2-standard-4"),
    (AKS_PLANE, INSIDE, none_left, "AllocationFailed: 2 of Standard_NC4as_T4_v3"),
    (AKS_PLANE, INSIDE, no_quota("Standard NCASv3_T4 Family"), "QuotaExceeded"),
])  # fmt: skip
def test_what_is_not_there(type_: str, inputs: Any, spoil: Callable[[World], None], code: str, tmp_path: Path) -> None:
    clouds = Clouds(tmp_path)
    spoil(clouds.world)
    assert said(clouds, type_, inputs).startswith(code)
    assert clouds.world.things() == []


@pytest.mark.parametrize(("type_", "inputs", "there"), [
    (VM, _with(GCP, zone="us-central1-f"), "us-central1-a"),
    (VM, _with(GCP, zone="us-west1-c", machineType="n1-standard-8",
               guestAccelerators=[{"type": "nvidia-tesla-v100", "count": 1}]), "us-west1-b"),
])  # fmt: skip
def test_a_type_that_the_zone_does_not_have(type_: str, inputs: Any, there: str, tmp_path: Path) -> None:
    assert said(Clouds(tmp_path / "a"), type_, inputs).startswith("400 invalid: ")
    make(Clouds(tmp_path / "b"), type_, _with(inputs, zone=there))
    stocked = Clouds(tmp_path / "c")
    stocked.world.set_stock(inputs["zone"], inputs["machineType"], 1)
    make(stocked, type_, inputs)


@pytest.mark.parametrize(("type_", "inputs", "count"), [
    (INSTANCE, AWS, 1), (NODES, GROUP, 2), (VM, GCP, 1), (POOL, GKE, 2), (MACHINE, AZURE, 1), (AGENTS, AKS, 2),
    (CLUSTER, PLANE, 2), (AKS_PLANE, INSIDE, 2),
])  # fmt: skip
def test_machines_come_and_go_with_it(type_: str, inputs: Any, count: int, tmp_path: Path) -> None:
    clouds = Clouds(tmp_path)
    make(clouds, type_, inputs)
    (thing,) = clouds.world.things()
    assert len(clouds.world.running(type_, thing.id)) == count
    (group,) = seen(clouds.world, all_clouds([type_.split(":")[0]]))["groups"]
    assert (group["state"], group["running"], group["wanted"]) == ("running", count, count)
    make(clouds, type_, inputs)
    assert clouds.created == []
    clouds.remove(type_, "it")
    assert clouds.world.things() == []
    assert [n for n in clouds.world.nodes() if n.ended_at is None] == []


@pytest.mark.parametrize(("type_", "few", "many"), [
    (NODES, GROUP, _with(GROUP, scalingConfig={"desiredSize": 3, "minSize": 0, "maxSize": 4})),
    (POOL, GKE, _with(GKE, nodeCount=3)),
    (AGENTS, AKS, _with(AKS, count=3)),
    (CLUSTER, PLANE, _with(PLANE, nodePools=[{**PLANE["nodePools"][0], "nodeCount": 3}])),
    (AKS_PLANE, INSIDE, _with(INSIDE, agentPoolProfiles=[
        *INSIDE["agentPoolProfiles"], {"name": "more", "vmSize": "Standard_NC4as_T4_v3", "count": 1}])),
])  # fmt: skip
def test_a_pool_grows_and_shrinks(type_: str, few: Any, many: Any, tmp_path: Path) -> None:
    clouds = Clouds(tmp_path)
    for inputs, count in ((few, 2), (many, 3), (few, 2)):
        make(clouds, type_, inputs)
        assert len([n for n in clouds.world.nodes() if n.ended_at is None]) == count
    none_left(clouds.world)
    said(clouds, type_, many)
    assert len([n for n in clouds.world.nodes() if n.ended_at is None]) == 2


@pytest.mark.parametrize(("inputs", "nodes"), [
    ({"initialNodeCount": 1}, ["e2-medium"]),
    ({"initialNodeCount": 1, "removeDefaultNodePool": True}, []),
    ({"enableAutopilot": True}, []),
    ({"initialNodeCount": 2, "nodeConfig": {"machineType": "g2-standard-4"}}, ["g2-standard-4", "g2-standard-4"]),
])  # fmt: skip
def test_the_pool_of_a_cluster_of_its_own(inputs: dict[str, Any], nodes: list[str], tmp_path: Path) -> None:
    clouds = Clouds(tmp_path)
    make(clouds, CLUSTER, {"location": "us-central1-a", **inputs})
    assert [n.instance_type for n in clouds.world.nodes()] == nodes
    groups = seen(clouds.world, all_clouds(["gcp"]))["groups"]
    assert len(groups) == bool(nodes), "a cluster without nodes is no group"


def test_a_machine_of_a_block_ends_with_it(tmp_path: Path) -> None:
    clouds = Clouds(tmp_path)
    ends = NOW + timedelta(hours=10)
    clouds.world.set_reservation(Reservation("cr-1", "p5.48xlarge", "use2-az1", 1, "window", NOW, ends))
    block = {
        "instanceType": "p5.48xlarge",
        "instanceMarketOptions": {"marketType": "capacity-block"},
        "capacityReservationSpecification": {"capacityReservationTarget": {"capacityReservationId": "cr-1"}},
    }
    make(clouds, INSTANCE, _with(AWS, **block))
    aws = all_clouds(["aws"])
    advance(clouds.world, aws, timedelta(hours=9))
    assert len(clouds.world.things()) == 1
    advance(clouds.world, aws, timedelta(hours=1))
    assert clouds.world.things() == [], "a refresh finds that it is gone"


def test_a_machine_whose_run_is_over(tmp_path: Path) -> None:
    clouds = Clouds(tmp_path)
    scheduling = {**GPU, "maxRunDuration": {"seconds": 7200}, "instanceTerminationAction": "DELETE"}
    make(clouds, VM, _with(GCP, scheduling=scheduling))
    advance(clouds.world, all_clouds(["gcp"]), timedelta(hours=3))
    assert clouds.world.things() == []


TRUSTED = {"securityProfile": {"securityType": "TrustedLaunch"}, "hardwareProfile": {"vmSize": "Standard_ND96asr_v4"}}


@pytest.mark.parametrize(("type_", "inputs", "text"), [
    (INSTANCE, _with(AWS, instanceMarketOptions={"marketType": "capacity-block"}), "InvalidParameterCombination: The market"),
    (INSTANCE, _with(AWS, ami="my-image"), "InvalidAMIID.Malformed"),
    (INSTANCE, {"instanceType": "m5.large"}, "MissingParameter"),
    (NODES, _with(GROUP, capacityType="SPOT", scalingConfig={"desiredSize": 5, "minSize": 0, "maxSize": 4}),
     "InvalidParameterException: desired"),
    (VM, _with(GCP, scheduling={"onHostMaintenance": "MIGRATE"}), "400 invalid: Instances with guest accelerators do not"),
    (VM, _with(GCP, scheduling={**GPU, "provisioningModel": "SPOT"}), "400 invalid: Scheduling must have preemptible"),
    (VM, _with(GCP, machineType="a3-ultragpu-8g"), "400 invalid: pd-balanced disk type cannot be used"),
    (POOL, _with(GKE, nodeConfig={"machineType": "a4-highgpu-8g", "diskType": "pd-balanced"}), "400 badRequest: pd-balanced"),
    (POOL, _with(GKE, nodeConfig={"machineType": "g2-standard-4", "flexStart": True}), "400 badRequest: queued and flex"),
    (POOL, _with(GKE, upgradeSettings={"maxSurge": 0, "maxUnavailable": 0}), "400 badRequest: max_surge"),
    (MACHINE, _with(AZURE, **TRUSTED), "BadRequest: The VM size 'Standard_ND96asr_v4' is not supported"),
    (MACHINE, _with(AZURE, evictionPolicy="Delete"), "InvalidParameter: evictionPolicy"),
    (MACHINE, _with(AZURE, hardwareProfile={"vmSize": "Standard_NC6s_v3"}), "SkuNotAvailable"),
    (AGENTS, _with(AKS, vmSize="Standard_NC6s_v3"), "SkuNotAvailable"),
    (AGENTS, _with(AKS, scaleSetEvictionPolicy="Delete"), "InvalidParameter: scaleSetEvictionPolicy"),
    (AKS_PLANE, _with(INSIDE, agentPoolProfiles=[{"name": "gpu", "vmSize": "Standard_NC6s_v3"}]), "SkuNotAvailable"),
    (CLUSTER, _with(PLANE, nodePools=[{"name": "g", "nodeConfig": {"machineType": "a4-highgpu-8g", "diskType": "pd-ssd"}}]),
     "400 badRequest: pd-ssd"),
])  # fmt: skip
def test_what_is_refused(type_: str, inputs: Any, text: str, tmp_path: Path) -> None:
    assert said(Clouds(tmp_path), type_, inputs).startswith(text)


LUSTRE = "aws:fsx/lustreFileSystem:LustreFileSystem"
FSX: dict[str, Any] = {
    "subnetIds": "subnet-1",
    "deploymentType": "PERSISTENT_2",
    "perUnitStorageThroughput": 250,
    "storageCapacity": 1200,
    "fileSystemTypeVersion": "2.15",
}
BASIC: dict[str, Any] = {
    "tier": "BASIC_SSD",
    "location": "us-central1-a",
    "fileShares": {"name": "f", "capacityGb": 5120},
    "networks": [{"network": "default", "modes": ["MODE_IPV4"]}],
}
MANAGED: dict[str, Any] = {
    "instanceId": "l",
    "filesystem": "fs",
    "location": "us-central1-a",
    "network": "n",
    "capacityGib": "18000",
    "perUnitStorageThroughput": "500",
}


@pytest.mark.parametrize(("type_", "before", "after", "text"), [
    (LUSTRE, FSX, _with(FSX, storageCapacity=1300), "BadRequest: Storage capacity 1300 is invalid"),
    (LUSTRE, FSX, _with(FSX, metadataConfiguration={"mode": "AUTOMATIC"}), "BadRequest: a metadata configuration"),
    (VM, GCP, _with(GCP, machineType="g2-standard-8"), "the instance must be stopped"),
    ("gcp:filestore/instance:Instance", BASIC, _with(BASIC, fileShares={"name": "f", "capacityGb": 2560}),
     "400 INVALID_ARGUMENT: capacity_gb cannot go"),
    ("gcp:lustre/instance:Instance", MANAGED, _with(MANAGED, capacityGib="18001"), "400 INVALID_ARGUMENT: capacity_gib"),
    ("gcp:lustre/instance:Instance", MANAGED, _with(MANAGED, capacityGib="3168000"), "400 INVALID_ARGUMENT: capacity_gib"),
])  # fmt: skip
def test_a_change_that_is_refused(type_: str, before: Any, after: Any, text: str, tmp_path: Path) -> None:
    clouds = Clouds(tmp_path)
    make(clouds, type_, before)
    assert said(clouds, type_, after).startswith(text)


def test_a_file_system_grows_once_in_six_hours(tmp_path: Path) -> None:
    clouds = Clouds(tmp_path)
    for size in (1200, 2400):
        make(clouds, LUSTRE, _with(FSX, storageCapacity=size))
    assert "6 hours" in said(clouds, LUSTRE, _with(FSX, storageCapacity=4800))
    advance(clouds.world, all_clouds(["aws"]), timedelta(hours=7))
    make(clouds, LUSTRE, _with(FSX, storageCapacity=4800))
    assert clouds.updated == ["it"]
