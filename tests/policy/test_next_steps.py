"""Hints of plan rules whose next step is taken, and one finding for one cause."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from gpuinfra.lint.findings import CODES as LINT
from gpuinfra.policy.judgement import judge
from gpuinfra.preflight.findings import CODES as ACCOUNT
from gpuinfra.reference import all_codes
from gpuinfra.spec.load import parse
from tests.policy.test_plan_rules import AZURE, GCP, NOW, found, of, stop_at

OTHER_CLOUDS = {"aws": {}, "gcp": GCP, "azure": AZURE}


@pytest.mark.parametrize(
    ("name", "others", "own"),
    [
        ("home", [], "/data/home"),
        ("tmp", [], "/data/tmp"),
        ("files", [], "/files"),
        ("home", [{"name": "x", "kind": "bucket", "mount": "/data"}], "/shared/home"),
    ],
)
def test_the_directory_offered_is_not_refused(name: str, others: list[Any], own: str):
    (one,) = of("GI2261", {"storage": [{"name": name, "mount": "/home"}, *others]})
    assert one.hint == f"take a directory of its own, as {own}"
    after = {d.code for d in found({"storage": [{"name": name, "mount": own}, *others]})}
    assert after & {"GI2260", "GI2261", "GI2262"} == set()


def test_on_azure_the_temporary_disk_is_not_offered():
    storage = {"name": "mnt", "kind": "bucket", "size_gib": None, "throughput_mbps_per_tib": None, "mount": "/mnt"}
    (one,) = of("GI2261", {**AZURE, "storage": [storage]})
    assert one.hint.endswith("as /data/mnt")


@pytest.mark.parametrize("address", ["s3://acme-data", "gs://acme-data/x", "https://acme.blob.core.windows.net/data"])
def test_a_bucket_is_no_mount(address: str):
    (one,) = of("GI2262", {"storage": [{"name": "data", "mount": address}]})
    assert one.hint == f"write existing: {address}, and mount: /data"


@pytest.mark.parametrize(
    ("zone", "near"),
    [
        ("PST", "America/Los_Angeles"),
        ("edt", "America/New_York"),
        ("CST", "America/Chicago or Asia/Shanghai"),
        ("CEST", "Europe/Berlin"),
        ("BST", "Europe/London"),
        ("IST", "Asia/Kolkata"),
        ("JST", "Asia/Tokyo"),
        ("W. Europe Standard Time", "Europe/Berlin"),
        ("eastern standard time", "America/New_York"),
        ("Central Europe Standard Time", "Europe/Belgrade"),
    ],
)
def test_an_abbreviation_names_its_own_zone(zone: str, near: str):
    (one,) = of("GI2223", stop_at("0 0 * * *", zone))
    assert one.hint.startswith(f"did you mean {near}")


def test_every_zone_that_an_abbreviation_names_exists():
    from zoneinfo import ZoneInfo

    from gpuinfra.policy.rules.plan.gi2223_unknown_timezone import _ABBREVIATIONS  # pyright: ignore[reportPrivateUsage]

    assert [str(ZoneInfo(z)) for zones in _ABBREVIATIONS.values() for z in zones]


def waived(code: str) -> dict[str, Any]:
    return {"waivers": [{"code": code, "reason": "known", "expires": "2026-12-31"}]}


@pytest.mark.parametrize("code", ["GI9999", "GI0001", "GI3999", "GI2998"])
def test_a_waiver_of_a_code_that_is_none_is_said(code: str):
    (one,) = of("GI2281", waived(code))
    assert (one.path, one.message) == ("waivers[0].code", f"{code} is the code of no finding")


def test_a_waiver_of_an_unknown_code_names_the_nearest():
    (one,) = of("GI2281", waived("GI3998"))
    assert "did you mean GI3" in one.hint


def test_every_code_that_is_about_a_spec_can_be_waived():
    about_files = {c.code for c in (*LINT, *ACCOUNT)}
    spec: dict[str, Any] = {"waivers": [waived(code)["waivers"][0] for code in all_codes() if code not in about_files]}
    assert not [d for d in of("GI2281", spec) if "no finding" in d.message]


def test_a_job_on_an_unknown_pool_is_one_finding():
    codes = [d.code for d in found({"job": {"pools": ["gpus"], "command": ["python", "x.py"]}})]
    assert "GI2236" in codes
    assert "GI2237" not in codes


@pytest.mark.parametrize("cloud", ["aws", "azure"])
def test_label_keys_that_differ_in_case_alone_are_refused(cloud: str):
    (one,) = of("GI2270", {**OTHER_CLOUDS[cloud], "labels": {"Team": "a", "team": "b"}})
    assert (one.path, one.is_error) == ("labels.team", True)
    assert "'team' and 'Team' differ in case alone" in one.message


def test_on_gcp_the_upper_case_key_alone_is_the_fault():
    (one,) = of("GI2270", {**GCP, "labels": {"Team": "a", "team": "b"}})
    assert (one.path, one.hint) == ("labels.Team", "remove or rename it")


def test_a_block_that_ends_before_it_starts_is_one_finding():
    times = {"starts": "2026-12-08T11:30:00Z", "ends": "2026-12-03T11:30:00Z"}
    block = {"type": "capacity_block", "id": "cr-0aaa1111bbbb2222c", **times}
    over = {"node_pools": [{"count": 8, "capacity": block}], "shutdown": {"lease": "2026-12-04T00:00:00Z"}}
    codes = [d.code for d in found(over)]
    assert "GI2215" in codes
    assert "GI2213" not in codes


def test_a_command_that_nobody_could_read_is_not_printed():
    job = {
        "command": ["python", "x" * 5000],
        "checkpoint": {"path": "/scratch/c", "size_gib": 1, "every": "1h", "on_notice": "USR1"},
    }
    for code in ("GI2237", "GI2238"):
        assert all(len(d.hint) < 1000 for d in of(code, {"job": job}))
    (one,) = of("GI2237", {"job": job})
    assert "too many to show here" in one.hint


def test_the_command_that_copies_a_bucket_is_printed_where_it_can_be_read():
    def hint(bucket: str) -> str:
        store = {"name": "fs", "kind": "lustre", "size_gib": 18000, "mount": "/fs", "import_from": bucket}
        (one,) = [d for d in of("GI2302", {**GCP, "storage": [store]}) if d.path == "storage[0].import_from"]
        return one.hint

    assert "'--gcs-path-uri=gs://acme-data/a b/' --lustre-path=/a-b" in hint("gs://acme-data/a b")
    assert len(hint("gs://acme-data/" + "x" * 5000)) < 200


_WHOLE = """\
api_version: gpuinfra/v1
name: acme
location: {provider: azure, region: eastus}
node_pools: [{name: gpu, instance_type: Standard_NC24ads_A100_v4}]
"""


@pytest.mark.parametrize(
    ("line", "path", "code"),
    [
        ("storage: [{name: d, kind: bucket, existing: 'gs://acme', mount: /d}]", "storage[0].existing", "GI2063"),
        ("image: {node: 'Canonical:ubuntu-24_04-lts:server:latest'}", "image.node", "GI2127"),
    ],
)
def test_what_deciding_found_the_boot_bundle_does_not_say_again(line: str, path: str, code: str):
    said = [d for d in judge(parse(yaml.safe_load(_WHOLE + line)), NOW).diagnostics if d.path == path]
    assert [d.code for d in said if d.code != "GI2123"] == [code]
