"""The analyzer, asked as the engine asks it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from pulumi.runtime import proto
from pulumi_policy import policy as pulumi_policy

from gpuinfra.diagnostics import Code, Diagnostic, Severity
from gpuinfra.pack.graph import Registered
from gpuinfra.policy import UNKNOWN, Examples, GraphContext, Resource, ResourceGraph, ResourceRule, Secret, Undecided
from gpuinfra.policy.registry import resource_rules

from .asking import DEFAULT, ENGINES_OWN, AbortedError, Context, analyzer, answers, asked, at_the_end, configured

TYPE = "aws:ec2/instance:Instance"


def urn(name: str, type_: str = TYPE) -> str:
    return f"urn:pulumi:dev::example::{type_}::{name}"


def resource(name: str, inputs: dict[str, Any] | None = None, **more: Any) -> Resource:
    return Resource(urn(name), TYPE, name, custom=True, inputs=inputs or {}, **more)


def graph(*resources: Resource, preview: bool = True) -> ResourceGraph:
    return ResourceGraph("example", "dev", preview, tuple(sorted(resources, key=lambda r: r.urn)))


def rule(code: str, severity: Severity, check: Any) -> ResourceRule:
    return ResourceRule(
        Code(code, code.lower(), severity, f"About {code}.", fix="Mend it."), ("t",), check, Examples((), ())
    )


def big(code: str = "GI3901", severity: Severity = Severity.ERROR, finding: Severity | None = None) -> ResourceRule:
    """A rule that finds fault with every `size: big`, and cannot tell of one that is unknown."""
    made = Code(code, "too-big", severity, "Too big.", fix="Make it small.")

    def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
        for r in ctx.graph:
            if r.get("size") is UNKNOWN:
                yield Undecided(code, r.name, "the size is not known")
            elif r.get("size") == "big":
                yield made.at(f"{r.name}.size", f"{r.get('name')} is big", resource=r.name, severity=finding)

    return ResourceRule(made, ("t",), check, Examples((), ()))


def raising(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    raise ValueError("oh")
    yield


ONE = (resource("a", {"size": "big", "name": "n"}), resource("b", {"size": UNKNOWN}), resource("c", {"size": "small"}))


def levels(found: list[Any]) -> list[tuple[str, str, str]]:
    return [(v.policyName, v.urn.split("::")[-1], proto.EnforcementLevel.Name(v.enforcementLevel)) for v in found]


def test_a_finding_is_a_violation_of_its_own_resource() -> None:
    (found,) = answers(analyzer(rules=[big()]), graph(*ONE))
    assert found.urn == urn("a")
    assert (found.policyName, found.policyPackName, found.description) == ("GI3901", "gpuinfra", "Too big.")
    assert found.message == ("a.size: n is big\nhint: Make it small.\ndocs: docs/reference/rules.md#gi3901 (too-big)")
    assert found.enforcementLevel == proto.MANDATORY
    assert found.severity == proto.POLICY_SEVERITY_HIGH


@pytest.mark.parametrize(
    ("severity", "level"), [(Severity.ERROR, "MANDATORY"), (Severity.WARNING, "ADVISORY"), (Severity.INFO, "ADVISORY")]
)
def test_the_weight_of_a_finding(severity: Severity, level: str) -> None:
    assert levels(answers(analyzer(rules=[big(severity=severity)]), graph(*ONE))) == [("GI3901", "a", level)]


def test_a_finding_may_weigh_less_than_its_rule() -> None:
    """Until somebody chooses another level than the default, which the engine always fills in."""
    lighter = [big(severity=Severity.ERROR, finding=Severity.WARNING)]
    assert levels(answers(configured(analyzer(rules=lighter), {}), graph(*ONE))) == [("GI3901", "a", "ADVISORY")]
    heavier = [big(severity=Severity.WARNING, finding=Severity.ERROR)]
    assert levels(answers(configured(analyzer(rules=heavier), {}), graph(*ONE))) == [("GI3901", "a", "MANDATORY")]
    chosen = configured(analyzer(rules=heavier), {"GI3901": {"level": "mandatory"}})
    assert levels(answers(chosen, graph(*ONE))) == [("GI3901", "a", "MANDATORY")]


def test_a_name_is_the_resources_before_a_components() -> None:
    component = Resource(urn("a", "acme:index:Group"), "acme:index:Group", "a", custom=False, inputs={})
    (found,) = answers(analyzer(rules=[big()]), graph(component, *ONE))
    assert found.urn == urn("a")


def test_a_rule_that_raises_is_named_and_the_others_run() -> None:
    rules = [rule("GI3902", Severity.ERROR, raising), big()]
    found = answers(analyzer(rules=rules), graph(*ONE))
    assert levels(found) == [("GI3902", "", "MANDATORY"), ("GI3901", "a", "MANDATORY")]
    assert "internal error in rule GI3902" in found[0].message


def test_undecided_is_silent_until_it_is_asked_for() -> None:
    silent = analyzer(rules=[big()])
    assert "undecided" not in {v.policyName for v in answers(silent, graph(*ONE))}
    asked_for = configured(analyzer(rules=[big()]), {"undecided": {"level": "advisory"}})
    found = {v.policyName: v for v in answers(asked_for, graph(*ONE))}
    assert found["undecided"].urn == urn("b")
    assert found["undecided"].message == "GI3901 cannot tell yet: the size is not known"
    assert found["undecided"].enforcementLevel == proto.ADVISORY


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, ["MANDATORY"]),
        ({"GI3901": {"level": "advisory"}}, ["ADVISORY"]),
        ({"GI3901": {"level": "remediate"}}, ["MANDATORY"]),
        ({"GI3901": {"level": "disabled"}}, []),
        ({"all": {"level": "advisory"}}, ["MANDATORY"]),  # the engine has laid `all` over every policy itself
    ],
)
def test_configured(given: dict[str, dict[str, Any]], expected: list[str]) -> None:
    found = answers(configured(analyzer(rules=[big()]), given), graph(*ONE))
    assert [level for _, _, level in levels(found)] == expected


def test_a_warning_made_mandatory_is_mandatory_for_every_finding() -> None:
    made = configured(analyzer(rules=[big(severity=Severity.WARNING)]), {"GI3901": {"level": "mandatory"}})
    assert levels(answers(made, graph(*ONE))) == [("GI3901", "a", "MANDATORY")]


WAIVER = {"reason": "known", "expires": "2026-12-31"}


@pytest.mark.parametrize(
    ("waiver", "level"),
    [
        (WAIVER, "ADVISORY"),
        ({**WAIVER, "urn": urn("a")}, "ADVISORY"),
        ({**WAIVER, "path": "a.size"}, "ADVISORY"),
        ({**WAIVER, "urn": urn("c")}, "MANDATORY"),
        ({**WAIVER, "expires": "2026-11-29"}, "MANDATORY"),
    ],
)
def test_waived(waiver: dict[str, Any], level: str) -> None:
    made = configured(
        analyzer(rules=[big(severity=Severity.WARNING)]), {"GI3901": {"level": "mandatory", "waivers": [waiver]}}
    )
    (found,) = answers(made, graph(*ONE))
    assert levels([found])[0][2] == level
    assert ("(waived until 2026-12-31: known)" in found.message) is (level == "ADVISORY")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"GI3901": {"waiver": []}}, "'waiver' is no option of GI3901; did you mean waivers"),
        ({"GI3901": {"endDemandedAboveUsdPerHour": 5}}, "the policies that take it are GI3047"),
        ({"GI3999": {"level": "disabled"}}, "'GI3999' is none of its policies"),
        ({"GI3901": {"waivers": [{"expires": "2026-12-31"}]}}, "waivers of GI3901: reason: the key is missing"),
        ({"GI3901": {"waivers": [{"reason": "x", "expires": "soon"}]}}, "waivers of GI3901: expires"),
        (
            {"GI3047": {"endDemandedAboveUsdPerHour": 0}},
            "endDemandedAboveUsdPerHour of GI3047: a number of USD above 0",
        ),
        (
            {"GI3047": {"endDemandedAboveUsdPerHour": True}},
            "endDemandedAboveUsdPerHour of GI3047: a number of USD above 0",
        ),
        (
            {"GI3047": {"endDemandedAboveUsdPerHour": "10"}},
            "endDemandedAboveUsdPerHour of GI3047: a number of USD above 0",
        ),
    ],
)
def test_a_configuration_that_cannot_be_meant(given: dict[str, dict[str, Any]], says: str) -> None:
    with pytest.raises(AbortedError, match=says):
        configured(analyzer(rules=[big(), DEAR]), given)


DEAR = ResourceRule(
    Code("GI3047", "no-end", Severity.WARNING, "No end.", fix="End it."),
    ("cost",),
    next(r for r in resource_rules() if r.code.code == "GI3047").check,
    Examples((), ()),
    demands_end=True,
)
POOL = "aws:eks/nodeGroup:NodeGroup"


@pytest.mark.parametrize(
    ("above", "level"), [(None, "ADVISORY"), (5, "ADVISORY"), (0.5, "MANDATORY"), (2, "MANDATORY"), (2.5, "ADVISORY")]
)
def test_a_price_from_which_nodes_need_an_end(above: float | None, level: str) -> None:
    """Two g5.xlarge at the list price of 1.006 USD an hour."""
    inputs = {"instanceTypes": ["g5.xlarge"], "scalingConfig": {"minSize": 2, "maxSize": 2}, "region": "us-east-1"}
    pool = Resource(urn("pool", POOL), POOL, "pool", custom=True, inputs=inputs)
    given = {} if above is None else {"GI3047": {"endDemandedAboveUsdPerHour": above}}
    made = configured(analyzer(rules=[DEAR]), given)
    assert levels(answers(made, graph(pool))) == [("GI3047", "pool", level)]


def test_only_rules_that_read_a_price_have_one() -> None:
    listed = {p.name: p for p in analyzer().GetAnalyzerInfo(None, None).policies}
    with_price = {n for n, p in listed.items() if "endDemandedAboveUsdPerHour" in p.configSchema.properties}
    assert with_price == {"GI3047", "GI3130", "GI3275", "GI3402"}


def test_secrets_stay_secret() -> None:
    found = answers(analyzer(rules=[big()]), graph(resource("a", {"size": "big", "name": Secret("hunter-two")})))
    assert found
    assert all("hunter-two" not in str(v) for v in found)
    assert "[secret] is big" in found[0].message


def test_every_rule_is_listed_with_its_texts() -> None:
    info = analyzer().GetAnalyzerInfo(None, None)
    listed = {p.name: p for p in info.policies}
    assert set(listed) == {*(r.code.code for r in resource_rules()), "undecided"}
    assert listed["undecided"].enforcementLevel == proto.DISABLED
    for r in resource_rules():
        p = listed[r.code.code]
        assert p.displayName == r.code.slug
        assert p.description.startswith(r.code.summary)
        assert (p.enforcementLevel == proto.MANDATORY) is (r.code.severity is Severity.ERROR)
        assert "waivers" in p.configSchema.properties
        assert p.remediation_steps


def test_what_is_used_of_pulumi_policy_is_there() -> None:
    servicer = pulumi_policy._PolicyAnalyzerServicer
    for name in ("GetAnalyzerInfo", "GetPluginInfo", "_map_enforcement_level", "_map_severity"):
        assert callable(getattr(servicer, name))


def test_the_graph_is_what_the_program_registered() -> None:
    explicit = Resource(
        urn("p", "pulumi:providers:aws"), "pulumi:providers:aws", "p", custom=True, inputs={"region": "x"}
    )
    group = Resource(urn("g", "acme:index:Group"), "acme:index:Group", "g", custom=False, inputs={})
    full = resource(
        "a",
        {"size": 3, "half": 0.5, "late": [UNKNOWN], "key": Secret({"k": UNKNOWN})},
        parent=group.urn,
        provider=explicit.urn,
        dependencies=(urn("b"), explicit.urn),
        property_dependencies={"size": (urn("b"),)},
        options={"protect": True, "ignoreChanges": ["size"], "deleteBeforeReplace": False, "aliases": ["urn:old"]},
    )
    resources = (explicit, group, full, resource("b"))
    registered = Registered()
    for r in (*ENGINES_OWN, *resources):
        registered.add(asked(r))
    read = resource("only-read")
    stack = [at_the_end(r) for r in (*ENGINES_OWN, *resources, read)]
    made = registered.graph(proto.AnalyzeStackRequest(resources=stack), preview=True)
    assert (made.project, made.stack, made.preview) == ("example", "dev", True)
    expected = tuple(sorted(resources, key=lambda r: r.urn))
    assert [replace(r, options={}) for r in made] == [replace(r, options={}) for r in expected]
    untold = {"replaceOnChanges": UNKNOWN, "retainOnDelete": UNKNOWN}
    assert made.named("a").options == {**full.options, **untold}
    assert made.named("b").options == untold
    assert [r.name for r in made.reads] == ["only-read"]
    assert made.named("b").provider == ""
    assert DEFAULT not in {r.urn for r in made}


def test_an_empty_stack() -> None:
    assert list(analyzer().AnalyzeStack(proto.AnalyzeStackRequest(), Context()).diagnostics) == []


def test_a_rule_that_looks_at_the_last_deployment_says_that_it_sees_none():
    about = {p.name: p.description for p in analyzer().GetAnalyzerInfo(None, None).policies}
    blind = {name for name, text in about.items() if "the engine shows a pack no old state" in text}
    assert {"GI3088", "GI3129", "GI3180", "GI3182", "GI3280", "GI3271"} <= blind
    assert len(blind) < 20
    with_old = {r.code.code for r in resource_rules() if r.examples.facts}
    assert with_old <= blind
