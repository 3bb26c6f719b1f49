"""`gpuinfra plan --provider … --region …`: the same cluster elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuinfra.cli.plan import Recorded

from .conftest import NOW

GCP = ("--provider", "gcp", "--region", "us-central1")


@pytest.fixture(autouse=True)
def rooms(monkeypatch: pytest.MonkeyPatch):
    """Nothing is rendered: what a move decides and costs needs no resources."""
    monkeypatch.setattr("gpuinfra.cli.plan.record_plan", lambda plan, ruling: Recorded(None))


def test_the_json_form_says_what_changed(run, spec_file):
    ran = run("plan", spec_file(), *GCP, "--format", "json", "--now", NOW)
    assert ran.status == 0
    moved = {c["path"]: c for c in ran.data["moved"]}
    assert all(set(c) == {"path", "was", "is", "meaning"} for c in ran.data["moved"])
    assert moved["location"]["is"] == "gcp us-central1"
    assert (moved["node_pools[0].instance_type"]["was"], moved["node_pools[0].instance_type"]["is"]) == (
        "p5.48xlarge",
        "a3-megagpu-8g",
    )
    assert moved["node_pools[0].fabric"]["was"].startswith("efa")
    assert {"location.zone", "budget.per_month_usd", "cost", "cost.lease"} <= set(moved)
    values = {d["path"]: d["value"] for d in ran.data["decisions"]}
    assert values["node_pools[0].instance_type"] == "a3-megagpu-8g"
    assert ran.data["cost"]["lines"][0]["name"] == "gpu nodes (a3-megagpu-8g)"


def test_the_text_form_begins_with_it(run, spec_file):
    ran = run("plan", spec_file(), *GCP, "--now", NOW)
    assert ran.status == 0
    assert ran.out.startswith("What changes in meaning\n")
    assert "p5.48xlarge → a3-megagpu-8g" in ran.out
    assert "acme  gcp, us-central1" in ran.out


def test_without_a_place_nothing_of_it_shows(run, spec_file):
    assert "moved" not in run("plan", spec_file(), "--format", "json", "--now", NOW).data
    assert "What changes" not in run("plan", spec_file(), "--now", NOW).out


def test_findings_keep_the_place_in_the_file_as_it_was_written(run, spec_file):
    path = spec_file(("per_month_usd: 90000", "per_month_usd: 9000"))
    assert run("plan", path, "--now", NOW).status == 0
    ran = run("plan", path, *GCP, "--format", "json", "--now", NOW)
    assert ran.status == 1
    (over,) = [f for f in ran.data["findings"] if f["code"] == "GI2205"]
    assert (over["path"], over["source"]["line"]) == ("budget.per_month_usd", 8)


def test_another_region_and_another_zone_of_the_same_cloud(run, spec_file):
    ran = run("plan", spec_file(), "--region", "us-east-1", "--format", "json", "--now", NOW)
    assert ran.status == 0
    assert {c["path"] for c in ran.data["moved"]} >= {"location", "location.zone", "cost"}
    zone = run("plan", spec_file(), "--zone", "use2-az2", "--format", "json", "--now", NOW)
    assert [c["path"] for c in zone.data["moved"]] == ["location.zone"]
    same = run("plan", spec_file(), "--region", "us-east-2", "--now", NOW)
    assert same.out.startswith("What changes in meaning\n  nothing\n")


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("--provider", "gcp"), "--provider gcp needs --region"),
        (("--provider", "oracle", "--region", "x"), "'oracle' is not one of"),
        (("--provider", "gcp", "--region", "us-central9"), "did you mean us-central1"),
        (
            ("--provider", "gcp", "--region", "us-central1-a"),
            "is a zone of gcp, and no region; write region: us-central1",
        ),
        (("--region", "us-central1"), "it is a region of gcp"),
        ((*GCP, "--zone", "us-east1-b"), "is not a known zone of us-central1"),
        ((*GCP, "--project", "UPPER"), "is not a project id"),
        (("--provider", "azure", "--region", "eastus", "--project", "acme-lab"), "azure has no projects"),
        (("--project", "acme-lab"), "aws has no projects"),
        (("--save", "moved.yaml"), "name the place with --provider or --region"),
    ],
)
def test_wrong_usage(run, spec_file, args, says):
    ran = run("plan", spec_file(), *args, "--now", NOW)
    assert ran.status == 2
    assert says in ran.err
    assert ran.out == ""


def test_a_spec_that_cannot_be_read_is_not_moved(run, tmp_path):
    ran = run("plan", tmp_path / "none.yaml", *GCP, "--format", "json")
    assert ran.status == 1
    assert ran.data["moved"] == []
    assert ran.data["findings"][0]["code"] == "GI1001"
    said = run("plan", tmp_path / "none.yaml", *GCP).out
    assert "GI1001" in said
    assert "What changes in meaning" not in said
    assert "moved spec" not in said


def test_a_pool_without_a_twin_is_an_error_and_the_rest_is_planned(run, spec_file):
    path = spec_file(("count: 2}", "count: 2}\n  - {name: b300, instance_type: p6-b300.48xlarge}"))
    ran = run("plan", path, *GCP, "--format", "json", "--now", NOW)
    assert ran.status == 1
    moved = {c["path"]: c for c in ran.data["moved"]}
    assert moved["node_pools[1].instance_type"]["is"] == "no twin"
    assert moved["cost"]["is"] == "unknown"
    assert any(d["value"] == "a3-megagpu-8g" for d in ran.data["decisions"])


def test_the_moved_spec_is_saved_and_passes(run, spec_file, tmp_path: Path):
    saved = tmp_path / "moved.yaml"
    ran = run("plan", spec_file(), *GCP, "--project", "acme-lab", "--save", saved, "--now", NOW)
    assert ran.status == 0
    assert saved.read_text().startswith("# Moved from aws us-east-2.")
    checked = run("check", saved, "--format", "json", "--now", NOW)
    assert checked.status == 0
    plain = run("plan", saved, "--format", "json", "--now", NOW)
    moved = run("plan", spec_file(), *GCP, "--project", "acme-lab", "--format", "json", "--now", NOW)
    assert plain.data["decisions"] == moved.data["decisions"]
    assert plain.data["cost"] == moved.data["cost"]


def test_a_file_that_is_there_is_left_alone(run, spec_file, tmp_path: Path):
    saved = tmp_path / "moved.yaml"
    saved.write_text("mine")
    ran = run("plan", spec_file(), *GCP, "--save", saved)
    assert ran.status == 2
    assert "file exists" in ran.err
    assert saved.read_text() == "mine"


def test_the_project_alone_is_a_move_too(run, spec_file):
    path = spec_file(
        (
            "{provider: aws, region: us-east-2, zone: use2-az1}",
            "{provider: gcp, project: acme-lab, region: us-central1}",
        ),
        ("p5.48xlarge", "a3-megagpu-8g"),
    )
    ran = run("plan", path, "--project", "other-lab", "--format", "json", "--now", NOW)
    assert [(c["path"], c["is"]) for c in ran.data["moved"]] == [("location.project", "other-lab")]
