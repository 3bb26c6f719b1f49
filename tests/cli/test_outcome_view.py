"""What is said of an operation on a stack: numbers that add up, prices that are known, and leases."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from gpuinfra.cli.outcome_view import outcome_data, outcome_text
from gpuinfra.engine.deployment import Deployed, Outcome

NOW = datetime(2026, 12, 1, tzinfo=UTC)
END, OVER = "2026-12-04T00:00:00Z", "2026-11-30T00:00:00Z"
ONE = Deployed("train", END, 226.4877, 226.4877)
HELD = (("gpuinfra:index:GpuCluster", "train"), ("acme:Thing", "own"), ("aws:ec2/vpc:Vpc", "v"), ("a:b:C", "c"))
OUTCOME = Outcome("up", "dev", {"create": 5}, {"usd_per_hour": 1.0}, HELD, frozenset(HELD[:2]), (ONE,))


def test_components_are_no_resources_of_a_cloud() -> None:
    assert outcome_text(OUTCOME, True, NOW).splitlines() == [
        "5 create",
        "2 simulated resources in 2 components:",
        "     1 a:b:C",
        "     1 aws:ec2:Vpc",
        "costs 226.49 USD an hour on the real cloud",
        "ends 2026-12-04T00:00:00Z",
    ]


def test_a_price_that_is_partly_unknown_is_at_least_what_is_known() -> None:
    """Whatever the program exports: an output of None is no output to the engine."""
    partly = replace(OUTCOME, outputs={}, clusters=(replace(ONE, usd_per_hour=None, usd_per_hour_at_least=368.98),))
    assert "costs at least 368.98 USD an hour on the real cloud (some prices are unknown)" in outcome_text(
        partly, True, NOW
    )
    assert "on the real cloud" not in outcome_text(partly, False, NOW)
    assert outcome_data(partly, True, NOW)["clusters"] == [
        {
            "name": "train",
            "lease_end": END,
            "expired": False,
            "usd_per_hour": None,
            "usd_per_hour_at_least": 368.98,
        }
    ]


def test_several_clusters_are_named() -> None:
    two = replace(OUTCOME, clusters=(ONE, Deployed("other", OVER, 2.0, 2.0)))
    said = outcome_text(two, True, NOW).splitlines()[-4:]
    assert said == [
        "train: costs 226.49 USD an hour on the real cloud",
        "other: costs 2.00 USD an hour on the real cloud while its nodes run",
        "train: ends 2026-12-04T00:00:00Z",
        "other: expired 2026-11-30T00:00:00Z: no node is started again until the lease is changed",
    ]
    assert outcome_data(two, True, NOW)["expired"]


def test_a_preview_speaks_of_what_stands() -> None:
    assert "as it stands costs 226.49 USD" in outcome_text(replace(OUTCOME, operation="preview"), True, NOW)


def test_what_is_left_says_so_and_speaks_of_no_price() -> None:
    left = outcome_text(replace(OUTCOME, operation="destroy", resources=HELD[2:3], components=frozenset()), True, NOW)
    assert left == "5 create\n1 simulated resource left:\n     1 aws:ec2:Vpc\n"


def test_an_output_of_that_name_that_is_no_moment_is_nothing() -> None:
    plain = replace(
        OUTCOME, clusters=(), outputs={"lease_end": "never", "b_lease_end": OVER, "c_lease_end": "2026-12-09"}
    )
    assert outcome_text(plain, False, NOW).splitlines()[-1].startswith("b: expired 2026-11-30")
