"""The pack says what the other doors say, on the same graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.policy import OutputRef, ResourceGraph, check_graph
from gpuinfra.policy.examples import NOW, graph_of
from gpuinfra.policy.registry import resource_rules
from gpuinfra.policy.rule import ResourceRule
from gpuinfra.testing import record

from .asking import analyzer, answers

ROOT = Path(__file__).parents[2]
STACKS = sorted(
    p.parent.relative_to(ROOT).as_posix()
    for kind in ("stacks", "templates")
    for p in ROOT.glob(f"{kind}/*/Pulumi.yaml")
)


NOT_TOLD = {"GI3027", "GI3173", "GI3214", "GI3265", "GI3297"}
"""Rules about options that the engine tells no analyzer: the pack has fewer findings of them, never more."""


def told(graph: ResourceGraph) -> ResourceGraph:
    """The graph with values that the engine could send: a reference is the text that a deployment puts there."""
    return replace(graph, resources=tuple(replace(r, inputs=_told(r.inputs)) for r in graph))


def _told(value: Any) -> Any:
    if isinstance(value, OutputRef):
        return f"${{{value.resource}.{value.property}}}"
    if isinstance(value, Mapping):
        return {k: _told(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_told(v) for v in value]
    return value.isoformat() if isinstance(value, date) else value


def said(graph: ResourceGraph) -> list[tuple[str, str, str]]:
    """(code, resource, path with message) of each finding by the engine of the rules."""
    found = check_graph(graph, now=NOW).diagnostics
    return sorted((d.code, d.resource, f"{d.path}: {d.message}") for d in found)


def violations(graph: ResourceGraph) -> list[tuple[str, str, str]]:
    """The same, by the pack."""
    return sorted(
        (v.policyName, v.urn.split("::", 3)[-1], v.message.split("\n")[0]) for v in answers(analyzer(), graph)
    )


def same(graph: ResourceGraph) -> None:
    """Both say the same; of the rules that are not told all, the pack has no finding that the others have not."""
    pack, others = violations(graph), said(graph)
    assert [v for v in pack if v[0] not in NOT_TOLD] == [s for s in others if s[0] not in NOT_TOLD]
    assert {v[:2] for v in pack} <= {s[:2] for s in others}


def _examples() -> list[Any]:
    return [
        pytest.param(rule, text, id=f"{rule.code.code}-{kind}-{n}")
        for rule in resource_rules()
        for kind in ("good", "bad", "unknown")
        for n, text in enumerate(getattr(rule.examples, kind))
    ]


@pytest.mark.parametrize(("rule", "text"), _examples())
def test_every_example(rule: ResourceRule, text: str) -> None:
    same(told(graph_of(text)))


@pytest.mark.parametrize("preview", [True, False])
@pytest.mark.parametrize("name", STACKS)
def test_every_shipped_stack(name: str, preview: bool) -> None:
    graph = record(ROOT / name, preview=preview)
    assert graph.resources
    same(graph)


def test_what_nobody_told_is_never_told() -> None:
    """`protect` missing is a finding where `retainOnDelete` cannot stand for it, and only there."""
    rule = next(r for r in resource_rules() if r.code.code == "GI3027")
    found = [v for v in violations(graph_of(rule.examples.bad[0])) if v[0] == "GI3027"]
    assert [text for _, _, text in found] == [
        "block: this is a purchase, and protect, ignoreChanges of capacityBlockOfferingId is not set"
    ]
    found = violations(graph_of(rule.examples.bad[0].replace("{}", "{protect: true, ignoreChanges: ['*']}")))
    assert [v for v in found if v[0] == "GI3027"] == []
