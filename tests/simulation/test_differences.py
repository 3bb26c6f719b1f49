"""What a change does: every row of the facts' tables (aws a10; gcp a11; azure a4, a15 to a17), driven through Diff and Update."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gpuinfra.simulation.clockwork import all_clouds
from gpuinfra.simulation.cloud import Diffs
from gpuinfra.simulation.differing import differing, replaces
from gpuinfra.simulation.plugin import CLOUDS
from gpuinfra.simulation.provider import SimulatedProvider
from gpuinfra.simulation.schema import Sdk, members_of
from gpuinfra.simulation.values import struct
from gpuinfra.simulation.world import Thing, World
from tests.specs import NOW

REPLACED, IN_PLACE, REFUSED = "replaced", "in place", "refused"
FACTS = """
aws:ec2/launchTemplate:LaunchTemplate replaced: name namePrefix
aws:ec2/launchTemplate:LaunchTemplate in place: imageId userData networkInterfaces instanceMarketOptions.marketType
aws:ec2/placementGroup:PlacementGroup replaced: name strategy partitionCount spreadLevel
aws:ec2/capacityReservation:CapacityReservation replaced: availabilityZone instanceType instancePlatform tenancy
aws:ec2/capacityReservation:CapacityReservation replaced: instanceMatchCriteria ebsOptimized ephemeralStorage
aws:ec2/capacityReservation:CapacityReservation in place: placementGroupArn instanceCount endDate
aws:ec2/capacityBlockReservation:CapacityBlockReservation replaced: capacityBlockOfferingId instancePlatform
aws:fsx/lustreFileSystem:LustreFileSystem replaced: subnetIds securityGroupIds kmsKeyId efaEnabled deploymentType
aws:fsx/lustreFileSystem:LustreFileSystem replaced: storageType importPath exportPath backupId copyTagsToBackups
aws:fsx/lustreFileSystem:LustreFileSystem replaced: driveCacheType importedFileChunkSize
aws:fsx/lustreFileSystem:LustreFileSystem in place: perUnitStorageThroughput dataCompressionType logConfiguration.level
aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation replaced: fileSystemId fileSystemPath dataRepositoryPath
aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation in place: s3.autoImportPolicy
aws:autoscaling/group:Group replaced: name
aws:autoscaling/group:Group in place: minSize maxSize launchTemplate.version vpcZoneIdentifiers
aws:eks/nodeGroup:NodeGroup replaced: amiType capacityType diskSize instanceTypes launchTemplate.id nodeRoleArn subnetIds
aws:eks/nodeGroup:NodeGroup replaced: nodeGroupName clusterName
aws:eks/nodeGroup:NodeGroup in place: launchTemplate.version scalingConfig.desiredSize taints labels
aws:eks/cluster:Cluster replaced: name roleArn kubernetesNetworkConfig.serviceIpv4Cidr bootstrapSelfManagedAddons
aws:eks/cluster:Cluster replaced: accessConfig.bootstrapClusterCreatorAdminPermissions
aws:eks/cluster:Cluster in place: version vpcConfig.endpointPublicAccess
aws:budgets/budget:Budget replaced: name accountId
aws:budgets/budget:Budget in place: limitAmount notifications
aws:budgets/budgetAction:BudgetAction replaced: budgetName actionType
aws:scheduler/schedule:Schedule replaced: name groupName
aws:scheduler/schedule:Schedule in place: scheduleExpression
aws:ec2/securityGroup:SecurityGroup replaced: name description vpcId
aws:ec2/subnet:Subnet replaced: vpcId cidrBlock availabilityZone availabilityZoneId
aws:ec2/natGateway:NatGateway replaced: subnetId allocationId
aws:ec2/vpcEndpoint:VpcEndpoint replaced: vpcId serviceName vpcEndpointType
gcp:compute/instance:Instance replaced: name zone project hostname networkInterfaces networkInterfaces[0].nicType
gcp:compute/instance:Instance replaced: networkInterfaces[0].queueCount bootDisk.initializeParams.image
gcp:compute/instance:Instance replaced: bootDisk.initializeParams.type guestAccelerators scratchDisks scheduling.preemptible
gcp:compute/instance:Instance replaced: scheduling.provisioningModel scheduling.terminationTime scheduling.maxRunDuration
gcp:compute/instance:Instance replaced: scheduling.onInstanceStopAction scheduling.localSsdRecoveryTimeout
gcp:compute/instance:Instance replaced: reservationAffinity resourcePolicies networkPerformanceConfig metadataStartupScript
gcp:compute/instance:Instance replaced: confidentialInstanceConfig
gcp:compute/instance:Instance in place: machineType serviceAccount minCpuPlatform shieldedInstanceConfig labels tags metadata
gcp:compute/instance:Instance in place: scheduling.automaticRestart scheduling.onHostMaintenance
gcp:compute/instance:Instance in place: scheduling.instanceTerminationAction
gcp:compute/instanceTemplate:InstanceTemplate replaced: machineType metadataStartupScript minCpuPlatform labels
gcp:compute/instanceTemplate:InstanceTemplate replaced: networkPerformanceConfig resourceManagerTags instanceDescription
gcp:compute/regionInstanceTemplate:RegionInstanceTemplate replaced: machineType metadataStartupScript labels
gcp:compute/regionInstanceTemplate:RegionInstanceTemplate in place: deletionPolicy
gcp:compute/resizeRequest:ResizeRequest replaced: resizeBy requestedRunDuration.seconds zone instanceGroupManager
gcp:compute/regionResizeRequest:RegionResizeRequest replaced: resizeBy region
gcp:compute/network:Network replaced: name networkProfile autoCreateSubnetworks internalIpv6Range
gcp:compute/network:Network in place: mtu routingMode
gcp:compute/subnetwork:Subnetwork replaced: name network region
gcp:compute/subnetwork:Subnetwork in place: privateIpGoogleAccess
gcp:compute/resourcePolicy:ResourcePolicy replaced: region groupPlacementPolicy.gpuTopology workloadPolicy.type
gcp:compute/resourcePolicy:ResourcePolicy replaced: workloadPolicy.maxTopologyDistance workloadPolicy.acceleratorTopology
gcp:compute/resourcePolicy:ResourcePolicy in place: groupPlacementPolicy.vmCount groupPlacementPolicy.collocation
gcp:compute/resourcePolicy:ResourcePolicy in place: groupPlacementPolicy.maxDistance
gcp:compute/resourcePolicy:ResourcePolicy in place: groupPlacementPolicy.availabilityDomainCount
gcp:compute/instanceGroupManager:InstanceGroupManager replaced: name zone baseInstanceName targetSizePolicies.mode
gcp:compute/instanceGroupManager:InstanceGroupManager in place: targetSize versions
gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager replaced: name region baseInstanceName
gcp:container/nodePool:NodePool replaced: name placementPolicy queuedProvisioning bestEffortProvisioning maxPodsPerNode
gcp:container/nodePool:NodePool replaced: networkConfig.additionalNodeNetworkConfigs networkConfig.acceleratorNetworkProfile
gcp:container/nodePool:NodePool replaced: nodeConfig.guestAccelerators nodeConfig.reservationAffinity nodeConfig.spot
gcp:container/nodePool:NodePool replaced: nodeConfig.flexStart nodeConfig.maxRunDuration nodeConfig.serviceAccount
gcp:container/nodePool:NodePool replaced: nodeConfig.ephemeralStorageLocalSsdConfig nodeConfig.localNvmeSsdBlockConfig
gcp:container/nodePool:NodePool in place: nodeConfig.machineType nodeConfig.diskType nodeConfig.imageType nodeConfig.taints
gcp:container/nodePool:NodePool in place: nodeConfig.labels autoscaling.maxNodeCount nodeCount version
gcp:compute/reservation:Reservation replaced: specificReservation.instanceProperties zone shareSettings.shareType
gcp:compute/reservation:Reservation in place: specificReservation.count
gcp:compute/futureReservation:FutureReservation replaced: name zone aggregateReservation shareSettings.shareType
gcp:compute/disk:Disk replaced: type zone image snapshot architecture
gcp:compute/disk:Disk in place: provisionedIops provisionedThroughput
gcp:lustre/instance:Instance replaced: filesystem location network perUnitStorageThroughput kmsKey
gcp:parallelstore/instance:Instance replaced: capacityGib location
gcp:filestore/instance:Instance replaced: tier networks location protocol
gcp:billing/budget:Budget replaced: billingAccount
gcp:billing/budget:Budget in place: amount.specifiedAmount.units thresholdRules displayName
gcp:storage/anywhereCache:AnywhereCache replaced: bucket zone
gcp:storage/anywhereCache:AnywhereCache in place: ttl
azure-native:compute:VirtualMachineScaleSet replaced: location vmScaleSetName resourceGroupName
azure-native:compute:VirtualMachineScaleSet refused: orchestrationMode platformFaultDomainCount zones sku.name
azure-native:compute:VirtualMachineScaleSet refused: proximityPlacementGroup.id virtualMachineProfile.priority
azure-native:compute:VirtualMachineScaleSet refused: virtualMachineProfile.evictionPolicy
azure-native:compute:VirtualMachineScaleSet refused: virtualMachineProfile.securityProfile.securityType
azure-native:compute:VirtualMachineScaleSet refused: virtualMachineProfile.osProfile.computerNamePrefix
azure-native:compute:VirtualMachineScaleSet refused: virtualMachineProfile.osProfile.linuxConfiguration
azure-native:compute:VirtualMachineScaleSet refused: virtualMachineProfile.storageProfile.imageReference.offer
azure-native:compute:VirtualMachineScaleSet refused: virtualMachineProfile.storageProfile.diskControllerType
azure-native:compute:VirtualMachineScaleSet refused: virtualMachineProfile.storageProfile.osDisk.diffDiskSettings
azure-native:compute:VirtualMachineScaleSet in place: overprovision upgradePolicy.mode tags identity.type
azure-native:compute:VirtualMachineScaleSet in place: virtualMachineProfile.storageProfile.imageReference.version
azure-native:compute:VirtualMachineScaleSet in place: virtualMachineProfile.osProfile.customData
azure-native:compute:VirtualMachineScaleSet in place: virtualMachineProfile.userData
azure-native:compute:VirtualMachine refused: zones availabilitySet.id priority osProfile.adminUsername
azure-native:compute:VirtualMachine in place: hardwareProfile.vmSize tags
azure-native:compute:ProximityPlacementGroup replaced: location
azure-native:compute:ProximityPlacementGroup refused: proximityPlacementGroupType zones
azure-native:compute:ProximityPlacementGroup in place: tags intent.vmSizes
azure-native:compute:AvailabilitySet replaced: location
azure-native:compute:AvailabilitySet refused: platformFaultDomainCount platformUpdateDomainCount sku.name
azure-native:compute:AvailabilitySet refused: proximityPlacementGroup.id
azure-native:compute:CapacityReservationGroup replaced: location
azure-native:compute:CapacityReservationGroup refused: zones
azure-native:compute:CapacityReservation refused: zones sku.name
azure-native:compute:CapacityReservation in place: sku.capacity tags
azure-native:network:VirtualNetwork replaced: location
azure-native:network:Subnet refused: defaultOutboundAccess
azure-native:network:Subnet in place: natGateway.id delegations
azure-native:network:NatGateway refused: zones sku.name
azure-native:network:NatGateway in place: idleTimeoutInMinutes
azure-native:network:PublicIPAddress replaced: sku.name publicIPAddressVersion publicIPPrefix.id location
azure-native:network:PublicIPAddress refused: zones publicIPAllocationMethod
azure-native:network:PublicIPAddress in place: idleTimeoutInMinutes
azure-native:storage:StorageAccount replaced: isHnsEnabled location
azure-native:storage:StorageAccount refused: enableNfsV3 kind
azure-native:storage:StorageAccount in place: networkRuleSet.bypass
azure-native:netapp:CapacityPoolVolume refused: subnetId zones creationToken
azure-native:netapp:CapacityPoolVolume in place: usageThreshold
azure-native:netapp:CapacityPool in place: size
azure-native:consumption:Budget replaced: scope
azure-native:consumption:Budget refused: timePeriod.startDate timeGrain
azure-native:consumption:Budget in place: amount
azure-native:storagecache:AmlFilesystem replaced: storageCapacityTiB filesystemSubnet zones sku.name location
azure-native:storagecache:AmlFilesystem refused: hsm.settings identity.type encryptionSettings
azure-native:storagecache:AmlFilesystem in place: maintenanceWindow.dayOfWeek rootSquashSettings.mode tags
azure-native:authorization:RoleAssignment replaced: principalId scope
azure-native:automation:JobSchedule replaced: parameters
azure-native:containerservice:AgentPool replaced: vmSize gpuInstanceProfile agentPoolName resourceName
azure-native:containerservice:AgentPool refused: gpuProfile.driver scaleSetPriority scaleSetEvictionPolicy
azure-native:containerservice:AgentPool refused: capacityReservationGroupID
azure-native:containerservice:AgentPool in place: count nodeTaints maxCount
azure-native:containerservice:ManagedCluster replaced: dnsPrefix location networkProfile.podCidr resourceName
azure-native:containerservice:ManagedCluster in place: kubernetesVersion
azure-native:keyvault:Vault replaced: vaultName location resourceGroupName
azure-native:keyvault:Secret replaced: secretName vaultName
azure-native:containerregistry:Registry replaced: registryName
azure-native:containerregistry:Registry in place: adminUserEnabled
aws:dynamodb/table:Table replaced: name hashKey
aws:ecr/repository:Repository replaced: name
gcp:artifactregistry/repository:Repository replaced: location project
"""
ROWS = [
    (type_, path, verdict)
    for line in FACTS.strip().splitlines()
    for head, _, paths in [line.partition(": ")]
    for type_, _, verdict in [head.partition(" ")]
    for path in paths.split()
]


def _cloud(package: str) -> Any:
    return all_clouds([package])[0]


def _provider(package: str, world: World) -> SimulatedProvider:
    provider = SimulatedProvider(_cloud(package), Sdk(package), world)
    provider.Configure(SimpleNamespace(variables={}, args=struct({})), None)
    return provider


def _put(path: str, value: Any) -> Any:
    """Inputs in which a value stands at a path."""
    for key, place in reversed(re.findall(r"([^.\[\]]+)|\[(\d+)\]", path)):
        value = [value] if place else {key: value}
    return value


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("world") / "world.sqlite", lambda: NOW)


@pytest.mark.parametrize(("type_", "path", "verdict"), ROWS, ids=lambda v: str(v).rsplit(":", 1)[-1])
def test_a_row_of_the_facts(type_: str, path: str, verdict: str, world: World) -> None:
    provider = _provider(type_.split(":")[0], world)
    old, new = ({**_put(path, value)} for value in ("one", "two"))
    asked = SimpleNamespace(
        type=type_, urn="urn:x", id="x", old_inputs=struct(old), news=struct(new), olds=struct(old), ignoreChanges=[]
    )
    diff = provider.Diff(asked, None)
    assert diff.changes == diff.DIFF_SOME
    assert bool(diff.replaces) == (verdict == REPLACED), "preview"
    assert diff.detailedDiff[path].kind in ((1, 3, 5) if verdict == REPLACED else (0, 2, 4))
    if verdict == REPLACED or not type_.startswith("azure-native:"):
        return
    refusal = _refusal(provider, asked, world, Thing(type_, "x", "x", "urn:x", old, old, NOW))
    if verdict == REFUSED:
        assert re.search("not allowed|NotPermitted", refusal)
    else:
        assert "Changing property" not in refusal


def _refusal(provider: SimulatedProvider, asked: Any, world: World, thing: Thing) -> str:
    class Said(Exception):  # noqa: N818
        pass

    def abort(code: Any, text: str) -> None:
        raise Said(text)

    asked.preview = False
    world.keep(thing)
    try:
        provider.Update(asked, SimpleNamespace(abort=abort))
    except Said as e:
        return str(e)
    except Exception as e:  # A check of the type that wants more than the one property.
        return f"{type(e).__name__}: {e}"
    finally:
        world.forget(thing.type, thing.id)
    return ""


@pytest.mark.parametrize("package", [p for p in CLOUDS if p != "time"])
def test_every_path_of_the_tables_is_one_of_the_sdk(package: str) -> None:
    sdk, wrong = Sdk(package), list[str]()
    for token, table in _cloud(package).diffs.items():
        kind = sdk.type(token)
        assert kind is not None, token
        for path in (
            *table.replace,
            *table.refuse,
            *table.shrink,
            *table.in_place,
            *table.silent,
            *table.kept,
            *table.absent,
        ):
            if path != "*" and not _stands(kind.args, path):
                wrong.append(f"{token} {path}")
    assert wrong == []


def _stands(cls: Any, path: str) -> bool:
    first, _, rest = path.partition(".")
    members = members_of(cls)
    return first in members and (not rest or any(_stands(inner, rest) for inner in members[first]))


TABLE = Diffs(
    replace=("a.b", "c"), shrink=("size", "deep.size", "range"), absent={"c": "usual"}, kept=("k",), in_place=("x",)
)


@pytest.mark.parametrize(("old", "new", "replaced"), [
    ({"a": {"b": 1, "z": 1}}, {"a": {"b": 1, "z": 2}}, False),
    ({}, {"a": {"b": 1}}, True),
    ({"a": {"b": 1}}, {}, True),
    ({}, {"a": {"z": 1}}, False),
    ({"a": [{"b": 1}]}, {"a": [{"b": 1}, {"b": 2}]}, True),
    ({"deep": {"size": 9}}, {"deep": {"size": 10}}, False),
    ({"deep": {"size": 10}}, {"deep": {"size": 9}}, True),
    ({"size": "10"}, {"size": "9"}, True),
    ({"range": "10.0.0.0/24"}, {"range": "10.0.0.0/23"}, False),
    ({"range": "10.0.0.0/24"}, {"range": "10.1.0.0/16"}, True),
])  # fmt: skip
def test_what_stands_deeper(old: Mapping[str, Any], new: Mapping[str, Any], replaced: bool) -> None:
    found = [p for p, _ in differing(TABLE, old, new, frozenset())]
    assert found
    assert any(replaces(TABLE, p, old, new) for p in found) == replaced


@pytest.mark.parametrize(("old", "new"), [
    ({}, {"c": "usual"}),
    ({"c": "usual"}, {}),
    ({"k": 1}, {}),
    ({"ids": ["b", "a"]}, {"ids": ["a", "b"]}),
    ({"in": {"ids": ["b", "a"]}}, {"in": {"ids": ["a", "b"]}}),
])  # fmt: skip
def test_what_is_no_change(old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    assert differing(TABLE, old, new, frozenset({"ids"})) == []


@pytest.mark.parametrize(("type_", "inputs", "first"), [
    ("aws:fsx/lustreFileSystem:LustreFileSystem", {"subnetIds": "?"}, False),
    ("aws:ec2/placementGroup:PlacementGroup", {"strategy": "?"}, False),
    ("aws:ec2/placementGroup:PlacementGroup", {"strategy": "?", "name": "mine"}, True),
    ("gcp:compute/network:Network", {"networkProfile": "?"}, False),
    ("gcp:compute/network:Network", {"networkProfile": "?", "name": "mine"}, True),
    ("gcp:lustre/instance:Instance", {"filesystem": "?", "instanceId": "mine"}, False),
    ("azure-native:storagecache:AmlFilesystem", {"location": "?"}, False),
    ("azure-native:storagecache:AmlFilesystem", {"location": "?", "amlFilesystemName": "mine"}, True),
    ("azure-native:keyvault:Vault", {"location": "?", "vaultName": "mine"}, True),
])  # fmt: skip
def test_which_goes_first(type_: str, inputs: dict[str, str], first: bool, world: World) -> None:
    old, new = ({k: v if v != "?" else value for k, v in inputs.items()} for value in ("one", "two"))
    asked = SimpleNamespace(type=type_, old_inputs=struct(old), news=struct(new), ignoreChanges=[])
    diff = _provider(type_.split(":")[0], world).Diff(asked, None)
    assert diff.replaces
    assert diff.deleteBeforeReplace == first


def test_ignored_changes(world: World) -> None:
    asked = SimpleNamespace(
        type="gcp:compute/instance:Instance",
        old_inputs=struct({"networkInterfaces": [{"nicType": "GVNIC"}], "labels": {"a": "1"}}),
        news=struct({"networkInterfaces": [{"nicType": "MRDMA"}], "labels": {"a": "2"}}),
        ignoreChanges=["networkInterfaces[*].nicType", "labels"],
    )
    assert _provider("gcp", world).Diff(asked, None).changes == 1


def test_a_change_to_which_the_cloud_says_yes_and_does_nothing(tmp_path: Path) -> None:
    world = World(tmp_path / "world.sqlite", lambda: NOW)
    type_ = "aws:ec2/capacityReservation:CapacityReservation"
    old, new = {"instanceCount": 1}, {"instanceCount": 1, "placementGroupArn": "arn:aws:ec2:::placement-group/a"}
    world.keep(Thing(type_, "cr-1", "cr", "urn:x", old, old, NOW))
    asked = SimpleNamespace(
        type=type_, urn="urn:x", id="cr-1", old_inputs=struct(old), news=struct(new), olds=struct(old), preview=False
    )
    _provider("aws", world).Update(asked, None)
    (thing,) = world.things()
    assert "placementGroupArn" not in thing.outputs
