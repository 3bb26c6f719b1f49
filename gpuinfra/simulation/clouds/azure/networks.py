"""Networks: what stands in a subnet holds it, and a scale set stays in its network."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_network
from typing import Any

from ...cloud import Refusal, Request
from ...values import as_list, as_map, is_list, lookup
from ...world import Thing, World
from .types import SET, SUBNET, VNET


def subnet_deleted(world: World, subnet: Thing) -> None:
    """Refused while something stands in it."""
    users = [t.name for t in world.things() if t.type != SUBNET and _names(t.inputs, subnet.id)]
    if users:
        raise Refusal("InUseSubnetCannotBeDeleted", f"subnet {subnet.name} is in use by {', '.join(sorted(users))}")


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


def world_subnets(world: World, network: Thing) -> list[Thing]:
    """The subnets of a network."""
    return [s for s in world.things(SUBNET) if s.id.lower().startswith(f"{network.id}/subnets/".lower())]


def set_moved(request: Request, old: Thing) -> None:
    """A scale set is never moved to another network (Networking for Virtual Machine Scale Sets)."""
    if old.type != SET:
        return
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
