"""Networks: what stands in a subnet holds it, and a scale set stays in its network."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_network
from typing import Any

from ...cloud import Refusal, Request
from ...values import as_list, as_map, is_list, lookup
from ...world import Thing, World
from .types import PROXIMITY_GROUP, SET, SUBNET, VNET

_PROFILE = "virtualMachineProfile"


def subnet_deleted(world: World, subnet: Thing) -> None:
    """Refused while something stands in it."""
    users = _users(world, subnet)
    if users:
        raise Refusal("InUseSubnetCannotBeDeleted", f"subnet {subnet.name} is in use by {', '.join(users)}")


def range_inside(world: World, subnet: str) -> str:
    """The range of a subnet that stands in its network's own words; empty where none has it."""
    network, _, name = subnet.rpartition("/subnets/")
    for one in world.things(VNET) if network else ():
        if one.id.lower() == network.lower():
            for inside in as_list(one.inputs.get("subnets")):
                if str(inside.get("name")).lower() == name.lower():
                    return str(inside.get("addressPrefix") or next(iter(as_list(inside.get("addressPrefixes"))), ""))
    return ""


def _users(world: World, used: Thing) -> list[str]:
    """What names a thing in its inputs."""
    return sorted(t.name for t in world.things() if t.type != used.type and _names(t.inputs, used.id))


def network_changed(request: Request, old: Thing) -> None:
    """A network keeps the ranges that its subnets have."""
    if old.type != VNET:
        return
    ranges = [ip_network(str(r)) for r in as_list(lookup(request.inputs, "addressSpace.addressPrefixes"))]
    for subnet in world_subnets(request.world, old):
        own = ip_network(str(subnet.inputs.get("addressPrefix")))
        if not any(own.version == r.version and own.subnet_of(r) for r in ranges):  # pyright: ignore[reportArgumentType]
            raise Refusal(
                "InUsePrefixCannotBeDeleted", f"subnet {subnet.name} has {own}, outside the new address space"
            )


def subnet_changed(request: Request, old: Thing) -> None:
    """A subnet in which something stands keeps its range, and what it is delegated to (facts azure a17)."""
    if old.type != SUBNET:
        return
    moved = [
        k for k in ("addressPrefix", "addressPrefixes", "delegations") if old.inputs.get(k) != request.inputs.get(k)
    ]
    users = _users(request.world, old) if moved else []
    if users and moved == ["delegations"]:
        raise Refusal("SubnetMissingRequiredDelegation", f"subnet {old.name} is delegated for {', '.join(users)}")
    if users:
        raise Refusal("InUseSubnetCannotBeUpdated", f"subnet {old.name} is in use by {', '.join(users)}")


def near_changed(request: Request, old: Thing) -> None:
    """A proximity placement group keeps the sizes that it is meant for while there are machines in it."""
    if old.type != PROXIMITY_GROUP or old.inputs.get("intent") == request.inputs.get("intent"):
        return
    users = _users(request.world, old)
    if users:
        raise Refusal(
            "PropertyChangeNotAllowed", f"Changing property 'intent.vmSizes' is not allowed: {', '.join(users)}"
        )


def world_subnets(world: World, network: Thing) -> list[Thing]:
    """The subnets of a network."""
    return [s for s in world.things(SUBNET) if s.id.lower().startswith(f"{network.id}/subnets/".lower())]


def set_moved(request: Request, old: Thing) -> None:
    """A scale set is never moved to another network (Networking for Virtual Machine Scale Sets), nor back into one placement
    group, and its price stands while its machines do."""
    if old.type != SET:
        return
    if not old.inputs.get("singlePlacementGroup") and request.inputs.get("singlePlacementGroup"):
        # From true to false it may go, and never back (facts azure a4).
        raise Refusal("PropertyChangeNotAllowed", "Changing property 'singlePlacementGroup' is not allowed.")
    price = f"{_PROFILE}.billingProfile.maxPrice"
    if lookup(old.inputs, price) != lookup(request.inputs, price) and request.world.running(SET, old.id):
        raise Refusal("OperationNotAllowed", "the max price may be changed only when the machines are deallocated")
    before, after = _network(old.inputs), _network(request.inputs)
    if before and after and before != after:
        raise Refusal("PropertyChangeNotAllowed", f"{old.name} cannot be moved from {before} to {after}")


def _network(inputs: Mapping[str, Any]) -> str:
    for interface in as_list(lookup(inputs, "virtualMachineProfile.networkProfile.networkInterfaceConfigurations")):
        for address in as_list(interface.get("ipConfigurations")):
            return str(lookup(address, "subnet.id") or "").lower().partition("/subnets/")[0]
    return ""


def _names(value: Any, id_: str) -> bool:
    """Whether an id stands anywhere in a value."""
    if isinstance(value, str):
        return value.lower() == id_.lower()
    if isinstance(value, Mapping):
        return any(_names(v, id_) for v in as_map(value).values())
    return is_list(value) and any(_names(v, id_) for v in as_list(value))
