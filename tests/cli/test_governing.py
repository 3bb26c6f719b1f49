"""Settings, waivers and baselines through the command line, alike for check and plan."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import NOW

WRONG_TYPE = ("p5.48xlarge", "p5.49xlarge")
NO_BUDGET = ("budget: {per_month_usd: 90000, contacts: [ml@example.com]}\n", "")


def summary(ran) -> dict[str, int]:
    return ran.data["summary"]


@pytest.mark.parametrize("door", ["check", "plan"])
def test_settings_beside_the_spec_count(run, spec_file, tmp_path, door):
    path = spec_file(NO_BUDGET)
    before = run(door, path, "--now", NOW, "--format", "json")
    assert before.status == 0
    (tmp_path / "gpuinfra.yaml").write_text("severity: {GI2202: error}\n")
    assert run(door, path, "--now", NOW).status == 1
    (tmp_path / "gpuinfra.yaml").write_text("severity: {GI2202: off}\n")
    after = run(door, path, "--now", NOW, "--format", "json")
    assert (after.status, summary(after)["off"]) == (0, 1)
    assert summary(after)["warnings"] == summary(before)["warnings"] - 1
    assert "1 turned off by settings" in run(door, path, "--now", NOW).out


def test_the_price_above_which_a_budget_is_demanded_is_set(run, spec_file, tmp_path):
    path = spec_file(NO_BUDGET)
    assert "GI2202" in run("check", path, "--now", NOW).out
    (tmp_path / "gpuinfra.yaml").write_text("lease_above_usd_per_hour: 5000\n")
    assert "GI2202" not in run("check", path, "--now", NOW).out


def test_a_code_that_is_off_does_not_silence_the_one_that_leaves_it_the_word(run, spec_file, tmp_path):
    path = spec_file(("shutdown: {idle_after: 30m, lease: 72h}\n", ""), ("90000", "5000"))
    ran = run("check", path, "--now", NOW, "--format", "json")
    assert {f["code"] for f in ran.data["findings"]} & {"GI2201", "GI2205"} == {"GI2201"}
    (tmp_path / "gpuinfra.yaml").write_text("severity: {GI2201: off}\n")
    ran = run("check", path, "--now", NOW, "--format", "json")
    assert ran.status == 1
    assert "GI2205" in {f["code"] for f in ran.data["findings"]}


def test_settings_that_are_given_come_first(run, spec_file, tmp_path):
    path = spec_file(NO_BUDGET)
    (tmp_path / "gpuinfra.yaml").write_text("severity: {GI2202: off}\n")
    (tmp_path / "given.yaml").write_text("severity: {GI2202: error}\n")
    assert run("check", path, "--now", NOW).status == 0
    assert run("check", path, "--now", NOW, "--settings", tmp_path / "given.yaml").status == 1
    ran = run("check", path, "--now", NOW, "--settings", tmp_path / "none.yaml")
    assert ran.status == 1
    assert "none.yaml: error[GI1001]" in ran.out


def test_bad_settings_are_an_error_and_the_spec_is_judged_by_the_rules_own(run, spec_file, tmp_path):
    (tmp_path / "gpuinfra.yaml").write_text("severity: {GI2202: mild}\n")
    ran = run("check", spec_file(NO_BUDGET), "--now", NOW, "--format", "json")
    assert ran.status == 1
    assert [f["code"] for f in ran.data["findings"] if f["severity"] == "error"] == ["GI1033"]
    assert "GI2202" in {f["code"] for f in ran.data["findings"]}


def test_one_settings_file_of_several_specs_is_said_once(run, spec_file, tmp_path):
    (tmp_path / "gpuinfra.yaml").write_text("severity: {GI2999: off}\n")
    ran = run("check", spec_file(), spec_file(name="b.yaml"), "--now", NOW, "--format", "json")
    assert [f["code"] for f in ran.data["findings"] if f["severity"] == "error"] == ["GI1060"]


def test_an_error_that_the_settings_lower_stops_neither_plan_nor_program(run, spec_file, tmp_path):
    from gpuinfra.providers.planning import planned

    path = spec_file(("shutdown: {idle_after: 30m, lease: 72h}\n", ""))
    stopped = run("plan", path, "--now", NOW, "--format", "json")
    assert (stopped.status, stopped.data["resources"]) == (1, [])
    with pytest.raises(Exception, match="GI2201"):
        planned(path, "acme")
    (tmp_path / "gpuinfra.yaml").write_text("severity: {GI2201: warning}\n")
    lowered = run("plan", path, "--now", NOW, "--format", "json")
    assert lowered.status == 0
    assert lowered.data["resources"]
    assert planned(path, "acme").name == "acme"


@pytest.mark.parametrize(
    ("waiver", "code", "severity", "path"),
    [
        ('{code: GI2202, expires: "2026-12-31"}', "GI1031", "error", "waivers[0].reason"),
        ('{code: GI2202, reason: " ", expires: "2026-12-31"}', "GI1035", "error", "waivers[0].reason"),
        ("{code: GI2202, reason: known}", "GI1031", "error", "waivers[0].expires"),
        ('{code: GI2999, reason: known, expires: "2026-12-31"}', "GI2281", "warning", "waivers[0].code"),
        ('{code: GI2202, reason: known, expires: "2026-11-01"}', "GI2280", "warning", "waivers[0].expires"),
        ('{code: GI2202, path: budgets, reason: known, expires: "2026-12-31"}', "GI2281", "info", "waivers[0].path"),
    ],
)
def test_a_bad_waiver_of_a_spec_is_a_finding(run, spec_file, waiver, code, severity, path):
    spec = spec_file((NO_BUDGET[0], f"waivers: [{waiver}]\n"))
    found = run("check", spec, "--now", NOW, "--format", "json").data["findings"]
    (said,) = [f for f in found if f["code"] == code]
    assert (said["severity"], said["path"]) == (severity, path)
    assert said["source"]["line"] == 8
    assert said["hint"]


def test_a_baseline_takes_the_weight_of_what_is_known_and_of_nothing_else(run, spec_file, tmp_path):
    path, base = spec_file(WRONG_TYPE), tmp_path / "base.json"
    ran = run("check", path, "--now", NOW, "--write-baseline", base)
    assert ran.status == 0
    assert ran.out.splitlines()[-1].endswith(f"the baseline {base} is written")
    assert [e["code"] for e in json.loads(base.read_text())["findings"]] == ["GI2001", "GI2225"]
    for door in ("check", "plan"):
        ran = run(door, path, "--now", NOW, "--baseline", base, "--format", "json")
        assert (ran.status, summary(ran)["baseline"], summary(ran)["warnings"]) == (0, 2, 0)
        assert [d["code"] for d in ran.data["suppressed"]] == ["GI2001", "GI2225"]
    spec_file(WRONG_TYPE, ("use2-az1", "use2-az9"))
    ran = run("check", path, "--now", NOW, "--baseline", base, "--format", "json")
    assert (ran.status, summary(ran)["errors"]) == (1, 1)
    spec_file()
    ran = run("check", path, "--now", NOW, "--baseline", base)
    assert ran.status == 0
    assert "info[GI1071] GI2001 at node_pools[0].instance_type" in ran.out
    assert ran.out.endswith("1 of the baseline no longer there\n")


def test_a_baseline_is_written_anew_from_what_is_there(run, spec_file, tmp_path):
    path, base = spec_file(WRONG_TYPE), tmp_path / "base.json"
    run("check", path, "--now", NOW, "--write-baseline", base)
    spec_file()
    ran = run("check", path, "--now", NOW, "--baseline", base, "--write-baseline", base)
    assert ran.status == 0
    assert "GI1071" not in ran.out
    assert "GI2001" not in base.read_text()


def test_a_spec_that_cannot_be_read_is_in_no_baseline(run, tmp_path):
    path, base = tmp_path / "cluster.yaml", tmp_path / "base.json"
    path.write_text("nmae: x\n")
    assert run("check", path, "--write-baseline", base).status == 1
    assert json.loads(base.read_text())["findings"] == []


@pytest.mark.parametrize("content", [None, "", "{", '{"runs": []}'])
def test_a_bad_baseline_is_an_error(run, spec_file, tmp_path, content):
    base: Path = tmp_path / "base.json"
    if content is not None:
        base.write_text(content)
    ran = run("check", spec_file(), "--now", NOW, "--baseline", base)
    assert ran.status == 1
    assert "error[GI1070]" in ran.out


def test_a_baseline_that_cannot_be_written_is_status_2(run, spec_file, tmp_path):
    ran = run("check", spec_file(WRONG_TYPE), "--now", NOW, "--write-baseline", tmp_path / "none" / "base.json")
    assert ran.status == 2
    assert "cannot be written" in ran.err
    assert "1 error" in ran.out


def test_rules_as_json_and_their_filters(run):
    every = run("rules", "--format", "json").data["rules"]
    assert {"code", "slug", "severity", "providers", "facts", "tags", "summary"} == set(every[0])
    assert [r["code"] for r in every] == sorted(r["code"] for r in every)
    some = run("rules", "--provider", "gcp", "--severity", "error", "--tag", "network", "--format", "json").data[
        "rules"
    ]
    assert some
    assert all("gcp" in r["providers"] and r["severity"] == "error" and "network" in r["tags"] for r in some)
    assert all(r["slug"] and r["summary"] and r["tags"] for r in every)


@pytest.mark.parametrize("option", ["--provider", "--severity", "--tag"])
def test_a_filter_of_an_unknown_word_is_wrong_usage(run, option):
    ran = run("rules", option, "mony")
    assert ran.status == 2
    assert f"{option}: 'mony' is not known here" in ran.err


def test_the_text_form_of_rules_is_a_line_a_rule(run):
    lines = run("rules", "--tag", "money").out.splitlines()
    assert lines[0].split()[:2] == ["code", "severity"]
    assert any(x.startswith("GI2201  error") for x in lines)


@pytest.mark.parametrize("code", ["GI1030", "GI2011", "GI2201", "GI3047", "GI1062", "GI2170"])
def test_explain_has_the_same_parts_for_every_code(run, code):
    out = run("explain", code).out
    for part in ("What. ", "Why. ", "Fix. ", "References. ", "Facts. "):
        assert f"\n{part}" in out
    if code in ("GI2201", "GI3047"):
        assert "\nCaught (" in out
        assert "\nRight (" in out
