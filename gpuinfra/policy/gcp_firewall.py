"""What a VPC firewall rule lets in, and from where."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .gcp_machines import Machines
from .internet_ranges import ALL_IPV4, open_to
from .resource_graph import Resource
from .wire_values import entries, items, late, plain

ADMIN_PORTS = (22, 3389, 8888, 6443)
"""SSH, RDP, Jupyter and the Kubernetes API."""
_SOURCES = ("sourceRanges", "sourceTags", "sourceServiceAccounts")
_ALL = ("all", "-1")


def from_where(rule: Resource) -> tuple[str, ...] | None:
    """The ranges that a rule lets in; the whole world where it names no source at all. None where unknown."""
    ranges = rule.get("sourceRanges")
    if late(ranges):
        return None
    listed = [plain(v) for v in items(ranges)]
    known = tuple(str(v) for v in listed if isinstance(v, str) and not late(v))
    if open_to(known):
        return known
    if any(late(v) for v in listed):
        return None
    if any(rule.get(k) for k in _SOURCES[1:]) or any(late(rule.get(k)) for k in _SOURCES[1:]):
        return known
    return known or (ALL_IPV4,)


def admin_ports(rule: Resource) -> tuple[int, ...]:
    """The ports of administration that a rule opens, as far as can be seen."""
    found = {p for kind, spans in _openings(rule) if kind == "tcp" for p in ADMIN_PORTS if _within(p, spans)}
    return tuple(sorted(found))


def openings_unknown(rule: Resource) -> bool:
    """Whether it is not known yet what a rule lets in."""
    value = rule.get("allows")
    listed = items(value)
    parts = [plain(e.get(k)) for e in entries(value) for k in ("protocol", "ports")]
    return any(late(v) for v in (value, *listed, *parts, *(plain(p) for part in parts for p in items(part))))


def opens_ports(rule: Resource) -> bool:
    """Whether a rule lets in some TCP or UDP port."""
    return any(kind in ("tcp", "udp", "17") for kind, _ in _openings(rule))


def lets_everything(rule: Resource) -> bool:
    """Whether a rule lets in every TCP port, from somewhere that is not the whole world or is named by a tag."""
    return any(kind == "tcp" and _within(1, spans) and _within(65535, spans) for kind, spans in _openings(rule))


def for_machine(rule: Resource, machine: Machines) -> bool | None:
    """Whether a rule is for a machine of its network: for all of them, where it names no tag and no account. None where
    the tags of one are not known yet, or the rule goes by account, or GKE gives the nodes a tag of its own."""
    if rule.get("targetServiceAccounts") not in (None, []):
        return None
    wanted, worn = plain(rule.get("targetTags")), plain(machine.get("tags"))
    if wanted is None or wanted == []:
        return True
    tags = [{plain(v) for v in items(value) if isinstance(plain(v), str) and not late(v)} for value in (wanted, worn)]
    if tags[0] & tags[1]:
        return True
    unknown = any(late(v) for value in (wanted, worn) for v in (value, *map(plain, items(value))))
    return None if unknown or (machine.is_pool and any(t.startswith("gke-") for t in tags[0])) else False


def _openings(rule: Resource) -> Iterator[tuple[str, list[tuple[int, int]] | None]]:
    """(protocol, spans of ports, None for every port) of each `allows` entry; `all` counts as TCP."""
    for entry in entries(rule.get("allows")):
        kind = plain(entry.get("protocol"))
        if not isinstance(kind, str):
            continue
        name = "tcp" if kind.lower() in (*_ALL, "tcp", "6") else kind.lower()
        ports = plain(entry.get("ports"))
        if late(ports):
            continue
        spans = [s for p in items(ports) if (s := _span(plain(p))) is not None]
        yield name, spans if items(ports) else None


def _span(value: Any) -> tuple[int, int] | None:
    first, dash, last = str(value).partition("-")
    if not (first.isascii() and first.isdigit() and len(first) <= 5) or (
        dash and not (last.isascii() and last.isdigit())
    ):
        return None
    return int(first), int(last[:6]) if dash else int(first)


def _within(port: int, spans: list[tuple[int, int]] | None) -> bool:
    return spans is None or any(low <= port <= high for low, high in spans)
