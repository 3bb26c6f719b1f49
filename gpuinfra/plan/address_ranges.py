"""Ranges cut from a network: disjoint, inside, each large enough. Arithmetic only; no cloud is known here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network
from math import ceil, log2

COMFORTABLE_PREFIX = 24
"""What a small subnet gets where there is room: nobody wants to count addresses later."""


@dataclass(frozen=True)
class Want:
    """A range that is wanted: `addresses` in use at most, besides those that the cloud keeps."""

    role: str
    addresses: int
    zone: str
    reason: str
    own_network: bool = False
    """It stands in a network of its own, so it is made even where the nodes' network exists."""
    comfortable: int = COMFORTABLE_PREFIX
    """The prefix that it gets where there is room, so that what comes later does not move it."""


@dataclass(frozen=True)
class Limits:
    """What a cloud allows of a subnet."""

    reserved: int
    """Addresses of each subnet that the cloud keeps."""
    narrowest_subnet: int
    """The longest prefix of a subnet."""

    def prefix_for(self, addresses: int) -> int:
        """The longest prefix whose subnet holds so many addresses."""
        return min(32 - ceil(log2(max(addresses, 1) + self.reserved)), self.narrowest_subnet)


def cut(net: IPv4Network, wants: Sequence[Want], limits: Limits) -> tuple[tuple[Want, IPv4Network], ...] | None:
    """A range for each want, or None where they do not fit.

    The first want (the nodes) gets the lower half where the others fit into the upper one, with a comfortable size each
    where there is room; a tight network is packed, the largest range first, which wastes nothing. A range that moves is
    made anew, with all that stands in it: so the nodes keep to their half where they are alone, too, and ranges of other
    networks are cut from the upper end, where new storage does not push them.
    """
    if not wants:
        return ()
    first, others = wants[0], wants[1:]
    least = {w.role: limits.prefix_for(w.addresses) for w in wants}
    if least[first.role] >= net.prefixlen + 1:
        lower, upper = net.subnets(1)
        comfortable = {w.role: min(least[w.role], w.comfortable) for w in wants}
        for sizes in (comfortable, least):
            packed = _pack(upper, others, sizes)
            if packed is not None:
                return ((first, lower), *packed)
    packed = _pack(net, wants, least)
    return None if packed is None else tuple(packed)


def _pack(net: IPv4Network, wants: Sequence[Want], prefixes: dict[str, int]) -> list[tuple[Want, IPv4Network]] | None:
    """The wants in their own order, placed the largest first: then each stands on its own boundary by itself. Those of
    other networks go from the end down."""
    at = int(net.network_address)
    end = at + net.num_addresses
    placed: dict[str, IPv4Network] = {}
    for want in sorted(wants, key=lambda w: prefixes[w.role]):
        size = 2 ** (32 - prefixes[want.role])
        if at + size > end:
            return None
        if want.own_network:
            end -= size
        placed[want.role] = IPv4Network((end if want.own_network else at, prefixes[want.role]))
        at += 0 if want.own_network else size
    return [(w, placed[w.role]) for w in wants]


def prefix_that_fits(wants: Sequence[Want], limits: Limits) -> int:
    """The longest prefix of a network from which the wants can be cut."""
    total = sum(2 ** (32 - limits.prefix_for(w.addresses)) for w in wants)
    return 32 - ceil(log2(total))
