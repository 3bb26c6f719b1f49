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
        ("0 0 20 * * ?", '"0 20 * * *"'),
        ("0 0 20 * * 1-5", '"0 20 * * 1-5"'),
        ("30 0 20 * * MON-FRI", '"0 20 * * MON-FRI"'),
        ("0 0 20 ? * FRI", '"0 20 * * FRI"'),
        ("0 20 ? * MON-FRI *", '"0 20 * * MON-FRI"'),
        ("0 20 * * ? *", '"0 20 * * *"'),
        ("0 20 * * 1-5 2026", '"0 20 * * 1-5"'),
        ("0 20 * * 1-5 2026-2028", '"0 20 * * 1-5"'),
        ("0 20 * * mon-fri *", '"0 20 * * mon-fri"'),
        ("0 0 20 * * *", 'write five fields, as "0 20 * * 1-5"'),
        ("0 0 20 ? * 2-6", 'write five fields, as "0 20 * * 1-5"'),
        ("0 20 ? * 2-6 *", 'write five fields, as "0 20 * * 1-5"'),
        ("0 20 * *", "five fields"),
        ("60 * * * *", "five fields"),
        ("0 20-8 * * *", "five fields"),
        ("0 0 0 * *", "five fields"),
        ("0 0 * 13 *", "five fields"),
        ("0 0 * * 8", "five fields"),
        ("*/0 * * * *", "five fields"),
        ("0 0 31 4,6 *", "five fields"),
        ("0 0 30 2 *", "five fields"),
        ("* * * * *", "one minute"),
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


def test_infiniband_pools_that_a_job_names_are_refused_without_a_launcher_too():
    pool = {"instance_type": "Standard_ND96isr_H100_v5", "count": 4, "fabric": "required"}
    over = {
        **AZURE,
        "node_pools": [pool, {**pool, "name": "other"}],
        "job": {"command": ["x"], "pools": ["gpu", "other"]},
    }
    (one,) = of("GI2235", over)
    assert one.is_error
    assert "'gpu' and 'other'" in one.hint


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
        ("GI2351", {"budget": {"per_run_usd": 50}, "shutdown": {"lease": None, "idle_after": "30m"}}),
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


def test_what_was_refused_is_left_out_of_no_sum():
    whole = {"storage": [{"size_gib": 9600}]}
    part = {"storage": [{"size_gib": 9600}, {"name": "more", "kind": "lustre", "size_gib": 7, "mount": "/more"}]}
    (said,), (less,) = of("GI2272", whole), of("GI2272", part)
    assert "gone at least" not in said.message
    assert "gone at least" in less.message


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
        over = {**GCP, "node_pools": [{**a4x, "count": count, "proximity": "none"}]}
        assert len(of("GI2216", over)) == findings
    # Where the nodes stand in one group, deciding refuses the number already.
    assert of("GI2216", {**GCP, "node_pools": [{**a4x, "count": 20}]}) == []


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


def test_tcpxo_is_laid_on_ubuntu_at_boot():
    zone = {**GCP, "location": {**GCP["location"], "zone": "us-central1-a"}}
    pools = [{"instance_type": "a3-megagpu-8g", "count": 2}]
    assert of("GI2241", {**zone, "node_pools": pools}) == []
    node = {"node": "family/rocky-linux-9-optimized-gcp-nvidia-580"}
    (rocky,) = of("GI2241", {**zone, "node_pools": pools, "image": node})
    assert "no package of the module" in rocky.message


# One mistake is one finding, of whichever part of the tool.


def all_of(over: dict[str, Any]) -> list[Diagnostic]:
    """What deciding and the rules say together, infos aside."""
    resolution = resolve(spec_of(yaml.safe_dump(over)), NOW)
    assert resolution.plan is not None
    both = (*resolution.diagnostics, *check_plan(resolution.plan))
    return [d for d in both if d.severity != "info"]


NO_END = {"shutdown": None, "budget": {"per_month_usd": 50000, "per_run_usd": 9000}}


def lustre(**over: Any) -> dict[str, Any]:
    return {"kind": "lustre", "size_gib": 9600, "throughput_mbps_per_tib": 500, "mount": "/scratch", **over}


AZURE_LUSTRE = {"kind": "lustre", "size_gib": 4096, "throughput_mbps_per_tib": 500, "mount": "/scratch"}
SPOT = {"capacity": {"type": "spot"}}
ZONED = {"location": {"provider": "aws", "region": "us-east-2", "zone": "use2-az1"}}
ZONED_GCP = {**GCP, "location": {**GCP["location"], "zone": "us-central1-a"}}
AZURE_1 = {**AZURE["location"], "zone": "1"}
RACK = {"instance_type": "a4x-highgpu-4g", "count": 18}
BLOCK = {"capacity": {"type": "capacity_block", "id": "cr-0aaa1111bbbb2222c"}}


@pytest.mark.parametrize(
    ("broken", "right", "code"),
    [
        (NO_END, {"budget": NO_END["budget"], "shutdown": {"lease": "24h"}}, "GI2201"),
        (
            {**AZURE, "storage": [AZURE_LUSTRE], "location": {**AZURE["location"], "zone": "4"}},
            {**AZURE, "storage": [AZURE_LUSTRE], "location": {**AZURE["location"], "zone": "1"}},
            "GI2012",
        ),
        ({"storage": [lustre(zone="use1-az77")]}, {"storage": [lustre()]}, "GI2012"),
        ({"storage": [lustre(mount="/.")]}, {"storage": [lustre()]}, "GI2261"),
        ({"storage": [lustre(mount="/lost+found")]}, {"storage": [lustre()]}, "GI2261"),
        ({"storage": [lustre(mount="/scratch/../etc")]}, {"storage": [lustre()]}, "GI2261"),
        (
            {"storage": [lustre(), {"name": "b", "kind": "bucket", "mount": "/scratch/../scratch"}]},
            {"storage": [lustre(), {"name": "b", "kind": "bucket", "mount": "/b"}]},
            "GI2262",
        ),
        (
            {"node_pools": [{"instance_type": "p5.48xlargee"}], "budget": {"per_hour_usd": 9000}},
            {"budget": {"per_hour_usd": 9000}},
            "GI2001",
        ),
        ({**ZONED, "node_pools": [{"capacity": {"type": "capacity_block"}}]}, ZONED, "GI2031"),
        ({**ZONED_GCP, "node_pools": [{"instance_type": "g2-standard-4", **BLOCK}]}, ZONED_GCP, "GI2030"),
        (
            {**AZURE, "location": AZURE_1, "node_pools": [{"instance_type": "Standard_ND96isr_H100_v5", **BLOCK}]},
            {**AZURE, "location": AZURE_1},
            "GI2030",
        ),
        (
            {**ZONED_GCP, "node_pools": [{**RACK, **SPOT}]},
            {**ZONED_GCP, "node_pools": [{**RACK, "capacity": {"type": "reservation", "id": "r1"}}]},
            "GI2030",
        ),
        (
            {"job": {"checkpoint": {"path": "/scratch/ckpt", "on_notice": "SIGFOO"}}},
            {"job": {"checkpoint": {"path": "/scratch/ckpt"}}},
            "GI2244",
        ),
    ],
)
def test_one_mistake_adds_one_finding(broken: dict[str, Any], right: dict[str, Any], code: str):
    usual = {(d.code, d.path) for d in all_of(right)}
    assert [d.code for d in all_of(broken) if (d.code, d.path) not in usual] == [code]


def test_a_price_that_deciding_made_unknown_is_not_asked_for():
    nowhere = {**GCP, "location": {**GCP["location"], "region": "us-central1", "zone": "us-central1-zz"}}
    nowhere |= {"node_pools": [{"instance_type": "a4-highgpu-8g"}], "budget": {"per_hour_usd": 100_000}}
    assert of("GI2203", nowhere) == []
    assert all("not known" not in d.message for d in of("GI2272", nowhere))


def test_a_refusal_that_is_waived_is_judged_on():
    pool = {**GCP, "node_pools": [{**RACK, **SPOT}]}
    waiver = {"code": "GI2030", "reason": "sold to us", "expires": "2026-12-31"}
    assert of("GI2230", pool) == []
    assert len(of("GI2230", {**pool, "waivers": [waiver]})) == 1


def test_no_end_says_which_amounts_of_the_budget_it_passes():
    (one,) = of("GI2201", NO_END)
    assert "budget.per_run_usd (9,000 USD) after" in one.message
    assert "budget.per_month_usd (50,000 USD) after" in one.message
    cheap = {"node_pools": [{"instance_type": "g4dn.xlarge"}], "shutdown": None, "storage": []}
    (warned,) = of("GI2201", cheap)
    (error,) = of("GI2201", {**cheap, "budget": {"per_month_usd": 100}})
    assert (warned.is_error, error.is_error) == (False, True)


def test_a_waived_end_leaves_the_amounts_to_their_own_rules():
    waiver = {"code": "GI2201", "reason": "demo", "expires": "2026-12-31"}
    codes = [d.code for d in all_of({**NO_END, "waivers": [waiver]})]
    assert {"GI2204", "GI2205"} <= set(codes)
    assert "GI2201" not in codes


def test_stops_around_the_clock_are_counted():
    (often,) = of("GI2222", stop_at("*/5 * * * *"))
    (hourly,) = of("GI2222", stop_at("30 * * * *"))
    assert "longer than 5 minutes" in often.message
    assert "longer than 60 minutes" in hourly.message
    assert not often.is_error
    for kept_off in ("*/5 20-23 * * *", "*/5 * * * 0,6"):
        assert of("GI2222", stop_at(kept_off)) == []


@pytest.mark.parametrize(
    ("url", "existing", "severity", "said"),
    [
        ("s3://acme/ckpt", None, "warning", "existing: 's3://acme', mount: /ckpt"),
        ("s3://acme/ckpt", "s3://acme", "info", "write /data/ckpt, unless"),
        ("s3://acme/team/ckpt/", "s3://acme/team", "info", "write /data/ckpt, unless"),
        ("s3://acme/teams", "s3://acme/team", "warning", "write /data/ckpt, or add"),
        ("FILE:///x", None, "warning", "write /scratch/ckpt"),
    ],
)
def test_a_checkpoint_url_is_said_with_the_directory(url: str, existing: str | None, severity: str, said: str):
    bucket = [{"name": "data", "kind": "bucket", "mount": "/data", "existing": existing}] if existing else []
    (one,) = of("GI2266", {"storage": [lustre(), *bucket], "job": {"checkpoint": {"path": url}}})
    assert str(one.severity) == severity
    assert said in one.hint


EXISTING = {"nfs": "fs-0a1b2c3d4e5f60718", "lustre": "fs-0a1b2c3d4e5f60718", "bucket": "s3://acme-data"}
FIELDS = {"size_gib": 9600, "throughput_mbps_per_tib": 125, "import_from": "s3://acme-data"}


@pytest.mark.parametrize("kind", list(EXISTING))
@pytest.mark.parametrize("existing", [False, True])
@pytest.mark.parametrize("field", list(FIELDS))
def test_a_field_of_storage_is_used_or_said_to_be_unused(kind: str, existing: bool, field: str):
    store = {"name": "x", "kind": kind, "mount": "/x", field: FIELDS[field]}
    if existing:
        store["existing"] = EXISTING[kind]
    if kind == "lustre" and not existing:
        store |= {"size_gib": 9600}
    resolution = resolve(spec_of(yaml.safe_dump({"storage": [lustre(), store]})), NOW)
    assert resolution.plan is not None
    refused = [d for d in resolution.diagnostics if d.path == f"storage[1].{field}"]
    said = [d for d in check_plan(resolution.plan) if d.code == "GI2265"]
    used = kind == "lustre" and not existing
    assert len(said) + len(refused) == (0 if used else 1)


@pytest.mark.parametrize("cloud", [GCP, AZURE])
def test_a_throughput_that_deciding_refuses_is_said_once(cloud: dict[str, Any]):
    nfs = {"name": "x", "kind": "nfs", "mount": "/x", "size_gib": 2048, "throughput_mbps_per_tib": 125}
    over = {**cloud, "storage": [{**nfs}]}
    assert [d.code for d in all_of(over) if d.path.startswith("storage")] == ["GI2065"]


@pytest.mark.parametrize(
    ("signal", "severity", "hint"),
    [
        ("SIGFOO", "error", ""),
        ("SIGTREM", "error", "SIGTERM"),
        ("USER1", "error", "SIGUSR1"),
        ("a; rm -rf /", "error", ""),
        ("0", "error", ""),
        ("65", "error", ""),
        ("\u0661", "error", ""),
        ("SIGRTMIN+31", "error", ""),
        ("SIGKILL", "warning", ""),
        ("kill", "warning", ""),
        ("9", "warning", ""),
        ("SIGSTOP", "warning", ""),
    ],
)
def test_signals_that_nothing_can_answer(signal: str, severity: str, hint: str):
    over = {"job": {"checkpoint": {"path": "/scratch/ckpt", "on_notice": signal}}}
    (one,) = of("GI2244", over)
    assert str(one.severity) == severity
    assert hint in one.hint
    assert of("GI2238", over) == []


@pytest.mark.parametrize("signal", ["SIGTERM", "term", "SIGUSR2", "SIGRTMAX-3", "10", "64"])
def test_signals_that_a_program_hears(signal: str):
    assert of("GI2244", {"job": {"checkpoint": {"path": "/scratch/ckpt", "on_notice": signal}}}) == []


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        (["python train.py --lr '1 2'"], '["python", "train.py", "--lr", "1 2"]'),
        (["python 'train.py"], '["python", "\'train.py"]'),
        (["cd /x && python a.py"], "[bash, -c"),
    ],
)
def test_a_command_line_in_one_word_is_parted(command: list[str], hint: str):
    (one,) = of("GI2243", {"job": {"command": command}})
    assert hint in one.hint


def test_results_beside_a_linked_file_system_are_let_be_elsewhere():
    from_s3 = lustre(import_from="s3://acme-data/x")
    assert len(of("GI2273", {"storage": [from_s3]})) == 1
    assert of("GI2273", {"storage": [{**from_s3, "existing": "fs-0a1b2c3d4e5f60718"}]}) == []
    azure = {**AZURE, "storage": [{**AZURE_LUSTRE, "import_from": "https://acmedata.blob.core.windows.net/x"}]}
    assert of("GI2273", azure) == []


def waived_for(code: str, path: str | None = None, expires: str = "2026-12-31", **over: Any) -> dict[str, Any]:
    return {**over, "waivers": [{"code": code, "path": path, "reason": "known", "expires": expires}]}


@pytest.mark.parametrize(
    ("over", "path", "hint"),
    [
        (waived_for("GI2202"), "waivers[0].code", "Remove"),
        (waived_for("GI2202", "node_pools[0]", budget=None), "waivers[0].path", "it is at budget"),
        (waived_for("GI2202", "budget.per_week_usd"), "waivers[0].path", "Remove"),
        (waived_for("GI2230", "node_pools[1]"), "waivers[0].path", "Remove"),
        (waived_for("GI2230", "!"), "waivers[0].path", "Remove"),
        (waived_for("GI2001"), "waivers[0].code", "Remove"),
        (waived_for("GI2153"), "waivers[0].code", "Remove"),
    ],
)
def test_waivers_that_cover_nothing(over: dict[str, Any], path: str, hint: str):
    (one,) = of("GI2281", over)
    assert (one.path, str(one.severity)) == (path, "info")
    assert hint in one.hint


@pytest.mark.parametrize(
    "over",
    [
        waived_for("GI2202", budget=None),
        waived_for("GI2202", "budget", budget=None),
        waived_for("GI2012", "storage[0]", storage=[lustre(zone="use1-az77")]),
        waived_for("GI2123", "image"),
        waived_for("GI3053", "gpu.metadataOptions"),
        waived_for("GI2170"),
    ],
)
def test_waivers_that_cover_something_or_cannot_be_judged(over: dict[str, Any]):
    assert of("GI2281", over) == []


def test_labels_that_gpuinfra_writes_are_its_own():
    for base, key in (({}, "gpuinfra-cluster"), ({}, "Name"), (GCP, "gpuinfra-pool"), (AZURE, "GPUINFRA-cluster")):
        (one,) = of("GI2270", {**base, "labels": {key: "x"}})
        assert one.is_error
        assert "written by gpuinfra" in one.message
    assert of("GI2270", {**AZURE, "labels": {"Name": "x", "gpuinfra-team": "nlp"}}) == []


@pytest.mark.parametrize(
    ("amount", "text"),
    [(0, "0.00 USD"), (0.004, "0.004 USD"), (1e-9, "less than 0.0001 USD"), (0.01, "0.01 USD"), (1234.5, "1,234 USD")],
)
def test_an_amount_is_never_shown_as_nothing(amount: float, text: str):
    from gpuinfra.policy.money import usd

    assert usd(amount) == text


def test_the_level_that_stops_the_nodes_is_named_in_the_count():
    levels = list(range(1, 12))
    (one,) = of("GI2206", {"budget": {"alerts_percent": levels, "on_limit": "stop"}})
    assert "11 alert levels, which the level that stops the nodes makes 12;" in one.message
    assert "drop 2" in one.hint


def test_the_date_is_that_of_the_price_that_makes_most_of_the_sum():
    from gpuinfra.cost import CostLine
    from gpuinfra.policy.money import dated_by

    def line(as_of: str) -> CostLine:
        return CostLine("x", "x", 1, "hour", 1, 1, 1, as_of, "", False, "")

    assert dated_by([(line("2020-01"), 1.0), (line("2026-09"), 50.0)]) == "price of 2026-09"
    assert dated_by([]) == "no price is known"
    for code, over in (("GI2272", {}), ("GI2351", {"budget": {"per_run_usd": 50}, "shutdown": {"lease": None}})):
        (one,) = of(code, over)
        assert "price of 20" in one.message
