# pyright: reportPrivateUsage=false
"""ARM ids: by table where a type's is known, else by what the SDK says of the type's address."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from pulumi import _types

from ...cloud import Request, digest
from ...schema import ResourceType, Sdk, imported, is_module, required_inputs
from .types import (
    AGENT_POOL,
    AUTOSCALE,
    AVAILABILITY_SET,
    CAPACITY,
    CAPACITY_GROUP,
    CLUSTER,
    LUSTRE,
    MACHINE,
    PROXIMITY_GROUP,
    SET,
    STORAGE,
    SUBNET,
    VNET,
)

SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"

# Type to (ARM type, the argument that names it).
_ARM = {
    SET: ("Microsoft.Compute/virtualMachineScaleSets", "vmScaleSetName"),
    PROXIMITY_GROUP: (
        "Microsoft.Compute/proximityPlacementGroups",
        "proximityPlacementGroupName",
    ),
    VNET: ("Microsoft.Network/virtualNetworks", "virtualNetworkName"),
    "azure-native:network:NetworkSecurityGroup": (
        "Microsoft.Network/networkSecurityGroups",
        "networkSecurityGroupName",
    ),
    "azure-native:network:NatGateway": ("Microsoft.Network/natGateways", "natGatewayName"),
    "azure-native:network:PublicIPAddress": ("Microsoft.Network/publicIPAddresses", "publicIpAddressName"),
    "azure-native:network:BastionHost": ("Microsoft.Network/bastionHosts", "bastionHostName"),
    "azure-native:network:PrivateEndpoint": ("Microsoft.Network/privateEndpoints", "privateEndpointName"),
    "azure-native:privatedns:PrivateZone": ("Microsoft.Network/privateDnsZones", "privateZoneName"),
    "azure-native:managedidentity:UserAssignedIdentity": (
        "Microsoft.ManagedIdentity/userAssignedIdentities",
        "resourceName",
    ),
    "azure-native:monitor:ActionGroup": ("Microsoft.Insights/actionGroups", "actionGroupName"),
    AUTOSCALE: ("Microsoft.Insights/autoscaleSettings", "autoscaleSettingName"),
    "azure-native:logic:Workflow": ("Microsoft.Logic/workflows", "workflowName"),
    "azure-native:netapp:Account": ("Microsoft.NetApp/netAppAccounts", "accountName"),
    LUSTRE: ("Microsoft.StorageCache/amlFilesystems", "amlFilesystemName"),
    STORAGE: ("Microsoft.Storage/storageAccounts", "accountName"),
    MACHINE: ("Microsoft.Compute/virtualMachines", "vmName"),
    AVAILABILITY_SET: ("Microsoft.Compute/availabilitySets", "availabilitySetName"),
    CAPACITY_GROUP: ("Microsoft.Compute/capacityReservationGroups", "capacityReservationGroupName"),
    CLUSTER: ("Microsoft.ContainerService/managedClusters", "resourceName"),
}
# Type to (type of what it stands in, the argument that names that, collection, the argument that names it).
_CHILDREN = {
    SUBNET: ("Microsoft.Network/virtualNetworks", "virtualNetworkName", "subnets", "subnetName"),
    AGENT_POOL: ("Microsoft.ContainerService/managedClusters", "resourceName", "agentPools", "agentPoolName"),
    CAPACITY: (
        "Microsoft.Compute/capacityReservationGroups",
        "capacityReservationGroupName",
        "capacityReservations",
        "capacityReservationName",
    ),
    "azure-native:netapp:CapacityPool": ("Microsoft.NetApp/netAppAccounts", "accountName", "capacityPools", "poolName"),
    "azure-native:storage:BlobContainer": (
        "Microsoft.Storage/storageAccounts",
        "accountName",
        "blobServices/default/containers",
        "containerName",
    ),
    "azure-native:privatedns:VirtualNetworkLink": (
        "Microsoft.Network/privateDnsZones",
        "privateZoneName",
        "virtualNetworkLinks",
        "virtualNetworkLinkName",
    ),
    "azure-native:network:PrivateDnsZoneGroup": (
        "Microsoft.Network/privateEndpoints",
        "privateEndpointName",
        "privateDnsZoneGroups",
        "privateDnsZoneGroupName",
    ),
}


def _made_up(request: Request) -> str:
    if request.type == STORAGE:
        return re.sub(r"[^a-z0-9]", "", request.name.lower())[:16] + digest(request.seed, 8)
    return f"{request.name}{digest(request.seed, 8)}"


def identify(request: Request) -> str:
    """The ARM id of a new resource."""
    inputs = request.inputs
    whose = f"/subscriptions/{request.config.get('subscriptionId') or SUBSCRIPTION}"
    group = f"{whose}/resourceGroups/{inputs.get('resourceGroupName', '')}"
    if request.type == "azure-native:resources:ResourceGroup":
        name = inputs.get("resourceGroupName") or _made_up(request)
        return f"{whose}/resourceGroups/{name}"
    if request.type in _ARM:
        kind, own = _ARM[request.type]
        return f"{group}/providers/{kind}/{inputs.get(own) or _made_up(request)}"
    if request.type in _CHILDREN:
        kind, parent, collection, own = _CHILDREN[request.type]
        return f"{group}/providers/{kind}/{inputs.get(parent)}/{collection}/{inputs.get(own) or _made_up(request)}"
    if request.type == "azure-native:netapp:CapacityPoolVolume":
        place = f"Microsoft.NetApp/netAppAccounts/{inputs.get('accountName')}/capacityPools/{inputs.get('poolName')}"
        return f"{group}/providers/{place}/volumes/{inputs.get('volumeName') or _made_up(request)}"
    scope = str(inputs.get("scope") or group)
    special = _SCOPED.get(request.type)
    if special:
        kind, own = special
        return f"{scope}/providers/{kind}/{inputs.get(own) or _made_up(request)}"
    return _by_the_sdk(request, group)


_SCOPED = {
    "azure-native:authorization:RoleAssignment": ("Microsoft.Authorization/roleAssignments", "roleAssignmentName"),
    "azure-native:authorization:RoleDefinition": ("Microsoft.Authorization/roleDefinitions", "roleDefinitionId"),
    "azure-native:consumption:Budget": ("Microsoft.Consumption/budgets", "budgetName"),
}


# Types that no table has.

_NAMESPACES = {
    "compute": "Compute",
    "containerregistry": "ContainerRegistry",
    "containerservice": "ContainerService",
    "documentdb": "DocumentDB",
    "keyvault": "KeyVault",
    "machinelearningservices": "MachineLearningServices",
    "managedidentity": "ManagedIdentity",
    "netapp": "NetApp",
    "operationalinsights": "OperationalInsights",
    "privatedns": "Network",
    "storagecache": "StorageCache",
}
_GROUP = "resourceGroupName"
_sdk = Sdk("azure-native")


@cache
def _address(kind: ResourceType) -> tuple[tuple[str, ...], str]:
    """The arguments that name what a type's resources stand in, and the one that names them: those by which the SDK looks
    one up. The resource's own may be left out."""
    module, _, last = kind.cls.__module__.rpartition(".")
    name = f"get_{last}"
    if kind.args is None or not is_module(f"{module}.{name}"):
        return (), ""
    look = getattr(imported(f"{module}.{name}"), name, None)
    wire = _types.input_type_py_to_pulumi_names(kind.args)
    asked = [wire[p] for p in inspect.signature(look).parameters if p in wire] if callable(look) else []
    required = required_inputs(kind)
    own = next((a for a in asked if a not in required and a != _GROUP), "")
    return tuple(a for a in asked if a in required), own


def own_name(type_: str) -> str:
    """The argument that names a type's resources; empty where there is none."""
    if type_ == "azure-native:resources:ResourceGroup":
        return _GROUP
    for table in (_ARM, _CHILDREN, _SCOPED):
        if type_ in table:
            return table[type_][-1]
    kind = _sdk.type(type_)
    return _address(kind)[1] if kind is not None else ""


def names_itself(type_: str, inputs: Mapping[str, Any], required: Sequence[str]) -> bool:
    """Whether the program named a resource. azure-native deletes it first then, and makes the new one first where it made
    the name up."""
    own = own_name(type_)
    return not own or isinstance(inputs.get(own), str)


def stands_at(type_: str) -> tuple[str, ...]:
    """The arguments of a type's address: a change of one is another resource."""
    kind = _sdk.type(type_)
    parents, own = _address(kind) if kind is not None else ((), "")
    return (*parents, own) if own else parents


def _by_the_sdk(request: Request, group: str) -> str:
    kind = _sdk.type(request.type)
    parents, own = _address(kind) if kind is not None else ((), "")
    _, module, type_name = request.type.split(":")
    collection = f"{type_name[:1].lower()}{type_name[1:]}"
    collection = f"{collection[:-1]}ies" if collection.endswith("y") else f"{collection}s"
    name = request.inputs.get(own) or _made_up(request)
    above = [str(request.inputs[p]) for p in parents if p != _GROUP and isinstance(request.inputs.get(p), str)]
    if above:
        for thing in request.world.things():
            # The one that stands in no other of the same module by that name.
            if thing.type.startswith(f"azure-native:{module}:") and thing.id.endswith(f"/{above[-1]}"):
                return f"{thing.id}/{collection}/{name}"
    space = f"{group}/providers/Microsoft.{_NAMESPACES.get(module, module.capitalize())}"
    steps = "".join(f"/{re.sub('Name$', '', p)}s/{request.inputs.get(p)}" for p in parents if p != _GROUP)
    return f"{space}{steps}/{collection}/{name}"


def arm_type(id_: str) -> str:
    """The type that stands in an id."""
    space, _, rest = id_.rpartition("/providers/")[-1].partition("/")
    if "/providers/" not in id_:
        return "Microsoft.Resources/resourceGroups"
    return "/".join([space, *rest.split("/")[::2]])
