"""What Azure refuses when something is made or changed, in ARM's own codes (facts azure a3 to a14, (c))."""

from __future__ import annotations

import ipaddress
import re

from .... import catalog
from ....vocabulary import Provider, StorageKind
from ...cloud import Refusal, Request
from ...values import as_list, as_map, lookup
from .subnets import prefix
from .types import ADDRESS, ASSIGNMENT, BASTION, BUDGET, LUSTRE, NAT, SET, STORAGE, SUBNET, VNET, VOLUME

_GUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")

# Names. ARM judges them when the resource is made.

_NAMES = {
    SET: ("vmScaleSetName", "name.scale_set"),
    VNET: ("virtualNetworkName", "name.virtual_network"),
    SUBNET: ("subnetName", "name.subnet"),
    NAT: ("natGatewayName", "name.nat_gateway"),
    ADDRESS: ("publicIpAddressName", "name.public_ip"),
    BASTION: ("bastionHostName", "name.bastion"),
    LUSTRE: ("amlFilesystemName", "name.lustre"),
    VOLUME: ("volumeName", "name.netapp_volume"),
    BUDGET: ("budgetName", "name.budget"),
    "azure-native:network:NetworkSecurityGroup": ("networkSecurityGroupName", "name.network_security_group"),
    "azure-native:managedidentity:UserAssignedIdentity": ("resourceName", "name.identity"),
    "azure-native:resources:ResourceGroup": ("resourceGroupName", "name.resource_group"),
    "azure-native:logic:Workflow": ("workflowName", "name.workflow"),
    "azure-native:compute:ProximityPlacementGroup": ("proximityPlacementGroupName", "name.proximity_placement_group"),
}


def name(request: Request, id_: str) -> None:
    """What ARM refuses of names: too long, not of its pattern, or reserved. What the program left out is made up."""
    if request.type == STORAGE:
        given = str(request.inputs.get("accountName") or id_.rsplit("/", 1)[-1])
        if not re.fullmatch(r"[a-z0-9]{3,24}", given):
            raise Refusal(
                "AccountNameInvalid", f"{given} is not a valid storage account name: 3 to 24 letters and digits"
            )
        return
    if request.type not in _NAMES:
        return
    key, what = _NAMES[request.type]
    given, row = str(request.inputs.get(key) or id_.rsplit("/", 1)[-1]), catalog.limit(Provider.AZURE, what)
    if row is None:
        return
    if len(given) > (row.maximum or len(given)) or (row.pattern and not re.search(row.pattern, given)):
        raise Refusal(
            "InvalidResourceName", f"Resource name {given} is invalid: at most {row.maximum} characters, {row.pattern}"
        )


# Networks.


def subnet(request: Request, id_: str) -> None:
    """What a PUT of a subnet is refused for."""
    inputs = request.inputs
    given, where = inputs.get("addressPrefix"), str(inputs.get("virtualNetworkName") or "")
    group = inputs.get("resourceGroupName")
    if not isinstance(given, str):
        return
    mine = ipaddress.ip_network(given, strict=False)
    if inputs.get("subnetName") == "AzureBastionSubnet" and mine.prefixlen > 26:
        raise Refusal("InvalidBastionSubnetSize", "AzureBastionSubnet must be /26 or larger")
    for whole in request.world.things(VNET):
        ranges = [str(r) for r in as_list(lookup(whole.inputs, "addressSpace.addressPrefixes"))]
        mine_is_in = any(mine.subnet_of(ipaddress.ip_network(r)) for r in ranges)  # type: ignore[arg-type]
        if whole.id.endswith(f"/{where}") and whole.inputs.get("resourceGroupName") == group and not mine_is_in:
            raise Refusal("NetcfgInvalidSubnet", f"Subnet '{given}' is not valid in virtual network '{where}'.")
    for other in request.world.things(SUBNET):
        same = other.inputs.get("virtualNetworkName") == where and other.inputs.get("resourceGroupName") == group
        if same and other.id != id_ and mine.overlaps(prefix(other)):
            raise Refusal("NetcfgSubnetRangesOverlap", f"Subnet '{given}' overlaps with subnet '{other.name}'.")


def public_address(request: Request, id_: str) -> None:
    """What a PUT of a public address is refused for."""
    sku, way = lookup(request.inputs, "sku.name"), request.inputs.get("publicIPAllocationMethod")
    if sku in (None, "Basic"):
        raise Refusal(
            "IPv4BasicSkuPublicIpCountLimitReached", "Cannot create more than 0 IPv4 Basic SKU public IP addresses"
        )
    if way != "Static":
        raise Refusal("PublicIPAddressWithStandardSkuMustBeStatic", "a Standard SKU public IP address is Static")


def nat(request: Request, id_: str) -> None:
    """What a PUT of a NAT gateway is refused for."""
    zones = [str(z) for z in as_list(request.inputs.get("zones"))]
    if len(zones) > 1:
        raise Refusal("NatGatewayMultipleZonesNotSupported", "a Standard NAT gateway stands in one zone, or in none")
    for one in as_list(request.inputs.get("publicIpAddresses")):
        made = request.world.thing(ADDRESS, str(one.get("id")))
        theirs = [str(z) for z in as_list(made.inputs.get("zones"))] if made is not None else []
        if zones and len(theirs) == 1 and theirs != zones:
            raise Refusal(
                "NatGatewayPublicIpZoneMismatch",
                f"the public IP address is in zone {theirs[0]}, the NAT gateway in {zones[0]}",
            )


def bastion(request: Request, id_: str) -> None:
    """What a PUT of a Bastion is refused for."""
    for one in as_list(request.inputs.get("ipConfigurations")):
        if not str(lookup(one, "subnet.id") or "").endswith("/AzureBastionSubnet"):
            raise Refusal("InvalidBastionHostSubnet", "a Bastion stands in a subnet of the name AzureBastionSubnet")


# Storage.

_LUSTRE_SUBNETS = ((16, 27), (40, 26), (92, 25), (196, 24), (400, 23))
"""TiB up to which a subnet of a prefix is large enough (facts azure a12)."""


def lustre(request: Request, id_: str) -> None:
    """What a PUT of a Managed Lustre file system is refused for."""
    inputs = request.inputs
    size, sku = float(inputs.get("storageCapacityTiB") or 0), str(lookup(inputs, "sku.name") or "")
    rows = [t for t in catalog.storage_tiers(Provider.AZURE, StorageKind.LUSTRE) if t.tier == sku]
    if not rows:
        raise Refusal("InvalidParameter", f"sku.name '{sku}' is unknown")
    step = rows[0].step_gib / 1024
    if not size or size % step:
        raise Refusal("InvalidParameter", f"storageCapacityTiB {size:g} is no multiple of {step:g} for {sku}")
    if rows[0].max_gib and size > rows[0].max_gib / 1024:
        raise Refusal("InvalidParameter", f"storageCapacityTiB {size:g} is above {rows[0].max_gib / 1024:g} for {sku}")
    zones = as_list(inputs.get("zones"))
    if len(zones) > 1:
        raise Refusal("InvalidParameter", "zones: a file system stands in one zone")
    most = catalog.limit(Provider.AZURE, "lustre_file_systems")
    quota = request.world.quotas().get("lustre_file_systems", most.maximum if most is not None else None)
    if quota is not None and len(request.world.things(LUSTRE)) >= quota:
        raise Refusal("OperationNotAllowed", f"the subscription has {quota:g} file systems, which is its quota")
    settings = as_map(lookup(inputs, "hsm.settings"))
    if settings and settings.get("container") == settings.get("loggingContainer"):
        raise Refusal("InvalidParameter", "hsm.settings: container and loggingContainer must differ")
    _lustre_subnet(request, size)


def _lustre_subnet(request: Request, size: float) -> None:
    id_ = str(request.inputs.get("filesystemSubnet") or "")
    made = request.world.thing(SUBNET, id_)
    if made is None:
        return
    if as_list(made.inputs.get("delegations")):
        raise Refusal(
            "InvalidSubnet", f"the subnet '{made.name}' is delegated, and a Lustre file system takes none that is"
        )
    needed = next((p for most, p in _LUSTRE_SUBNETS if size <= most), 22)
    if prefix(made).prefixlen > needed:
        raise Refusal("InvalidSubnet", f"the subnet '{made.name}' is too small: {size:g} TiB want a /{needed}")
    for other in request.world.things(SET, LUSTRE):
        if f'"{id_}"' in str(dict(other.inputs)).replace("'", '"'):
            raise Refusal("InvalidSubnet", f"the subnet '{made.name}' is used by '{other.name}'")


def volume(request: Request, id_: str) -> None:
    """What a PUT of a NetApp volume is refused for."""
    made = request.world.thing(SUBNET, str(request.inputs.get("subnetId")))
    served = (
        {str(d.get("serviceName")) for d in as_list(made.inputs.get("delegations"))} if made is not None else set[str]()
    )
    if made is not None and "Microsoft.NetApp/volumes" not in served:
        raise Refusal("SubnetNotDelegated", f"the subnet '{made.name}' must be delegated to Microsoft.NetApp/volumes")


def account(request: Request, id_: str) -> None:
    """What a PUT of a storage account is refused for."""
    if request.inputs.get("enableNfsV3") and not request.inputs.get("isHnsEnabled"):
        raise Refusal("InvalidRequestPropertyValue", "enableNfsV3 requires isHnsEnabled")
    own = id_.rsplit("/", 1)[-1]
    if any(t.id.rsplit("/", 1)[-1] == own for t in request.world.things(STORAGE)):
        raise Refusal("StorageAccountAlreadyTaken", f"The storage account named {own} is already taken.")


# Rights and money.


def assignment(request: Request, id_: str) -> None:
    """What a PUT of a role assignment is refused for."""
    inputs = request.inputs
    given = str(inputs.get("roleAssignmentName") or id_.rsplit("/", 1)[-1])
    if inputs.get("roleAssignmentName") and not _GUID.fullmatch(given):
        raise Refusal("InvalidRoleAssignmentId", f"The role assignment ID '{given}' is not valid. It must be a GUID.")
    keys = ("scope", "principalId", "roleDefinitionId")
    for other in request.world.things(ASSIGNMENT):
        if all(other.inputs.get(k) == inputs.get(k) for k in keys):
            raise Refusal("RoleAssignmentExists", "The role assignment already exists.")
        if other.id.rsplit("/", 1)[-1].lower() == given.lower():
            raise Refusal(
                "RoleAssignmentUpdateNotPermitted",
                "Tenant ID, application ID, principal ID, and scope are not allowed to be updated.",
            )
    identities = request.world.things("azure-native:managedidentity:UserAssignedIdentity")
    if inputs.get("principalType") in (None, "User") and any(
        i.outputs.get("principalId") == inputs.get("principalId") for i in identities
    ):
        raise Refusal(
            "PrincipalNotFound", f"Principal {inputs.get('principalId')} does not exist in the directory as a User"
        )


def budget(request: Request, id_: str) -> None:
    """What a PUT of a budget is refused for."""
    inputs, now = request.inputs, request.world.now
    start, end = (str(lookup(inputs, f"timePeriod.{k}") or "") for k in ("startDate", "endDate"))
    if not re.match(r"\d{4}-\d{2}-01", start):
        raise Refusal("400", "Start date should be the first day of a month")
    if start[:7] < f"{now:%Y-%m}" and inputs.get("timeGrain") == "Monthly":
        raise Refusal("400", "Start date cannot be before the current period")
    year, month = int(start[:4]), int(start[5:7])
    if (year - now.year) * 12 + month - now.month > 12:
        raise Refusal("400", "Start date cannot be more than 12 months ahead")
    if end and end[:10] <= start[:10]:
        raise Refusal("400", "End date must be after the start date")
    heard = as_map(inputs.get("notifications"))
    most = catalog.limit(Provider.AZURE, "budget_notifications")
    if most is not None and most.maximum and len(heard) > most.maximum:
        raise Refusal("400", f"at most {most.maximum} notifications for a budget")
    for key, one in heard.items():
        if not 0 < float(one.get("threshold") or 0) <= 1000:
            raise Refusal("400", f"notification {key}: the threshold must be above 0 and at most 1000")
        if not any(as_list(one.get(k)) for k in ("contactEmails", "contactGroups", "contactRoles")):
            raise Refusal("400", f"notification {key}: at least one contact is required")


def autoscale(request: Request, id_: str) -> None:
    """What a PUT of an autoscale setting is refused for."""
    profiles = as_list(request.inputs.get("profiles"))
    most = catalog.limit(Provider.AZURE, "autoscale_profiles")
    if most is not None and most.maximum and len(profiles) > most.maximum:
        raise Refusal("BadRequest", f"at most {most.maximum} profiles in an autoscale setting")
    for profile in profiles:
        least, initial, largest = (
            int(lookup(profile, f"capacity.{k}") or 0) for k in ("minimum", "default", "maximum")
        )
        if not least <= initial <= largest:
            raise Refusal("BadRequest", f"profile {profile.get('name')}: minimum, default and maximum are not in order")
