"""The doors say the same of the same graph: of every rule's examples, and of every shipped stack."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.lint import Kind, Source, lint
from gpuinfra.policy import GraphReport, check_graph, registry
from gpuinfra.policy.examples import NOW, graph_of
from gpuinfra.policy.rule import ResourceRule

from . import written

STACKS = sorted(p.parent for p in (Path(__file__).parents[2] / "stacks").glob("*/Pulumi.yaml"))
EXAMPLES = [
    pytest.param(rule, example, id=f"{rule.code.code}-{kind}-{n}")
    for rule in registry.resource_rules()
    for kind in ("good", "bad", "unknown")
    for n, example in enumerate(getattr(rule.examples, kind))
]


def said(report: Any) -> set[tuple[str, str, str]]:
    found = report.diagnostics if isinstance(report, GraphReport) else report.findings
    return {(d.code, str(d.severity), d.resource) for d in found}


def open_of(report: Any) -> set[tuple[str, str]]:
    return {(u.code, u.resource) for u in report.undecided}


def through(tmp_path: Path, kind: Kind, document: dict[str, Any]) -> Any:
    file = tmp_path / f"{kind}.json"
    file.write_text(json.dumps(document, default=str))
    return lint(Source(kind, str(file)), now=NOW)


@pytest.mark.parametrize(("rule", "example"), EXAMPLES)
def test_a_preview_of_an_example_says_what_its_recording_says(rule: ResourceRule, example: str, tmp_path: Path):
    """What a recording finds, a preview finds or leaves open, since less is known there; what it finds, a recording
    finds. A recording that leaves something open may be one in which nothing is known."""
    graph = graph_of(example, preview=True)
    recorded, previewed = check_graph(graph, now=NOW), through(tmp_path, Kind.PREVIEW, written.preview(graph))
    assert previewed.graph is not None
    either = {(code, resource) for code, _, resource in said(previewed)} | open_of(previewed)
    lost = {(code, resource) for code, _, resource in said(recorded)} - either
    gained = {(c, r) for c, _, r in said(previewed)} - {(c, r) for c, _, r in said(recorded)} - open_of(recorded)
    assert not lost
    assert not gained


@pytest.mark.parametrize(("rule", "example"), EXAMPLES)
def test_a_state_of_an_example_says_what_its_recording_says(rule: ResourceRule, example: str, tmp_path: Path):
    """In a state all is known: what a recording finds is found, or hangs on an option that no state has."""
    graph = graph_of(example)
    recorded, deployed = check_graph(graph, now=NOW), through(tmp_path, Kind.STATE, written.state(graph))
    lost = {(c, r) for c, _, r in said(recorded)} - {(c, r) for c, _, r in said(deployed)}
    assert {key for key in lost if key not in open_of(deployed)} == set()
    gained = {(c, r) for c, _, r in said(deployed)} - {(c, r) for c, _, r in said(recorded)} - open_of(recorded)
    assert gained == set()
