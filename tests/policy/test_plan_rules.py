"""Plan rules beyond their examples: tables of schedules, mounts, labels and ranges, and what one mistake sets off."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from gpuinfra.diagnostics import Diagnostic
from gpuinfra.plan import resolve
from gpuinfra.policy import check_plan
from gpuinfra.policy.examples import NOW, spec_of

GCP = {
    "location": {"provider": "gcp", "project": "acme-lab", "region": "us-central1"},
    "node_pools": [{"instance_type": "g2-standard-4"}],
    "storage": [],
}
AZURE = {
    "location": {"provider": "azure", "region": "eastus"},
    "node_pools": [{"instance_type": "Standard_ND96isr_H100_v5"}],
    "storage": [],
}


def found(over: dict[str, Any]) -> list[Diagnostic]:
    plan = resolve(spec_of(yaml.safe_dump(over)), NOW).plan
    assert plan is not None
    return list(check_plan(plan))


def of(code: str, over: dict[str, Any]) -> list[Diagnostic]:
    return [d for d in found(over) if d.code == code]


def stop_at(cron: str, timezone: str = "UTC") -> dict[str, Any]:
    return {"shutdown": {"stop_at": {"cron": cron, "timezone": timezone}}}


@pytest.mark.parametrize(
    "cron",
    [
        "0 20 * * *",
        "*/15 8-18 * * 1-5",
        "0 0 29 2 *",
        "0 0 1,15 * *",
        "5 4 * * sun",
        "0 0 * JAN-MAR 7",
        "0 0 31 1-3 *",
        "0 1/2 * * *",
    ],
)
def test_schedules_that_fire(cron: str):
    assert of("GI2222", stop_at(cron)) == []


@pytest.mark.parametrize(
    ("cron", "hint"),
    [
        ("20:30", '"30 20 * * *"'),
        ("@daily", '"0 0 * * *"'),
        ("0 0 20 * * ?", '"0 0 20 * *"'),
        ("0 20 * *", "five fields"),
        ("60 * * * *", "five fields"),
        ("0 20-8 * * *", "five fields"),
        ("0 0 0 * *", "five fields"),
        ("0 0 * 13 *", "five fields"),
        ("0 0 * * 8", "five fields"),
        ("*/0 * * * *", "five fields"),
        ("0 0 31 4,6 *", "five fields"),
        ("0 0 30 2 *", "five fields"),
        ("* * * * *", "five fields"),
        ("\u0660 0 * * *", "five fields"),
        ("0 0 */2 * 1-5", "leave one"),
    ],
)
def test_schedules_that_do_not(cron: str, hint: str):
    (one,) = of("GI2222", stop_at(cron))
    assert one.is_error
    assert hint in one.hint


def test_a_cloud_with_a_full_cron_takes_both_day_fields():
    assert of("GI2222", {**GCP, **stop_at("0 0 */2 * 1-5")}) == []


@pytest.mark.parametrize(
    ("zone", "near"), [("Europe/Berln", "Europe/Berlin"), ("berlin", "Europe/Berlin"), ("New York", "America/New_York")]
)
def test_unknown_timezones(zone: str, near: str):
    (one,) = of("GI2223", stop_at("0 0 * * *", zone))
    assert near in one.hint


@pytest.mark.parametrize(
    "mount", ["/data", "/mnt/data", "/home/shared", "/srv/x", "/opt/tools", "/scratch-2", "/var/data"]
)
def test_mounts_that_are_fine(mount: str):
    codes = {d.code for d in found({"storage": [{"mount": mount}]})}
    assert codes & {"GI2260", "GI2261", "GI2262"} == set()


@pytest.mark.parametrize(
    ("mount", "code"),
    [
        ("/", "GI2261"),
        ("/etc", "GI2261"),
        ("/etc/x", "GI2261"),
        ("/home/", "GI2261"),
        ("/home/ec2-user", "GI2261"),
        ("/proc/x", "GI2261"),
        ("/boot", "GI2261"),
        ("data", "GI2262"),
        ("/a b", "GI2262"),
        ("/a/../b", "GI2262"),
        ("/a//b", "GI2262"),
        ("/`id`", "GI2262"),
        ("/local", "GI2260"),
        ("/local/x", "GI2260"),
    ],
)
def test_mounts_that_are_not(mount: str, code: str):
    assert code in {d.code for d in found({"storage": [{"mount": mount}]}) if d.is_error}


@pytest.mark.parametrize(
    ("base", "labels", "errors"),
    [
        ({}, {"team": "nlp", "cost_center": "1234"}, 0),
        ({}, {"Team Name": "A+B=c/d:e@f"}, 0),
        ({}, {"k" * 128: "v" * 256}, 0),
        ({}, {"k" * 129: "v"}, 1),
        ({}, {"k": "v" * 257}, 1),
        ({}, {"AWS:x": "v"}, 1),
        ({}, {f"k{n}": "v" for n in range(47)}, 0),
        ({}, {f"k{n}": "v" for n in range(48)}, 1),
        (GCP, {"team": "nlp"}, 0),
        (GCP, {"Team": "nlp"}, 1),
        (GCP, {"team": "NLP"}, 1),
        (GCP, {"1team": "x"}, 1),
        (GCP, {"k" * 64: "x"}, 1),
        (AZURE, {"Team": "A?B"}, 0),
        (AZURE, {"a/b": "x"}, 1),
        (AZURE, {"microsoft-x": "x"}, 1),
    ],
)
def test_labels(base: dict[str, Any], labels: dict[str, str], errors: int):
    assert len(of("GI2270", {**base, "labels": labels})) == errors


@pytest.mark.parametrize(
    ("base", "levels", "refused"),
    [(AZURE, [1, 2, 3, 4, 5], False), (AZURE, [1, 2, 3, 4, 5, 6], True), (GCP, list(range(1, 20)), False)],
)
def test_alert_levels_of_each_cloud(base: dict[str, Any], levels: list[int], refused: bool):
    assert bool(of("GI2206", {**base, "budget": {"alerts_percent": levels}})) is refused


def test_an_unknown_price_demands_a_lease():
    over = {
        **GCP,
        "node_pools": [{"instance_type": "a4-highgpu-8g", "capacity": {"type": "reservation", "id": "r1"}}],
        "shutdown": None,
    }
    (one,) = of("GI2201", over)
    assert one.is_error
    assert "the price is not known" in one.message or "at least" in one.message


def test_a_cap_over_an_unknown_price_is_a_warning():
    over = {
        **GCP,
        "node_pools": [{"instance_type": "a4-highgpu-8g", "capacity": {"type": "reservation", "id": "r1"}}],
        "budget": {"per_hour_usd": 100_000},
    }
    (one,) = of("GI2203", over)
    assert not one.is_error
    assert "cannot be checked" in one.message


def test_nodes_that_the_cloud_ends_itself_need_no_lease():
    flex = {
        **GCP,
        "node_pools": [{"instance_type": "a4-highgpu-8g", "capacity": {"type": "flex_start", "duration": "72h"}}],
        "shutdown": None,
    }
    assert of("GI2201", flex) == []


def test_cpu_nodes_need_no_lease():
    over = {"node_pools": [{"instance_type": "m5.xlarge"}], "shutdown": None, "storage": []}
    assert of("GI2201", over) == []


def test_two_infiniband_pools_cannot_be_one_job():
    pool = {"instance_type": "Standard_ND96isr_H100_v5", "count": 2, "fabric": "required"}
    over = {**AZURE, "node_pools": [pool, {**pool, "name": "other"}], "job": {"launcher": "mpi", "command": ["x"]}}
    (one,) = of("GI2235", over)
    assert one.is_error
    assert "infiniband" in one.message


def test_independent_jobs_may_use_unlike_pools():
    over = {
        "node_pools": [{}, {"name": "other", "instance_type": "g5.xlarge"}],
        "job": {"command": ["x"], "pools": ["gpu", "other"]},
    }
    assert [d.is_error for d in of("GI2235", over)] == [False]


@pytest.mark.parametrize(
    ("over", "codes"),
    [
        ({"network": {"ssh_from": ["0.0.0.0/0"]}}, {"GI2250"}),
        ({"network": {"ssh_from": ["10.0.0.1/8"]}}, {"GI2251"}),
        ({"storage": [{"mount": "/home"}]}, {"GI2261"}),
        ({"storage": [{"mount": "../x"}]}, {"GI2262"}),
        ({"shutdown": {"lease": "2026-11-29T00:00:00Z"}}, {"GI2211"}),
        ({"budget": {"contacts": []}}, {"GI2208"}),
        ({"node_pools": [{"count": 16}], "shutdown": None, "budget": None}, {"GI2201"}),
        ({"node_pools": [{"count": {"min": 1, "max": 2}}]}, {"GI2220"}),
        ({"scheduler": "slurm"}, {"GI2239"}),
        ({"job": {"pools": ["nope"]}}, {"GI2236"}),
    ],
)
def test_one_mistake_is_one_error(over: dict[str, Any], codes: set[str]):
    errors = [d.code for d in found(over) if d.is_error]
    assert sorted(errors) == sorted(codes)


# Money: what is not known is said.


def without_lustre_price(monkeypatch: pytest.MonkeyPatch) -> None:
    from gpuinfra.cost import services

    known = services.catalog.service_price
    monkeypatch.setattr(
        services.catalog, "service_price", lambda p, s, *rest: None if s == "lustre" else known(p, s, *rest)
    )


@pytest.mark.parametrize(
    ("code", "over"),
    [
        ("GI2201", {"shutdown": None, "budget": {"per_month_usd": 90000}}),
        ("GI2202", {"budget": None}),
        ("GI2203", {"budget": {"per_hour_usd": 50}}),
        ("GI2204", {"budget": {"per_run_usd": 50}}),
        ("GI2204", {"budget": {"per_run_usd": 50}, "shutdown": {"lease": None, "idle_after": "30m"}}),
        ("GI2205", {"budget": {"per_month_usd": 50}}),
        ("GI2210", {}),
        ("GI2272", {}),
    ],
)
def test_a_sum_that_leaves_something_out_says_at_least(
    monkeypatch: pytest.MonkeyPatch, code: str, over: dict[str, Any]
):
    (whole,) = of(code, over)
    assert "at least" not in whole.message
    without_lustre_price(monkeypatch)
    (part,) = of(code, over)
    assert "at least" in part.message
    assert "up to at least" not in part.message


def test_a_cap_over_an_unpriced_file_system_cannot_be_checked(monkeypatch: pytest.MonkeyPatch):
    over = {"budget": {"per_hour_usd": 9000}}
    assert of("GI2203", over) == []
    without_lustre_price(monkeypatch)
    (one,) = of("GI2203", over)
    assert "scratch (lustre)" in one.message
    assert not one.is_error


def test_an_unpriced_file_system_bills_on_by_name(monkeypatch: pytest.MonkeyPatch):
    without_lustre_price(monkeypatch)
    (one,) = of("GI2272", {})
    assert "scratch (lustre) (price not known)" in one.message
    assert of("GI2272", {"storage": []})[0].message.count("not known") == 0


def test_what_is_kept_by_use_bills_on_by_name():
    bucket = {"name": "data", "kind": "bucket", "mount": "/data"}
    (one,) = of("GI2272", {"storage": [{}, bucket]})
    assert "data (bucket) is billed by the GiB" in one.message


# Racks.


@pytest.mark.parametrize(
    ("name", "rack"),
    [
        ("Standard_ND128isr_NDR_GB200_v6", True),
        ("Standard_ND128isr_GB300_v6", True),
        ("Standard_ND128isrG5_GB300_v6", True),
        ("Standard_ND96isr_H100_v5", False),
    ],
)
def test_every_rack_size_of_azure_is_known_as_one(name: str, rack: bool):
    from gpuinfra.policy.rules.plan.gi2216_rack_in_pieces import _RACKS  # pyright: ignore[reportPrivateUsage]
    from gpuinfra.vocabulary import Provider

    assert bool(_RACKS[Provider.AZURE][0].match(name)) is rack


@pytest.mark.parametrize(
    ("count", "hint"), [(1, "take 18"), (4, "take 18"), (17, "take 18"), (20, "take 18 or 36"), (40, "take 36 or 54")]
)
def test_part_of_a_rack_is_said_with_the_whole_numbers(count: int, hint: str):
    over = {**AZURE, "node_pools": [{"instance_type": "Standard_ND128isr_NDR_GB200_v6", "count": count}]}
    (one,) = of("GI2216", over)
    assert one.hint == hint
    assert "holds 18" in one.message
    assert not one.is_error


def test_less_than_a_rack_is_fine_where_a_policy_takes_it():
    a4x = {"instance_type": "a4x-highgpu-4g", "capacity": {"type": "reservation", "id": "block-1"}}
    for count, findings in ((4, 0), (18, 0), (20, 1)):
        assert len(of("GI2216", {**GCP, "node_pools": [{**a4x, "count": count}]})) == findings


# Spot: one warning for the cluster says that nothing hears the notice.

NOTICE = ("GI2231", "GI2238", "GI2240")


@pytest.mark.parametrize("workload", ["training", "inference", "rendering", "interactive", "simulation"])
@pytest.mark.parametrize(
    "job",
    [
        None,
        {"checkpoint": {"path": "/scratch/ckpt"}},
        {"checkpoint": {"path": "/scratch/ckpt", "on_notice": "SIGTERM"}},
    ],
)
def test_a_spot_cluster_has_one_warning_that_nothing_hears_the_notice(workload: str, job: dict[str, Any] | None):
    pools = [
        {"name": name, "instance_type": "g6.12xlarge", "capacity": {"type": "spot"}, "fabric": "none"}
        for name in ("a", "b")
    ]
    over = {"workload": workload, "job": job, "node_pools": pools}
    (one,) = [d for d in found(over) if d.code in NOTICE and d.severity != "info"]
    assert "notice" in one.message
    assert [
        d
        for d in found({**over, "node_pools": [{**p, "capacity": {"type": "on_demand"}} for p in pools]})
        if d.code == "GI2240"
    ] == []


# Nodes and the internet.


def test_public_nodes_are_said_once_at_the_field_that_makes_them():
    pools = [
        {"name": "a", "instance_type": "Standard_NC24ads_A100_v4"},
        {"name": "b", "instance_type": "Standard_D8s_v5"},
    ]
    for network, path in (({"public_nodes": True}, "network.public_nodes"), ({}, "node_pools[0].public_ip")):
        own = [{**p, "public_ip": True} for p in pools] if not network else pools
        (one,) = of("GI2254", {**AZURE, "network": network, "node_pools": own})
        assert one.path == path
    assert of("GI2254", {"network": {"public_nodes": True}, "node_pools": [{"instance_type": "g6.xlarge"}]}) == []


def test_an_image_of_ones_own_is_not_told_to_lack_gpudirect():
    zone = {**GCP, "location": {**GCP["location"], "zone": "us-central1-a"}}
    pools = [{"instance_type": "a3-highgpu-8g", "count": 2}]
    (own,) = of("GI2241", {**zone, "node_pools": pools, "image": {"node": "projects/acme-lab/global/images/tcpx-1"}})
    (auto,) = of("GI2241", {**zone, "node_pools": pools})
    assert (str(own.severity), str(auto.severity)) == ("info", "warning")
    assert "cannot be told" in own.message
    (cos,) = of("GI2241", {**zone, "node_pools": pools, "image": {"node": "family/cos-stable"}})
    assert "has the kernel for it" in cos.message
