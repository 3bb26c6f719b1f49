"""Every rule by its own examples: good ones pass, bad ones are caught, unknown ones are left undecided."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from gpuinfra.plan import resolve
from gpuinfra.policy import registry
from gpuinfra.policy.engine import check_graph, check_plan
from gpuinfra.policy.examples import (
    BASE_SPEC,
    NOW,
    check_account_example,
    check_graph_example,
    check_plan_example,
    graph_of,
    overlaid,
    spec_of,
)
from gpuinfra.policy.resource_graph import UNKNOWN, OutputRef
from gpuinfra.policy.rule import AccountRule, PlanRule, ResourceRule, Rule


def _examples(rules: tuple[Rule, ...], kind: str) -> list[Any]:
    return [
        pytest.param(rule, text, id=f"{rule.code.code}-{n}")
        for rule in rules
        for n, text in enumerate(getattr(rule.examples, kind))
    ]


@pytest.mark.parametrize(("rule", "text"), _examples(registry.plan_rules(), "good"))
def test_a_good_plan_passes(rule: PlanRule, text: str):
    assert check_plan_example(rule, text) == ()


@pytest.mark.parametrize(("rule", "text"), _examples(registry.plan_rules(), "bad"))
def test_a_bad_plan_is_caught(rule: PlanRule, text: str):
    found = check_plan_example(rule, text)
    assert found
    assert {d.code for d in found} == {rule.code.code}
    assert all(d.path and d.message and d.hint for d in found)


@pytest.mark.parametrize(("rule", "text"), _examples(registry.resource_rules(), "good"))
def test_good_resources_pass(rule: ResourceRule, text: str):
    report = check_graph_example(rule, text)
    assert report.diagnostics == ()
    assert report.undecided == ()


@pytest.mark.parametrize(("rule", "text"), _examples(registry.resource_rules(), "bad"))
def test_bad_resources_are_caught(rule: ResourceRule, text: str):
    found = check_graph_example(rule, text).diagnostics
    assert {d.code for d in found} == {rule.code.code}
    assert all(d.path and d.message and d.hint and d.resource for d in found)


@pytest.mark.parametrize(("rule", "text"), _examples(registry.resource_rules(), "unknown"))
def test_unknown_resources_are_undecided(rule: ResourceRule, text: str):
    report = check_graph_example(rule, text)
    assert report.diagnostics == ()
    assert report.undecided
    assert {u.code for u in report.undecided} == {rule.code.code}


@pytest.mark.parametrize(("rule", "text"), _examples(registry.account_rules(), "good"))
def test_a_good_account_passes_and_is_said_to(rule: AccountRule, text: str):
    report = check_account_example(rule, text)
    assert (report.diagnostics, report.unsure) == ((), ())
    assert report.passed
    assert {p.code for p in report.passed} == {rule.code.code}


@pytest.mark.parametrize(("rule", "text"), _examples(registry.account_rules(), "bad"))
def test_a_bad_account_is_caught(rule: AccountRule, text: str):
    found = check_account_example(rule, text).diagnostics
    assert {d.code for d in found} == {rule.code.code}
    assert all(d.path and d.message and d.hint for d in found)


@pytest.mark.parametrize(("rule", "text"), _examples(registry.account_rules(), "unknown"))
def test_an_account_that_is_not_known_is_neither(rule: AccountRule, text: str):
    report = check_account_example(rule, text)
    assert report.diagnostics == ()
    assert {(u.code, bool(u.path), bool(u.reason)) for u in report.unsure} == {(rule.code.code, True, True)}


@pytest.mark.parametrize("rule", registry.account_rules(), ids=lambda r: r.code.code)
def test_an_account_rule_shows_all_three_verdicts(rule: AccountRule):
    assert rule.examples.unknown


@pytest.mark.parametrize("rule", registry.all_rules(), ids=lambda r: r.code.code)
def test_every_rule_has_good_and_bad_examples(rule: Rule):
    assert rule.examples.good
    assert rule.examples.bad


@pytest.mark.parametrize("rule", registry.resource_rules(), ids=lambda r: r.code.code)
def test_a_resource_rule_has_an_unknown_example_or_says_why_not(rule: ResourceRule):
    assert bool(rule.examples.unknown) != bool(rule.examples.no_unknown)


@pytest.mark.parametrize(("rule", "text"), _examples(registry.resource_rules(), "bad"))
def test_rules_of_other_clouds_have_no_word_on_it(rule: ResourceRule, text: str):
    """A finding comes from a rule that shares a cloud with the example's own."""
    report = check_graph(graph_of(text), now=NOW)
    said = [registry.rule(d.code) for d in report.diagnostics]
    assert [r.code.code for r in said if r is not None and not set(r.providers) & set(rule.providers)] == []


def test_the_base_spec_has_no_error():
    resolution = resolve(spec_of("{}"), NOW)
    assert resolution.plan is not None
    found = [*resolution.diagnostics, *check_plan(resolution.plan)]
    assert [d for d in found if d.is_error] == []


def test_overlays_merge_mappings_and_lists_of_mappings_and_replace_the_rest():
    base = yaml.safe_load(BASE_SPEC)
    out = overlaid(base, yaml.safe_load("{node_pools: [{count: 5}, {name: b}], storage: [], budget: null}"))
    assert out["node_pools"] == [{"name": "gpu", "instance_type": "p5.48xlarge", "count": 5}, {"name": "b"}]
    assert out["storage"] == []
    assert out["budget"] is None
    assert out["shutdown"] == base["shutdown"]


def test_another_location_replaces_the_base():
    out = overlaid(yaml.safe_load(BASE_SPEC), {"location": {"provider": "gcp", "project": "p", "region": "r"}})
    assert out["location"] == {"provider": "gcp", "project": "p", "region": "r"}


def test_example_graphs_carry_references_as_a_recording_does():
    graph = graph_of("""
- {type: aws.ec2.Vpc, name: net, inputs: {cidrBlock: 10.0.0.0/16}}
- {type: aws.ec2.Subnet, name: sub, inputs: {vpcId: !ref net.id , zone: !unknown }, depends_on: [net], parent: net}
""")
    net, sub = graph.named("net"), graph.named("sub")
    assert sub.inputs["vpcId"] == OutputRef("net", "id")
    assert sub.inputs["zone"] is UNKNOWN
    assert sub.property_dependencies == {"vpcId": (net.urn,)}
    assert sub.dependencies == (net.urn,)
    assert sub.parent == net.urn
    assert net.type == "aws:ec2/vpc:Vpc"


def test_an_empty_program_is_fine():
    report = check_graph(graph_of(""), now=NOW)
    assert report.diagnostics == ()
    assert report.undecided == ()
