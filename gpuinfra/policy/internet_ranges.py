"""How much of the internet ranges of addresses hold: two halves are the whole, though no one of them is 0.0.0.0/0."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, collapse_addresses, ip_network

ALL_IPV4 = "0.0.0.0/0"
_GLOBAL_IPV6 = IPv6Network("2000::/3")
"""The addresses that the internet uses of version 6."""
_OPEN_FROM = 0.5
"""From this share on a list keeps nobody out: what is left over is as likely to be the reader's own."""
_NEARLY_ALL = 0.85
"""The public part of version 4, some 86 % of its addresses: a list that leaves out the private ranges alone."""
_SHOWN = 2


def open_to(ranges: Iterable[object]) -> str:
    """Who may come in by ranges that together hold half of the internet or more, in words; empty where they hold less.

    What is no range (a name of the cloud, a value not known yet) is passed over.
    """
    texts = tuple(dict.fromkeys(r for r in ranges if isinstance(r, str) and "/" in r))
    return _open_to(texts) if texts else ""


@lru_cache(maxsize=256)
def _open_to(texts: tuple[str, ...]) -> str:
    four: list[tuple[str, IPv4Network]] = []
    six: list[tuple[str, IPv6Network]] = []
    for text in texts:
        try:
            net = ip_network(text.strip(), strict=False)
        except ValueError:
            continue
        if net.prefixlen == 0:
            return f"{text}, the whole internet"
        if isinstance(net, IPv4Network):
            four.append((text, net))
        elif _GLOBAL_IPV6.subnet_of(net) or net.subnet_of(_GLOBAL_IPV6):
            six.append((text, net))
    held = sum(n.num_addresses for n in collapse_addresses(n for _, n in four)) / 2**32
    if held >= _OPEN_FROM:
        return _said([t for t, _ in sorted(four, key=lambda f: f[1].prefixlen)], held)
    parts = (n if n.subnet_of(_GLOBAL_IPV6) else _GLOBAL_IPV6 for _, n in six)
    held = sum(n.num_addresses for n in collapse_addresses(parts)) / _GLOBAL_IPV6.num_addresses
    return _said([t for t, _ in sorted(six, key=lambda s: s[1].prefixlen)], held) if held >= _OPEN_FROM else ""


def _said(texts: list[str], held: float) -> str:
    """The widest ranges, and how much all of them hold."""
    more = len(texts) - _SHOWN
    listed = " and ".join(texts[:_SHOWN]) if more <= 0 else f"{', '.join(texts[:_SHOWN])} and {more} more"
    how = "the whole internet" if held >= _NEARLY_ALL else f"{held:.0%} of the internet"
    return f"{listed}, {'together ' if len(texts) > 1 else ''}{how}"
