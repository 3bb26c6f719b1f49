"""The groups, zones and subnets of AKS node pools are judged as those of scale sets are."""

from __future__ import annotations

import pytest

from benchmarks.mistakes.ours import of_program

PROGRAM = """\
- {type: azure-native.compute.CapacityReservationGroup, name: kept, inputs: {zones: ["1"]}}
- type: azure-native.compute.CapacityReservation
  name: four
  inputs: {capacityReservationGroupName: !ref kept.name , sku: {name: Standard_NC16as_T4_v3, capacity: 4}, zones: ["1"]}
- {type: azure-native.compute.ProximityPlacementGroup, name: near, inputs: {zones: ["1"]}}
- {type: azure-native.network.NatGateway, name: out, inputs: {sku: {name: Standard}}}
- type: azure-native.network.Subnet
  name: sub
  inputs: {addressPrefix: 10.1.0.0/24, defaultOutboundAccess: false, natGateway: {id: !ref out.id }}
- type: azure-native.containerservice.ManagedCluster
  name: plane
  inputs:
    networkProfile: {outboundType: userAssignedNATGateway}
    agentPoolProfiles: [{name: sys, mode: System, count: 1, vmSize: Standard_D4s_v5, vnetSubnetID: !ref sub.id }]
- type: azure-native.containerservice.AgentPool
  name: pool
  inputs:
    resourceName: !ref plane.name
    vmSize: Standard_NC16as_T4_v3
    count: 4
    vnetSubnetID: !ref sub.id
    availabilityZones: ["1"]
    capacityReservationGroupID: !ref kept.id
    osDiskType: Ephemeral
    osDiskSizeGB: 128
    nodeTaints: ["sku=gpu:NoSchedule"]
"""
RACK = """\
- type: azure-native.containerservice.AgentPool
  name: pool
  inputs: {vmSize: Standard_ND128isr_NDR_GB200_v6, count: 18, osSKU: Ubuntu2404, gpuProfile: {driver: None}, nodeTaints: ["a=b:NoSchedule"]}
"""
OF_END = {"GI3275"}


def faults(text: str) -> list[tuple[str, str]]:
    return [(d.code, d.path) for d in of_program(text) if d.code not in OF_END]


@pytest.mark.parametrize("text", [PROGRAM, RACK])
def test_right_pools_have_no_fault(text: str):
    assert faults(text) == []


@pytest.mark.parametrize(
    ("text", "old", "new", "found"),
    [
        (PROGRAM, 'availabilityZones: ["1"]', 'availabilityZones: ["2"]', [("GI3218", "pool.availabilityZones")]),
        (PROGRAM, '    availabilityZones: ["1"]\n', "", [("GI3218", "pool.availabilityZones")]),
        (PROGRAM, "capacity: 4", "capacity: 9", [("GI3219", "four.sku.capacity")]),
        (PROGRAM, "    capacityReservationGroupID: !ref kept.id\n", "", [("GI3219", "four.sku.capacity")]),
        (PROGRAM, "osDiskSizeGB: 128", "osDiskSizeGB: 2048", [("GI3227", "pool.osDiskSizeGB")]),
        (PROGRAM, ", natGateway: {id: !ref out.id }", "", [("GI3253", "sub.natGateway")]),
        (PROGRAM, ", natGateway: {id: !ref out.id }}\n- type: azure-native.containerservice.ManagedCluster\n  name: plane\n"
         "  inputs:\n    networkProfile: {outboundType: userAssignedNATGateway}",
         "}\n- type: azure-native.containerservice.ManagedCluster\n  name: plane\n  inputs:\n"
         "    networkProfile: {outboundType: loadBalancer}", []),
        (PROGRAM, "capacityReservationGroupID: !ref kept.id",
         "proximityPlacementGroupID: !ref near.id", [("GI3219", "four.sku.capacity")]),
        (RACK, "count: 18", "count: 10", [("GI3210", "pool.count")]),
        (RACK, "count: 18", "count: 0, enableAutoScaling: true, minCount: 1, maxCount: 20", [("GI3279", "pool.count")]),
    ],
)  # fmt: skip
def test_one_thing_wrong_with_a_pool_is_one_finding(text: str, old: str, new: str, found: list[tuple[str, str]]):
    assert old in text
    assert faults(text.replace(old, new)) == found


@pytest.mark.parametrize("size", ["Standard_NC40ads_H100_v5", "Standard_ND96isr_H200_v5"])
def test_a_pool_of_a_size_that_cannot_be_reserved(size: str):
    """What a reservation group is known by stays unknown until the deployment: it is a reservation all the same."""
    text = PROGRAM.replace("vmSize: Standard_NC16as_T4_v3", f"vmSize: {size}")
    assert ("GI3216", "pool.capacityReservationGroupID") in faults(text)


def test_a_pool_in_the_proximity_group_of_another_zone():
    text = PROGRAM.replace("capacityReservationGroupID: !ref kept.id", "proximityPlacementGroupID: !ref near.id")
    assert ("GI3212", "pool.availabilityZones") in faults(
        text.replace('availabilityZones: ["1"]', 'availabilityZones: ["3"]')
    )


@pytest.mark.parametrize("size", ["Standard_NC24ads_A100_v4", "Standard_NC40ads_H100_v5"])
def test_a_reservation_and_the_pool_that_is_bought_from_it_are_one_mistake(size: str):
    found = faults(PROGRAM.replace("Standard_NC16as_T4_v3", size))
    assert found == [("GI3216", "four.sku.name")]
