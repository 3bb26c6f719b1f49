"""What the difference between two sets of inputs does to a resource: nothing, a change in place, or a new one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from ipaddress import IPv4Network
from typing import Any

from .cloud import Diffs, covers
from .values import changes, is_list, is_map, lookup


def differing(
    table: Diffs, old: Mapping[str, Any], new: Mapping[str, Any], unordered: Set[str]
) -> list[tuple[str, str]]:
    """(path, ADD | DELETE | UPDATE) of what a provider takes for a change."""
    before, after = _as_meant(table, old, old), _as_meant(table, new, old)
    return list(changes(_sorted(before, unordered, ""), _sorted(after, unordered, "")))


def replaces(table: Diffs, path: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether a change at a path makes the resource anew."""
    paths = _below(path, old, new)
    if "*" in table.replace and not any(covers(p, path) for p in table.in_place):
        return True
    if any(covers(p, one) for p in table.replace for one in paths):
        return True
    return any(
        plain(one) in table.shrink and _shrinks(lookup(old, plain(one)), lookup(new, plain(one))) for one in paths
    )


def refuses(table: Diffs, path: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """The path of the change that the cloud refuses at apply, at or below a changed one; empty for none."""
    return next((plain(one) for one in _below(path, old, new) if any(covers(p, one) for p in table.refuse)), "")


def plain(path: str) -> str:
    """A path without the places of lists."""
    return re.sub(r"\[(\d+|\*)\]", "", path)


def _as_meant(table: Diffs, inputs: Mapping[str, Any], old: Mapping[str, Any]) -> dict[str, Any]:
    """Inputs with what the provider takes for them where the program says nothing."""
    given = {k: v for k, v in inputs.items() if v is not None}
    kept = {k: old[k] for k in table.kept if old.get(k) is not None}
    return {**table.absent, **kept, **given}


def _sorted(value: Any, unordered: Set[str], key: str) -> Any:
    if is_map(value):
        return {k: _sorted(v, unordered, k) for k, v in value.items()}
    if is_list(value):
        if key in unordered and all(isinstance(v, str) for v in value):
            return sorted(value)
        return [_sorted(v, unordered, "") for v in value]
    return value


def _below(path: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """The path, and where a whole object came or went, those of what stands in it."""
    before, after = _at(old, path), _at(new, path)
    whole = after if before is None else before if after is None else None
    return [path, *_leaves(whole, path)]


def _leaves(value: Any, at: str) -> Iterator[str]:
    if is_map(value):
        for key, one in value.items():
            if one is not None:
                yield f"{at}.{key}"
                yield from _leaves(one, f"{at}.{key}")
    elif is_list(value):
        for i, one in enumerate(value):
            yield from _leaves(one, f"{at}[{i}]")


def _at(value: Any, path: str) -> Any:
    for key, place in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path):
        if place:
            value = value[int(place)] if is_list(value) and int(place) < len(value) else None
        else:
            value = value.get(key) if is_map(value) else None
    return value


def _shrinks(before: Any, after: Any) -> bool:
    try:
        if "/" in str(before):
            return not IPv4Network(str(after)).supernet_of(IPv4Network(str(before)))
        return float(after) < float(before)
    except (TypeError, ValueError):
        return False
