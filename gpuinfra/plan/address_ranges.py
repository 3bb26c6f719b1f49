"""Ranges cut from a network: disjoint, inside, each large enough. Arithmetic only; no cloud is known here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network
from math import ceil, log2

COMFORTABLE_PREFIX = 24
"""What a small subnet gets where there is room: nobody wants to count addresses later."""
SLOTS = 32
"""Places of equal size in the upper half of a network."""
FREE_SLOT = 24
"""The first place that belongs to no role: what is named by the user stands from here on."""


@dataclass(frozen=True)
class Want:
    """A range that is wanted: `addresses` in use at most, besides those that the cloud keeps."""

    role: str
    addresses: int
    zone: str
    reason: str
    own_network: bool = False
    """It stands in a network of its own, so it is made even where the nodes' network exists."""
    slot: int | None = None
    """Its own place in the upper half; None where it has none, and stands behind those that have one."""
    takes_rest: bool = False
    """It gets everything from its place to the end."""
    takes_half: bool = False
    """It gets the lower half."""


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


Ranges = tuple[tuple[Want, IPv4Network], ...]


def cut(net: IPv4Network, wants: Sequence[Want], limits: Limits) -> Ranges | None:
    """A range for each want, or None where they do not fit.

    Where there is room each has its own place, whatever else is wanted: a subnet in use can neither move nor shrink, and
    what is added to a cluster later must leave it alone. A tight network is packed, the largest range first, which wastes
    nothing.
    """
    least = {w.role: limits.prefix_for(w.addresses) for w in wants}
    placed = _placed(net, wants, least)
    if placed is None:
        placed = _halved(net, wants, least)
    return placed


def _placed(net: IPv4Network, wants: Sequence[Want], least: dict[str, int]) -> Ranges | None:
    """Each in its own place; None where one is too large for it."""
    slot = net.prefixlen + 1 + (SLOTS - 1).bit_length()
    no_rest = any(w.takes_rest for w in wants) and any(w.slot is None and not w.takes_half for w in wants)
    if slot > 32 or no_rest:
        return None
    lower, upper = net.subnets(1)
    found: dict[str, IPv4Network] = {}
    for want in wants:
        if want.takes_half:
            place, widest = lower, lower.prefixlen
        elif want.slot is not None:
            at = int(upper.network_address) + want.slot * 2 ** (32 - slot)
            widest = slot - (SLOTS - want.slot).bit_length() + 1 if want.takes_rest else slot
            place = IPv4Network(
                (at, widest if want.takes_rest else max(widest, min(least[want.role], COMFORTABLE_PREFIX)))
            )
        else:
            continue
        if least[want.role] < widest or least[want.role] < place.prefixlen:
            return None
        found[want.role] = place
    free = [w for w in wants if w.role not in found]
    start = int(upper.network_address) + FREE_SLOT * 2 ** (32 - slot)
    for comfort in (COMFORTABLE_PREFIX, 32):
        rest = _in_order(start, int(upper.broadcast_address), free, {w.role: min(least[w.role], comfort) for w in free})
        if rest is not None:
            return tuple((w, (found | rest)[w.role]) for w in wants)
    return None


def _in_order(at: int, last: int, wants: Sequence[Want], prefixes: dict[str, int]) -> dict[str, IPv4Network] | None:
    """One behind the other, so that one more at the end moves none."""
    found: dict[str, IPv4Network] = {}
    for want in wants:
        size = 2 ** (32 - prefixes[want.role])
        at = -(-at // size) * size
        if at + size - 1 > last:
            return None
        found[want.role] = IPv4Network((at, prefixes[want.role]))
        at += size
    return found


def _halved(net: IPv4Network, wants: Sequence[Want], least: dict[str, int]) -> Ranges | None:
    """The first want (the nodes) gets the lower half where the others fit into the upper one."""
    if not wants:
        return ()
    first, others = wants[0], wants[1:]
    if not others:
        return ((first, net),) if least[first.role] >= net.prefixlen else None
    if least[first.role] >= net.prefixlen + 1:
        lower, upper = net.subnets(1)
        for sizes in ({r: min(p, COMFORTABLE_PREFIX) for r, p in least.items()}, least):
            packed = _pack(upper, others, sizes)
            if packed is not None:
                return ((first, lower), *packed)
    packed = _pack(net, wants, least)
    return None if packed is None else tuple(packed)


def _pack(net: IPv4Network, wants: Sequence[Want], prefixes: dict[str, int]) -> list[tuple[Want, IPv4Network]] | None:
    """The wants in their own order, placed the largest first: then each stands on its own boundary by itself."""
    at = int(net.network_address)
    end = at + net.num_addresses
    placed: dict[str, IPv4Network] = {}
    for want in sorted(wants, key=lambda w: prefixes[w.role]):
        size = 2 ** (32 - prefixes[want.role])
        if at + size > end:
            return None
        placed[want.role] = IPv4Network((at, prefixes[want.role]))
        at += size
    return [(w, placed[w.role]) for w in wants]


def prefix_that_fits(wants: Sequence[Want], limits: Limits) -> int:
    """The longest prefix of a network from which the wants can be cut."""
    total = sum(2 ** (32 - limits.prefix_for(w.addresses)) for w in wants)
    return 32 - ceil(log2(total))
