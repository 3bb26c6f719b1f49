"""From a source to everything that the resource rules say of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ..clock import current_moment
from ..diagnostics import Diagnostic, GpuInfraError, in_order
from ..policy.resource_graph import ResourceGraph
from ..policy.rule import ResourceRule, Rule, RuleOptions, Undecided
from ..vocabulary import Provider
from .places import Places
from .source import Kind, Read, Source

if TYPE_CHECKING:
    from ..policy.engine import RuleError

__all__ = ["Kind", "Linted", "Source", "lint"]


@dataclass(frozen=True)
class Linted:
    """What is said of a program. `graph` is None where the source could not be read: then the findings say why."""

    graph: ResourceGraph | None
    findings: tuple[Diagnostic, ...]
    undecided: tuple[Undecided, ...] = ()


def lint(
    source: Source,
    *,
    now: datetime | None = None,
    providers: Collection[Provider] = (),
    own: Sequence[Rule] = (),
    options: RuleOptions | None = None,
    faults: list[RuleError] | None = None,
) -> Linted:
    """Findings and undecided verdicts of the resource rules, or of those for some providers, and of an organisation's
    `own` rules. `options` and `faults` are as in check_graph.

    Never raises for what a file holds. Raises MissingSdkError where a program's SDK is not installed.
    """
    try:
        found = _read(source)
    except GpuInfraError as e:
        return Linted(None, e.diagnostics)
    from ..policy.engine import check_graph

    report = check_graph(
        found.graph,
        facts=found.facts,
        now=now or current_moment(),
        rules=_rules(providers),
        own=own,
        options=options,
        faults=faults,
    )
    located = Places(found.graph, source.path if source.kind is Kind.PROGRAM else "").locate
    return Linted(found.graph, in_order((*found.remarks, *map(located, report.diagnostics))), report.undecided)


def _rules(providers: Collection[Provider]) -> tuple[ResourceRule, ...] | None:
    if not providers:
        return None
    from ..policy.registry import resource_rules

    return tuple(r for r in resource_rules() if set(providers) & set(r.providers))


def _read(source: Source) -> Read:
    if source.kind is Kind.PROGRAM:
        from . import apart

        return apart.read(source)
    from . import preview, state

    return preview.read(source.path) if source.kind is Kind.PREVIEW else state.read(source.path)
