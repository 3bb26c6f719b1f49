"""A graph of what two recordings of a program have in common: an input in which they differ is unknown.

The two were told different things by their look-ups, so that what differs comes out of a look-up, however it was
calculated: cut out of a text, counted, chosen by a branch.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from ..policy.resource_graph import UNKNOWN, Resource, ResourceGraph, Secret

_Key = tuple[Any, ...]


@dataclass(frozen=True)
class Common:
    """What two recordings of a program come to, and the resources that only one of them has."""

    graph: ResourceGraph
    lonely: tuple[Resource, ...]


def either(first: ResourceGraph, second: ResourceGraph) -> Common:
    """The graph of what two recordings of a program have in common, with names as in the first."""
    resources, some = _both(first.resources, second.resources)
    reads, others = _both(first.reads, second.reads)
    # What a loop over an answer makes comes once more where the answer is longer, and says nothing new.
    places = {_place(r) for r in resources}
    some = tuple(r for r in some if not r.places or _place(r) not in places)
    graph = replace(
        first, resources=resources, reads=_sorted((*reads, *others)), outputs=_object(first.outputs, second.outputs)
    )
    return Common(graph, some)


def with_lonely(common: Common, more: Sequence[ResourceGraph]) -> ResourceGraph:
    """The graph with the resources that only one recording has: a program that makes one where a look-up says so would
    make it. Further recordings tell what of it is known; of one that they do not have, nothing is."""
    waiting = common.lonely
    found: list[Resource] = []
    for graph in more:
        here, _ = _both(waiting, graph.resources)
        found += here
        urns = {r.urn for r in here}
        waiting = tuple(r for r in waiting if r.urn not in urns)
    found += [replace(r, inputs=dict.fromkeys(r.inputs, UNKNOWN)) for r in waiting]
    return replace(common.graph, resources=_sorted((*common.graph.resources, *found)))


def _sorted(resources: Iterable[Resource]) -> tuple[Resource, ...]:
    return tuple(sorted(resources, key=lambda r: r.urn))


def _both(first: Iterable[Resource], second: Iterable[Resource]) -> tuple[tuple[Resource, ...], tuple[Resource, ...]]:
    """What both have, and what one of them has alone."""
    others = {r.urn: r for r in second}
    found: list[Resource] = []
    lonely: list[Resource] = []
    left: list[Resource] = []
    for r in first:
        other = others.pop(r.urn, None)
        if other is None:
            left.append(r)
        else:
            found.append(_one(r, other))
    # A name that is made of an answer differs too: then the place, and how often it came by there, tell which is which.
    waiting = _by_place(others.values())
    for r in left:
        same = waiting[_place(r)]
        (found if same else lonely).append(_one(r, same.pop(0)) if same else r)
    lonely.extend(r for same in waiting.values() for r in same)
    return _sorted(found), _sorted(lonely)


def _place(resource: Resource) -> _Key:
    return (resource.type, *resource.places)


def _by_place(resources: Iterable[Resource]) -> defaultdict[_Key, list[Resource]]:
    found: defaultdict[_Key, list[Resource]] = defaultdict(list)
    for r in resources:
        found[_place(r)].append(r)
    return found


def _one(first: Resource, second: Resource) -> Resource:
    return replace(
        first,
        inputs=_object(first.inputs, second.inputs),
        options=_object(first.options, second.options),
        property_dependencies={**second.property_dependencies, **first.property_dependencies},
    )


def _object(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Two objects, key by key: one that only one of them has may be absent, and is unknown."""
    keys = sorted({*first, *second})
    return {k: _value(first[k], second[k]) if k in first and k in second else UNKNOWN for k in keys}


def _value(first: Any, second: Any) -> Any:
    if isinstance(first, Secret) or isinstance(second, Secret):
        inner = _value(_inside(first), _inside(second))
        return inner if isinstance(inner, Secret) else Secret(inner)
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return _object(cast("Mapping[str, Any]", first), cast("Mapping[str, Any]", second))
    if isinstance(first, list) and isinstance(second, list):
        return _lists(cast("list[Any]", first), cast("list[Any]", second))
    return cast("Any", first) if _same(first, second) else UNKNOWN


def _same(first: Any, second: Any) -> bool:
    # Truth is no number here.
    return isinstance(first, bool) == isinstance(second, bool) and first == second


def _lists(first: list[Any], second: list[Any]) -> Any:
    """Two lists, element by element; where they differ in length, nobody knows how many there are."""
    return [_value(a, b) for a, b in zip(first, second, strict=True)] if len(first) == len(second) else UNKNOWN


def _inside(value: Any) -> Any:
    return value.value if isinstance(value, Secret) else value
