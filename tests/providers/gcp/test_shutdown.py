"""The ends of a cluster: the lease's, and a time of day."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from gpuinfra.diagnostics import GpuInfraError
from gpuinfra.gcp import Spend
from gpuinfra.policy.resource_graph import UNKNOWN, OutputRef, ResourceGraph
from gpuinfra.testing import record

from .parts import (
    ACCOUNT,
    JOB,
    LEAVE_TO_START,
    MEMBER,
    MONEY,
    NOW,
    OFFSET,
    ROLE,
    WORKFLOW,
    only,
    outputs_of,
    planned,
    pool,
    spend,
)

END = "2026-12-05T18:00:00+01:00"
AFTER = datetime(2026, 12, 6, tzinfo=UTC)


def test_the_end_is_outside_the_guest() -> None:
    """GCP: a job that asks the group's own API for no node, in UTC, in the minute of the end."""
    graph = spend(shutdown={"lease": END})
    job = only(graph, JOB)
    assert job.name == "train-gpu-pool-lease"
    assert (job.get("schedule"), job.get("timeZone")) == ("0 17 5 12 *", "Etc/UTC")
    target = job.inputs["httpTarget"]
    assert target["httpMethod"] == "POST"
    assert target["uri"] == (
        "https://compute.googleapis.com/compute/v1/projects/acme-lab/zones/us-central1-a/instanceGroupManagers/train-gpu"
        "/resize?size=0"
    )
    assert target["oauthToken"] == {
        "serviceAccountEmail": OutputRef("train-stop-account", "email"),
        "scope": "https://www.googleapis.com/auth/compute",
    }
    retry = job.get("retryConfig")
    assert 0 < retry["retryCount"] <= 5
    assert retry["maxRetryDuration"] == "3600s"
    assert job.get("paused") is False
    assert job.get("region") == "us-central1"
    assert graph.named("train-stop-leave").urn in job.dependencies
    assert not graph.of_type(OFFSET)


def test_seconds_of_the_end_are_cut_off() -> None:
    assert only(spend(shutdown={"lease": "2026-12-05T17:00:59Z"}), JOB).get("schedule") == "0 17 5 12 *"


def test_who_ends_the_groups_may_change_groups_and_no_more() -> None:
    graph = spend()
    assert only(graph, ROLE).get("permissions") == [
        "compute.instanceGroupManagers.get",
        "compute.instanceGroupManagers.update",
    ]
    member = only(graph, MEMBER)
    assert member.get("member") == "serviceAccount:${train-stop-account.email}"
    assert member.inputs["role"] == OutputRef("train-stop-role", "name")


def test_a_duration_starts_at_the_first_up_and_is_remembered() -> None:
    graph = spend()
    offset = only(graph, OFFSET)
    assert (offset.get("offsetSeconds"), offset.get("triggers")) == (72 * 3600, {"lease": "72h"})
    assert only(graph, JOB).inputs["schedule"] == OutputRef("train-lease", "rfc3339"), "a text that is no moment"


def test_another_moment_changes_nothing_of_a_lease_that_runs() -> None:
    assert spend(now=datetime(2026, 12, 1, 3, 4, tzinfo=UTC)).to_json() == spend().to_json()


def test_preview_says_that_the_end_is_not_known_yet() -> None:
    assert only(spend(preview=True), JOB).get("schedule") is UNKNOWN


def test_a_known_end_is_scheduled() -> None:
    graph = spend(answers=outputs_of(OFFSET, rfc3339="2026-12-03T09:07:00Z"))
    assert only(graph, JOB).get("schedule") == "7 9 3 12 *"


def limits_after(end: str, now: datetime) -> tuple[ResourceGraph, dict[str, Any]]:
    plan, seen = planned(now=now), dict[str, Any]()

    def program() -> None:
        made = Spend("train-spend", plan)
        limits = made.limits(plan.pools[0])
        seen["least"] = limits.least
        for name, number in (("initial", limits.initial), ("most", limits.most), ("five", made.until_end(5))):
            number.apply(lambda n, name=name: seen.update({name: n}))  # type: ignore[union-attr]

    return record(program, **outputs_of(OFFSET, rfc3339=end)), seen


def test_after_the_end_there_is_no_node_and_up_says_why() -> None:
    graph, seen = limits_after("2026-12-03T09:00:00Z", AFTER)
    assert seen == {"least": 0, "initial": 0, "most": 0, "five": 0}
    (said,) = [m for severity, m in graph.logs if severity == "warning" and "lease ended" in m]
    assert said == (
        "shutdown.lease: the lease ended at 2026-12-03T09:00:00Z: the cluster has expired, and no node is started again; to go on change "
        "shutdown.lease, run up, and resize the groups (gcloud compute instance-groups managed resize), which up leaves alone"
    )


def test_before_the_end_the_planned_numbers_count() -> None:
    graph, seen = limits_after("2026-12-03T09:00:00Z", NOW)
    assert (seen["initial"], seen["most"], seen["five"]) == (2, 2, 5)
    assert not [m for _, m in graph.logs if "lease ended" in m]


def test_a_daily_stop_keeps_its_own_timezone() -> None:
    stop_at = {"cron": "0 20 * * 1-5", "timezone": "Europe/Berlin"}
    graph = spend(node_pools=[pool(), pool(name="b")], shutdown={"lease": END, "stop_at": stop_at})
    stops = {r.name: r for r in graph.of_type(JOB) if "stop" in r.name}
    assert set(stops) == {"train-gpu-pool-stop", "train-b-pool-stop"}
    for name, stop in stops.items():
        assert (stop.get("schedule"), stop.get("timeZone")) == ("0 20 * * 1-5", "Europe/Berlin")
        group = name.removesuffix("-pool-stop")
        assert stop.get("httpTarget", "uri").endswith(f"/instanceGroupManagers/{group}/resize?size=0")
    assert len(graph.of_type(ACCOUNT)) == 1


def test_a_line_with_two_day_fields_becomes_two_jobs() -> None:
    graph = spend(shutdown={"stop_at": {"cron": "0 20 1 * 5", "timezone": "UTC"}})
    stops = {r.name: r.get("schedule") for r in graph.of_type(JOB)}
    assert stops == {"train-gpu-pool-stop": "0 20 1 * *", "train-gpu-pool-stop-1": "0 20 * * 5"}


def test_a_line_without_words_is_a_finding() -> None:
    with pytest.raises(GpuInfraError) as error:
        spend(shutdown={"lease": END, "stop_at": {"cron": "0 20 */2 * 5", "timezone": "UTC"}})
    (found,) = error.value.diagnostics
    assert (found.code, found.path) == ("GI2170", "shutdown.stop_at.cron")
    assert "Cloud Scheduler" in found.message


def test_without_an_end_there_is_nothing_to_schedule() -> None:
    assert not spend(shutdown=None, workload="inference").of_type(JOB, OFFSET, ACCOUNT, ROLE)


QUEUED = pool(name="flex", capacity={"type": "flex_start", "duration": "24h"})


def test_what_waits_in_a_queue_is_called_back_at_every_end() -> None:
    """A request that is met after the end would bring nodes that nothing stops."""
    stop_at = {"cron": "0 20 1 * 5", "timezone": "Europe/Berlin"}
    graph = spend(node_pools=[pool(), QUEUED], shutdown={"lease": END, "stop_at": stop_at})
    calls = {r.name: r for r in graph.of_type(JOB) if "-queue-" in r.name}
    assert {name: (r.get("schedule"), r.get("timeZone")) for name, r in calls.items()} == {
        "train-queue-lease": ("0 17 5 12 *", "Etc/UTC"),
        "train-queue-stop": ("0 20 1 * *", "Europe/Berlin"),
        "train-queue-stop-1": ("0 20 * * 5", "Europe/Berlin"),
    }
    for call in calls.values():
        target = call.inputs["httpTarget"]
        assert target["uri"] == "https://workflowexecutions.googleapis.com/v1/${train-stop-workflow.id}/executions"
        assert json.loads(base64.b64decode(target["body"])) == {"argument": "{}"}
        assert target["oauthToken"]["serviceAccountEmail"] == OutputRef("train-starter-account", "email")
        assert graph.named("train-starter-leave").urn in call.dependencies
    (read,) = [
        s["read"] for s in json.loads(only(graph, WORKFLOW).get("sourceContents"))["main"]["steps"] if "read" in s
    ]
    assert [group.rsplit("/", 1)[-1] for group in read["assign"][1]["queued"]] == ["train-flex"]
    assert {m.inputs["role"] for m in graph.of_type(MEMBER) if "starter" in m.get("member")} == {LEAVE_TO_START}


def test_without_a_queue_and_a_limit_there_is_no_workflow() -> None:
    assert not spend().of_type(WORKFLOW)
    assert len(spend().of_type(ACCOUNT)) == 1


def test_the_queue_and_the_limit_share_one_workflow() -> None:
    graph = spend(node_pools=[QUEUED], budget={**MONEY, "on_limit": "stop"})
    assert only(graph, WORKFLOW)
    assert len(graph.of_type(ACCOUNT)) == 2


def test_two_leases_of_one_pool_never_share_a_job() -> None:
    """A pool may be named after another's part: the word `pool` keeps their jobs apart."""
    names = ["gpu", "gpu-lease", "gpu-stop", "gpu-pool"]
    stop_at = {"cron": "0 20 1 * 5", "timezone": "UTC"}
    graph = spend(node_pools=[pool(name=n) for n in names], shutdown={"lease": END, "stop_at": stop_at})
    assert len({r.name for r in graph.of_type(JOB)}) == len(names) * 3
