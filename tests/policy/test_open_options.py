"""Options that a source does not carry: a verdict that hangs on one is undecided, every other stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from gpuinfra.diagnostics import Code, Diagnostic, Severity
from gpuinfra.policy import UNKNOWN, check_graph, registry
from gpuinfra.policy.examples import NOW, graph_of
from gpuinfra.policy.open_options import is_open
from gpuinfra.policy.resource_graph import Resource, ResourceGraph
from gpuinfra.policy.rule import Examples, GraphContext, ResourceRule, Undecided

OPTIONS: dict[str, Any] = {
    "protect": True,
    "retainOnDelete": True,
    "deleteBeforeReplace": True,
    "ignoreChanges": ["*"],
    "replaceOnChanges": ["*"],
}
EXAMPLES = [
    pytest.param(rule, example, id=f"{rule.code.code}-{n}")
    for rule in registry.resource_rules()
    for n, example in enumerate((*rule.examples.good, *rule.examples.bad))
]


def with_options(graph: ResourceGraph, of: Callable[[Resource], dict[str, Any]]) -> ResourceGraph:
    return replace(graph, resources=tuple(replace(r, options=of(r)) for r in graph.resources))


def found(graph: ResourceGraph, rule: ResourceRule) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    report = check_graph(graph, rules=(rule,), now=NOW)
    return {(d.code, d.resource) for d in report.diagnostics}, {(u.code, u.resource) for u in report.undecided}


@pytest.mark.parametrize(("rule", "example"), EXAMPLES)
def test_a_finding_stands_only_where_it_holds_either_way(rule: ResourceRule, example: str):
    graph = graph_of(example)
    for option, value in OPTIONS.items():
        absent, _ = found(with_options(graph, lambda r, o=option: {k: v for k, v in r.options.items() if k != o}), rule)
        present, _ = found(with_options(graph, lambda r, o=option, v=value: {**r.options, o: v}), rule)
        said, open_ = found(with_options(graph, lambda r, o=option: {**r.options, o: UNKNOWN}), rule)
        assert said == absent & present, option
        assert (absent ^ present) <= open_, option


BUCKET = "- {type: gcp.lustre.Instance, name: fs, inputs: {capacityGib: '9000'}, options: {protect: !unknown }}"


def test_the_reason_names_the_option():
    report = check_graph(graph_of(BUCKET), now=NOW)
    (one,) = [u for u in report.undecided if u.code == "GI3173"]
    assert one.reason == "it hangs on protect, which this source does not show"
    assert "GI3173" not in {d.code for d in report.diagnostics}


def test_without_open_options_nothing_changes():
    graph = graph_of(BUCKET.replace("!unknown ", "false"))
    assert not is_open(graph)
    assert "GI3173" in {d.code for d in check_graph(graph, now=NOW).diagnostics}


OWN = Code("GI9301", "own", Severity.ERROR, "An organisation's own rule.")


def own(check: Callable[[GraphContext], Iterator[Diagnostic | Undecided]]) -> ResourceRule:
    return ResourceRule(OWN, (), check, Examples((), ()))


@pytest.mark.parametrize(
    "asks",
    [
        lambda r: r.options.get("protect") is not True,
        lambda r: "protect" not in r.options,
        lambda r: "protect" not in list(r.options),
        lambda r: "protect" not in [*r.options.keys()],
    ],
    ids=["get", "in", "iter", "keys"],
)
def test_an_organisations_rule_need_not_know_of_it(asks: Callable[[Resource], bool]):
    def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
        for r in ctx.graph:
            if asks(r):
                yield OWN.at(r.name, "not protected", resource=r.name)

    report = check_graph(graph_of(BUCKET), rules=(own(check),), now=NOW)
    assert report.diagnostics == ()
    assert [u.resource for u in report.undecided] == ["fs"]


def test_a_rule_that_asks_for_no_option_is_run_once():
    runs: list[int] = []

    def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
        runs.append(1)
        yield OWN.at("fs", "always", resource="fs")

    assert len(check_graph(graph_of(BUCKET), rules=(own(check),), now=NOW).diagnostics) == 1
    assert runs == [1]


def test_what_a_rule_notes_at_its_context_is_kept():
    def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
        ctx.undecided.append(Undecided("GI9301", "fs", "noted"))
        for r in ctx.graph:
            if r.options.get("protect") is not True:
                yield OWN.at(r.name, "not protected", resource=r.name)

    report = check_graph(graph_of(BUCKET), rules=(own(check),), now=NOW)
    assert {u.reason for u in report.undecided} >= {"noted"}
