"""The ends as autoscale's profiles: what is in force at which minute, and that nothing there ever starts a node."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.cluster import GpuCluster
from gpuinfra.diagnostics import GpuInfraError
from gpuinfra.plan.cron import parse_cron
from gpuinfra.plan.weekly import WeeklyTime, weekly_times
from gpuinfra.policy.resource_graph import UNKNOWN, OutputRef, ResourceGraph
from gpuinfra.providers.azure.shutdown import after_stops
from gpuinfra.providers.azure.time_zones import stop_times, time_zone
from gpuinfra.testing import record

from .clusters import AUTOSCALE, NOW, SCALE_SET, cluster, only, pool, recorded

OFFSET = "time:index/offset:Offset"
END = "2026-12-05T18:00:00+01:00"
AFTER = datetime(2026, 12, 6, tzinfo=UTC)
NIGHTS = {"cron": "0 20 * * 1-5", "timezone": "Europe/Berlin"}
NO_LEASE = [{"code": "GI2351", "reason": "what ends without a lease is looked at", "expires": "2099-12-31"}]
NONE = {"minimum": "0", "maximum": "0", "default": "0"}


def profiles(graph: ResourceGraph) -> dict[str, dict[str, Any]]:
    """By name, in order."""
    return {p["name"]: p for p in only(graph, AUTOSCALE).get("profiles")}


def for_(name: str) -> str:
    return json.dumps({"name": "Auto created default scale condition", "for": name}, separators=(",", ":"))


# The lease.


def test_the_end_is_outside_the_guest() -> None:
    """A profile with fixed dates beats every other one."""
    graph = recorded(cluster(shutdown={"lease": END}))
    setting = only(graph, AUTOSCALE)
    assert setting.get("enabled") is True, "left out, the setting does nothing"
    assert setting.inputs["targetResourceUri"] == OutputRef("train-gpu-pool-set", "id")
    over, run = setting.get("profiles")
    assert over["capacity"] == NONE
    assert over["fixedDate"] == {"start": "2026-12-05T17:00:00Z", "end": "2099-12-31T23:59:00Z", "timeZone": "UTC"}
    assert run["capacity"] == {"minimum": "0", "maximum": "4", "default": "0"}
    assert not {"fixedDate", "recurrence"} & set(run), "the default profile has no times"
    assert over["rules"] == run["rules"] == []
    assert not graph.of_type(OFFSET)


def test_a_scale_set_that_is_made_anew_gets_its_setting_anew() -> None:
    options = only(recorded(cluster()), AUTOSCALE).options
    assert "targetResourceUri" in options["replaceOnChanges"]
    assert options["deleteBeforeReplace"] is True


def test_a_duration_starts_at_the_first_up_and_is_remembered() -> None:
    graph = recorded(cluster())
    offset = only(graph, OFFSET)
    assert (offset.get("offsetSeconds"), offset.get("triggers")) == (72 * 3600, {"lease": "72h"})
    assert only(graph, AUTOSCALE).inputs["profiles"][0]["fixedDate"]["start"] == OutputRef("train-lease", "rfc3339")
    assert only(graph, SCALE_SET).get("sku", "capacity") == 4, "a text that is no moment ends nothing"


def test_another_moment_changes_nothing_of_a_lease_that_runs() -> None:
    later = recorded(cluster(), now=datetime(2026, 12, 1, 3, 4, tzinfo=UTC))
    assert later.to_json() == recorded(cluster()).to_json()


def test_preview_says_that_the_end_is_not_known_yet() -> None:
    over, run = only(recorded(cluster(), preview=True), AUTOSCALE).get("profiles")
    assert over["fixedDate"]["start"] is UNKNOWN
    assert run["capacity"]["maximum"] is UNKNOWN


def after(end: str, now: datetime, **changes: Any) -> ResourceGraph:
    """A stack whose first `up` fixed the end."""
    return record(
        lambda: GpuCluster("train", cluster(**changes), now=now),
        outputs=lambda type_, name, inputs: {"rfc3339": end} if type_ == OFFSET else None,
    )


def test_after_the_end_up_buys_nothing_and_says_why() -> None:
    graph = after("2026-12-03T09:00:00Z", AFTER)
    assert only(graph, SCALE_SET).get("sku", "capacity") == 0
    assert [p["capacity"] for p in only(graph, AUTOSCALE).get("profiles")] == [NONE, NONE]
    (said,) = [m for severity, m in graph.logs if severity == "warning" and "lease ended" in m]
    assert said == (
        "shutdown.lease: the lease ended at 2026-12-03T09:00:00Z: the cluster has expired, and no node is started again; to go on change "
        "shutdown.lease, run up, and set the capacity of the scale sets (az vmss scale), which up leaves alone"
    )


def test_before_the_end_nothing_is_said() -> None:
    graph = after("2026-12-03T09:00:00Z", NOW)
    assert only(graph, SCALE_SET).get("sku", "capacity") == 4
    assert not [m for _, m in graph.logs if "lease ended" in m]


@pytest.mark.parametrize("end", ["2026-11-30T08:59:59Z", "2098-01-01T00:00:00Z", "2120-01-01T00:00:00Z"])
def test_a_window_never_ends_before_it_begins(end: str) -> None:
    window = only(after(end, NOW), AUTOSCALE).get("profiles")[0]["fixedDate"]
    assert window["start"] == end
    assert window["start"] < window["end"]


def test_without_an_end_there_is_no_setting() -> None:
    spec = cluster(
        node_pools=[pool(instance_type="Standard_NC4as_T4_v3", count=1)], shutdown=None, workload="inference"
    )
    assert not recorded(spec).of_type(AUTOSCALE, OFFSET)


def test_every_pool_has_its_own_end_and_its_own_most() -> None:
    pools = [
        pool(),
        pool(name="b", instance_type="Standard_NC4as_T4_v3", count={"min": 1, "max": 6, "initial": 2}),
    ]
    graph = recorded(cluster(node_pools=pools, shutdown={"lease": END}))
    found = {r.name: r for r in graph.of_type(AUTOSCALE)}
    assert set(found) == {"train-gpu-pool-end", "train-b-pool-end"}
    # A minimum would start nodes again that an idle timer or a stop took away.
    assert found["train-b-pool-end"].get("profiles", 1, "capacity") == {"minimum": "0", "maximum": "6", "default": "0"}
    assert found["train-b-pool-end"].get("tags", "gpuinfra-pool") == "b"


# A time of day.


def test_a_nightly_stop_is_a_pair_of_profiles_in_its_own_timezone() -> None:
    """Azure's own templates pair each recurring profile with a default of that name; without it the stop never ends."""
    found = profiles(recorded(cluster(shutdown={"stop_at": NIGHTS}, waivers=NO_LEASE)))
    assert list(found) == ["stop", for_("stop")]
    assert found["stop"]["capacity"] == NONE
    assert found[for_("stop")]["capacity"] == {"minimum": "0", "maximum": "4", "default": "0"}
    days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]
    for name, minute in (("stop", 0), (for_("stop"), 30)):
        assert found[name]["recurrence"] == {
            "frequency": "Week",
            "schedule": {"days": days, "hours": [20], "minutes": [minute], "timeZone": "W. Europe Standard Time"},
        }


def test_lease_and_stop_stand_in_one_setting() -> None:
    """A scale set takes one."""
    found = profiles(recorded(cluster(shutdown={"lease": END, "stop_at": {**NIGHTS, "cron": "45 12,23 * * *"}})))
    assert list(found) == ["lease-over", "stop", for_("stop"), "stop-1", for_("stop-1")]
    assert found[for_("stop-1")]["recurrence"]["schedule"]["hours"] == [0], "after midnight"
    assert len(found[for_("stop-1")]["recurrence"]["schedule"]["days"]) == 7


def test_profiles_stay_within_what_a_setting_takes() -> None:
    stop_at = {"cron": "0 9-17 * * *", "timezone": "UTC"}
    assert len(profiles(recorded(cluster(shutdown={"lease": END, "stop_at": stop_at})))) == 19
    with pytest.raises(GpuInfraError, match="names 10 times of day, and the cloud's schedules take 9"):
        recorded(cluster(shutdown={"lease": END, "stop_at": {**stop_at, "cron": "0 8-17 * * *"}}))


@pytest.mark.parametrize(
    ("stop_at", "path"),
    [
        ({"cron": "0 20 1 * *", "timezone": "UTC"}, "shutdown.stop_at.cron"),
        ({"cron": "0 20 * 1-6 *", "timezone": "UTC"}, "shutdown.stop_at.cron"),
        ({"cron": "0 20 * * *", "timezone": "Antarctica/Troll"}, "shutdown.stop_at.timezone"),
    ],
)
def test_a_stop_without_words_on_azure_is_a_finding(stop_at: dict[str, str], path: str) -> None:
    with pytest.raises(GpuInfraError) as error:
        recorded(cluster(shutdown={"lease": END, "stop_at": stop_at}))
    assert [(d.code, d.path) for d in error.value.diagnostics if d.is_error] == [("GI2305", path)]
    assert all(d.hint for d in error.value.diagnostics)


def test_a_waived_stop_is_refused_by_the_room_itself() -> None:
    with pytest.raises(GpuInfraError, match="names days of the month") as cron:
        stop_times("0 20 1 * *")
    with pytest.raises(GpuInfraError, match="has none for the timezone") as zone:
        time_zone("Antarctica/Troll")
    assert {d.code for e in (cron, zone) for d in e.value.diagnostics} == {"GI2178"}


# What is in force, minute by minute.

_DAY = 24 * 60
_WEEK = 7 * _DAY
_MINUTES = st.sampled_from(["0", "50", "59", "0,5", "10,40", "0,20,40", "*/30"])
_HOURS = st.sampled_from(["0", "23", "20", "0,23", "12,13", "11-13"])
_DAYS = st.sampled_from(["*", "1-5", "0", "6", "0,6", "2,4"])


def minutes_of(time: WeeklyTime) -> set[int]:
    """Minutes of the week at which a time comes."""
    return {day * _DAY + time.hour * 60 + time.minute for day in time.days}


@given(minutes=_MINUTES, hours=_HOURS, days=_DAYS)
def test_at_a_stop_no_node_may_stay_and_afterwards_any_may_be_had(minutes: str, hours: str, days: str) -> None:
    stops = weekly_times(parse_cron(f"{minutes} {hours} * * {days}"))
    ends = after_stops(stops)
    begins: dict[int, bool] = {}
    for times, stopped in ((stops, True), (ends, False)):
        for time in times:
            for minute in minutes_of(time):
                assert begins.get(minute) is not (not stopped), "two profiles begin at one minute, and differ"
                begins[minute] = stopped
    starts = {m for stop in stops for m in minutes_of(stop)}
    # The profile in force is the one that began last.
    stopped_at: list[bool] = []
    state = begins[max(begins)]
    for minute in range(_WEEK):
        state = begins.get(minute, state)
        stopped_at.append(state)
    for start in starts:
        assert all(stopped_at[(start + m) % _WEEK] for m in range(20)), "autoscale needs time to see it"
    of_day = {start % _DAY for start in starts}
    for minute, stopped in enumerate(stopped_at):
        # Past midnight a row of stops may go on in a day that has none.
        since = min((minute - start) % _DAY for start in of_day)
        assert not stopped or since < 30, "nodes can be had again half an hour after the last stop of a row"
        assert not stopped or min((minute - start) % _WEEK for start in starts) < 30 * len(of_day)


@given(minutes=_MINUTES, hours=_HOURS)
def test_no_two_stops_are_over_at_one_minute(minutes: str, hours: str) -> None:
    ends = after_stops(weekly_times(parse_cron(f"{minutes} {hours} * * *")))
    assert len({(t.hour, t.minute) for t in ends}) == len(ends)


@pytest.mark.parametrize("count", [1, 8])
@pytest.mark.parametrize("lease", [None, "72h", END])
@pytest.mark.parametrize("cron", [None, "0 20 * * 1-5", "0 8,20 * * *"])
def test_no_profile_ever_starts_a_node(count: int, lease: str | None, cron: str | None) -> None:
    """With a minimum, or a default above what runs, the morning after a stop would buy the nodes back."""
    shutdown = {"lease": lease, "stop_at": {"cron": cron, "timezone": "UTC"} if cron else None, "idle_after": "30m"}
    graph = recorded(cluster(node_pools=[pool(count=count)], shutdown=shutdown, waivers=NO_LEASE))
    for setting in graph.of_type(AUTOSCALE):
        for profile in setting.get("profiles"):
            assert (profile["capacity"]["minimum"], profile["capacity"]["default"]) == ("0", "0")
            assert profile["capacity"]["maximum"] in ("0", str(count))
            assert profile["rules"] == []
