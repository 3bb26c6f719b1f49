"""What a change of each type does: the tables of the facts, by wire name."""

from __future__ import annotations

from ...cloud import Diffs
from .types import AUTOSCALE, LUSTRE, SET, SUBNET, VNET

_REFUSED = "PropertyChangeNotAllowed"
DIFFS = {
    "azure-native:resources:ResourceGroup": Diffs(replace=("location", "resourceGroupName")),
    SET: Diffs(
        replace=("location", "resourceGroupName", "vmScaleSetName"),
        refuse=(
            "orchestrationMode",
            "zones",
            "platformFaultDomainCount",
            "proximityPlacementGroup",
            "virtualMachineProfile.priority",
            "virtualMachineProfile.evictionPolicy",
            "virtualMachineProfile.securityProfile",
            "virtualMachineProfile.storageProfile.osDisk.diffDiskSettings",
            "virtualMachineProfile.storageProfile.diskControllerType",
            "virtualMachineProfile.storageProfile.imageReference.publisher",
            "virtualMachineProfile.storageProfile.imageReference.offer",
            "virtualMachineProfile.osProfile.adminUsername",
            "virtualMachineProfile.osProfile.computerNamePrefix",
        ),
        refusal=_REFUSED,
    ),
    VNET: Diffs(replace=("location", "resourceGroupName", "virtualNetworkName")),
    SUBNET: Diffs(
        replace=("resourceGroupName", "virtualNetworkName", "subnetName"),
        refuse=("addressPrefix", "defaultOutboundAccess"),
        refusal="InUseSubnetCannotBeUpdated",
    ),
    "azure-native:network:NatGateway": Diffs(
        replace=("location", "resourceGroupName"), refuse=("zones", "sku"), refusal=_REFUSED
    ),
    "azure-native:network:PublicIPAddress": Diffs(
        replace=("location", "resourceGroupName", "sku", "publicIPAddressVersion"),
        refuse=("zones", "publicIPAllocationMethod"),
        refusal=_REFUSED,
    ),
    "azure-native:network:NetworkSecurityGroup": Diffs(replace=("location", "resourceGroupName")),
    LUSTRE: Diffs(
        replace=("storageCapacityTiB", "filesystemSubnet", "zones", "sku", "location", "resourceGroupName"),
        refuse=("hsm", "identity", "encryptionSettings"),
        refusal=_REFUSED,
    ),
    "azure-native:storage:StorageAccount": Diffs(
        replace=("isHnsEnabled", "location", "resourceGroupName", "accountName"),
        refuse=("enableNfsV3", "kind"),
        refusal=_REFUSED,
    ),
    "azure-native:netapp:CapacityPoolVolume": Diffs(
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
    "azure-native:managedidentity:UserAssignedIdentity": Diffs(replace=("location", "resourceGroupName")),
    "azure-native:logic:Workflow": Diffs(replace=("resourceGroupName", "workflowName")),
}
