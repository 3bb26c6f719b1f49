"""Account rules beyond their examples: laws, shared quotas and reservations, and facts of any content."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuinfra.diagnostics import Severity
from gpuinfra.plan import resolve
from gpuinfra.policy import registry
from gpuinfra.policy.account_facts import PARTS, AccountFacts
from gpuinfra.policy.engine import AccountReport, RuleError, check_account
from gpuinfra.policy.examples import NOW
from gpuinfra.policy.needed_services import needed_services
from gpuinfra.policy.quota_needs import family_needs, other_needs, quota_of, total_needs
from gpuinfra.policy.rule import AccountRule
from gpuinfra.spec.models import ClusterSpec
from gpuinfra.vocabulary import Provider

from .conftest import plan_of


def judge(spec: str, **account: Any) -> AccountReport:
    plan = plan_of(spec)
    facts = AccountFacts.model_validate({"provider": plan.provider, "region": plan.region, "as_of": NOW, **account})
    return check_account(plan, facts)


def of(code: str, report: AccountReport) -> list[str]:
    return [d.message for d in report.diagnostics if d.code == code]


TWO = """\
node_pools:
- {name: a, count: 2}
- {name: b, instance_type: p4d.24xlarge, count: 1}
- {name: c, instance_type: g6.12xlarge, count: 1}
- {name: d, instance_type: p5.48xlarge, count: 1, capacity: {type: spot}}
"""


def test_pools_of_one_quota_are_added_and_others_are_apart():
    needs = {n.quota: n for n in family_needs(plan_of(TWO))}
    assert {q: (n.amount, n.names) for q, n in needs.items()} == {
        "L-417A185B": (2 * 192 + 96, "'a' and 'b'"),
        "L-DB2E81BA": (48, "'c'"),
        "L-C4BD4855": (192, "'d'"),
    }
    (message,) = of("GI4001", judge(TWO, quotas={"L-417A185B": {"limit": 400}}))
    assert "'a' and 'b' need 2 × 192 + 1 × 96 = 480 vCPU" in message


def test_a_reservation_took_its_share_when_it_was_made():
    spec = "node_pools: [{capacity: {type: reservation, id: cr-0aaa1111bbbb2222c}}]"
    assert family_needs(plan_of(spec)) == ()


def test_whether_a_block_draws_on_the_quota_is_a_warning():
    block = (
        '{type: capacity_block, id: cr-0aaa1111bbbb2222c, starts: "2026-12-01T11:30:00Z", ends: "2026-12-08T11:30:00Z"}'
    )
    report = judge(f"node_pools: [{{count: 8, capacity: {block}}}]", quotas={"L-417A185B": {"limit": 0}})
    (one,) = [d for d in report.diagnostics if d.code == "GI4001"]
    assert one.severity is Severity.WARNING
    assert "8 × 192 = 1536 vCPU" in one.message
    assert "not documented" in one.message


@pytest.mark.parametrize(
    ("name", "market", "quota"),
    [
        ("p5.48xlarge", "on_demand", "L-417A185B"),
        ("p5.48xlarge", "spot", "L-C4BD4855"),
        ("p4d.24xlarge", "spot", "L-7212CCBC"),
        ("p6-b200.48xlarge", "spot", ""),
        ("g6e.xlarge", "spot", "L-3819A6DF"),
        ("m5.xlarge", "on_demand", "L-1216C47A"),
        ("x2idn.16xlarge", "on_demand", ""),
    ],
)
def test_the_quota_of_a_machine(name: str, market: str, quota: str):
    assert quota_of(Provider.AWS, name, market) == (quota, "vcpu")


def test_a_machine_of_an_unknown_quota_is_unknown_and_says_why():
    report = judge("node_pools: [{instance_type: p6-b200.48xlarge, capacity: {type: spot}}]", quotas={})
    (reason,) = [u.reason for u in report.unsure if u.code == "GI4001"]
    assert reason.startswith("which quota p6-b200.48xlarge draws on is not known: the sources disagree")


def test_a_range_above_the_quota_is_a_warning_and_a_start_above_it_an_error():
    quotas = {"L-417A185B": {"limit": 384}}
    for count, severity in (("{min: 0, max: 3}", Severity.WARNING), ("{min: 3, max: 3}", Severity.ERROR)):
        report = judge(f"node_pools: [{{count: {count}}}]", quotas=quotas)
        assert [d.severity for d in report.diagnostics if d.code == "GI4001"] == [severity]


def test_a_pool_that_is_off_needs_nothing():
    assert family_needs(plan_of("node_pools: [{count: 0}]")) == ()


def test_a_limit_of_minus_one_is_none():
    assert of("GI4001", judge("{}", quotas={"L-417A185B": {"limit": -1}})) == []


GOOGLE = "{location: {provider: gcp, project: acme-lab, region: us-central1}, storage: [], node_pools: [{instance_type: %s}]}"


def test_what_google_counts_besides_gpus():
    l4 = {n.quota: n.amount for n in other_needs(plan_of(GOOGLE % "g2-standard-48, count: 3"))}
    assert l4["NETWORKS"] == 1
    assert l4["SSD_TOTAL_GB"] > 0
    b200 = {n.quota: n.amount for n in other_needs(plan_of(GOOGLE % "a4-highgpu-8g, capacity: {type: spot}"))}
    assert b200 == {"NETWORKS": 3}  # hyperdisks have quotas of their own


def test_the_total_counts_what_is_on_demand_alone():
    assert [n.amount for n in total_needs(plan_of(GOOGLE % "g2-standard-48, count: 3"))] == [12]
    assert total_needs(plan_of(GOOGLE % "g2-standard-48, capacity: {type: spot}")) == ()
    assert total_needs(plan_of("{}")) == ()


@pytest.mark.parametrize(("limit", "used", "severity"), [(100, 0, "error"), (400, 100, "warning")])
def test_what_is_in_use_may_be_stale(limit: int, used: int, severity: str):
    report = judge("{}", quotas={"L-417A185B": {"limit": limit, "used": used}})
    assert [str(d.severity) for d in report.diagnostics if d.code == "GI4001"] == [severity]


def test_on_azure_what_is_in_use_counts():
    report = judge(SPECS[3], quotas={"StandardNCADSA100v4Family": {"limit": 48, "used": 1}})
    assert [str(d.severity) for d in report.diagnostics if d.code == "GI4001"] == ["error"]


SERVICES = {
    "gcp": {
        "billing": "billingbudgets",
        "cloudscheduler": "cloudscheduler",
        "compute": "compute",
        "eventarc": "eventarc",
        "filestore": "file",
        "lustre": "lustre",
        "monitoring": "monitoring",
        "projects": "cloudresourcemanager",
        "pubsub": "pubsub",
        "serviceaccount": "iam",
        "servicenetworking": "servicenetworking",
        "storage": "storage",
        "workflows": "workflows",
    },
    "azure-native": {
        "authorization": "",  # always registered, as Resources
        "compute": "Compute",
        "consumption": "Consumption",
        "logic": "Logic",
        "managedidentity": "ManagedIdentity",
        "monitor": "Insights",
        "netapp": "NetApp",
        "network": "Network",
        "privatedns": "Network",
        "resources": "",
        "storage": "Storage",
        "storagecache": "StorageCache",
    },
}


@pytest.mark.parametrize("golden", ["gcp-minimal", "gcp-complex", "azure-minimal", "azure-complex"])
def test_what_the_rooms_make_needs_the_services_that_are_asked_about(golden: str):
    folder = Path(__file__).parents[1] / "golden" / golden
    plan = resolve(ClusterSpec.model_validate(yaml.safe_load((folder / "cluster.yaml").read_text())), NOW).plan
    assert plan is not None
    made = re.findall(r'"type": "(gcp|azure-native):(\w+)[:/]', (folder / "preview.json").read_text())
    assert made
    wanted = {SERVICES[package][module] for package, module in made} - {""}
    asked = {n.removeprefix("Microsoft.").removesuffix(".googleapis.com") for n, _, _ in needed_services(plan)}
    assert wanted - asked == set()
    assert asked - wanted <= {"workflowexecutions", "iam"}


SHARED = """\
node_pools:
- {name: a, count: 2, capacity: {type: reservation, id: cr-0aaa1111bbbb2222c}}
- {name: b, instance_type: p5.48xlarge, count: 3, capacity: {type: reservation, id: cr-0aaa1111bbbb2222c}}
"""


def held(**more: Any) -> dict[str, Any]:
    return {"cr-0aaa1111bbbb2222c": {"members": [{"instance_type": "p5.48xlarge", **more}]}}


def test_pools_that_share_a_reservation_are_added():
    assert of("GI4024", judge(SHARED, reservations=held(total=5, free=5))) == []
    (message,) = of("GI4024", judge(SHARED, reservations=held(total=4, free=4)))
    assert "'a' and 'b' want 5" in message


@pytest.mark.parametrize(("total", "free", "severity"), [(4, 4, "error"), (9, 4, "warning")])
def test_what_others_use_at_the_moment_is_a_warning(total: int, free: int, severity: str):
    report = judge(SHARED, reservations=held(total=total, free=free))
    assert [str(d.severity) for d in report.diagnostics if d.code == "GI4024"] == [severity]


def test_nodes_that_run_in_the_reservation_already_are_not_counted_against_it():
    full = held(total=5, free=0)
    assert of("GI4024", judge(SHARED, reservations=full, own_nodes={"reserved/p5.48xlarge": 5})) == []
    assert of("GI4024", judge(SHARED, reservations=full, own_nodes={"reserved/p5.48xlarge": 4})) != []


def test_a_reservation_that_has_not_begun_has_nothing_free_and_is_not_too_small():
    assert of("GI4024", judge(SHARED, reservations=held(total=5, free=0, state="scheduled"))) == []


BLOCK_ENDS = """\
node_pools:
- count: 5
  capacity: {type: capacity_block, id: cr-0aaa1111bbbb2222c, starts: "2026-12-01T11:30:00Z", ends: "%s"}
shutdown: {lease: "%s"}
"""


@pytest.mark.parametrize(
    ("said", "lease", "paths"),
    [
        ("2026-12-08T11:30:00Z", "2026-12-08T11:00:00Z", []),
        ("2026-12-08T11:30:00Z", "2026-12-08T11:01:00Z", []),  # GI2213 says it
        ("2026-12-09T11:30:00Z", "2026-12-08T10:00:00Z", ["node_pools[0].capacity.ends"]),
        ("2026-12-09T11:30:00Z", "2026-12-08T11:01:00Z", ["node_pools[0].capacity.ends", "shutdown.lease"]),
    ],
)
def test_the_end_of_a_block_is_the_clouds_and_one_mistake_is_one_finding(said: str, lease: str, paths: list[str]):
    window = {"starts": "2026-12-01T11:30:00Z", "ends": "2026-12-08T11:30:00Z", "state": "scheduled"}
    report = judge(BLOCK_ENDS % (said, lease), reservations=held(total=5, free=0, kind="capacity_block", **window))
    assert sorted(d.path for d in report.diagnostics if d.code == "GI4023") == paths
    assert [d.is_error for d in report.diagnostics if d.path == "shutdown.lease"] == [True] * paths.count(
        "shutdown.lease"
    )
    assert not {d.code for d in report.diagnostics} & {"GI4022", "GI4024", "GI4025"}


@pytest.mark.parametrize("kind", ["fault", "unknown"])
def test_of_a_reservation_that_is_not_there_one_thing_is_said(kind: str):
    found = {"cr-0aaa1111bbbb2222c": None} if kind == "fault" else None
    report = judge(SHARED, **({"reservations": found} if found else {}))
    codes = [d.code for d in report.diagnostics if d.code.startswith("GI402")]
    assert codes == (["GI4020", "GI4020"] if kind == "fault" else [])


def test_a_rule_that_raises_is_named():
    def broken(ctx: object) -> Any:
        raise ValueError("oh")

    rule = registry.account_rules()[0]
    faulty = AccountRule(rule.code, rule.tags, broken, rule.examples)
    plan = plan_of("{}")
    with pytest.raises(RuleError, match="GI4001"):
        check_account(plan, AccountFacts(provider=Provider.AWS, region="us-east-1", as_of=NOW), rules=(faulty,))


@given(limit=st.integers(0, 4000), used=st.integers(0, 4000), more=st.integers(0, 4000), count=st.integers(1, 12))
def test_a_larger_quota_never_makes_a_fault(limit: int, used: int, more: int, count: int):
    spec = f"node_pools: [{{count: {count}}}]"
    before = of("GI4001", judge(spec, quotas={"L-417A185B": {"limit": limit, "used": used}}))
    after = of("GI4001", judge(spec, quotas={"L-417A185B": {"limit": limit + more, "used": used}}))
    assert bool(before) == (count * 192 > limit - used)
    assert not (after and not before)


SPECS = [
    TWO,
    SHARED,
    GOOGLE % "a3-megagpu-8g, count: 2, capacity: {type: reservation, id: held}",
    "{location: {provider: azure, region: eastus, zone: '1'}, storage: [], node_pools: [{instance_type: Standard_NC24ads_A100_v4}]}",
    yaml.safe_dump({"network": {"existing": {"network": "vpc-0aaa1111", "subnet": "subnet-0bbb1111"}}, "storage": [],
                    "location": {"provider": "aws", "region": "us-east-1", "zone": "use1-az6"}}),
]  # fmt: skip
NAMES = (
    "L-417A185B",
    "p5.48xlarge",
    "cr-0aaa1111bbbb2222c",
    "held",
    "vpc-0aaa1111",
    "subnet-0bbb1111",
    "cores",
    "gpuinfra-cluster",
)
WORD = st.sampled_from(
    ["", "p5.48xlarge", "use1-az6", "active", "none", "10.0.0.0/24", "999.0/99", "x" * 50, "\u202e\x1b[0m"]
)
NUMBER = st.integers(0, 100)
MOMENTS = st.datetimes(datetime(2000, 1, 1), datetime(2199, 12, 31))
ROWS = {
    "quotas": st.fixed_dictionaries({"limit": st.integers(-1, 5000)}, optional={"used": NUMBER}),
    "offerings": st.fixed_dictionaries({}, optional={"zones": st.lists(WORD, max_size=2), "regional": st.booleans(), "quota": WORD}),
    "reservations": st.fixed_dictionaries(
        {"members": st.lists(st.fixed_dictionaries({}, optional={
            "instance_type": WORD, "zone": WORD, "total": NUMBER, "free": NUMBER, "state": WORD, "placement_group": WORD,
            "ends": MOMENTS.map(lambda d: d.isoformat() + "Z"), "starts": MOMENTS.map(lambda d: d.isoformat() + "Z"),
        }), max_size=3)}),
    "subnets": st.fixed_dictionaries({}, optional={"network": WORD, "zone": WORD, "cidr": WORD, "free_addresses": NUMBER}),
    "networks": st.fixed_dictionaries({}, optional={"region": WORD, "dns_support": st.booleans()}),
    "own_nodes": NUMBER,
    "services": st.booleans(),
    "cost_tags": st.booleans(),
}  # fmt: skip


@st.composite
def accounts(draw: st.DrawFn) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for part, row in ROWS.items():
        if draw(st.booleans()):
            rows = row if part in ("own_nodes", "services", "cost_tags") else st.none() | row
            out[part] = draw(st.dictionaries(st.sampled_from(NAMES), rows, max_size=4))
    return {**out, "unknown": draw(st.dictionaries(st.sampled_from([*PARTS, "quotas/L-417A185B"]), WORD, max_size=2))}


@settings(max_examples=120, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(account=accounts(), spec=st.sampled_from(SPECS))
def test_whatever_the_facts_are_every_rule_answers(account: dict[str, Any], spec: str):
    report = judge(spec, **account)
    assert all(d.path and d.message for d in report.diagnostics)
    assert report == judge(spec, **account)


@pytest.mark.parametrize("spec", SPECS)
def test_rules_of_another_cloud_have_no_say(spec: str):
    provider = plan_of(spec).provider
    asked = {u.code for u in judge(spec).unsure}
    assert asked <= {r.code.code for r in registry.account_rules() if provider in r.providers}


@pytest.mark.parametrize("spec", SPECS)
def test_an_account_of_which_nothing_is_known_has_no_fault_and_no_pass(spec: str):
    report = judge(spec)
    assert report.diagnostics == ()
    assert report.passed == ()
    assert report.unsure
