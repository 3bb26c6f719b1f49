"""The engine: waivers, origins, undecided verdicts, and rules that raise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from gpuinfra.diagnostics import Code, Diagnostic, Severity
from gpuinfra.plan import ClusterPlan, resolve
from gpuinfra.policy import registry
from gpuinfra.policy.engine import RuleError, check_graph, check_plan, covers, waived
from gpuinfra.policy.examples import NOW, graph_of, spec_of
from gpuinfra.policy.resource_graph import ResourceGraph
from gpuinfra.policy.rule import Examples, GraphContext, PlanContext, PlanRule, ResourceRule, RuleOptions, Undecided
from gpuinfra.spec.models import Waiver
from gpuinfra.vocabulary import Provider

CODE = Code("GI9001", "nothing", Severity.ERROR, "A finding of a test.", fix="Mend it.")
NONE = Examples((), ())


def plan_of(example: str = "{}") -> ClusterPlan:
    plan = resolve(spec_of(example), NOW).plan
    assert plan is not None
    return plan


def plan_rule(*found: Diagnostic, providers: tuple[Provider, ...] = tuple(Provider)) -> PlanRule:
    return PlanRule(CODE, ("test",), lambda ctx: found, NONE, providers)


def waiver(
    path: str | None = None, expires: str = "2026-12-31", code: str = "GI9001", urn: str | None = None
) -> Waiver:
    return Waiver(code=code, path=path, urn=urn, reason="known", expires=date.fromisoformat(expires))


def test_findings_come_in_a_stable_order_without_repeats():
    b, a = CODE.at("b", "two"), CODE.at("a", "one", severity=Severity.WARNING)
    assert check_plan(plan_of(), rules=[plan_rule(a, b, a)]) == (b, a)


def test_a_rule_of_another_cloud_does_not_run():
    assert check_plan(plan_of(), rules=[plan_rule(CODE.at("a", "x"), providers=(Provider.GCP,))]) == ()


def test_a_rule_that_raises_is_a_fault_of_the_tool_that_names_the_rule():
    def broken(ctx: PlanContext) -> Iterator[Diagnostic]:
        yield CODE.at("a", "x")
        raise ZeroDivisionError("by nothing")

    with pytest.raises(RuleError, match=r"GI9001 \(nothing\): ZeroDivisionError: by nothing"):
        check_plan(plan_of(), rules=[PlanRule(CODE, (), broken, NONE)])

    def broken_too(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
        raise KeyError("x")
        yield

    with pytest.raises(RuleError, match="GI9001"):
        check_graph(graph_of(""), rules=[ResourceRule(CODE, (), broken_too, NONE)])


@pytest.mark.parametrize("path", [None, "node_pools", "node_pools[0]", "node_pools[0].count"])
def test_a_waiver_covers_a_path_and_what_is_below(path: str | None):
    found = CODE.at("node_pools[0].count", "many")
    (said,) = waived([found], [waiver(path)], NOW)
    assert said.severity is Severity.INFO
    assert "waived until 2026-12-31: known" in said.message


@pytest.mark.parametrize("path", ["node_pools[1]", "node_pools[0].coun", "node", "budget"])
def test_a_waiver_of_another_path_covers_nothing(path: str):
    found = CODE.at("node_pools[0].count", "many")
    assert waived([found], [waiver(path)], NOW) == (found,)


def test_a_waiver_of_another_code_covers_nothing():
    found = CODE.at("a", "x")
    assert waived([found], [waiver(code="GI9002")], NOW) == (found,)


@pytest.mark.parametrize(("day", "active"), [("2026-11-29", False), ("2026-11-30", True), ("2026-12-01", True)])
def test_a_waiver_holds_to_the_end_of_its_day(day: str, active: bool):
    (said,) = waived([CODE.at("a", "x")], [waiver(expires=day)], datetime(2026, 11, 30, 23, 59, tzinfo=UTC))
    assert said.is_error is not active


def test_a_waiver_by_urn_needs_the_resource():
    graph = graph_of("- {type: aws.ec2.Vpc, name: net}\n- {type: aws.ec2.Vpc, name: other}")
    urn = graph.named("net").urn
    assert covers(waiver(urn=urn), CODE.at("net", "x", resource="net"), graph)
    assert not covers(waiver(urn=urn), CODE.at("other", "x", resource="other"), graph)
    assert not covers(waiver(urn=urn), CODE.at("net", "x"), graph)
    assert not covers(waiver(urn=urn), CODE.at("net", "x", resource="net"))


def test_the_specs_waivers_turn_errors_into_infos_and_an_expired_one_is_a_finding():
    bad = "{node_pools: [{count: 16}], shutdown: null, waivers: [{code: GI2201, path: shutdown, reason: demo, expires: %s}]}"
    active = {d.code: d for d in check_plan(plan_of(bad % '"2026-12-24"'))}
    assert active["GI2201"].severity is Severity.INFO
    assert "demo" in active["GI2201"].message
    assert "GI2280" not in active
    expired = {d.code: d for d in check_plan(plan_of(bad % '"2026-11-01"'))}
    assert expired["GI2201"].is_error
    assert expired["GI2280"].severity is Severity.WARNING


def resource_rule(*verdicts: Diagnostic | Undecided) -> ResourceRule:
    return ResourceRule(CODE, (), lambda ctx: verdicts, NONE)


def test_undecided_verdicts_are_neither_passed_nor_failed():
    report = check_graph(graph_of(""), rules=[resource_rule(*[Undecided("GI9001", "pool", "unknown")] * 2)])
    assert report.diagnostics == ()
    assert report.undecided == (Undecided("GI9001", "pool", "unknown"),)


def test_a_finding_points_at_the_pool_that_its_resource_was_made_from():
    plan = plan_of("node_pools: [{}, {name: gpu-b, instance_type: g5.xlarge}]")
    second = plan.pools[1].resource_name
    found = CODE.at(f"{second}-template.imageId", "no id", resource=f"{second}-template")
    (said,) = check_graph(graph_of(""), plan, rules=[resource_rule(found)]).diagnostics
    assert said.path == "node_pools[1]"
    assert said.message == f"{second}-template.imageId: no id"


def test_a_finding_of_no_pool_keeps_its_path():
    found = CODE.at("net.cidrBlock", "x", resource="net")
    assert check_graph(graph_of(""), plan_of(), rules=[resource_rule(found)]).diagnostics == (found,)


def test_without_a_clock_no_waiver_is_in_force():
    found = CODE.at("a", "x")
    assert check_graph(graph_of(""), rules=[resource_rule(found)], waivers=[waiver()]).diagnostics == (found,)
    report = check_graph(graph_of(""), rules=[resource_rule(found)], waivers=[waiver()], now=NOW)
    assert [d.severity for d in report.diagnostics] == [Severity.INFO]


def test_the_plan_of_an_incomplete_spec_is_judged_all_the_same():
    plan = replace(plan_of("{node_pools: [{count: 16}], shutdown: null}"), complete=False)
    assert "GI2201" in {d.code for d in check_plan(plan)}


def test_every_rule_runs_by_default():
    assert {d.code for d in check_plan(plan_of("{node_pools: [{count: 16}], shutdown: null, budget: null}"))} >= {
        "GI2201",
        "GI2202",
    }
    assert len(registry.plan_rules()) > 40


def test_a_finding_carries_the_rows_of_its_code_and_the_type_of_its_resource():
    code = Code("GI9003", "typed", Severity.ERROR, "x", facts=("AWS NET-16", "GCP-GKE-06", "AZ IMG-08"))
    found = code.at("net.cidrBlock", "x", resource="net")
    graph = graph_of("- {type: aws.ec2.Vpc, name: net, inputs: {cidrBlock: 10.0.0.0/8}}")
    rule = ResourceRule(code, (), lambda ctx: (found,), NONE)
    (said,) = check_graph(graph, rules=[rule]).diagnostics
    assert said.as_dict()["facts"] == ["AWS NET-16", "GCP-GKE-06", "AZ IMG-08"]
    assert said.as_dict()["resource"] == {"name": "net", "type": "aws:ec2/vpc:Vpc"}
    assert "resource" not in code.at("name", "x").as_dict()


def two_of_a_name() -> ResourceGraph:
    one = graph_of("- {type: aws.ec2.Vpc, name: net, inputs: {cidrBlock: 10.0.0.0/8}}")
    other = graph_of("- {type: aws.ec2.SecurityGroup, name: net, inputs: {ingress: []}}")
    return replace(one, resources=(*one.resources, *other.resources))


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("net.cidrBlock", "aws:ec2/vpc:Vpc"),
        ("net.ingress[0].protocol", "aws:ec2/securityGroup:SecurityGroup"),
        ("net.tags", None),
        ("net", None),
    ],
)
def test_of_two_resources_of_one_name_the_type_is_told_by_the_property_or_left_open(path: str, kind: str | None):
    found = CODE.at(path, "x", resource="net")
    (said,) = check_graph(two_of_a_name(), rules=[resource_rule(found)]).diagnostics
    assert said.as_dict()["resource"] == {"name": "net", "type": kind}


def test_a_waiver_by_urn_covers_the_resource_of_its_type_only():
    graph = two_of_a_name()
    vpc = next(r.urn for r in graph if r.type.endswith("Vpc"))
    found = [CODE.at("net.cidrBlock", "x", resource="net"), CODE.at("net.ingress", "x", resource="net")]
    report = check_graph(graph, rules=[resource_rule(*found)], waivers=[waiver(urn=vpc)], now=NOW)
    assert {d.path: d.severity for d in report.diagnostics} == {
        "net.cidrBlock": Severity.INFO,
        "net.ingress": Severity.ERROR,
    }


def test_a_waived_finding_says_what_it_counted_for():
    (said,) = waived([CODE.at("a", "x")], [waiver()], NOW)
    assert said.as_dict()["suppression"] == {
        "kind": "waived",
        "severity": "error",
        "reason": "known",
        "expires": "2026-12-31",
    }


def test_a_rule_that_raises_does_not_keep_the_others_from_running():
    def broken(ctx: PlanContext) -> Iterator[Diagnostic]:
        raise ZeroDivisionError("by nothing")

    faults: list[RuleError] = []
    found = check_plan(plan_of(), rules=[PlanRule(CODE, (), broken, NONE), plan_rule(CODE.at("a", "x"))], faults=faults)
    assert [d.path for d in found] == ["a"]
    assert [f.rule.code.code for f in faults] == ["GI9001"]


def test_the_price_above_which_an_end_is_demanded_is_an_option():
    bad = "{node_pools: [{instance_type: g4dn.xlarge}], shutdown: null, budget: null, storage: []}"
    low = {d.code: d.severity for d in check_plan(plan_of(bad))}
    high = {d.code: d.severity for d in check_plan(plan_of(bad), options=RuleOptions(lease_above_usd_per_hour=0.1))}
    assert (low["GI2201"], high["GI2201"]) == (Severity.WARNING, Severity.ERROR)
    assert "GI2202" not in low
    assert high["GI2202"] is Severity.WARNING
