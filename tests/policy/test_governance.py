"""What becomes of findings: severities, an organisation's waivers, the baseline, and what is said of their leftovers."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.diagnostics import Code, Diagnostic, Severity, Source, Suppressed
from gpuinfra.policy.baseline import FORM, Baseline, Matching, entry_of, fingerprint, read, read_file, written
from gpuinfra.policy.examples import graph_of
from gpuinfra.policy.governance import Governed, Governor
from gpuinfra.policy.settings import Settings
from gpuinfra.policy.settings_file import read_settings

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
ERROR = Code("GI2205", "month-above-budget", Severity.ERROR, "x")
WARNING = Code("GI2202", "no-budget", Severity.WARNING, "x")
INFO = Code("GI2210", "budget-is-no-cap", Severity.INFO, "x")
READING = Code("GI1030", "unknown-key", Severity.ERROR, "x")
VPC = "- {type: aws.ec2.Vpc, name: net, inputs: {cidrBlock: 10.0.0.0/8}}"


@pytest.fixture
def settings(tmp_path: Path) -> Callable[[str], Settings]:
    """Settings from a text, in a folder of their own."""

    def make(text: str) -> Settings:
        path = tmp_path / "gpuinfra.yaml"
        path.write_text(text)
        found = read_settings(str(path))
        assert found.diagnostics == ()
        return found

    return make


def run(found: list[Diagnostic], settings: Settings, file: str = "", **more: object) -> Governed:
    governor = Governor(NOW)
    governor.take(found, settings, file, **more)  # type: ignore[arg-type]
    return governor.result()


def test_without_settings_nothing_changes():
    found = [ERROR.at("budget", "dear"), INFO.at("budget", "late")]
    assert run(found, Settings()) == Governed(tuple(found), raw=tuple((d, "") for d in found))


@pytest.mark.parametrize(
    ("code", "word", "severity", "kind"),
    [
        (ERROR, "warning", Severity.WARNING, Suppressed.LOWERED),
        (ERROR, "info", Severity.INFO, Suppressed.LOWERED),
        (WARNING, "info", Severity.INFO, Suppressed.LOWERED),
        (WARNING, "error", Severity.ERROR, None),
        (INFO, "error", Severity.ERROR, None),
        (ERROR, "error", Severity.ERROR, None),
    ],
)
def test_a_severity_of_the_settings_counts(
    settings: Callable[[str], Settings], code: Code, word: str, severity: Severity, kind: Suppressed | None
):
    (said,) = run([code.at("budget", "dear")], settings(f"severity: {{{code.code}: {word}}}")).findings
    assert said.severity is severity
    assert (said.suppression.kind if said.suppression else None) is kind
    if said.suppression:
        assert said.suppression.severity is code.severity
        assert "gpuinfra.yaml:1:12" in said.suppression.reason


def test_what_is_off_is_hidden_and_kept_for_the_count(settings: Callable[[str], Settings]):
    done = run([ERROR.at("budget", "dear")], settings("severity: {GI2205: off}"))
    assert done.findings == ()
    (hidden,) = done.hidden
    assert hidden.suppression is not None
    assert (hidden.suppression.kind, hidden.suppression.severity) == (Suppressed.OFF, Severity.ERROR)


def waivers(**changes: str) -> str:
    values = {"code": "GI2205", "reason": "known", "expires": "2026-12-31", **changes}
    return "waivers: [" + json.dumps(values) + "]"


@pytest.mark.parametrize("path", ["budget", "bud*", "*"])
def test_a_waiver_in_force_makes_an_info_that_quotes_it(settings: Callable[[str], Settings], path: str):
    (said,) = run([ERROR.at("budget.per_month_usd", "dear")], settings(waivers(path=path))).findings
    assert said.severity is Severity.INFO
    assert said.message == "dear (waived until 2026-12-31: known)"
    assert said.suppression is not None
    assert said.suppression.by.endswith("gpuinfra.yaml")


@pytest.mark.parametrize("path", ["budge", "node_pools[0]", "node_pools[*].count", "per_month_usd"])
def test_a_waiver_of_another_place_covers_nothing_and_says_so(settings: Callable[[str], Settings], path: str):
    found = run([ERROR.at("budget.per_month_usd", "dear")], settings(waivers(path=path))).findings
    assert {d.code: d.severity for d in found} == {"GI2281": Severity.INFO, "GI2205": Severity.ERROR}


def test_brackets_of_a_path_mean_themselves(settings: Callable[[str], Settings]):
    found = [ERROR.at("node_pools[0].count", "x"), ERROR.at("node_pools[12].count", "y")]
    all_pools = run(found, settings(waivers(path="node_pools[*].count"))).findings
    assert {d.severity for d in all_pools} == {Severity.INFO}
    one = run(found, settings(waivers(path="node_pools[0]"))).findings
    assert {d.path: d.severity for d in one if d.code == "GI2205"} == {
        "node_pools[0].count": Severity.INFO,
        "node_pools[12].count": Severity.ERROR,
    }


@pytest.mark.parametrize(
    ("files", "covered"), [("old-*/cluster.yaml", True), ("new/*", False), ("*", True), ("../*", False)]
)
def test_a_waiver_may_be_for_some_files_below_the_settings(
    settings: Callable[[str], Settings], tmp_path: Path, files: str, covered: bool
):
    done = run([ERROR.at("budget", "x")], settings(waivers(files=files)), str(tmp_path / "old-a" / "cluster.yaml"))
    (found,) = (d for d in done.findings if d.code == "GI2205")
    assert (found.severity is Severity.INFO) is covered


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ("new/*", False),  # Of another file: that one was not judged, so nobody can say that the waiver covers nothing.
        ("new/cluster.yaml", False),
        ("n*", False),
        ("new", False),
        ("build/preview.json", False),  # Pipelines write it and remove it again.
        ("nwe/*", True),
        ("nwe/cluster.yaml", True),
        ("new/cluster.yml", True),
        ("*.yml", True),
        ("./new/cluster.yaml", True),
        ("../*", True),
        ("/new/cluster.yaml", True),
        ("new/", True),
    ],
)
def test_a_waiver_for_files_of_which_there_is_none_is_said(
    settings: Callable[[str], Settings], tmp_path: Path, files: str, said: bool
):
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "cluster.yaml").write_text("")
    done = run([ERROR.at("budget", "x")], settings(waivers(files=files)), str(tmp_path / "old-a" / "cluster.yaml"))
    (*unused,) = (d for d in done.findings if d.code == "GI2281")
    assert [d.path for d in unused] == (["waivers[0].files"] if said else [])
    assert all(d.severity is Severity.INFO and "there is no such file" in d.message for d in unused)


def test_a_folder_too_large_to_look_through_proves_nothing(
    settings: Callable[[str], Settings], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("gpuinfra.policy.waiver_files._MOST", 0)
    done = run([], settings(waivers(files="*.yml")), str(tmp_path / "cluster.yaml"))
    assert done.findings == ()


def test_a_waiver_by_urn_needs_the_graph(settings: Callable[[str], Settings]):
    graph = graph_of(VPC)
    found = replace(ERROR.at("net.cidrBlock", "x", resource="net"), resource_type="aws:ec2/vpc:Vpc")
    some = settings(waivers(urn="urn:pulumi:*::Vpc::net".replace("::Vpc", "*")))
    assert run([found], some, graph=graph).findings[0].severity is Severity.INFO
    assert run([found], some).findings[0].is_error


def test_an_expired_waiver_counts_for_nothing_and_is_a_finding(settings: Callable[[str], Settings]):
    found = run([ERROR.at("budget", "dear")], settings(waivers(expires="2026-11-29"))).findings
    by_code = {d.code: d for d in found}
    assert by_code["GI2205"].is_error
    assert by_code["GI2280"].severity is Severity.WARNING
    assert by_code["GI2280"].path == "waivers[0].expires"
    assert by_code["GI2280"].source is not None


def test_a_waiver_for_years_and_one_of_no_code_are_warnings(settings: Callable[[str], Settings]):
    found = run([ERROR.at("budget", "dear")], settings(waivers(expires="2029-12-31"))).findings
    assert [d.severity for d in found if d.code == "GI2282"] == [Severity.WARNING]
    found = run([], settings(waivers(code="GI2999"))).findings
    assert [(d.code, d.severity) for d in found] == [("GI2281", Severity.WARNING)]


def test_a_waiver_of_what_was_not_judged_is_let_be(settings: Callable[[str], Settings]):
    governor = Governor(NOW)
    governor.take([], settings(waivers(code="GI3047")), "a.yaml")
    assert governor.result(not_judged=("GI3",)).findings == ()
    assert [d.code for d in governor.result().findings] == ["GI2281"]


def test_what_is_said_of_a_waiver_has_a_severity_too(settings: Callable[[str], Settings]):
    text = waivers(expires="2026-11-29")
    assert run([], settings(f"severity: {{GI2280: error}}\n{text}")).findings[0].is_error
    off = run([], settings(f"severity: {{GI2280: off}}\n{text}"))
    assert (off.findings, [d.code for d in off.hidden]) == ((), ["GI2280"])


def test_without_a_clock_no_waiver_is_in_force(settings: Callable[[str], Settings]):
    governor = Governor(None)
    governor.take([ERROR.at("budget", "x")], settings(waivers()))
    assert [d.is_error for d in governor.result().findings] == [True]


def test_what_reading_found_is_never_lowered_nor_waived(settings: Callable[[str], Settings]):
    found = READING.at("nmae", "unknown")
    done = run([found], settings(waivers(code="GI1030")))
    assert found in done.findings
    assert done.raw == ()


def test_settings_of_several_files_are_said_once(settings: Callable[[str], Settings]):
    some = settings(waivers(expires="2026-01-01"))
    governor = Governor(NOW)
    for file in ("a.yaml", "b.yaml"):
        governor.take([], some, file)
    assert [d.code for d in governor.result().findings] == ["GI2280"]


def test_a_package_that_is_not_there_is_an_error(settings: Callable[[str], Settings]):
    (said,) = run([], settings("rules: [acme-rules]"), missing=("acme-rules",)).findings
    assert said.code == "GI1062"
    assert said.source is not None
    assert said.source.line == 1


# The baseline.


def baseline(*found: Diagnostic, file: str = "a.yaml") -> Baseline:
    read_again = read(written(((d, file) for d in found), "base.json"), "base.json")
    assert isinstance(read_again, Baseline)
    return read_again


def known(found: list[Diagnostic], base: Baseline, file: str = "a.yaml") -> Governed:
    governor = Governor(NOW, base)
    governor.take(found, Settings(), file)
    return governor.result()


def test_a_known_finding_is_hidden_whatever_its_words_and_its_line():
    old = ERROR.at("budget", "4,000 USD").located(Source("a.yaml", 7, 1))
    new = ERROR.at("budget", "5,000 USD").located(Source("a.yaml", 9, 3))
    done = known([new], baseline(old))
    assert done.findings == ()
    (hidden,) = done.hidden
    assert hidden.suppression is not None
    assert (hidden.suppression.kind, hidden.suppression.severity) == (Suppressed.BASELINE, Severity.ERROR)


@pytest.mark.parametrize(
    ("new", "file"),
    [
        (ERROR.at("budget.per_month_usd", "x"), "a.yaml"),
        (WARNING.at("budget", "x"), "a.yaml"),
        (ERROR.at("budget", "x", resource="net"), "a.yaml"),
        (ERROR.at("budget", "x"), "b.yaml"),
    ],
)
def test_another_code_place_resource_or_file_is_new(new: Diagnostic, file: str):
    assert new in known([new], baseline(ERROR.at("budget", "x")), file).findings


def test_one_more_than_the_baseline_has_is_new():
    first, second = ERROR.at("budget", "one"), ERROR.at("budget", "two")
    done = known([first, second], baseline(first))
    assert (len(done.findings), len(done.hidden)) == (1, 1)


def test_entries_that_no_longer_occur_are_said():
    done = known([], baseline(ERROR.at("budget", "x"), WARNING.at("budget", "y")))
    assert [d.code for d in done.findings] == ["GI1071", "GI1071"]
    assert "GI2202 at budget" in done.findings[0].message
    assert done.gone == 2


def test_entries_of_files_and_codes_that_were_not_judged_are_let_be():
    base = baseline(ERROR.at("budget", "x"))
    assert known([], base, "b.yaml").findings == ()
    governor = Governor(NOW, base)
    governor.take([], Settings(), "a.yaml")
    assert governor.result(not_judged=("GI22",)).findings == ()


def test_a_baseline_names_files_from_its_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    spec = tmp_path / "stacks" / "cluster.yaml"
    text = written([(ERROR.at("budget", "x"), str(spec))], str(tmp_path / "base.json"))
    assert json.loads(text)["findings"][0]["file"] == "stacks/cluster.yaml"
    base = read(text, str(tmp_path / "base.json"))
    assert isinstance(base, Baseline)
    (tmp_path / "stacks").mkdir()
    monkeypatch.chdir(tmp_path / "stacks")
    assert known([ERROR.at("budget", "x")], base, "cluster.yaml").findings == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it is empty"),
        ("{", "no JSON, or cut short"),
        ("[]", "not a file of --write-baseline"),
        ('{"version": "2.1.0", "runs": []}', "not a file of --write-baseline"),
        (json.dumps({"form": FORM}), "no list of findings"),
        (json.dumps({"form": FORM, "findings": [1]}), "entry 1"),
        (json.dumps({"form": FORM, "findings": [{"code": "GI1"}]}), "entry 1"),
        ("[" * 100_000, "no JSON"),
    ],
)
def test_what_is_no_baseline_is_a_finding(text: str, words: str):
    found = read(text, "base.json")
    assert isinstance(found, Diagnostic)
    assert found.code == "GI1070"
    assert words in found.message


def test_a_baseline_changed_by_hand_is_refused():
    text = written([(ERROR.at("budget", "x"), "a.yaml")], "base.json").replace('"path": "budget"', '"path": "shutdown"')
    found = read(text, "base.json")
    assert isinstance(found, Diagnostic)
    assert "changed by hand" in found.message


def test_a_baseline_that_cannot_be_read_is_a_finding(tmp_path: Path):
    for path in (tmp_path / "none.json", tmp_path):
        assert isinstance(read_file(str(path)), Diagnostic)
    binary = tmp_path / "base.json"
    binary.write_bytes(b"\xff\xfe\x00")
    assert isinstance(read_file(str(binary)), Diagnostic)


words = st.text(st.characters(blacklist_categories=("Cs",)), max_size=12)
findings = st.builds(
    lambda code, path, message, resource: code.at(path, message, resource=resource),
    st.sampled_from([ERROR, WARNING, INFO]),
    words,
    words,
    words,
)


@given(st.lists(findings, max_size=8))
def test_what_was_written_is_known_and_nothing_is_gone(found: list[Diagnostic]):
    matching = Matching(baseline(*found))
    counted = [d for d in found if d.severity is not Severity.INFO]
    assert all(matching.known(d, "a.yaml") is not None for d in counted)
    assert matching.gone(["a.yaml"]) == ()


@given(findings, findings)
def test_a_fingerprint_is_of_the_place_alone(a: Diagnostic, b: Diagnostic):
    assert (fingerprint(a, "f") == fingerprint(b, "f")) == (entry_of(a, "f") == entry_of(b, "f"))
    assert fingerprint(replace(a, message="other", hint="other"), "f") == fingerprint(a, "f")
