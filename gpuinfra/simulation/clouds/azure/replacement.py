"""What a change of each type does: the tables of the facts, by wire name.

What stands in a resource's address (its group, its parent, its own name) replaces it, whatever its type: `addressed` adds it.
"""

from __future__ import annotations

from ...cloud import Diffs
from .types import (
    ADDRESS,
    AGENT_POOL,
    AUTOSCALE,
    AVAILABILITY_SET,
    CAPACITY,
    CAPACITY_GROUP,
    LUSTRE,
    MACHINE,
    NAT,
    PROXIMITY_GROUP,
    SET,
    STORAGE,
    SUBNET,
    VNET,
    VOLUME,
)

_REFUSED = "PropertyChangeNotAllowed"
_PROFILE = "virtualMachineProfile"
_DISK = "storageProfile.osDisk"
# What ARM never changes of a machine, alone or in a set (facts azure a1, a4).
_OF_A_MACHINE = (
    "priority",
    "evictionPolicy",
    "securityProfile",
    f"{_DISK}.createOption",
    f"{_DISK}.diffDiskSettings",
    "storageProfile.diskControllerType",
    "storageProfile.imageReference.publisher",
    "storageProfile.imageReference.offer",
    "osProfile.adminUsername",
    "osProfile.linuxConfiguration",
)

DIFFS = {
    "azure-native:resources:ResourceGroup": Diffs(replace=("location", "resourceGroupName")),
    SET: Diffs(
        replace=("location", "resourceGroupName", "vmScaleSetName"),
        refuse=(
            "orchestrationMode",
            "zones",
            "platformFaultDomainCount",
            "proximityPlacementGroup",
            "sku.name",
            *(f"{_PROFILE}.{path}" for path in _OF_A_MACHINE),
            f"{_PROFILE}.{_DISK}.caching",
            f"{_PROFILE}.osProfile.computerNamePrefix",
        ),
        refusal=_REFUSED,
        absent={"orchestrationMode": "Uniform"},
        kept=("platformFaultDomainCount",),
    ),
    MACHINE: Diffs(
        replace=("location", "resourceGroupName", "vmName"),
        refuse=(
            "zones",
            "availabilitySet",
            "proximityPlacementGroup",
            *_OF_A_MACHINE,
            "osProfile.computerName",
            "osProfile.customData",
            "storageProfile.imageReference.sku",
            "storageProfile.imageReference.version",
        ),
        refusal=_REFUSED,
    ),
    PROXIMITY_GROUP: Diffs(
        replace=("location", "resourceGroupName", "proximityPlacementGroupName"),
        refuse=("proximityPlacementGroupType", "zones"),
        refusal=_REFUSED,
        absent={"proximityPlacementGroupType": "Standard"},
    ),
    AVAILABILITY_SET: Diffs(
        replace=("location", "resourceGroupName", "availabilitySetName"),
        refuse=("platformFaultDomainCount", "platformUpdateDomainCount", "sku", "proximityPlacementGroup"),
        refusal=_REFUSED,
        kept=("platformFaultDomainCount", "platformUpdateDomainCount"),
    ),
    CAPACITY_GROUP: Diffs(
        replace=("location", "resourceGroupName", "capacityReservationGroupName"),
        refuse=("zones",),
        refusal=_REFUSED,
    ),
    CAPACITY: Diffs(
        replace=("location", "resourceGroupName", "capacityReservationGroupName", "capacityReservationName"),
        refuse=("zones", "sku.name"),
        refusal=_REFUSED,
    ),
    VNET: Diffs(replace=("location", "resourceGroupName", "virtualNetworkName")),
    SUBNET: Diffs(
        replace=("resourceGroupName", "virtualNetworkName", "subnetName"),
        refuse=("defaultOutboundAccess",),
        refusal="InUseSubnetCannotBeUpdated",
    ),
    NAT: Diffs(
        replace=("location", "resourceGroupName", "natGatewayName"),
        refuse=("zones", "sku"),
        refusal=_REFUSED,
        absent={"sku": {"name": "Standard"}},
    ),
    ADDRESS: Diffs(
        replace=(
            "location",
            "resourceGroupName",
            "publicIpAddressName",
            "sku",
            "publicIPAddressVersion",
            "publicIPPrefix",
        ),
        refuse=("zones", "publicIPAllocationMethod"),
        refusal=_REFUSED,
        absent={"publicIPAddressVersion": "IPv4", "publicIPAllocationMethod": "Dynamic"},
    ),
    "azure-native:network:NetworkSecurityGroup": Diffs(
        replace=("location", "resourceGroupName", "networkSecurityGroupName")
    ),
    LUSTRE: Diffs(
        replace=(
            "storageCapacityTiB",
            "filesystemSubnet",
            "zones",
            "sku",
            "location",
            "resourceGroupName",
            "amlFilesystemName",
        ),
        refuse=("hsm", "identity", "encryptionSettings"),
        refusal=_REFUSED,
    ),
    STORAGE: Diffs(
        replace=("isHnsEnabled", "location", "resourceGroupName", "accountName"),
        refuse=("enableNfsV3", "kind"),
        refusal=_REFUSED,
        absent={"enableNfsV3": False, "isHnsEnabled": False},
    ),
    VOLUME: Diffs(
        replace=("location", "resourceGroupName", "accountName", "poolName", "volumeName"),
        refuse=("subnetId", "zones", "creationToken"),
        refusal=_REFUSED,
    ),
    "azure-native:consumption:Budget": Diffs(
        replace=("scope", "budgetName"), refuse=("timePeriod.startDate", "timeGrain"), refusal="400"
    ),
    "azure-native:monitor:ActionGroup": Diffs(replace=("resourceGroupName", "actionGroupName")),
    AUTOSCALE: Diffs(replace=("location", "resourceGroupName", "autoscaleSettingName")),
    "azure-native:authorization:RoleAssignment": Diffs(
        replace=("principalId", "scope", "roleAssignmentName"),
        refuse=("roleDefinitionId",),
        refusal="RoleAssignmentUpdateNotPermitted",
    ),
    "azure-native:authorization:RoleDefinition": Diffs(replace=("scope", "roleDefinitionId")),
    "azure-native:automation:JobSchedule": Diffs(
        replace=(
            "resourceGroupName",
            "automationAccountName",
            "jobScheduleId",
            "parameters",
            "runbook",
            "runOn",
            "schedule",
        )
    ),
    "azure-native:containerservice:ManagedCluster": Diffs(
        replace=(
            "location",
            "resourceGroupName",
            "resourceName",
            "dnsPrefix",
            *(
                f"networkProfile.{key}"
                for key in (
                    "dnsServiceIP",
                    "loadBalancerSku",
                    "networkMode",
                    "networkPlugin",
                    "networkPolicy",
                    "outboundType",
                    "podCidr",
                    "serviceCidr",
                )
            ),
        ),
        kept=("dnsPrefix",),
    ),
    AGENT_POOL: Diffs(
        replace=("resourceGroupName", "resourceName", "agentPoolName", "vmSize", "gpuInstanceProfile"),
        refuse=(
            "gpuProfile.driver",
            "scaleSetPriority",
            "scaleSetEvictionPolicy",
            "capacityReservationGroupID",
            "availabilityZones",
        ),
        refusal=_REFUSED,
        absent={"scaleSetPriority": "Regular"},
    ),
    "azure-native:managedidentity:UserAssignedIdentity": Diffs(
        replace=("location", "resourceGroupName", "resourceName")
    ),
    "azure-native:logic:Workflow": Diffs(replace=("resourceGroupName", "workflowName")),
}
OTHERS = Diffs(replace=("location", "resourceGroupName"))
"""Of a type that no table has: where it stands is its own in nearly all of them."""
