"""Options that a graph's source does not carry: what a rule says is decided only where it holds either way.

A preview and a state say nothing of deleteBeforeReplace, so that its absence there means nothing. Such an option is UNKNOWN
in `Resource.options`. A rule that reads one is run twice, with all of them left out and with all of them set: what it finds
both times stands, what it finds once is undecided. Rules, an organisation's own too, need not know of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from ..diagnostics import Diagnostic
from .resource_graph import UNKNOWN, Resource, ResourceGraph
from .rule import GraphContext, ResourceRule, Undecided

_SET: Final[Mapping[str, Any]] = {
    "protect": True,
    "retainOnDelete": True,
    "deleteBeforeReplace": True,
    "ignoreChanges": ["*"],
    "replaceOnChanges": ["*"],
}
"""What an option that is set says at the most. One that no rule reads is left out."""

Verdict = Diagnostic | Undecided
Named = tuple[str, str]


class _Watched(dict[str, Any]):
    """Options that note which of the open ones somebody asks for."""

    def __init__(self, given: Mapping[str, Any], note: Callable[[str], None]) -> None:
        super().__init__({k: v for k, v in given.items() if v is not UNKNOWN})
        self._open = frozenset(k for k, v in given.items() if v is UNKNOWN)
        self._note = note

    def get(self, key: str, default: Any = None) -> Any:
        self._ask(key)
        return super().get(key, default)

    def __getitem__(self, key: str) -> Any:
        self._ask(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self._ask(str(key))
        return super().__contains__(key)

    def __iter__(self) -> Iterator[str]:
        for key in self._open:
            self._note(key)
        return super().__iter__()

    def _ask(self, key: str) -> None:
        if key in self._open:
            self._note(key)


@dataclass
class OpenContexts:
    """The two readings of a graph with open options."""

    context: GraphContext
    """As it was asked for; its graph holds UNKNOWN among the options."""

    def __post_init__(self) -> None:
        self._asked: set[str] = set()
        graph = _mapped(self.context.graph, lambda r: _Watched(r.options, self._asked.add))
        self._unset = replace(self.context, graph=graph, undecided=[])

    @cached_property
    def _set(self) -> GraphContext:
        return replace(self.context, graph=_mapped(self.context.graph, _as_set), undecided=[])

    @property
    def undecided(self) -> list[Undecided]:
        """What rules have noted at their contexts."""
        return [*self._unset.undecided, *(self._set.undecided if "_set" in self.__dict__ else ())]

    def verdicts(self, rule: ResourceRule) -> list[Verdict]:
        """What a rule says whichever way the open options are."""
        self._asked.clear()
        without = list(rule.check(self._unset))
        asked = sorted(self._asked)
        if not asked:
            return without
        return _either_way(without, list(rule.check(self._set)), rule, asked)


def is_open(graph: ResourceGraph) -> bool:
    """Whether the graph's source leaves an option of some resource open."""
    return any(value is UNKNOWN for r in graph for value in r.options.values())


def _mapped(graph: ResourceGraph, of: Callable[[Resource], Mapping[str, Any]]) -> ResourceGraph:
    return replace(graph, resources=tuple(replace(r, options=of(r)) for r in graph.resources))


def _as_set(r: Resource) -> dict[str, Any]:
    return {k: _SET.get(k) if v is UNKNOWN else v for k, v in r.options.items()}


def _either_way(
    without: Iterable[Verdict], with_all: Iterable[Verdict], rule: ResourceRule, asked: list[str]
) -> list[Verdict]:
    """Findings about a resource that stand either way, in the words of the reading that claims less; the others as
    undecided."""
    first, second = _by_resource(without), _by_resource(with_all)
    out: list[Verdict] = [u for u in (*without, *with_all) if isinstance(u, Undecided)]
    for key in dict.fromkeys([*first, *second]):
        if key in first and key in second:
            out += second[key]
            continue
        found = (first.get(key) or second[key])[0]
        reason = f"it hangs on {' and '.join(asked)}, which this source does not show"
        out.append(Undecided(rule.code.code, found.resource or found.path, reason))
    return out


def _by_resource(verdicts: Iterable[Verdict]) -> dict[Named, list[Diagnostic]]:
    found: dict[Named, list[Diagnostic]] = {}
    for v in verdicts:
        if isinstance(v, Diagnostic):
            found.setdefault((v.code, v.resource or v.path), []).append(v)
    return found
