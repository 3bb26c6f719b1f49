"""What is said of an operation on a stack: numbers that add up, prices that are known, and leases."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from gpuinfra.cli.outcome_view import outcome_data, outcome_text
from gpuinfra.engine.clusters import Deployed
from gpuinfra.engine.deployment import Outcome

NOW = datetime(2026, 12, 1, tzinfo=UTC)
END, OVER = "2026-12-04T00:00:00Z", "2026-11-30T00:00:00Z"
ONE = Deployed("train", END, 226.4877, 226.4877, "2025-10", "72h")
HELD = (("gpuinfra:index:GpuCluster", "train"), ("acme:Thing", "own"), ("aws:ec2/vpc:Vpc", "v"), ("a:b:C", "c"))
OUTCOME = Outcome("up", "dev", {"create": 5}, {"usd_per_hour": 1.0}, HELD, frozenset(HELD[:2]), (ONE,))


def test_components_are_no_resources_of_a_cloud() -> None:
    assert outcome_text(OUTCOME, True, NOW).splitlines() == [
        "5 create",
        "2 simulated resources in 2 components:",
        "     1 a:b:C",
        "     1 aws:ec2:Vpc",
        "costs 226.49 USD an hour (oldest price of 2025-10) on the real cloud",
        "ends 2026-12-04T00:00:00Z",
    ]


def test_a_price_that_is_partly_unknown_is_at_least_what_is_known() -> None:
    """Whatever the program exports: an output of None is no output to the engine."""
    partly = replace(OUTCOME, outputs={}, clusters=(replace(ONE, usd_per_hour=None, usd_per_hour_at_least=368.98),))
    said = outcome_text(partly, True, NOW)
    assert (
        "costs at least 368.98 USD an hour (some prices are unknown; oldest price of 2025-10) on the real cloud" in said
    )
    assert "on the real cloud" not in outcome_text(partly, False, NOW)
    assert outcome_data(partly, True, NOW)["clusters"] == [
        {
            "name": "train",
            "lease": "72h",
            "lease_end": END,
            "expired": False,
            "usd_per_hour": None,
            "usd_per_hour_at_least": 368.98,
            "price_as_of": "2025-10",
        }
    ]


def test_several_clusters_are_named() -> None:
    two = replace(OUTCOME, clusters=(ONE, Deployed("other", OVER, 2.0, 2.0)))
    said = outcome_text(two, True, NOW).splitlines()[-4:]
    assert said == [
        "other: costs 2.00 USD an hour on the real cloud while its nodes run",
        "train: costs 226.49 USD an hour (oldest price of 2025-10) on the real cloud",
        "train: ends 2026-12-04T00:00:00Z",
        "other: expired 2026-11-30T00:00:00Z: no node is started again until the lease is changed",
    ]
    assert outcome_data(two, True, NOW)["expired"]


def test_a_preview_says_what_it_costs_now_and_after_up() -> None:
    looked = replace(OUTCOME, operation="preview", planned=(replace(ONE, lease_end=None, usd_per_hour=116.4),))
    assert outcome_text(looked, False, NOW).splitlines()[-2:] == [
        "costs 226.49 USD an hour (oldest price of 2025-10), and after up 116.40 USD an hour (oldest price of 2025-10)",
        "ends 2026-12-04T00:00:00Z",
    ]
    unchanged = replace(looked, planned=looked.clusters)
    assert "after up" not in outcome_text(unchanged, False, NOW)


def test_the_first_preview_says_what_it_would_cost_and_when_it_would_end() -> None:
    first = replace(OUTCOME, operation="preview", resources=(), clusters=(), planned=(replace(ONE, lease_end=None),))
    assert outcome_text(first, True, NOW).splitlines()[1:] == [
        "will cost 226.49 USD an hour (oldest price of 2025-10) on the real cloud",
        "will end 72h after up",
    ]
    assert outcome_data(first, True, NOW)["planned"][0]["price_as_of"] == "2025-10"
    endless = replace(
        first, planned=(replace(ONE, lease_end=None, lease="", usd_per_hour=None, usd_per_hour_at_least=0.0),)
    )
    assert outcome_text(endless, True, NOW) == "5 create\n"


def test_what_is_left_says_so_and_speaks_of_no_price() -> None:
    left = outcome_text(replace(OUTCOME, operation="destroy", resources=HELD[2:3], components=frozenset()), True, NOW)
    assert left == "5 create\n1 simulated resource left:\n     1 aws:ec2:Vpc\n"


def test_an_output_of_that_name_that_is_no_moment_is_nothing() -> None:
    plain = replace(
        OUTCOME, clusters=(), outputs={"lease_end": "never", "b_lease_end": OVER, "c_lease_end": "2026-12-09"}
    )
    assert outcome_text(plain, False, NOW).splitlines()[-1].startswith("b: expired 2026-11-30")
