"""Every rule over the graph of a deployment, with what the engine keeps to itself left undecided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from ..diagnostics import Diagnostic
from ..policy.engine import GraphReport, RuleError, check_graph
from ..policy.resource_graph import ResourceGraph
from ..policy.rule import ResourceRule, Undecided

UNTOLD: Final[dict[str, Any]] = {"replaceOnChanges": ["*"], "retainOnDelete": True}
"""Options that rules read and that the engine tells no analyzer (AnalyzerResourceOptions), each at its kindest."""


@dataclass(frozen=True)
class Verdicts:
    """What the rules say, and which of them raised."""

    report: GraphReport
    faults: tuple[RuleError, ...] = ()


def judged(graph: ResourceGraph, rules: Sequence[ResourceRule], now: datetime) -> Verdicts:
    """A finding that an option could explain away which nobody told is undecided: it is one only where it stands with
    that option left out and with it set. One faulty rule silences no other."""
    first = _checked(graph, rules, now)
    accused = {d.code for d in first.report.diagnostics}
    if not accused:
        return first
    kindest = replace(graph, resources=tuple(replace(r, options={**UNTOLD, **r.options}) for r in graph))
    second = _checked(kindest, [r for r in rules if r.code.code in accused], now)
    before, after = ({_what(d) for d in v.report.diagnostics} for v in (first, second))
    kept = tuple(d for d in second.report.diagnostics if _what(d) in before)
    options = " and ".join(UNTOLD)
    untold = [
        Undecided(d.code, d.resource, f"the engine tells a policy pack nothing of {options}")
        for d in first.report.diagnostics
        if _what(d) not in after
    ]
    undecided = sorted({*first.report.undecided, *untold}, key=lambda u: (u.code, u.resource, u.reason))
    return Verdicts(GraphReport(kept, tuple(undecided)), (*first.faults, *second.faults))


def _what(finding: Diagnostic) -> tuple[str, str, str]:
    return finding.code, finding.resource, finding.path


def _checked(graph: ResourceGraph, rules: Sequence[ResourceRule], now: datetime) -> Verdicts:
    faults: list[RuleError] = []
    while True:
        try:
            return Verdicts(check_graph(graph, now=now, rules=rules, waivers=()), tuple(faults))
        except RuleError as e:
            faults.append(e)
            rules = [r for r in rules if r is not e.rule]
