"""The doors say the same of the same graph: of every rule's examples, and of every shipped stack."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.lint import Kind, Source, lint
from gpuinfra.policy import GraphReport, check_graph, registry
from gpuinfra.policy.examples import NOW, graph_of
from gpuinfra.policy.resource_graph import UNKNOWN, OutputRef, Resource, ResourceGraph
from gpuinfra.policy.rule import ResourceRule
from gpuinfra.testing import record

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


def of_the_plan(stack: Path) -> set[tuple[str, str]]:
    """What `gpuinfra plan` says about the resources of a stack's specs: codes and severities."""
    from gpuinfra.cli.judge import judge
    from gpuinfra.cli.plan import record_plan

    found: set[tuple[str, str]] = set()
    for spec in sorted(p for p in stack.glob("*.yaml") if not p.name.startswith("Pulumi.")):
        plan = judge(str(spec), NOW).plan
        assert plan is not None
        found |= {(d.code, str(d.severity)) for d in record_plan(plan).findings}
    return found


@pytest.mark.parametrize("stack", STACKS, ids=lambda p: p.name)
def test_a_shipped_stack_says_the_same_through_every_door(stack: Path, tmp_path: Path):
    """A plan's findings stand at the spec's own paths, and its names carry no stack: so only codes are compared. The
    other doors name the same resources. In a preview less is known: there, more may be undecided, and nothing else."""
    graph = record(stack)
    recorded = check_graph(graph, now=NOW)
    program = lint(Source(Kind.PROGRAM, str(stack)), now=NOW)
    assert program.graph is not None
    assert len(program.graph.resources) == len(graph.resources)
    assert said(program) == said(recorded)
    assert {(code, severity) for code, severity, _ in said(recorded)} == of_the_plan(stack)
    assert said(through(tmp_path, Kind.PREVIEW, written.preview(record(stack, preview=True)))) == said(recorded)
    deployed = through(tmp_path, Kind.STATE, written.state(graph))
    assert said(deployed) == said(recorded)


BREAKS: dict[str, tuple[str, dict[str, Any]]] = {
    "aws-h100-training": ("aws:ec2/launchTemplate:LaunchTemplate", {"metadataOptions": {}, "tagSpecifications": None}),
    "gcp-l4-inference": (
        "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate",
        {"metadata": {"startup-script": "export WANDB_API_KEY=0123456789abcdef0123"}},
    ),
    "azure-a10-rendering": ("azure-native:network:Subnet", {"defaultOutboundAccess": None}),
}


@pytest.mark.parametrize("name", BREAKS)
def test_a_broken_stack_is_broken_through_every_door(name: str, tmp_path: Path):
    type_, change = BREAKS[name]
    (stack,) = [s for s in STACKS if s.name == name]

    def broken(graph: ResourceGraph) -> ResourceGraph:
        def of(r: Resource) -> Resource:
            return replace(r, inputs={**r.inputs, **change}) if r.type == type_ else r

        return replace(graph, resources=tuple(map(of, graph.resources)))

    graph = broken(record(stack))
    recorded = said(check_graph(graph, now=NOW))
    assert len(recorded) >= 1
    previewed = through(tmp_path, Kind.PREVIEW, written.preview(broken(record(stack, preview=True))))
    assert said(previewed) == recorded
    assert said(through(tmp_path, Kind.STATE, written.state(graph))) == recorded


def test_a_state_follows_ids_as_references(tmp_path: Path):
    graph = graph_of(
        "- {type: aws.ec2.Vpc, name: net, inputs: {cidrBlock: 10.0.0.0/16}}\n"
        "- {type: aws.ec2.Subnet, name: sub, inputs: {vpcId: !ref net.id , cidrBlock: 10.0.0.0/24}}\n"
    )
    deployed, previewed = (
        through(tmp_path, k, d) for k, d in ((Kind.STATE, written.state(graph)), (Kind.PREVIEW, written.preview(graph)))
    )
    assert deployed.graph.named("sub").inputs["vpcId"] == OutputRef("net", "id")
    assert previewed.graph.named("sub").inputs["vpcId"] is UNKNOWN
    for found in (deployed, previewed):
        assert found.graph.referenced(found.graph.named("sub"), "vpcId") == (found.graph.named("net"),)
