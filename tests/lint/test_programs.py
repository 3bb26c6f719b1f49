"""Six public programs, each through three doors: what is due is found, and what is right is not called wrong.

`verdicts.json` holds, per program, the fact rows that are due, those that are right either way, and those that would be
false alarms.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.diagnostics import Diagnostic, Severity
from gpuinfra.lint import Kind, Linted, Source, lint
from gpuinfra.policy import registry
from gpuinfra.policy.examples import NOW

PROGRAMS = sorted(p for p in (Path(__file__).parent / "programs").iterdir() if p.is_dir())
FILES = {Kind.PROGRAM: "", Kind.PREVIEW: "preview.json", Kind.STATE: "state.json"}
SEVERITIES = {"E": Severity.ERROR, "W": Severity.WARNING, "I": Severity.INFO}
BEYOND = {("GI3159", "pairs"), ("GI3215", "group"), ("GI3215", "plane")}
"""Faults that stand in no row: a written number beside an autoscaler, and tag names that Azure refuses."""


@cache
def linted(program: Path, kind: Kind) -> Linted:
    return lint(Source(kind, str(program / FILES[kind])), now=NOW)


@cache
def verdicts(program: Path) -> Any:
    return json.loads((program / "verdicts.json").read_text())


def row(written: str) -> str:
    """A fact row in one spelling: the tables of Google carry the cloud in the row itself."""
    return written.removeprefix("GCP ")


def rows_of(code: str) -> set[str]:
    rule = registry.rule(code)
    return {row(f) for f in rule.code.facts} if rule else set()


def has_rule(name: str) -> bool:
    return any(row(name) in map(row, r.code.facts) for r in registry.resource_rules())


def about(found: Linted, rules: list[str], resources: list[str]) -> list[Diagnostic]:
    wanted = set(map(row, rules))
    return [d for d in found.findings if d.resource in resources and rows_of(d.code) & wanted]


CASES = pytest.mark.parametrize("kind", list(Kind), ids=str)
EACH = pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)


@CASES
@EACH
def test_what_is_due_is_found(program: Path, kind: Kind):
    found = linted(program, kind)
    assert found.graph is not None
    for due in verdicts(program)["expected"]:
        said = about(found, [due["rule"]], due["resources"])
        assert said, f"{due['rule']} on {due['resources']}"
        if SEVERITIES[due["severity"]] is Severity.ERROR:
            assert any(d.is_error for d in said), due
        else:
            assert any(d.severity is not Severity.INFO for d in said), due


@CASES
@EACH
def test_what_is_right_is_left_alone(program: Path, kind: Kind):
    for right in verdicts(program)["right"]:
        assert about(linted(program, kind), right["rules"], right["resources"]) == [], right["why"]


@CASES
@EACH
def test_every_error_stands_in_a_list(program: Path, kind: Kind):
    lists = verdicts(program)
    listed = [({row(e["rule"])}, e["resources"]) for e in lists["expected"]]
    listed += [(set(map(row, e["rules"])), e["resources"]) for e in lists["either"]]
    for d in linted(program, kind).findings:
        known = any(rows_of(d.code) & rows and d.resource in resources for rows, resources in listed)
        assert not d.is_error or known or (d.code, d.resource) in BEYOND, str(d)


@EACH
def test_the_doors_say_the_same(program: Path):
    said = {k: {(d.code, d.severity, d.resource, d.path) for d in linted(program, k).findings} for k in Kind}
    assert said[Kind.PREVIEW] == said[Kind.PROGRAM]
    assert said[Kind.STATE] == said[Kind.PROGRAM]
    assert said[Kind.PROGRAM]


@CASES
@EACH
def test_a_finding_points_at_the_line_that_makes_its_resource(program: Path, kind: Kind):
    lines = (program / "__main__.py").read_text().splitlines()
    for d in linted(program, kind).findings:
        assert d.source is not None, str(d)
        assert Path(d.source.file).name == "__main__.py"
        # The innermost line of a call over several lines, or the line of a function that makes several resources.
        near = "\n".join(lines[d.source.line - 1 : d.source.line + 3])
        assert "(" in near
        assert 1 <= d.source.line <= len(lines)


def test_the_lists_are_not_empty():
    assert len(PROGRAMS) == 6
    due = [e["rule"] for p in PROGRAMS for e in verdicts(p)["expected"]]
    assert len(due) == 27
    assert all(map(has_rule, due))
