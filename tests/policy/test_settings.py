"""Settings files: where they are found, what they may say, and what is wrong with a bad one."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given
from hypothesis import settings as trying
from hypothesis import strategies as st

from gpuinfra.diagnostics import Severity
from gpuinfra.policy.rule import RuleOptions
from gpuinfra.policy.settings import Settings, _covers_path, _fits, settings_files, settings_for  # pyright: ignore[reportPrivateUsage]
from gpuinfra.policy.settings_file import read_settings


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], Settings]:
    """What is read of a settings file with this text."""

    def make(text: str) -> Settings:
        path = tmp_path / "gpuinfra.yaml"
        path.write_text(text)
        return read_settings(str(path))

    return make


def folders(root: Path, repository: Path | None) -> Path:
    """A stack's folder three below the root, each with settings; the spec in it."""
    stack = root / "teams" / "nlp"
    stack.mkdir(parents=True)
    for folder in (root, root / "teams", stack):
        (folder / "gpuinfra.yaml").write_text("severity: {GI2202: info}\n")
    if repository is not None:
        (repository / ".git").mkdir()
    return stack / "cluster.yaml"


def test_settings_are_looked_for_up_to_the_repositorys_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    spec = folders(tmp_path, tmp_path)
    assert settings_files(str(spec)) == ("teams/nlp/gpuinfra.yaml", "teams/gpuinfra.yaml", "gpuinfra.yaml")


def test_a_repository_further_down_ends_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    spec = folders(tmp_path, None)
    (tmp_path / "teams" / ".git").write_text("gitdir: elsewhere")
    assert settings_files(str(spec)) == ("teams/nlp/gpuinfra.yaml", "teams/gpuinfra.yaml")


def test_outside_of_a_repository_only_the_file_beside_the_spec_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    spec = folders(tmp_path, None)
    assert settings_files(str(spec)) == ("teams/nlp/gpuinfra.yaml",)


def test_standard_input_and_a_folder_have_settings_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gpuinfra.yaml").write_text("{}\n")
    assert settings_files("-") == settings_files(".") == ("gpuinfra.yaml",)


def test_a_spec_is_not_its_own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gpuinfra.yaml").write_text("name: x\n")
    assert settings_files("gpuinfra.yaml") == ()


def test_the_nearer_word_counts_and_waivers_add_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    stack = tmp_path / "stack"
    stack.mkdir()
    waiver = 'waivers: [{code: GI2205, reason: known, expires: "2026-12-31"}]\n'
    outer = "severity: {GI2202: error, GI2210: off}\nlease_above_usd_per_hour: 5\nrules: []\n"
    (tmp_path / "gpuinfra.yaml").write_text(outer + waiver)
    (stack / "gpuinfra.yaml").write_text("severity: {GI2202: warning}\nlease_above_usd_per_hour: 50\n" + waiver)
    found = settings_for("stack/cluster.yaml")
    assert found.diagnostics == ()
    assert {code: level.severity for code, level in found.levels.items()} == {
        "GI2202": Severity.WARNING,
        "GI2210": None,
    }
    assert found.lease_above_usd_per_hour == 50
    assert found.rules == ()
    assert [w.source.file for w in found.waivers] == ["stack/gpuinfra.yaml", "gpuinfra.yaml"]
    assert found.options == RuleOptions(50, frozenset({"GI2210", "GI2205"}), {"all": 50})
    (tmp_path / "given.yaml").write_text("severity: {GI2202: off}\n")
    assert settings_for("stack/cluster.yaml", "given.yaml").levels["GI2202"].severity is None


def test_no_file_sets_nothing(tmp_path: Path):
    found = settings_for(str(tmp_path / "cluster.yaml"))
    assert found == Settings()
    assert found.options == RuleOptions()


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "{}\n"])
def test_an_empty_file_sets_nothing_and_is_no_mistake(written: Callable[[str], Settings], text: str):
    found = written(text)
    assert found.diagnostics == ()
    assert not found.levels


def waiver(old: str = "", new: str = "") -> str:
    """A settings file of one waiver, which one text is changed in."""
    return 'waivers: [{code: GI2205, reason: known, expires: "2026-12-31"}]'.replace(old, new, 1)


@pytest.mark.parametrize(
    ("text", "code", "place", "words"),
    [
        ("severity: {GI2999: off}", "GI1060", (1, 12), "'GI2999' is the code of no finding"),
        ("severity: {nodes: off}", "GI1060", (1, 12), "is the code of no finding"),
        ("severity: {GI1001: off}", "GI1061", (1, 12), "stays an error"),
        ("severity: {GI1030: info}", "GI1061", (1, 12), "stays an error"),
        ("severity: {GI2202: warn}", "GI1033", (1, 20), "'warn' is not one of error, warning, info, off"),
        ("severity: {GI2202: 1}", "GI1032", (1, 20), "1 is refused"),
        ("severity: [GI2202]", "GI1032", (1, 11), "a list is refused"),
        ("severities: {}", "GI1030", (1, 1), "has no key 'severities'"),
        (waiver("code", "file: x, code"), "GI1030", None, "has no key 'file'"),
        ('waivers: [{code: GI2205, expires: "2026-12-31"}]', "GI1031", None, "the key 'reason' is missing"),
        ("waivers: [{code: GI2205, reason: known}]", "GI1031", None, "the key 'expires' is missing"),
        (waiver("known", '"  "'), "GI1035", (1, 34), "is not what 'reason' takes"),
        (waiver("known", '""'), "GI1035", (1, 34), "is not what 'reason' takes"),
        (waiver("GI2205", "2205x"), "GI1035", (1, 18), "is not what 'code' takes"),
        (waiver("2026-12-31", "soon"), "GI1039", None, "soon"),
        ("lease_above_usd_per_hour: 0", "GI1034", (1, 27), "more than 0 is wanted"),
        ("lease_above_usd_per_hour: dear", "GI1032", (1, 27), "'dear' is refused"),
        ("waivers: {code: GI2205}", "GI1032", (1, 10), "a mapping is refused: a list is wanted"),
        ("waivers: [GI2205]", "GI1032", (1, 11), "'GI2205' is refused: a mapping is wanted"),
        ("rules: acme", "GI1032", (1, 8), "'acme' is refused: a list is wanted"),
        ("rules: [1]", "GI1032", (1, 9), "1 is refused: a text is wanted"),
        ("lease_above_usd_per_hour: [10]", "GI1032", (1, 27), "a list is refused: a number is wanted"),
        ("- 1", "GI1015", (1, 1), "a settings file is a mapping"),
        ("severity: {", "GI1007", None, "not YAML"),
        ("severity: {}\nseverity: {}", "GI1010", (2, 1), "twice"),
    ],
)
def test_a_bad_file_is_a_finding_at_its_line(
    written: Callable[[str], Settings], text: str, code: str, place: tuple[int, int] | None, words: str
):
    (found,) = written(text).diagnostics
    assert (found.code, found.severity) == (code, Severity.ERROR)
    assert words in found.message
    assert found.hint
    assert found.source is not None
    if place is not None:
        assert (found.source.line, found.source.column) == place


@pytest.mark.parametrize(("content", "code"), [(b"\xff\xfe", "GI1005"), (None, "GI1001")])
def test_a_file_that_cannot_be_read_is_a_finding(tmp_path: Path, content: bytes | None, code: str):
    path = tmp_path / "gpuinfra.yaml"
    if content is not None:
        path.write_bytes(content)
    assert [d.code for d in read_settings(str(path)).diagnostics] == [code]


def test_a_secret_in_a_settings_file_does_not_show(written: Callable[[str], Settings]):
    (found,) = written(f"severity: {{GI2202: ghp_{'a' * 36}}}").diagnostics
    assert "aaaa" not in str(found)


def test_an_own_code_may_be_named_though_its_package_is_not_here(written: Callable[[str], Settings]):
    assert written("severity: {GI9001: off}").diagnostics == ()


def test_off_is_the_word_and_not_a_truth_value(written: Callable[[str], Settings]):
    assert written("severity: {GI2202: off}").levels["GI2202"].severity is None


keys = st.sampled_from(
    ["severity", "waivers", "rules", "lease_above_usd_per_hour", "code", "expires", "path", "GI2202"]
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["off", "GI2205"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys | st.text(max_size=5), inner, max_size=4),
    max_leaves=10,
)


@trying(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
@given(st.dictionaries(keys, values, max_size=4) | values)
def test_no_settings_raise(written: Callable[[str], Settings], data: object):
    found = written(yaml.safe_dump(data, allow_unicode=True))
    assert all(d.source is not None and d.source.file.endswith("gpuinfra.yaml") for d in found.diagnostics)
    found.options  # noqa: B018


@pytest.mark.parametrize(
    ("pattern", "path", "covers"),
    [
        ("node_pools[*].count", "node_pools[12].count", True),
        ("node_pools[*]", "node_pools[0].count", True),
        ("node_pools", "node_pools[0].count", True),
        ("node_pool", "node_pools[0].count", False),
        ("*.count", "node_pools[0].count", True),
        ("*count*max", "node_pools[0].count.max", True),
        ("a*a", "a", False),
        ("a*a", "aa", True),
        ("*", "", True),
        ("**", "x", True),
        ("*b*a", "ab", False),
    ],
)
def test_a_star_stands_for_any_text(pattern: str, path: str, covers: bool):
    assert _covers_path(pattern, path) is covers


@given(st.text("ab*", max_size=8), st.text("ab", max_size=8))
def test_a_pattern_fits_as_a_regular_expression_of_it_does(pattern: str, text: str):
    assert _fits(pattern, text) is bool(re.fullmatch(".*".join(pattern.split("*")), text))


def test_many_stars_are_quick():
    """As a regular expression this would not end in this century."""
    assert not _fits("*a" * 200 + "b", "a" * 5000)


def test_a_directory_and_a_link_that_leads_nowhere_are_findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "gpuinfra.yaml"
    place.mkdir()
    (found,) = settings_for("cluster.yaml").diagnostics
    assert (str(found.source), found.is_error) == ("gpuinfra.yaml", True)
    assert "it is a directory" in found.message
    place.rmdir()
    place.symlink_to("../common/settings.yaml")
    (found,) = settings_for("cluster.yaml").diagnostics
    assert found.is_error
    assert "a link to ../common/settings.yaml, and there is no such file" in found.message


def test_a_pipe_in_the_place_of_settings_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo(tmp_path / "gpuinfra.yaml")
    (found,) = settings_for("cluster.yaml").diagnostics
    assert found.is_error
    assert "this is a pipe" in found.message


def test_a_file_of_the_other_ending_is_said_not_to_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gpuinfra.yml").write_text("severity: {GI2202: off}\n")
    found = settings_for("cluster.yaml")
    assert [(d.code, d.severity, str(d.source)) for d in found.diagnostics] == [
        ("GI1063", Severity.WARNING, "gpuinfra.yml")
    ]
    assert not found.levels
    assert settings_for("gpuinfra.yml").diagnostics == ()
    (tmp_path / "gpuinfra.yaml").write_text("severity: {GI2202: info}\n")
    assert [d.code for d in settings_for("cluster.yaml").diagnostics] == ["GI1063"]
    (tmp_path / "gpuinfra.yml").write_text("api_version: gpuinfra/v1\n")
    assert settings_for("cluster.yaml").diagnostics == ()
