"""`gpuinfra preflight`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.policy.account_facts import FORMAT, AccountFacts
from gpuinfra.preflight import reading
from gpuinfra.preflight.gathering import ReadingError

from .conftest import NOW

ACCOUNT: dict[str, Any] = {
    "format": FORMAT,
    "provider": "aws",
    "region": "us-east-2",
    "account": "123456789012",
    "as_of": "2026-11-30T08:00:00Z",
    "quotas": {
        "L-417A185B": {"limit": 384, "used": 0},
        "L-F678F1CE": {"limit": 5, "used": 1},
        "L-0263D0A3": {"limit": 5, "used": 0},
    },
    "offerings": {"p5.48xlarge": {"zones": ["use2-az1", "use2-az2"]}},
    "cost_tags": {"gpuinfra-cluster": True},
    "unknown": {"images": "permission denied: ssm:GetParameter"},
}


@pytest.fixture
def account_file(tmp_path: Path) -> Callable[..., Path]:
    def make(**changes: Any) -> Path:
        path = tmp_path / "account.json"
        path.write_text(json.dumps({**ACCOUNT, **changes}))
        return path

    return make


def test_a_spec_that_the_account_allows(run, spec_file, account_file):
    ran = run("preflight", spec_file(), "--account", account_file(), "--now", NOW)
    assert ran.status == 0
    lines = ran.out.splitlines()
    assert lines[0] == "aws account …9012, us-east-2, read 2026-11-30T08:00:00Z"
    assert "pass    GI4010 node_pools[0].instance_type: p5.48xlarge is offered in use2-az1" in lines
    assert "unknown GI4040, GI4041 image.node: permission denied: ssm:GetParameter" in lines
    assert lines[-2:] == ["0 errors, 0 warnings in 1 file", "5 passed, 2 unknown"]
    assert "123456789012" not in ran.out + ran.err


def test_a_quota_too_small_is_an_error_at_the_users_own_line(run, spec_file, account_file):
    path = spec_file()
    quotas = {**ACCOUNT["quotas"], "L-417A185B": {"limit": 192, "used": 0}}
    ran = run("preflight", path, "--account", account_file(quotas=quotas), "--now", NOW)
    assert ran.status == 1
    column = path.read_text().splitlines()[5].index("count: ") + len("count: ") + 1
    assert (
        f"{path}:6:{column}: error[GI4001] node_pools[0].count: quota L-417A185B of us-east-2 allows 192 vCPU"
        in ran.out
    )
    assert "2 × 192 = 384 vCPU" in ran.out
    assert "docs: docs/reference/rules.md#gi4001" in ran.out


def test_the_json_form(run, spec_file, account_file):
    ran = run("preflight", spec_file(), "--account", account_file(), "--format", "json", "--now", NOW)
    assert ran.status == 0
    assert set(ran.data) == {"account", "findings", "summary", "passed", "unknown"}
    assert ran.data["account"] == {
        "provider": "aws",
        "region": "us-east-2",
        "account": "…9012",
        "as_of": "2026-11-30T08:00:00Z",
    }
    assert {u["code"] for u in ran.data["unknown"]} == {"GI4040", "GI4041"}
    assert all(set(u) == {"code", "path", "reason"} for u in ran.data["unknown"])
    assert all(set(p) == {"code", "path", "said"} for p in ran.data["passed"])


def test_a_waiver_counts(run, spec_file, account_file):
    waiver = (
        'shutdown: {idle_after: 30m, lease: 72h}\nwaivers: [{code: GI4001, reason: asked for, expires: "2026-12-31"}]'
    )
    path = spec_file(("shutdown: {idle_after: 30m, lease: 72h}", waiver))
    quotas = {**ACCOUNT["quotas"], "L-417A185B": {"limit": 0}}
    ran = run("preflight", path, "--account", account_file(quotas=quotas), "--now", NOW)
    assert ran.status == 0
    assert "info[GI4001]" in ran.out
    assert run("check", path, "--now", NOW).out.count("GI2281") == 0


def test_an_old_file_is_a_warning_and_still_judged(run, spec_file, account_file):
    ran = run("preflight", spec_file(), "--account", account_file(as_of="2026-11-29T08:00:00Z"), "--now", NOW)
    assert ran.status == 0
    assert "warning[GI4903]" in ran.out
    assert "25 hours ago" in ran.out
    assert "pass " in ran.out


def test_a_file_of_another_region_is_an_error_and_judges_nothing(run, spec_file, account_file):
    path = account_file(region="us-east-1")
    ran = run("preflight", spec_file(), "--account", path, "--format", "json", "--now", NOW)
    assert ran.status == 1
    assert [f["code"] for f in ran.data["findings"]] == ["GI4902"]
    assert ran.data["findings"][0]["source"]["file"] == str(path)
    assert (ran.data["passed"], ran.data["unknown"]) == ([], [])


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"format": "x"}', json.dumps(ACCOUNT)[:200]])
def test_a_file_that_is_none_is_one_error(run, spec_file, tmp_path, text):
    path = tmp_path / "account.json"
    path.write_text(text)
    ran = run("preflight", spec_file(), "--account", path, "--now", NOW)
    assert ran.status == 1
    assert f"{path}:" in ran.out
    assert ran.out.count("error[") == 1
    assert "error[GI4901]" in ran.out


def test_no_file(run, spec_file, tmp_path):
    ran = run("preflight", spec_file(), "--account", tmp_path / "none.json", "--now", NOW)
    assert ran.status == 1
    assert "there is no such file" in ran.out


def test_a_spec_that_is_wrong_shows_its_own_errors_and_no_warnings(run, spec_file, account_file):
    ran = run("preflight", spec_file(("p5.48xlarge", "p5.49xlarge")), "--account", account_file(), "--now", NOW)
    assert ran.status == 1
    assert "error[GI2001]" in ran.out
    assert "warning[" not in ran.out


def test_a_spec_that_cannot_be_read(run, tmp_path, account_file):
    ran = run("preflight", tmp_path / "none.yaml", "--account", account_file())
    assert ran.status == 1
    assert "GI1" in ran.out


def test_both_options_are_wrong_usage(run, spec_file, account_file):
    ran = run("preflight", spec_file(), "--account", account_file(), "--save", "x.json")
    assert ran.status == 2
    assert "give one of them" in ran.err


def read_as(monkeypatch: pytest.MonkeyPatch, answer: AccountFacts | Exception) -> None:
    def read(*arguments: Any) -> AccountFacts:
        arguments[-1]("quotas")
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(reading, "read_account", read)


def test_what_was_read_is_saved_and_judged_alike(run, spec_file, tmp_path, monkeypatch):
    read_as(monkeypatch, AccountFacts.model_validate(ACCOUNT))
    saved = tmp_path / "saved.json"
    live = run("preflight", spec_file(), "--save", saved, "--now", NOW)
    assert live.status == 0
    assert json.loads(saved.read_text())["account"] == "123456789012"
    assert run("preflight", spec_file(), "--account", saved, "--now", NOW).out == live.out


def test_an_account_that_cannot_be_read_is_one_line(run, spec_file, monkeypatch):
    read_as(monkeypatch, ReadingError("no AWS credentials are found: sign in"))
    ran = run("preflight", spec_file(), "--now", NOW)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == "gpuinfra: no AWS credentials are found: sign in\n"


def test_a_file_that_cannot_be_written_is_one_line(run, spec_file, tmp_path, monkeypatch):
    read_as(monkeypatch, AccountFacts.model_validate(ACCOUNT))
    ran = run("preflight", spec_file(), "--save", tmp_path / "none" / "x.json", "--now", NOW)
    assert ran.status == 2
    assert "the file cannot be written: No such file or directory" in ran.err


@pytest.mark.parametrize("parts", [{}, {"quotas": {}}])
def test_without_any_fact_nothing_is_judged_and_the_status_is_2(run, spec_file, account_file, parts):
    """A run that looked at nothing must not be taken for a pass."""
    none = {part: None for part in ACCOUNT if part in ("quotas", "offerings", "cost_tags")}
    ran = run("preflight", spec_file(), "--account", account_file(**{**none, **parts}), "--now", NOW)
    assert ran.status == 2
    assert "no fact about the account is known, so that nothing was judged by it: permission denied: ssm" in ran.err
    bare = account_file(**none, unknown={})
    ran = run("preflight", spec_file(), "--account", bare, "--now", NOW, "--format", "json")
    assert (ran.status, ran.data["passed"]) == (2, [])
    assert "none is in the file" in ran.err
    broken = run("preflight", spec_file(("p5.48xlarge", "p5.49xlarge")), "--account", bare, "--now", NOW)
    assert broken.status == 1


def test_settings_count(run, spec_file, account_file, tmp_path):
    """A waiver, a severity and a baseline of gpuinfra.yaml are heard here as at every door."""
    path = spec_file()
    account = account_file(quotas={**ACCOUNT["quotas"], "L-417A185B": {"limit": 0}})
    assert run("preflight", path, "--account", account, "--now", NOW).status == 1
    settings = tmp_path / "gpuinfra.yaml"
    settings.write_text('waivers: [{code: GI4001, reason: asked for, expires: "2026-12-31"}]\n')
    ran = run("preflight", path, "--account", account, "--now", NOW)
    assert ran.status == 0
    assert "waived until 2026-12-31: asked for" in ran.out
    settings.write_text('waivers: [{code: GI4001, reason: asked for, expires: "2026-11-01"}]\n')
    ran = run("preflight", path, "--account", account, "--now", NOW)
    assert ran.status == 1
    assert "the waiver of GI4001 ended 2026-11-01" in ran.out
    settings.unlink()
    other = tmp_path / "other.yaml"
    other.write_text("severity: {GI4001: warning}\n")
    assert run("preflight", path, "--account", account, "--now", NOW, "--settings", other).status == 0
    known = tmp_path / "baseline.json"
    assert run("preflight", path, "--account", account, "--now", NOW, "--write-baseline", known).status == 0
    assert run("preflight", path, "--account", account, "--now", NOW, "--baseline", known).status == 0


def test_a_waiver_of_what_another_command_judges_is_not_called_useless(run, spec_file, account_file, tmp_path):
    (tmp_path / "gpuinfra.yaml").write_text(
        'waivers: [{code: GI3012, reason: seen, expires: "2026-12-31"}, {code: GI2202, reason: seen, expires: "2026-12-31"}]\n'
    )
    ran = run("preflight", spec_file(), "--account", account_file(), "--now", NOW)
    assert "GI2281" not in ran.out


@pytest.mark.parametrize("form", ["sarif", "github", "junit"])
def test_every_form(run, spec_file, account_file, form):
    account = account_file(quotas={**ACCOUNT["quotas"], "L-417A185B": {"limit": 0}})
    ran = run("preflight", spec_file(), "--account", account, "--now", NOW, "--format", form)
    assert ran.status == 1
    assert "GI4001" in ran.out


def test_no_setting_makes_a_file_right_that_is_of_another_place(run, spec_file, account_file, tmp_path):
    (tmp_path / "gpuinfra.yaml").write_text("severity: {GI4902: off}\n")
    ran = run("preflight", spec_file(), "--account", account_file(region="us-east-1"), "--now", NOW)
    assert ran.status == 1
    assert "no account was judged" in ran.out
    assert "is the code of no finding" not in ran.out
