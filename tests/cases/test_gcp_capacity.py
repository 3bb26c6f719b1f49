"""GCP-C07: flex-start that silently becomes standard, and what may be bought together."""

from __future__ import annotations

from typing import Any

import pytest

from .gcp_programs import GOOGLE, errors, instance, judge, resource, spec_errors
from .judging import codes, rows, said

FLEX = {
    "onHostMaintenance": "TERMINATE", "provisioningModel": "FLEX_START", "automaticRestart": False,
    "instanceTerminationAction": "DELETE", "maxRunDuration": {"seconds": 43200},
}  # fmt: skip
NONE = {"type": "NO_RESERVATION"}
NAMED = {
    "type": "SPECIFIC_RESERVATION",
    "specificReservation": {"key": "compute.googleapis.com/reservation-name", "values": ["res-h"]},
}


def flex(
    scheduling: dict[str, Any], group: dict[str, Any], affinity: dict[str, Any] | None, *ignored: str
) -> list[dict[str, Any]]:
    """A template, its group and the resize request, as in the case."""
    more = {"reservationAffinity": affinity} if affinity else {}
    return [
        resource("gcp.compute.RegionInstanceTemplate", "nodes", name="nodes", machineType="a3-megagpu-8g", scheduling=scheduling, **more),
        resource(
            "gcp.compute.InstanceGroupManager", "group", {"ignoreChanges": list(ignored)}, name="group", zone="us-west1-a",
            versions=[{"instanceTemplate": "projects/acme-lab/regions/us-west1/instanceTemplates/nodes"}], **group,
        ),
        resource(
            "gcp.compute.ResizeRequest", "ask", instanceGroupManager="group", zone="us-west1-a", resizeBy=4,
            requestedRunDuration={"seconds": "43200"}, deletionPolicy="ABANDON",
        ),
    ]  # fmt: skip


BAD = {
    "onHostMaintenance": "TERMINATE", "automaticRestart": True, "maxRunDuration": {"seconds": 43200},
    "instanceTerminationAction": "STOP",
}  # fmt: skip
BAD_GROUP = {"targetSize": 4, "waitForInstances": True, "updatePolicy": {"type": "PROACTIVE"}}
GOOD_GROUP = {
    "targetSize": 0, "waitForInstances": False, "instanceLifecyclePolicy": {"defaultActionOnFailure": "DO_NOTHING"},
    "updatePolicy": {"type": "OPPORTUNISTIC", "minimalAction": "REPLACE", "maxSurgeFixed": 0, "maxUnavailableFixed": 1},
}  # fmt: skip


def test_c07_a_request_whose_template_is_standard():
    report = judge(*flex(BAD, BAD_GROUP, None))
    assert rows(report, errors=True, cloud=GOOGLE) == {"SCH-04", "MIG-01"}
    scheduling, group = said(report, "GI3123").message, said(report, "GI3155").message
    for word in ("FLEX_START", "automaticRestart", "DELETE", "NO_RESERVATION"):
        assert word in scheduling
    for word in ("targetSize is 4", "ignoreChanges", "DO_NOTHING", "waitForInstances", "OPPORTUNISTIC"):
        assert word in group


def test_c07_the_right_form_passes():
    assert rows(judge(*flex(FLEX, GOOD_GROUP, NONE, "targetSize")), cloud=GOOGLE) == set()


def test_c07_the_size_is_left_alone():
    assert errors(*flex(FLEX, GOOD_GROUP, NONE)) == {"MIG-01"}


def test_c07_flex_start_from_a_reservation():
    assert errors(*flex(FLEX, GOOD_GROUP, NAMED, "targetSize")) == {"RSV-03"}


def bought(kind: str, affinity: dict[str, Any] | None = None, **scheduling: Any) -> dict[str, Any]:
    more = {"reservationAffinity": affinity} if affinity else {}
    return instance(machineType=kind, scheduling={"onHostMaintenance": "TERMINATE", **scheduling}, **more)


SPOT: dict[str, Any] = {"provisioningModel": "SPOT", "automaticRestart": False}


@pytest.mark.parametrize(
    ("machine", "found"),
    [
        (bought("a4x-highgpu-4g", NONE, **FLEX), {"SCH-07", "SCH-08", "SCH-09"}),
        (bought("g2-standard-8", provisioningModel="SPOT", preemptible=True, automaticRestart=True), {"SCH-02"}),
        (bought("g2-standard-8", provisioningModel="STANDARD", preemptible=True, automaticRestart=False), {"SCH-03"}),
        (bought("a3-highgpu-1g", preemptible=True, **SPOT), set[str]()),
        (bought("a3-highgpu-1g", provisioningModel="STANDARD"), {"SCH-07", "SCH-08", "SCH-09"}),
        (bought("a4-highgpu-8g", provisioningModel="STANDARD"), {"SCH-07", "SCH-08", "SCH-09"}),
        (bought("a4-highgpu-8g", NAMED, provisioningModel="RESERVATION_BOUND"), set[str]()),
        (bought("a4-highgpu-8g", provisioningModel="RESERVATION_BOUND"), {"SCH-06"}),
        (bought("a3-megagpu-8g", NONE, **{**FLEX, "maxRunDuration": {"seconds": 1_209_600}}), {"SCH-05"}),
        (bought("a3-megagpu-8g", terminationTime="2026-12-05T18:00:00Z", maxRunDuration={"seconds": 3600}), {"SCH-10"}),
    ],
)
def test_c07_what_may_be_bought_how(machine: dict[str, Any], found: set[str]):
    assert errors(machine) == found


def test_c07_spot_without_preemptible_is_a_warning():
    report = judge(bought("g2-standard-8", **SPOT))
    assert codes(report) == ["GI3121"]
    assert not said(report, "GI3121").is_error


@pytest.mark.parametrize(
    ("pool", "zone", "found"),
    [
        ("instance_type: a3-megagpu-8g, count: 4, capacity: {type: flex_start, duration: 12h}", "us-west1-a", []),
        ("instance_type: a4x-highgpu-4g, count: 4, capacity: {type: flex_start, duration: 12h}", "us-central1-b", ["GI2030"]),
        ("instance_type: a3-highgpu-1g, capacity: {type: spot}", "us-central1-a", []),
        ("instance_type: a3-highgpu-1g", "us-central1-a", ["GI2030"]),
        ("instance_type: a4-highgpu-8g", "us-central1-b", ["GI2030"]),
        ("instance_type: a3-megagpu-8g, capacity: {type: flex_start, duration: 14d}", "us-west1-a", ["GI2034"]),
    ],
)  # fmt: skip
def test_c07_as_a_spec(pool: str, zone: str, found: list[str]):
    assert list(spec_errors(pool, zone)) == found
