"""What Azure refuses of a scale set, in ARM's own codes (facts azure a3 to a11, (c))."""

from __future__ import annotations

import base64
import binascii
import ipaddress
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .... import catalog
from ....catalog import InfiniBand, InstanceType, NodeImage
from ....vocabulary import Provider
from ...cloud import Refusal
from ...values import as_list, as_map, lookup
from ...world import World
from .subnets import prefix, room
from .types import SUBNET

_PROFILE = "virtualMachineProfile"
_RESERVED_RANGE = ipaddress.ip_network("172.16.0.0/16")
"""What the RDMA network keeps for itself (facts azure a5)."""


def scale_set(world: World, inputs: Mapping[str, Any]) -> None:
    """What a PUT of a scale set is refused for, beside machines that are not there."""
    for code, message in _set(world, inputs):
        raise Refusal(code, message)


def _set(world: World, inputs: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    size = str(lookup(inputs, "sku.name") or "")
    retired = catalog.retired(Provider.AZURE, size)
    if retired is not None:
        yield "SkuNotAvailable", f"The requested VM size {size} is not available: it is retired"
    facts = catalog.infiniband(size)
    yield from _placed(inputs, facts)
    yield from _reserved(inputs, size, facts)
    yield from _bought(inputs)
    yield from _boots(inputs, size, facts)
    yield from _logs_in(inputs)
    yield from _wired(world, inputs, facts)


def of_a_machine(inputs: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What no machine can be had with, alone or in a pool; in the words of a scale set."""
    size = str(lookup(inputs, "sku.name") or "")
    if catalog.retired(Provider.AZURE, size) is not None:
        yield "SkuNotAvailable", f"The requested VM size {size} is not available: it is retired"
    facts = catalog.infiniband(size)
    yield from _reserved(inputs, size, facts)
    yield from _bought(inputs)
    yield from _boots(inputs, size, facts)
    yield from _logs_in(inputs)


def _placed(inputs: Mapping[str, Any], facts: InfiniBand | None) -> Iterator[tuple[str, str]]:
    zones, single = as_list(inputs.get("zones")), inputs.get("singlePlacementGroup")
    domains, flexible = inputs.get("platformFaultDomainCount"), inputs.get("orchestrationMode") == "Flexible"
    capacity = int(lookup(inputs, "sku.capacity") or 0)
    near = inputs.get("proximityPlacementGroup")
    if single and len(zones) > 1:
        yield "BadRequest", "a single placement group cannot span several zones"
    most = catalog.limit(Provider.AZURE, "single_placement_group_nodes")
    if single and most is not None and most.maximum and capacity > most.maximum:
        yield "BadRequest", f"singlePlacementGroup is true: at most {most.maximum} instances, not {capacity}"
    if near and len(zones) > 1:
        yield "BadRequest", "a proximity placement group takes one zone at most"
    if domains is not None and int(domains) not in _domains(flexible, bool(zones)):
        allowed = ", ".join(map(str, _domains(flexible, bool(zones))))
        yield "InvalidParameter", f"platformFaultDomainCount {int(domains)} is not allowed here: {allowed}"
    if flexible and "SystemAssigned" in str(lookup(inputs, "identity.type") or ""):
        yield "InvalidParameter", "identity: only UserAssigned is supported with orchestrationMode Flexible"
    if flexible and not lookup(inputs, f"{_PROFILE}.networkProfile.networkApiVersion"):
        yield "InvalidParameter", "networkProfile.networkApiVersion is required with orchestrationMode Flexible"
    if flexible and inputs.get("overprovision"):
        yield "InvalidParameter", "overprovision is not supported with orchestrationMode Flexible"


def _domains(flexible: bool, zonal: bool) -> tuple[int, ...]:
    if flexible:
        return (1,) if zonal else (1, 2, 3)
    return (1, 5) if zonal else (1, 2, 3, 4, 5)


def _reserved(inputs: Mapping[str, Any], size: str, facts: InfiniBand | None) -> Iterator[tuple[str, str]]:
    if not lookup(inputs, f"{_PROFILE}.capacityReservation.capacityReservationGroup.id"):
        return
    if inputs.get("singlePlacementGroup") or inputs.get("proximityPlacementGroup"):
        yield "BadRequest", "capacity reservations take no single placement group and no proximity placement group"
    if lookup(inputs, f"{_PROFILE}.priority") == "Spot":
        yield "BadRequest", "capacity reservations take no spot machines"
    if facts is not None and facts.capacity_reservation is False:
        yield "OperationNotAllowed", f"The VM size {size} does not support capacity reservation"
    if len(as_list(inputs.get("zones"))) > 1 or int(inputs.get("platformFaultDomainCount") or 1) > 3:
        yield "BadRequest", "capacity reservations of GPUs take one zone, and at most three fault domains"


def _bought(inputs: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    spot = lookup(inputs, f"{_PROFILE}.priority") == "Spot"
    evicted, price = lookup(inputs, f"{_PROFILE}.evictionPolicy"), lookup(inputs, f"{_PROFILE}.billingProfile.maxPrice")
    if (evicted or price is not None) and not spot:
        yield "InvalidParameter", "evictionPolicy and maxPrice are for the priority Spot alone"
    if price is not None and float(price) != -1 and float(price) <= 0:
        yield "InvalidParameter", f"maxPrice {price:g} is neither -1 nor above 0"
    if evicted == "Deallocate" and lookup(inputs, f"{_PROFILE}.storageProfile.osDisk.diffDiskSettings"):
        yield "InvalidParameter", "evictionPolicy Deallocate is not supported with an ephemeral OS disk"


def _boots(inputs: Mapping[str, Any], size: str, facts: InfiniBand | None) -> Iterator[tuple[str, str]]:
    profile = as_map(lookup(inputs, f"{_PROFILE}.storageProfile"))
    security = lookup(inputs, f"{_PROFILE}.securityProfile.securityType")
    disk, local = as_map(profile.get("osDisk")), lookup(profile, "osDisk.diffDiskSettings")
    machine, image = catalog.instance_type(Provider.AZURE, size), _image(as_map(profile.get("imageReference")))
    arm = isinstance(machine, InstanceType) and machine.arch == "arm64"
    if image is not None and isinstance(machine, InstanceType) and {image.arch, machine.arch} == {"arm64", "x86_64"}:
        cpu = "Arm64" if arm else "x64"
        yield (
            "BadRequest",
            f"The selected VM size '{size}' ({cpu}) cannot boot an image of the architecture '{image.arch}'",
        )
    if facts is None:
        return
    if security == "TrustedLaunch" and facts.trusted_launch is False:
        yield "BadRequest", f"The VM size '{size}' is not supported with the security type 'TrustedLaunch'"
    if security == "TrustedLaunch" and image is not None and image.trusted_launch is False:
        yield "BadRequest", f"The image '{image.selector}' is not supported with the security type 'TrustedLaunch'"
    if facts.disk_controller == "NVMe" and profile.get("diskControllerType") in (None, "SCSI"):
        yield "InvalidParameter", f"The VM size '{size}' cannot boot with the disk controller type SCSI"
    if local and disk.get("caching") != "ReadOnly":
        yield "InvalidParameter", "an ephemeral OS disk requires the caching ReadOnly"
    placement = as_map(local).get("placement")
    if local and facts.root_on and placement and placement != facts.root_on:
        yield (
            "OperationNotAllowed",
            f"The VM size '{size}' takes an ephemeral OS disk on {facts.root_on}, not on {placement}",
        )
    largest = (facts.root_on_gib or 0) - (1 if security == "TrustedLaunch" else 0)
    if local and facts.root_on_gib and float(disk.get("diskSizeGB") or 0) > largest:
        yield (
            "OperationNotAllowed",
            f"OS disk of Ephemeral VM with size greater than {largest} GB is not allowed for VM size {size}",
        )


def _image(reference: Mapping[str, Any]) -> NodeImage | None:
    words = [str(reference.get(k) or "") for k in ("publisher", "offer", "sku")]
    found = [i for i in catalog.node_images(Provider.AZURE) if i.selector.split(":")[:3] == words]
    return found[0] if found else None


def _logs_in(inputs: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    login = as_map(lookup(inputs, f"{_PROFILE}.osProfile"))
    linux = as_map(login.get("linuxConfiguration"))
    if linux.get("disablePasswordAuthentication") and not lookup(linux, "ssh.publicKeys"):
        yield "InvalidParameter", "linuxConfiguration.ssh.publicKeys: at least one key is needed without a password"
    for one in as_list(lookup(linux, "ssh.publicKeys")):
        if not re.match(r"(ssh-(rsa|ed25519)|ecdsa-|sk-) ?\S*", str(one.get("keyData") or "")):
            yield "InvalidParameter", "linuxConfiguration.ssh.publicKeys.keyData is no public key in OpenSSH's form"
    user, row = str(login.get("adminUsername") or ""), catalog.limit(Provider.AZURE, "name.admin_user")
    if row is not None and user and (len(user) > (row.maximum or 64) or not re.search(row.pattern or "", user)):
        yield "InvalidParameter", f"The Admin Username specified is not allowed: {user}"
    prefix, most = str(login.get("computerNamePrefix") or ""), catalog.limit(Provider.AZURE, "name.computer_prefix")
    if most is not None and most.maximum and len(prefix) > most.maximum:
        yield "InvalidParameter", f"computerNamePrefix has more than {most.maximum} characters"
    data, bytes_ = login.get("customData"), catalog.limit(Provider.AZURE, "user_data_bytes")
    if isinstance(data, str) and data:
        try:
            size = len(base64.b64decode(data, validate=True))
        except (binascii.Error, ValueError):
            yield "InvalidParameter", "Custom data in OSProfile must be in Base64 encoding"
            return
        if bytes_ is not None and bytes_.maximum and size > bytes_.maximum:
            yield "InvalidParameter", f"Custom data in OSProfile has more than {bytes_.maximum} bytes"


def _wired(world: World, inputs: Mapping[str, Any], facts: InfiniBand | None) -> Iterator[tuple[str, str]]:
    for nic in as_list(lookup(inputs, f"{_PROFILE}.networkProfile.networkInterfaceConfigurations")):
        for address in as_list(nic.get("ipConfigurations")):
            subnet = world.thing(SUBNET, str(lookup(address, "subnet.id") or ""))
            if subnet is None:
                continue
            capacity, free = int(lookup(inputs, "sku.capacity") or 0), room(subnet)
            if capacity > free:
                yield (
                    "SubnetIsFull",
                    f"Subnet {subnet.name} does not have enough capacity for {capacity} IP addresses ({free})",
                )
            if facts is not None and facts.adapters and prefix(subnet).overlaps(_RESERVED_RANGE):
                yield (
                    "BadRequest",
                    f"the subnet {prefix(subnet)} overlaps {_RESERVED_RANGE}, which InfiniBand reserves",
                )
