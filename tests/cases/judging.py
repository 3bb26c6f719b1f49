"""Judges a case: the fact rows and codes that findings stand for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from gpuinfra.diagnostics import Diagnostic, Severity
from gpuinfra.plan import resolve
from gpuinfra.policy import GraphReport, check_graph, check_plan, registry
from gpuinfra.policy.examples import NOW, graph_of
from gpuinfra.spec.models import ClusterSpec


def judged(resources: str, facts: Mapping[str, Any] | None = None) -> GraphReport:
    """What all resource rules say of a YAML list of resources."""
    return check_graph(graph_of(resources), now=NOW, facts=facts)


def rows(
    report: GraphReport | list[Diagnostic], *, errors: bool = False, infos: bool = False, cloud: str = "AWS "
) -> set[str]:
    """The fact rows of a cloud that the findings stand for, without the cloud's word: those of errors alone, of errors
    and warnings, or of all."""
    found = report.diagnostics if isinstance(report, GraphReport) else report
    kept = [d for d in found if (infos or d.severity is not Severity.INFO) and (d.is_error or not errors)]
    rules = [registry.rule(d.code) for d in kept]
    return {f.removeprefix(cloud) for r in rules if r is not None for f in r.code.facts if f.startswith(cloud)}


def codes(report: GraphReport | list[Diagnostic]) -> list[str]:
    """The codes of the findings, in order."""
    return [d.code for d in (report.diagnostics if isinstance(report, GraphReport) else report)]


def spec_findings(text: str) -> list[Diagnostic]:
    """Every finding of deciding and judging a spec."""
    resolution = resolve(ClusterSpec.model_validate(yaml.safe_load(text)), NOW)
    assert resolution.plan is not None
    return [*resolution.diagnostics, *check_plan(resolution.plan)]


def said(found: list[Diagnostic] | GraphReport, code: str) -> Diagnostic:
    """The one finding of a code."""
    listed = found.diagnostics if isinstance(found, GraphReport) else found
    (one,) = [d for d in listed if d.code == code]
    return one


def nics(*slots: tuple[int, int, str]) -> str:
    """Network interfaces as YAML, from (card, device, kind)."""
    return (
        "[" + ", ".join(f"{{networkCardIndex: {c}, deviceIndex: {d}, interfaceType: {k}}}" for c, d, k in slots) + "]"
    )
