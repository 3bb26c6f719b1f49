"""How many nodes an Azure scale set may have, and what moves the number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, cast

from .azure_graph import AzureGraph, AzureNodes
from .azure_moments import moment_of, zone_fault
from .last_inputs import covered
from .resource_graph import Resource
from .wire_values import entries, late, number, plain

_NUMBERS = ("minimum", "default", "maximum")


def profiles(setting: Resource) -> Iterator[tuple[int, Mapping[str, Any], Mapping[str, Any]]]:
    """(index, profile, its capacity) of an autoscale setting."""
    for n, profile in enumerate(entries(setting.get("profiles"))):
        capacity = plain(profile.get("capacity"))
        yield n, profile, capacity if isinstance(capacity, Mapping) else {}


def most_nodes(azure: AzureGraph, nodes: AzureNodes) -> float | None:
    """The most nodes that a set may have: as written, or as its autoscale setting lets it grow. None where unknown."""
    if late(nodes.resource.get("sku", "capacity")):
        return None
    most = nodes.count or 0.0
    for setting in azure.scalers(nodes):
        for _, _, capacity in profiles(setting):
            value = plain(capacity.get("maximum"))
            if late(value):
                return None
            most = max(most, number(value) or 0)
    return most


def can_be_several(azure: AzureGraph, nodes: AzureNodes) -> bool | None:
    """Whether nodes of a set may run beside each other; None where that is not known.

    A set that is written with no nodes is there to be filled: by a scheduler, a script, or the next `up`.
    """
    most = most_nodes(azure, nodes)
    if most is None:
        return None
    if most == 1 and not azure.scalers(nodes) and covered(nodes.resource, "ignoreChanges", "sku.capacity"):
        return None
    return most != 1


def profile_fault(
    profile: Mapping[str, Any], capacity: Mapping[str, Any], now: datetime | None
) -> tuple[str, str, str]:
    """(place, why, what to write) of the first fault for which a profile is refused or never applies; empty where none."""
    numbers = [plain(capacity.get(k)) for k in _NUMBERS]
    wrong = next((k for k, v in zip(_NUMBERS, numbers, strict=True) if isinstance(v, (int, float))), "")
    values = [number(v) for v in numbers]
    known = [v for v in values if v is not None]
    if wrong:
        value = numbers[_NUMBERS.index(wrong)]
        return f"capacity.{wrong}", f"the number {value} is no text", f'write "{value:g}"'
    if len(known) == len(_NUMBERS) and known != sorted(known):
        shown = ", ".join(f"{v:g}" for v in known)
        return "capacity", f"minimum, default and maximum are not in this order: {shown}", "put them in order"
    return _when(profile, now)


def is_open(profile: Mapping[str, Any], capacity: Mapping[str, Any]) -> bool:
    """Whether the numbers or the time of a profile are not known yet."""
    holders = (plain(profile.get("fixedDate")), plain(_get(plain(profile.get("recurrence")), "schedule")))
    read = [plain(capacity.get(k)) for k in _NUMBERS]
    return any(map(late, (*read, *(plain(_get(h, k)) for h in holders for k in ("timeZone", "end")))))


def _when(profile: Mapping[str, Any], now: datetime | None) -> tuple[str, str, str]:
    window = plain(profile.get("fixedDate"))
    schedule = plain(_get(plain(profile.get("recurrence")), "schedule"))
    for place, holder in (("fixedDate", window), ("recurrence.schedule", schedule)):
        fault, hint = zone_fault(plain(_get(holder, "timeZone")))
        if fault:
            return f"{place}.timeZone", fault, hint
    start, end = (moment_of(plain(_get(window, k))) for k in ("start", "end"))
    if start is not None and end is not None and end <= start:
        return "fixedDate.end", "the window ends before it begins", "take a later end"
    if end is not None and now is not None and end <= now:
        return "fixedDate.end", "the window is over: the profile never applies", "take a later end, or remove it"
    return "", "", ""


def _get(block: object, key: str) -> Any:
    return cast("Mapping[str, Any]", block).get(key) if isinstance(block, Mapping) else None
