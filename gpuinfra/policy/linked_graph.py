"""A recorded graph, indexed, whose values can be followed: what every cloud's graph is built on.

Values that preview does not know are traced by the recorded dependencies of the property; what cannot be traced is said
to be unknown, never taken for absent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from .resource_graph import OutputRef, Resource, ResourceGraph
from .wire_values import items, late, plain

T = TypeVar("T")
_COMPOSED = re.compile(r"\$\{([^{}]+)\.([^.{}]+)\}")


@dataclass(frozen=True)
class Links:
    """Where the values of an input lead: resources of this program, ids from elsewhere, and what cannot be traced."""

    resources: tuple[Resource, ...] = ()
    foreign: tuple[str, ...] = ()
    unknown: bool = False

    @property
    def decided(self) -> bool:
        """Whether every value is a resource of this program."""
        return not self.unknown and not self.foreign

    @property
    def count(self) -> int:
        """How many things are linked, as far as can be told."""
        return len(self.resources) + len(self.foreign)


class LinkedGraph:
    """A graph with indexes by type, URN and name. Nothing here changes the graph."""

    def __init__(self, graph: ResourceGraph) -> None:
        self.graph = graph
        self._by_type: dict[str, list[Resource]] = {}
        self._by_urn: dict[str, Resource] = {}
        self._by_name: dict[str, list[Resource]] = {}
        self._once: dict[str, object] = {}
        for r in graph:
            self._by_type.setdefault(r.type, []).append(r)
            self._by_urn[r.urn] = r
            self._by_name.setdefault(r.name, []).append(r)

    def once(self, key: str, build: Callable[[], T]) -> T:
        """What `build` makes, worked out at the first call of this key: an index that several rules read."""
        if key not in self._once:
            self._once[key] = build()
        return cast(T, self._once[key])

    def of_type(self, *types: str) -> Iterator[Resource]:
        """Resources of these type tokens, by URN within a type."""
        for t in types:
            yield from self._by_type.get(t, ())

    def has(self, *types: str) -> bool:
        """Whether a resource of one of these types is there."""
        return any(t in self._by_type for t in types)

    def ours(self, resource: Resource) -> bool:
        """Whether a component of gpuinfra made the resource: then the plan rules have judged what its spec says."""
        return any(r.type.startswith("gpuinfra:") for r in self._ancestors(resource))

    def root(self, resource: Resource) -> str:
        """URN of the outermost component that the resource stands under; empty where it stands under the stack."""
        above = [r for r in self._ancestors(resource) if r.type != "pulumi:pulumi:Stack"]
        return above[-1].urn if above else ""

    def _ancestors(self, resource: Resource) -> list[Resource]:
        out: list[Resource] = []
        seen: set[str] = set()
        urn = resource.parent
        while urn and urn not in seen:
            seen.add(urn)
            parent = self._by_urn.get(urn)
            if parent is None:
                break
            out.append(parent)
            urn = parent.parent
        return out

    def link(self, resource: Resource, key: str, value: Any, *types: str) -> Links:
        """Where a value under the top-level input `key` leads, among resources of these types (all, when none)."""
        value = plain(value)
        if value is None:
            return Links()
        values = [plain(v) for v in items(value)] if isinstance(value, (list, tuple)) else [value]
        exact: dict[str, Resource] = {}
        rest: list[Any] = []
        for v in values:
            target = self._target(v, types)
            if target is not None:
                exact[target.urn] = target
            elif v is not None:
                rest.append(v)
        if not rest:
            return Links(tuple(exact.values()))
        traced = [
            r
            for urn in resource.property_dependencies.get(key, ())
            if (r := self._by_urn.get(urn)) is not None
            and r.urn not in exact
            and r.custom
            and (not types or r.type in types)
        ]
        texts = {v for v in rest if isinstance(v, str) and not late(v)}
        unknown = any(late(v) for v in rest)
        linked = (*exact.values(), *traced)
        if len(traced) >= len(texts) + unknown:
            return Links(linked)
        if not traced:
            return Links(tuple(exact.values()), tuple(sorted(texts)), unknown)
        return Links(linked, (), True)

    def linked(self, resource: Resource, key: str, *types: str) -> Links:
        """Where a top-level input leads."""
        return self.link(resource, key, resource.inputs.get(key), *types)

    def _target(self, value: Any, types: tuple[str, ...]) -> Resource | None:
        name = value.resource if isinstance(value, OutputRef) else ""
        if isinstance(value, str) and (match := _COMPOSED.fullmatch(value)):
            name = match[1]
        found = [r for r in self._by_name.get(name, ()) if not types or r.type in types] if name else []
        return found[0] if len(found) == 1 else None
