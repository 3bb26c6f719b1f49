"""Money rules beyond their examples: prices that are not known, what demands a lease, and checkpoints against the notice."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from gpuinfra.cost import nodes
from gpuinfra.diagnostics import Diagnostic
from gpuinfra.plan import resolve
from gpuinfra.policy import check_plan
from gpuinfra.policy.examples import NOW, spec_of
from gpuinfra.policy.rule import RuleOptions

IDLE = {"shutdown": {"lease": None, "idle_after": "30m"}}
GCP = {
    "location": {"provider": "gcp", "project": "acme-lab", "region": "us-central1"},
    "node_pools": [{"instance_type": "g2-standard-4", "capacity": {"type": "spot"}}],
    "storage": [
        {"kind": "lustre", "name": "scratch", "size_gib": 18000, "throughput_mbps_per_tib": 500, "mount": "/scratch"}
    ],
}


def of(code: str, over: dict[str, Any], options: RuleOptions | None = None) -> list[Diagnostic]:
    plan = resolve(spec_of(yaml.safe_dump(over)), NOW).plan
    assert plan is not None
    return [d for d in check_plan(plan, options=options) if d.code == code]


@pytest.fixture
def unpriced(monkeypatch: pytest.MonkeyPatch) -> None:
    """No table has a price of a node."""
    monkeypatch.setattr(nodes.catalog, "price", lambda *args: None)


@pytest.mark.usefixtures("unpriced")
@pytest.mark.parametrize(
    ("code", "budget"),
    [("GI2205", {"per_month_usd": 90000}), ("GI2204", {"per_run_usd": 20000, "per_month_usd": None})],
)
def test_an_amount_over_nodes_without_a_price_is_not_passed(code: str, budget: dict[str, Any]):
    (one,) = of(code, {"budget": budget})
    assert not one.is_error
    assert "cannot be checked: the price of pool gpu is not known" in one.message


@pytest.mark.usefixtures("unpriced")
def test_what_is_known_alone_may_be_above_the_amount():
    (one,) = of("GI2205", {"budget": {"per_month_usd": 1}})
    assert one.is_error
    assert "at least" in one.message


@pytest.mark.usefixtures("unpriced")
@pytest.mark.parametrize(("over", "code"), [(IDLE, "GI2351"), ({"shutdown": None}, "GI2201")])
def test_without_any_price_a_lease_is_demanded(over: dict[str, Any], code: str):
    (one,) = of(code, over)
    assert one.is_error
    assert "not known" in one.message


@pytest.mark.parametrize(
    ("above", "demanded"),
    [(10.0, False), (0.5, True)],
)
def test_the_price_that_demands_a_lease_is_an_option(above: float, demanded: bool):
    cheap = {**IDLE, "node_pools": [{"instance_type": "g4dn.xlarge"}], "storage": []}
    options = RuleOptions(lease_above_usd_per_hour=above)
    assert bool(of("GI2351", cheap, options)) is demanded


def test_the_missing_lease_is_said_once_with_the_amount_of_the_run():
    over = {**IDLE, "budget": {"per_run_usd": 5000}}
    (one,) = of("GI2351", over)
    assert "budget.per_run_usd (5,000 USD) lasts 43 h" in one.message
    assert of("GI2204", over) == []
    waived = {**over, "waivers": [{"code": "GI2351", "reason": "a notebook", "expires": "2026-12-31"}]}
    assert len(of("GI2204", waived)) == 1


def test_nodes_that_end_by_themselves_need_no_lease():
    block = {"type": "capacity_block", "id": "cr-0aaa1111bbbb2222c", "starts": "2026-12-01T11:30:00Z"}
    pool = {"count": 2, "capacity": {**block, "ends": "2026-12-02T11:30:00Z"}}
    assert of("GI2351", {**IDLE, "node_pools": [pool]}) == []


@pytest.mark.parametrize(("size", "late"), [(257, False), (258, True)])
def test_the_notice_of_google_is_30_seconds(size: int, late: bool):
    over = {**GCP, "job": {"checkpoint": {"path": "/scratch/ckpt", "size_gib": size, "on_notice": "SIGTERM"}}}
    found = of("GI2350", over)
    assert bool(found) is late
    assert all("30 s" in d.message for d in found)


@pytest.mark.parametrize(
    "job",
    [
        {"checkpoint": {"path": "/elsewhere", "size_gib": 90000}},
        {"checkpoint": {"path": "/scratch/ckpt"}},
        {"command": ["true"]},
    ],
)
def test_nothing_is_said_where_size_or_speed_is_not_known(job: dict[str, Any]):
    assert of("GI2350", {**GCP, "job": job}) == []


def test_the_deepest_mount_holds_the_checkpoint():
    from gpuinfra.policy.checkpoints import home_of

    stores = [{}, {"name": "fast", "kind": "lustre", "size_gib": 2400, "mount": "/scratch/fast"}]
    plan = resolve(spec_of(yaml.safe_dump({"storage": stores})), NOW).plan
    assert plan is not None
    home = home_of(plan, "/scratch/fast/ckpt")
    assert home is not None
    assert home.name == "fast"


def test_a_head_node_without_a_price_leaves_no_amount_open(monkeypatch: pytest.MonkeyPatch):
    known = nodes.catalog.price
    monkeypatch.setattr(nodes.catalog, "price", lambda p, r, name: None if name == "m5.xlarge" else known(p, r, name))
    pools = [{}, {"name": "head", "instance_type": "m5.xlarge", "count": 1}]
    assert of("GI2205", {"node_pools": pools}) == []
    assert of("GI2351", {**IDLE, "node_pools": [{"instance_type": "g4dn.xlarge"}, pools[1]], "storage": []}) == []


REFUSED = {
    "node_pools": [
        {"name": "gpu", "instance_type": "p5.48xlarge", "count": 2},
        {"name": "gpu2", "instance_type": "p5.48xlargee", "count": 2},
    ]
}


@pytest.mark.parametrize(
    ("code", "over"),
    [
        ("GI2203", {"budget": {"per_hour_usd": 20}}),
        ("GI2204", {"budget": {"per_run_usd": 900, "per_month_usd": None}}),
        ("GI2205", {"budget": {"per_month_usd": 900}}),
        ("GI2202", {"budget": None}),
        ("GI2210", {"budget": {"per_month_usd": 900}}),
        ("GI2201", {"budget": {"per_month_usd": 900}, "shutdown": None}),
        ("GI2351", {"budget": {"per_run_usd": 900}, **IDLE}),
    ],
)
def test_a_sum_without_a_pool_that_was_refused_is_at_least(code: str, over: dict[str, Any]):
    (one,) = of(code, REFUSED | over)
    assert "at least " in one.message
    assert "at at least" not in one.message
    (whole,) = of(code, {"node_pools": REFUSED["node_pools"][:1]} | over)
    assert "at least " not in whole.message


def test_no_lease_is_said_to_fit_where_a_pool_has_no_price():
    budget = {"budget": {"per_month_usd": 900}}
    (one,) = of("GI2205", REFUSED | budget)
    assert "is the most that a lease can have, and less by what pool gpu2 costs" in one.hint
    (whole,) = of("GI2205", {"node_pools": REFUSED["node_pools"][:1]} | budget)
    assert "h fits, or raise the amount" in whole.hint
    (cap,) = of("GI2203", REFUSED | {"budget": {"per_hour_usd": 20}})
    assert "to the figure given" not in cap.hint
