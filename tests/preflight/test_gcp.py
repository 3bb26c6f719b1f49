"""The reader of Google Cloud projects, over answers in the shapes of its REST APIs."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote_plus

import pytest

from gpuinfra.plan.models import ClusterPlan
from gpuinfra.policy.account_facts import AccountFacts
from gpuinfra.policy.engine import check_account
from gpuinfra.policy.examples import NOW
from gpuinfra.preflight import gcp
from gpuinfra.preflight.gathering import ReadingError

from .conftest import DENIED, FakeCloud, plan_of

HOME = "/compute/v1/projects/acme-lab"
L4 = """\
location: {provider: gcp, project: acme-lab, region: us-central1, zone: us-central1-a}
node_pools: [{instance_type: g2-standard-48, count: 2}]
storage: []
"""
MEGA = L4.replace("g2-standard-48", "a3-megagpu-8g")
FAMILY = "GPUS-PER-GPU-FAMILY-per-project-region/NVIDIA_H100_MEGA"


def quotas(**limits: float) -> dict[str, Any]:
    return {"quotas": [{"metric": k, "limit": v, "usage": 0.0} for k, v in limits.items()]}


def services(*off: str) -> dict[str, Any]:
    names = ("compute", "iam", "cloudresourcemanager", "cloudscheduler", "monitoring", "billingbudgets")
    return {
        "services": [
            {
                "name": f"projects/4711/services/{n}.googleapis.com",
                "state": "DISABLED" if n in off else "ENABLED",
            }
            for n in names
        ]
    }


def by_zone(kind: str, **zones: list[str]) -> dict[str, Any]:
    empty = {"zones/us-central1-f": {"warning": {"code": "NO_RESULTS_ON_PAGE"}}}
    items = {f"zones/{z.replace('_', '-')}": {kind: [{"name": n} for n in names]} for z, names in zones.items()}
    return {"items": {**items, **empty}}


def cloud(**changes: Any) -> FakeCloud:
    answers: dict[str, Any] = {
        "serviceusage": services(),
        "cloudbilling": {"projectId": "acme-lab", "billingEnabled": True},
        f"{HOME}/regions/us-central1$": quotas(NVIDIA_L4_GPUS=16, PREEMPTIBLE_NVIDIA_L4_GPUS=0, SSD_TOTAL_GB=4096, CPUS=72, NVIDIA_T4_GPUS=4),
        f"{HOME}$": quotas(GPUS_ALL_REGIONS=8, NETWORKS=5),
        "quotaInfos/": {
            "dimensionsInfos": [
                {"dimensions": {"region": "us-central1", "gpu_family": "NVIDIA_H100_MEGA"}, "details": {"value": "16"}},
                {"dimensions": {"region": "us-central1", "gpu_family": "NVIDIA_H100"}, "details": {"value": "99"}},
                {"dimensions": {"region": "us-east4", "gpu_family": "NVIDIA_H100_MEGA"}, "details": {"value": "98"}},
                {"dimensions": {}, "details": {"value": "0"}},
            ]
        },
        "aggregated/machineTypes": by_zone("machineTypes", us_central1_a=["g2-standard-48", "a3-megagpu-8g"], us_central1_b=["g2-standard-48"], us_east4_a=["a3-megagpu-8g"]),
        "aggregated/acceleratorTypes": by_zone("acceleratorTypes", us_central1_b=["nvidia-tesla-t4"]),
        "aggregated/instances": {"items": {}},
        "global/images/": {"architecture": "X86_64", "diskSizeGb": "50", "status": "READY"},
    }  # fmt: skip
    return FakeCloud({**changes, **{k: v for k, v in answers.items() if k not in changes}})


def read(plan: ClusterPlan, fake: FakeCloud) -> AccountFacts:
    return gcp.read(plan, NOW, {}, lambda what: None, fake.api())


def codes(plan: ClusterPlan, facts: AccountFacts) -> set[str]:
    return {d.code for d in check_account(plan, facts).diagnostics}


def test_a_right_project_has_no_fault_and_nothing_unknown():
    plan = plan_of(L4)
    report = check_account(plan, read(plan, cloud()))
    assert {d.code for d in report.diagnostics} == set()
    assert report.unsure == ()
    assert {"GI4001", "GI4002", "GI4003", "GI4010", "GI4040", "GI4050", "GI4052"} <= {p.code for p in report.passed}


def test_the_token_and_nothing_else_goes_along():
    fake = cloud()
    read(plan_of(L4), fake)
    assert {h["Authorization"] for h in fake.headers} == {"Bearer secret-token"}
    assert all(url.startswith("https://") and ".googleapis.com/" in url for url in fake.asked)
    assert "secret-token" not in str(fake.asked)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (L4.replace("count: 2", "count: 5"), {"GI4001", "GI4002"}),
        (L4.replace("count: 2", "count: 3"), {"GI4002"}),
        (L4.replace("count: 2", "count: 2, capacity: {type: spot}"), {"GI4001"}),
        (L4.replace("count: 2", "count: 1, capacity: {type: flex_start, duration: 24h}"), {"GI4001"}),
        (L4.replace("zone: us-central1-a", "zone: us-central1-c"), {"GI4010"}),
    ],
)
def test_quotas_and_zones(spec: str, said: set[str]):
    plan = plan_of(spec)
    assert {c for c in codes(plan, read(plan, cloud())) if c < "GI4003" or c == "GI4010"} == said


def test_zones_are_those_of_the_region():
    assert read(plan_of(MEGA), cloud()).entry("offerings", "a3-megagpu-8g").zones == ("us-central1-a",)
    other = plan_of(MEGA.replace("zone: us-central1-a", "zone: us-central1-b"))
    (one,) = [d for d in check_account(other, read(other, cloud())).diagnostics if d.code == "GI4010"]
    assert one.message.endswith("us-central1 has it in us-central1-a")


def test_new_families_are_counted_by_the_quotas_api_in_the_region_and_family():
    plan = plan_of(MEGA)
    facts = read(plan, cloud())
    quota = facts.entry("quotas", FAMILY)
    assert (quota.limit, quota.used) == (16, None)
    assert "GI4001" not in codes(plan, facts)
    more = plan_of(MEGA.replace("count: 2", "count: 3"))
    assert "GI4001" in codes(more, read(more, cloud()))


def test_a_family_of_which_nothing_is_granted_has_none():
    plan = plan_of(MEGA)
    fake = cloud(
        **{
            "quotaInfos/": {
                "dimensionsInfos": [{"dimensions": {"gpu_family": "NVIDIA_H100"}, "details": {"value": "8"}}]
            }
        }
    )
    assert read(plan, fake).entry("quotas", FAMILY).limit == 0


def test_nine_networks_of_a3_mega_are_more_than_five():
    plan = plan_of(MEGA)
    (one,) = [
        d
        for d in check_account(plan, read(plan, cloud())).diagnostics
        if d.code == "GI4003" and "NETWORKS" in d.message
    ]
    assert not one.is_error
    assert "the cluster takes 9" in one.message


N1 = """\
location: {{provider: gcp, project: acme-lab, region: us-central1, zone: {0}}}
node_pools: [{{instance_type: n1-standard-8, accelerator: {{model: T4, count: 1}}, count: {1}}}]
storage: []
"""


def test_what_is_attached_is_looked_for_beside_the_machine():
    types = {
        "aggregated/machineTypes": by_zone(
            "machineTypes", us_central1_a=["n1-standard-8"], us_central1_b=["n1-standard-8"]
        )
    }
    there, not_there = plan_of(N1.format("us-central1-b", 4)), plan_of(N1.format("us-central1-a", 4))
    assert "GI4010" not in codes(there, read(there, cloud(**types)))
    (one,) = [d for d in check_account(not_there, read(not_there, cloud(**types))).diagnostics if d.code == "GI4010"]
    assert one.message == "nvidia-tesla-t4 is not offered in us-central1-a; us-central1 has it in us-central1-b"
    five = plan_of(N1.format("us-central1-b", 5))
    assert "GI4001" in codes(five, read(five, cloud(**types)))


def test_the_clusters_own_machines_are_not_counted_against_it():
    node = {
        "status": "RUNNING",
        "machineType": f"https://www.googleapis.com{HOME}/zones/us-central1-a/machineTypes/g2-standard-48",
        "scheduling": {"provisioningModel": "STANDARD"},
    }
    gone = {**node, "status": "TERMINATED"}
    spot = {**node, "scheduling": {"provisioningModel": "SPOT"}}
    held = {**node, "reservationAffinity": {"consumeReservationType": "SPECIFIC_RESERVATION"}}
    full = {
        "quotas": [
            {"metric": "NVIDIA_L4_GPUS", "limit": 8, "usage": 8.0},
            {"metric": "SSD_TOTAL_GB", "limit": 9999, "usage": 0},
        ]
    }
    fake = cloud(**{
        "aggregated/instances": {"items": {"zones/us-central1-a": {"instances": [node, node, gone, spot, held]}}},
        f"{HOME}/regions/us-central1$": full,
    })  # fmt: skip
    plan = plan_of(L4)
    facts = read(plan, fake)
    assert facts.own_nodes == {"on_demand/g2-standard-48": 2, "spot/g2-standard-48": 1, "reserved/g2-standard-48": 1}
    assert "GI4001" not in codes(plan, facts)
    assert any('labels.gpuinfra-cluster="acme"' in unquote_plus(url) for url in fake.asked)


def reserved(**changes: Any) -> dict[str, Any]:
    machine = {"machineType": "a3-megagpu-8g", "guestAccelerators": [{"acceleratorType": "nvidia-h100-mega-80gb"}]}
    row = {
        "name": "held",
        "status": "READY",
        "specificReservationRequired": True,
        "specificReservation": {"count": "4", "inUseCount": "2", "instanceProperties": machine},
        **changes,
    }
    return {"items": {"zones/us-central1-a": {"reservations": [row]}, "zones/us-east4-a": {"reservations": [row]}}}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, set()),
        ({"status": "DELETING"}, {"GI4023"}),
        ({"deleteAtTime": "2026-12-01T00:00:00.000-08:00"}, {"GI4023"}),
        ({"specificReservation": {"count": "1", "inUseCount": "0", "instanceProperties": {"machineType": "a3-megagpu-8g"}}}, {"GI4024"}),
        ({"specificReservation": {"count": "4", "inUseCount": "3", "instanceProperties": {"machineType": "a3-megagpu-8g"}}}, {"GI4024"}),
        ({"specificReservation": {"count": "9", "inUseCount": "0", "instanceProperties": {"machineType": "a3-megagpu-8g"}}}, {"GI4025"}),
        ({"specificReservation": {"count": "4", "inUseCount": "0", "instanceProperties": {"machineType": "a3-highgpu-8g"}}}, {"GI4021"}),
        ({"name": "other"}, {"GI4020"}),
    ],
)  # fmt: skip
def test_reservations(changes: dict[str, Any], said: set[str]):
    plan = plan_of(MEGA.replace("count: 2", "count: 2, capacity: {type: reservation, id: held}"))
    facts = read(plan, cloud(**{"aggregated/reservations": reserved(**changes)}))
    assert {c for c in codes(plan, facts) if c.startswith("GI402")} == said


def test_a_reservation_of_another_zone_is_named_with_its_zone():
    plan = plan_of(MEGA.replace("count: 2", "count: 2, capacity: {type: reservation, id: held}"))
    other = {"items": {"zones/us-central1-b": reserved()["items"]["zones/us-central1-a"]}}
    (one,) = [
        d
        for d in check_account(plan, read(plan, cloud(**{"aggregated/reservations": other}))).diagnostics
        if d.code == "GI4021"
    ]
    assert "in us-central1-b" in one.message
    assert 'location.zone: "us-central1-b"' in one.hint


def test_a_shared_reservation_is_asked_for_in_its_owners_project():
    named = "projects/owner/reservations/held/reservationBlocks/b1"
    plan = plan_of(MEGA.replace("count: 2", f"count: 2, capacity: {{type: reservation, id: {named}}}"))
    fake = cloud(**{"/projects/owner/aggregated/reservations": reserved()})
    facts = read(plan, fake)
    assert facts.entry("reservations", named).members[0].free == 2
    assert any('name = "held"' in unquote_plus(u) for u in fake.asked)


EXISTING = (
    L4
    + "network: {existing: {network: projects/acme-lab/global/networks/n, subnet: projects/acme-lab/regions/us-central1/subnetworks/s}}\n"
)


@pytest.mark.parametrize(("cidr", "said"), [("10.0.0.0/29", {"GI4031"}), ("10.0.0.0/24", set())])
def test_a_subnet_too_small_for_its_nodes_is_a_fault_and_one_that_may_do_is_unknown(cidr: str, said: set[str]):
    plan = plan_of(EXISTING.replace("count: 2", "count: 5"))
    row = {"network": "https://www.googleapis.com/compute/v1/projects/acme-lab/global/networks/n", "ipCidrRange": cidr,
           "region": "https://www.googleapis.com/compute/v1/projects/acme-lab/regions/us-central1"}  # fmt: skip
    facts = read(plan, cloud(**{"/subnetworks/s": row, "/networks/n": {"name": "n"}}))
    report = check_account(plan, facts)
    assert {d.code for d in report.diagnostics} & {"GI4030", "GI4031"} == said
    assert ("GI4031" in {u.code for u in report.unsure}) is (not said)


def test_what_is_not_there_is_a_fault():
    plan = plan_of(EXISTING + "image: {node: projects/acme-lab/global/images/none}\n")
    fake = cloud(**{"images/none": (404, {"error": {"code": 404}})})
    assert {"GI4030", "GI4040"} <= codes(plan, read(plan, fake))


def test_an_api_that_is_off_and_a_project_nobody_pays_for():
    plan = plan_of(L4)
    facts = read(plan, cloud(serviceusage=services("iam"), cloudbilling={"billingEnabled": False}))
    found = check_account(plan, facts).diagnostics
    assert [(d.code, d.hint) for d in found if d.code == "GI4050"] == [
        ("GI4050", "enable it: gcloud services enable iam.googleapis.com")
    ]
    assert "GI4052" in {d.code for d in found}


@pytest.mark.parametrize(
    ("pattern", "code"),
    [
        ("serviceusage", "GI4050"),
        ("cloudbilling", "GI4052"),
        (f"{HOME}/regions/", "GI4001"),
        (f"{HOME}$", "GI4002"),
        ("aggregated/machineTypes", "GI4010"),
        ("global/images/", "GI4040"),
    ],
)
def test_a_denied_call_leaves_its_part_unknown_and_the_others_go_on(pattern: str, code: str):
    plan = plan_of(L4)
    report = check_account(plan, read(plan, cloud(**{pattern: DENIED})))
    reasons = {u.reason for u in report.unsure if u.code == code}
    assert reasons
    assert all(r.startswith("permission denied: ") for r in reasons)
    assert {p.code for p in report.passed} >= {"GI4001", "GI4010"} - {code}
    assert "example.com" not in str(report)


def test_a_cloud_that_hangs_leaves_its_part_unknown():
    plan = plan_of(L4)
    facts = read(
        plan, cloud(**{"aggregated/machineTypes": TimeoutError("timed out"), "cloudbilling": OSError("no route")})
    )
    assert facts.unknown["offerings"] == "the cloud did not answer in time"
    assert facts.unknown["billing"] == "the cloud cannot be reached: no route"


def test_every_question_needs_a_permission_that_is_listed():
    plan = plan_of(EXISTING.replace("[]", "[{name: d, kind: bucket, existing: 'gs://acme', mount: /d}]"))
    facts = gcp.read(plan, NOW, {}, lambda what: None, FakeCloud({"": DENIED}).api())
    named = {
        p.strip()
        for r in facts.unknown.values()
        if r.startswith("permission denied")
        for p in r.partition(": ")[2].partition(" (")[0].split(",")
    }
    assert named
    assert named <= set(gcp.PERMISSIONS)


def test_bad_credentials_end_the_reading():
    with pytest.raises(ReadingError, match="sign in again"):
        read(plan_of(L4), cloud(serviceusage=(401, {"error": {"status": "UNAUTHENTICATED"}})))


def test_without_the_library_one_line_says_what_to_install():
    with pytest.raises(ReadingError, match=r"pip install 'gpuinfra\[preflight-gcp\]'"):
        gcp.read(plan_of(L4), NOW, {}, lambda what: None)


def test_pages_of_machine_types_are_all_read():
    plan = plan_of(L4)

    def paged(query: dict[str, str]) -> dict[str, Any]:
        if query.get("pageToken") == "2":
            return by_zone("machineTypes", us_central1_a=["g2-standard-48"])
        return {**by_zone("machineTypes", us_central1_b=["g2-standard-48"]), "nextPageToken": "2"}

    facts = read(plan, cloud(**{"aggregated/machineTypes": paged}))
    assert facts.entry("offerings", "g2-standard-48").zones == ("us-central1-a", "us-central1-b")


def test_the_quota_project_goes_along_where_it_is_wanted_alone():
    assert gcp.quota_project("https://cloudquotas.googleapis.com/v1/x", "acme-lab") == {
        "x-goog-user-project": "acme-lab"
    }
    assert gcp.quota_project("https://compute.googleapis.com/compute/v1/x", "acme-lab") == {}


@pytest.mark.parametrize("odd", [{"count": "many"}, {"count": "-4"}, {"count": "4", "instanceProperties": []}, None])
def test_a_reservation_of_another_form_is_unknown(odd: Any):
    plan = plan_of(MEGA.replace("count: 2", "count: 2, capacity: {type: reservation, id: held}"))
    facts = read(plan, cloud(**{"aggregated/reservations": reserved(specificReservation=odd)}))
    report = check_account(plan, facts)
    assert "another form than expected" in facts.unknown["reservations/held"]
    assert {u.code for u in report.unsure} >= {"GI4020", "GI4021", "GI4024"}
    assert report.passed


def test_one_entry_of_another_form_leaves_the_others():
    rows = {"quotas": [{"metric": "NVIDIA_L4_GPUS", "limit": float("inf")}, {"metric": "SSD_TOTAL_GB", "limit": 4096}]}
    facts = read(plan_of(L4), cloud(**{f"{HOME}/regions/us-central1$": rows}))
    assert "another form" in facts.entry("quotas", "NVIDIA_L4_GPUS").reason
    assert facts.entry("quotas", "SSD_TOTAL_GB").limit == 4096
