"""What the simulated Azure refuses, and with which code (facts azure a3 to a14, (c))."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.plan.resolve import resolve
from gpuinfra.spec.models import ClusterSpec
from tests.specs import AZURE

from .spoiled import both, put, refusal

SET = "azure-native:compute:VirtualMachineScaleSet"
SUBNET = "azure-native:network:Subnet"
ADDRESS = "azure-native:network:PublicIPAddress"
NAT = "azure-native:network:NatGateway"
LUSTRE = "azure-native:storagecache:AmlFilesystem"
BUDGET = "azure-native:consumption:Budget"
ASSIGNMENT = "azure-native:authorization:RoleAssignment"
AUTOSCALE = "azure-native:monitor:AutoscaleSetting"
STORAGE = [
    {"name": "scratch", "kind": "lustre", "size_gib": 16384, "throughput_mbps_per_tib": 250, "mount": "/scratch"}
]
SPEC: dict[str, Any] = {**AZURE, "storage": STORAGE, "shutdown": {"lease": "72h", "idle_after": "30m"}}
PROFILE = "virtualMachineProfile"
GROUP = {
    "capacityReservationGroup": {
        "id": "/subscriptions/s/resourceGroups/r/providers/Microsoft.Compute/capacityReservationGroups/g"
    }
}
TRUSTED = put(f"{PROFILE}.securityProfile", {"securityType": "TrustedLaunch"})
EPHEMERAL = {
    "createOption": "FromImage",
    "caching": "ReadOnly",
    "diffDiskSettings": {"option": "Local", "placement": "NvmeDisk"},
}


LUSTRES_RANGE = next(
    s.cidr for s in resolve(ClusterSpec.model_validate(SPEC)).plan.network.subnets if s.role != "nodes"
)


def in_lustres_subnet(change: Callable[[dict[str, Any]], None]) -> Callable[[dict[str, Any]], None]:
    """The change in the subnet that is not the nodes'."""
    return lambda i: change(i) if i["addressPrefix"] == LUSTRES_RANGE else None


CASES: dict[str, tuple[str, Callable[[dict[str, Any]], Any], str]] = {
    "one placement group over two zones": (SET, put("zones", ["1", "2"]), "^BadRequest: a single placement group"),
    "fault domains that a zone lacks": (
        SET,
        put("platformFaultDomainCount", 3),
        "^InvalidParameter: platformFaultDomainCount",
    ),
    "a hundred nodes and one": (SET, put("sku.capacity", 101), "^BadRequest: singlePlacementGroup"),
    "reserved InfiniBand": (
        SET,
        both(put("singlePlacementGroup", False), put(f"{PROFILE}.capacityReservation", GROUP)),
        "^OperationNotAllowed.*does not support capacity reservation",
    ),
    "reserved, in one placement group": (
        SET,
        put(f"{PROFILE}.capacityReservation", GROUP),
        "^BadRequest: capacity reserv",
    ),
    "an eviction of regular machines": (
        SET,
        put(f"{PROFILE}.evictionPolicy", "Delete"),
        "^InvalidParameter: evictionPolicy",
    ),
    "Trusted Launch on ND A100": (
        SET,
        both(put("sku.name", "Standard_ND96asr_v4"), TRUSTED),
        "^BadRequest.*TrustedLaunch",
    ),
    "a size that is gone": (SET, put("sku.name", "Standard_NC6s_v3"), "^SkuNotAvailable"),
    "an image for another processor": (
        SET,
        put("sku.name", "Standard_ND128isr_NDR_GB200_v6"),
        "^BadRequest.*cannot boot an image of the architecture",
    ),
    "an ephemeral disk where there is none": (
        SET,
        put(f"{PROFILE}.storageProfile.osDisk", EPHEMERAL),
        "^OperationNotAllowed.*ResourceDisk",
    ),
    "an ephemeral disk that is written through": (
        SET,
        put(f"{PROFILE}.storageProfile.osDisk", {**EPHEMERAL, "caching": "ReadWrite"}),
        "^InvalidParameter.*ReadOnly",
    ),
    "no key": (SET, put(f"{PROFILE}.osProfile.linuxConfiguration.ssh", None), "^InvalidParameter.*publicKeys"),
    "a reserved user": (SET, put(f"{PROFILE}.osProfile.adminUsername", "root"), "^InvalidParameter.*not allowed: root"),
    "custom data above 64 KiB": (
        SET,
        put(f"{PROFILE}.osProfile.customData", base64.b64encode(b"x" * 65_536).decode()),
        "^InvalidParameter: Custom data",
    ),
    "a flexible set with the system's identity": (
        SET,
        both(put("orchestrationMode", "Flexible"), put("identity", {"type": "SystemAssigned"})),
        "^InvalidParameter: identity",
    ),
    "a name that is too long": (SET, put("vmScaleSetName", "x" * 65), "^InvalidResourceName"),
    "more nodes than addresses": (SUBNET, put("addressPrefix", "10.40.0.0/29"), "SubnetIsFull|InvalidSubnet|Overlap"),
    "a subnet outside of its network": (SUBNET, put("addressPrefix", "192.168.0.0/24"), "^NetcfgInvalidSubnet"),
    "a delegated subnet for Lustre": (
        SUBNET,
        in_lustres_subnet(put("delegations", [{"name": "d", "serviceName": "Microsoft.NetApp/volumes"}])),
        "^InvalidSubnet.*delegated",
    ),
    "a small subnet for Lustre": (
        SUBNET,
        in_lustres_subnet(lambda i: i.update(addressPrefix=i["addressPrefix"].split("/")[0] + "/28")),
        "^InvalidSubnet.*too small",
    ),
    "an address that moves": (ADDRESS, put("publicIPAllocationMethod", "Dynamic"), "^PublicIPAddressWithStandardSku"),
    "a basic address": (ADDRESS, put("sku", {"name": "Basic"}), "^IPv4BasicSku"),
    "a gateway in another zone than its address": (NAT, put("zones", ["3"]), "^NatGatewayPublicIpZoneMismatch"),
    "Lustre between two sizes": (LUSTRE, put("storageCapacityTiB", 17), "^InvalidParameter: storageCapacityTiB 17"),
    "Lustre in two zones": (LUSTRE, put("zones", ["1", "2"]), "^InvalidParameter: zones"),
    "a budget from the middle of a month": (
        BUDGET,
        put("timePeriod.startDate", "2026-12-15T00:00:00Z"),
        "^400: Start date",
    ),
    "a budget from last year": (
        BUDGET,
        put("timePeriod.startDate", "2020-01-01T00:00:00Z"),
        "^400: Start date cannot be",
    ),
    "a threshold of nothing": (
        BUDGET,
        lambda i: next(iter(i["notifications"].values())).update(threshold=0),
        "^400: notification",
    ),
    "an assignment that has no GUID": (ASSIGNMENT, put("roleAssignmentName", "reader"), "^InvalidRoleAssignmentId"),
    "a principal of another kind": (ASSIGNMENT, put("principalType", "User"), "^PrincipalNotFound"),
    "autoscale bounds that are not in order": (
        AUTOSCALE,
        put("profiles.0.capacity.default", "9999"),
        "^BadRequest: profile",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_it_is_refused(case: str, tmp_path: Path) -> None:
    type_, spoil, text = CASES[case]
    said = refusal(tmp_path, SPEC, type_, spoil)
    assert said.moment == "apply", said
    assert re.search(text, said.text), said
