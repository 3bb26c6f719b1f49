from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from gpuinfra.policy.resource_graph import OutputRef, ResourceGraph

from .clusters import BLOCK, BUDGET, GROUP, NOW, cluster, only, pool, recorded

SCHEDULED = "aws:autoscaling/schedule:Schedule"


def block(now: datetime = NOW, **changes: Any) -> ResourceGraph:
    spec = cluster(
        node_pools=[pool(count=8, capacity=BLOCK)], shutdown={"lease": "2026-12-08T10:00:00Z"}, budget=BUDGET, **changes
    )
    return recorded(spec, now=now)


def times(graph: ResourceGraph) -> dict[str, tuple[str, int, int, int]]:
    return {
        r.name: (r.get("startTime"), r.get("minSize"), r.get("desiredCapacity"), r.get("maxSize"))
        for r in graph.of_type(SCHEDULED)
    }


def test_before_its_start_the_group_is_empty_and_goes_up_and_down_with_the_block() -> None:
    """AWS-C05."""
    graph = block()
    group = only(graph, GROUP)
    assert (group.get("minSize"), group.get("desiredCapacity"), group.get("maxSize")) == (0, 0, 8)
    assert times(graph) == {
        "train-gpu-pool-block-up": ("2026-12-01T11:30:00Z", 8, 8, 8),
        "train-gpu-pool-block-down": ("2026-12-08T10:50:00Z", 0, 0, 0),
    }
    for schedule in graph.of_type(SCHEDULED):
        assert schedule.inputs["autoscalingGroupName"] in (OutputRef("train-gpu-pool-group", "name"), "train-gpu")
        assert group.urn in schedule.dependencies


def test_while_the_block_runs_no_moment_of_the_past_is_scheduled() -> None:
    graph = block(datetime(2026, 12, 2, tzinfo=UTC))
    assert set(times(graph)) == {"train-gpu-pool-block-down"}
    assert only(graph, GROUP).get("desiredCapacity") == 8


def test_both_spellings_of_the_events_reach_the_contacts() -> None:
    graph = block()
    pattern = json.loads(only(graph, "aws:cloudwatch/eventRule:EventRule").get("eventPattern"))
    assert set(pattern["detail-type"]) == {
        f"Capacity Block {middle}{what}"
        for middle in ("", "Reservation ")
        for what in ("Delivered", "Expiration Warning")
    }
    assert pattern["detail"] == {"capacity-reservation-id": [BLOCK["id"]]}
    target = only(graph, "aws:cloudwatch/eventTarget:EventTarget")
    assert target.inputs["arn"] == OutputRef("train-gpu-pool-block-events", "arn")
    mail = [
        (r.get("protocol"), r.get("endpoint")) for r in graph.of_type("aws:sns/topicSubscription:TopicSubscription")
    ]
    assert mail == [("email", "ml-platform@example.com")]


def test_only_the_rule_may_publish() -> None:
    policy = json.loads(only(block(), "aws:sns/topicPolicy:TopicPolicy").get("policy"))
    (statement,) = policy["Statement"]
    assert statement["Principal"] == {"Service": "events.amazonaws.com"}
    assert statement["Condition"] == {"ArnEquals": {"aws:SourceArn": "${train-gpu-pool-block-events-rule.arn}"}}


def test_a_block_without_times_is_left_to_the_user() -> None:
    capacity = {"type": "capacity_block", "id": BLOCK["id"]}
    graph = recorded(cluster(node_pools=[pool(count=8, capacity=capacity)]))
    assert not graph.of_type(SCHEDULED)
    assert only(graph, GROUP).get("desiredCapacity") == 0


def test_other_purchases_have_no_block_to_follow() -> None:
    graph = recorded(cluster())
    assert not graph.of_type(SCHEDULED, "aws:cloudwatch/eventRule:EventRule")


def test_the_idle_timer_is_not_held_up_by_the_blocks_minimum() -> None:
    graph = recorded(
        cluster(
            node_pools=[pool(count=8, capacity=BLOCK)],
            shutdown={"lease": "2026-12-08T10:00:00Z", "idle_after": "30m"},
            budget=BUDGET,
        )
    )
    assert times(graph)["train-gpu-pool-block-up"] == ("2026-12-01T11:30:00Z", 0, 8, 8)


def test_a_range_stays_open_while_the_block_lasts() -> None:
    graph = recorded(
        cluster(
            node_pools=[pool(count={"min": 2, "max": 8}, capacity=BLOCK)],
            shutdown={"lease": "2026-12-08T10:00:00Z"},
            budget=BUDGET,
        )
    )
    assert times(graph)["train-gpu-pool-block-up"] == ("2026-12-01T11:30:00Z", 0, 2, 8)
