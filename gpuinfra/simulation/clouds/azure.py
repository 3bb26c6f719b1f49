"""Azure, simulated: ARM ids, what preview calls an update and ARM refuses, and machines in scale sets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from ... import catalog
from ...plan.resolve import POOL_LABEL
from ..clockwork import firings
from ..cloud import Cloud, Diffs, Due, Groups, Refusal, Request, Spending, digest
from ..values import UNKNOWN, as_list, as_map, holds_unknown, is_list, lookup
from ..world import Thing, World

_SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"
_SET = "azure-native:compute:VirtualMachineScaleSet"
_AUTOSCALE = "azure-native:monitor:AutoscaleSetting"
_LUSTRE = "azure-native:storagecache:AmlFilesystem"
_SUBNET = "azure-native:network:Subnet"
_DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")

# Type to (ARM type, the argument that names it).
_ARM = {
    _SET: ("Microsoft.Compute/virtualMachineScaleSets", "vmScaleSetName"),
    "azure-native:compute:ProximityPlacementGroup": (
        "Microsoft.Compute/proximityPlacementGroups",
        "proximityPlacementGroupName",
    ),
    "azure-native:network:VirtualNetwork": ("Microsoft.Network/virtualNetworks", "virtualNetworkName"),
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
    _AUTOSCALE: ("Microsoft.Insights/autoscaleSettings", "autoscaleSettingName"),
    "azure-native:logic:Workflow": ("Microsoft.Logic/workflows", "workflowName"),
    "azure-native:netapp:Account": ("Microsoft.NetApp/netAppAccounts", "accountName"),
    _LUSTRE: ("Microsoft.StorageCache/amlFilesystems", "amlFilesystemName"),
    "azure-native:storage:StorageAccount": ("Microsoft.Storage/storageAccounts", "accountName"),
}
# Type to (type of what it stands in, the argument that names that, collection, the argument that names it).
_CHILDREN = {
    _SUBNET: ("Microsoft.Network/virtualNetworks", "virtualNetworkName", "subnets", "subnetName"),
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
    if request.type == "azure-native:storage:StorageAccount":
        return re.sub(r"[^a-z0-9]", "", request.name.lower())[:16] + digest(request.urn, 8)
    return f"{request.name}{digest(request.urn, 8)}"


def _identify(request: Request) -> str:
    inputs = request.inputs
    group = f"/subscriptions/{_SUBSCRIPTION}/resourceGroups/{inputs.get('resourceGroupName', '')}"
    if request.type == "azure-native:resources:ResourceGroup":
        name = inputs.get("resourceGroupName") or _made_up(request)
        return f"/subscriptions/{_SUBSCRIPTION}/resourceGroups/{name}"
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
    return f"{group}/{request.name}-{digest(request.urn, 7)}"


_SCOPED = {
    "azure-native:authorization:RoleAssignment": ("Microsoft.Authorization/roleAssignments", "roleAssignmentName"),
    "azure-native:authorization:RoleDefinition": ("Microsoft.Authorization/roleDefinitions", "roleDefinitionId"),
    "azure-native:consumption:Budget": ("Microsoft.Consumption/budgets", "budgetName"),
}


def _outputs(request: Request, id_: str) -> Mapping[str, Any]:
    # azure-native gives names and ids back as the API's own answer has them.
    out: dict[str, Any] = {"name": id_.rsplit("/", 1)[-1], "provisioningState": "Succeeded"}
    special = _OUTPUTS.get(request.type)
    return {**out, **(special(request, id_) if special else {})}


def _guid(text: str) -> str:
    d = digest(text, 32)
    return f"{d[:8]}-{d[8:12]}-{d[12:16]}-{d[16:20]}-{d[20:]}"


_OUTPUTS: dict[str, Callable[[Request, str], Mapping[str, Any]]] = {
    "azure-native:managedidentity:UserAssignedIdentity": lambda r, i: {
        "principalId": _guid(i + "principal"),
        "clientId": _guid(i + "client"),
        "tenantId": _guid("tenant"),
    },
    _SET: lambda r, i: {"uniqueId": _guid(i)},
    _LUSTRE: lambda r, i: {
        "clientInfo": {
            "mgsAddress": _address(r, str(r.inputs.get("filesystemSubnet"))),
            "mountCommand": "",
            "lustreVersion": "2.15",
        }
    },
    "azure-native:netapp:CapacityPoolVolume": lambda r, i: {
        "mountTargets": [
            {
                "ipAddress": _address(r, str(r.inputs.get("subnetId"))),
                "fileSystemId": _guid(i),
                "mountTargetId": _guid(i + "m"),
            }
        ]
    },
    "azure-native:network:PublicIPAddress": lambda r, i: {
        "ipAddress": f"203.0.113.{int(digest(r.urn, 4), 16) % 254 + 1}"
    },
    "azure-native:storage:StorageAccount": lambda r, i: {
        "primaryEndpoints": {"blob": f"https://{i.rsplit('/', 1)[-1]}.blob.core.windows.net/"}
    },
}


def _shape(state: dict[str, Any]) -> dict[str, Any]:
    """Identities go in as a list of ids, and come back as a mapping from id to what the directory knows."""
    identity = as_map(state.get("identity"))
    given = identity.get("userAssignedIdentities")
    if not is_list(given):
        return state
    known = {one: {"clientId": _guid(f"{one}client"), "principalId": _guid(f"{one}principal")} for one in given}
    mapping = UNKNOWN if any(holds_unknown(one) for one in given) else known
    return {**state, "identity": {**identity, "userAssignedIdentities": mapping}}


def _address(request: Request, subnet: str) -> str:
    thing = request.world.thing(_SUBNET, subnet)
    cidr = str(thing.inputs.get("addressPrefix") or "10.0.0.0/24") if thing else "10.0.0.0/24"
    return f"{cidr.split('/')[0].rsplit('.', 1)[0]}.{int(digest(request.urn, 4), 16) % 250 + 4}"


# What is refused.


def _create(request: Request, id_: str) -> None:
    made = _CREATED.get(request.type)
    if made:
        made(request, id_)


def _set_made(request: Request, id_: str) -> None:
    inputs = request.inputs
    zones, single = as_list(inputs.get("zones")), inputs.get("singlePlacementGroup")
    reservation = lookup(inputs, "virtualMachineProfile.capacityReservation")
    if single and len(zones) > 1:
        raise Refusal("BadRequest", "a single placement group cannot span several zones")
    if reservation and (single or inputs.get("proximityPlacementGroup")):
        raise Refusal(
            "BadRequest", "capacity reservations take no single placement group and no proximity placement group"
        )
    if lookup(inputs, "virtualMachineProfile.priority") == "Spot" and reservation:
        raise Refusal("BadRequest", "capacity reservations take no spot machines")
    linux = lookup(inputs, "virtualMachineProfile.osProfile.linuxConfiguration")
    if linux and linux.get("disablePasswordAuthentication") and not lookup(linux, "ssh.publicKeys"):
        raise Refusal(
            "InvalidParameter", "linuxConfiguration.ssh.publicKeys: at least one key is needed without a password"
        )
    _scale(request.world, id_, inputs, int(lookup(inputs, "sku.capacity") or 0), "scaled in", refuse=True)


_LUSTRE_STEPS = {"40": 48, "125": 16, "250": 8, "500": 4}


def _lustre_made(request: Request, id_: str) -> None:
    size = float(request.inputs.get("storageCapacityTiB") or 0)
    step = _LUSTRE_STEPS.get(str(lookup(request.inputs, "sku.name") or "").rsplit("-", 1)[-1])
    if step is None or not size or size % step:
        raise Refusal("InvalidParameter", f"storageCapacityTiB {size:g} is no multiple of {step} for this SKU")


def _budget_made(request: Request, id_: str) -> None:
    start = str(lookup(request.inputs, "timePeriod.startDate") or "")
    if not re.match(r"\d{4}-\d{2}-01", start):
        raise Refusal("400", "Start date should be the first day of a month")
    if start[:7] < f"{request.world.now:%Y-%m}" and lookup(request.inputs, "timeGrain") == "Monthly":
        raise Refusal("400", "Start date cannot be before the current period")


_CREATED: dict[str, Callable[[Request, str], None]] = {
    _SET: _set_made,
    _LUSTRE: _lustre_made,
    "azure-native:consumption:Budget": _budget_made,
}


# Machines.


def _scale(world: World, id_: str, inputs: Mapping[str, Any], wanted: int, why: str, *, refuse: bool = False) -> None:
    running = world.running(_SET, id_)
    if len(running) > wanted:
        world.end_nodes(running[wanted:], why)
    missing = wanted - len(running)
    if missing <= 0:
        return
    size = str(lookup(inputs, "sku.name") or "unknown")
    zones = inputs.get("zones") or [""]
    region, zone = str(inputs.get("location") or ""), str(zones[0])
    place = f"{region}-{zone}" if zone else region
    left = world.left(place, size)
    market = "spot" if lookup(inputs, "virtualMachineProfile.priority") == "Spot" else "on_demand"
    if left is not None and left < missing:
        code = "ZonalAllocationFailed" if zone else "AllocationFailed"
        message = f"{missing - left} of {size} in {place} could not be had"
        if refuse:
            raise Refusal(code, message)
        world.note("shortage", id_, f"{code}: {message}")
    world.launch((_SET, id_), (region, place), size, market, missing if left is None else min(missing, left))


def _resize(world: World, group: Thing, wanted: int, why: str) -> None:
    sku = {**as_map(group.outputs.get("sku") or group.inputs.get("sku")), "capacity": wanted}
    world.keep(replace(group, outputs={**group.outputs, "sku": sku}))
    _scale(world, group.id, group.inputs, wanted, why)


def _pool(world: World, group: Thing) -> str:
    return str(as_map(group.inputs.get("tags")).get(POOL_LABEL) or "")


def _update(request: Request, old: Thing) -> None:
    if old.type == _SET:
        _scale(
            request.world,
            old.id,
            request.inputs,
            int(lookup(old.outputs, "sku.capacity") or 0),
            "scaled in",
            refuse=True,
        )


def _delete(request: Request, old: Thing) -> None:
    if old.type == _SET:
        request.world.end_nodes(request.world.running(_SET, old.id), "group deleted")


# What the cloud does by itself: the profile in force bounds a set's number.


def _due(world: World, after: datetime, until: datetime) -> list[Due]:
    return [
        Due(moment, setting.name, partial(_bound, setting=setting, profile=profile))
        for setting in world.things(_AUTOSCALE)
        if setting.inputs.get("enabled")
        for profile in as_list(setting.inputs.get("profiles"))
        for moment in _moments(profile, after, until)
    ]


def _moments(profile: Mapping[str, Any], after: datetime, until: datetime) -> Iterator[datetime]:
    fixed = lookup(profile, "fixedDate.start")
    if fixed:
        moment = datetime.fromisoformat(str(fixed).replace("Z", "+00:00"))
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        if after < moment <= until:
            yield moment
    schedule = lookup(profile, "recurrence.schedule")
    if schedule:
        days = ",".join(str(_DAYS.index(d)) for d in as_list(schedule.get("days")))
        for hour in as_list(schedule.get("hours")):
            for minute in as_list(schedule.get("minutes")):
                yield from firings(f"{minute} {hour} * * {days}", _zone(str(schedule.get("timeZone"))), after, until)


def _zone(windows_name: str) -> ZoneInfo:
    """A time zone by the name that Windows has for it."""
    rows = catalog.rows("time_zones", "azure")
    name = next((r["iana_name"] for r in rows if r["windows_name"] == windows_name), "UTC")
    return ZoneInfo(name)


def _bound(world: World, setting: Thing, profile: Mapping[str, Any]) -> None:
    group = world.thing(_SET, str(setting.inputs.get("targetResourceUri")))
    if group is None:
        return
    least, most = int(lookup(profile, "capacity.minimum") or 0), int(lookup(profile, "capacity.maximum") or 0)
    now = int(lookup(group.outputs, "sku.capacity") or 0)
    if not least <= now <= most:
        _resize(world, group, max(least, min(now, most)), f"autoscale {setting.name}")


def _budgets(world: World) -> list[tuple[Thing, float]]:
    found = [t for t in world.things("azure-native:consumption:Budget") if t.inputs.get("timeGrain") == "Monthly"]
    return [(t, float(t.inputs["amount"])) for t in found if t.inputs.get("amount")]


def _stopped(world: World, budget: Thing) -> list[Thing]:
    """The sets that the Logic App behind the budget's action group names. Its callback is a secret, and not in the world."""
    told = {
        group
        for n in as_map(budget.inputs.get("notifications")).values()
        if n.get("thresholdType") == "Actual" and n.get("threshold") == 100
        for group in as_list(n.get("contactGroups"))
    }
    if not told & {g.id for g in world.things("azure-native:monitor:ActionGroup")}:
        return []
    named: list[str] = []
    for workflow in world.things("azure-native:logic:Workflow"):
        named += [str(v) for v in as_list(lookup(workflow.inputs, "parameters.scaleSets.value"))]
    return [g for g in world.things(_SET) if any(g.id in uri for uri in named)]


_REFUSED = "PropertyChangeNotAllowed"
_DIFFS = {
    "azure-native:resources:ResourceGroup": Diffs(replace=("location", "resourceGroupName")),
    _SET: Diffs(
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
    "azure-native:network:VirtualNetwork": Diffs(replace=("location", "resourceGroupName", "virtualNetworkName")),
    _SUBNET: Diffs(
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
    _LUSTRE: Diffs(
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
    _AUTOSCALE: Diffs(replace=("location", "resourceGroupName", "autoscaleSettingName")),
    "azure-native:authorization:RoleAssignment": Diffs(
        replace=("principalId", "scope", "roleAssignmentName"),
        refuse=("roleDefinitionId",),
        refusal="RoleAssignmentUpdateNotPermitted",
    ),
    "azure-native:authorization:RoleDefinition": Diffs(replace=("scope", "roleDefinitionId")),
    "azure-native:managedidentity:UserAssignedIdentity": Diffs(replace=("location", "resourceGroupName")),
    "azure-native:logic:Workflow": Diffs(replace=("resourceGroupName", "workflowName")),
}


def _callback(args: Mapping[str, Any], world: World, config: Mapping[str, Any]) -> Mapping[str, Any]:
    named = "/".join(str(args.get(k)) for k in ("resourceGroupName", "workflowName", "triggerName"))
    path = f"/workflows/{digest(named, 32)}/triggers/{args.get('triggerName')}"
    url = f"https://prod-00.eastus.logic.azure.com:443{path}?sp=run&sv=1.0&sig={digest(named + 'sig', 43)}"
    return {"value": url, "basePath": url.split("?")[0], "method": "POST", "relativePath": ""}


CLOUD = Cloud(
    "azure-native",
    _identify,
    _outputs,
    create=_create,
    update=_update,
    delete=_delete,
    shape=_shape,
    due=_due,
    groups=Groups((_SET,), lambda world, group: int(lookup(group.outputs, "sku.capacity") or 0), _resize, _pool),
    spending=Spending(_budgets, _stopped),
    diffs=_DIFFS,
    invoke={
        "azure-native:authorization:getClientConfig": lambda a, w, c: {
            "clientId": _guid("client"),
            "objectId": _guid("object"),
            "subscriptionId": _SUBSCRIPTION,
            "tenantId": _guid("tenant"),
        },
        "azure-native:resources:getResourceGroup": lambda a, w, c: {
            "id": f"/subscriptions/{_SUBSCRIPTION}/resourceGroups/{a.get('resourceGroupName')}",
            "name": a.get("resourceGroupName"),
            "location": "eastus",
            "properties": {"provisioningState": "Succeeded"},
            "type": "Microsoft.Resources/resourceGroups",
        },
        "azure-native:logic:listWorkflowTriggerCallbackUrl": _callback,
    },
)
