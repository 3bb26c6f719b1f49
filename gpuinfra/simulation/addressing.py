"""Addresses: inside the network that is asked for, and each given once."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network

from .cloud import digest
from .world import World

_KEPT_BY_THE_CLOUD = 4


def address(world: World, owner: str, network: str, outside: str = "10.0.0.0/24") -> str:
    """A free address of a network for an owner, who keeps it; of `outside` where the network is not known."""
    try:
        net = IPv4Network(network, strict=False)
    except ValueError:
        net = IPv4Network(outside)
    first, size = int(net.network_address), net.num_addresses
    low = _KEPT_BY_THE_CLOUD if size > 2 * _KEPT_BY_THE_CLOUD else 0
    room = max(1, size - low - (1 if low else 0))
    start = int(digest(owner, 8), 16)
    for step in range(room):
        found = str(IPv4Address(first + low + (start + step) % room))
        key = f"address:{net}:{found}"
        if world.meta(key) in ("", owner):
            world.set_meta(key, owner)
            return found
    # Nobody is asked to give one back: what is gone had it last.
    return str(IPv4Address(first + low + start % room))
