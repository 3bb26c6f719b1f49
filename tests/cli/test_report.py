"""The forms that findings are given in: SARIF, annotations of a workflow, JUnit, and what all of them share."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote_to_bytes
from xml.etree import ElementTree

import click
import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.cli.report import FORMS, Report, of, rendered
from gpuinfra.cli.sarif import as_sarif
from gpuinfra.diagnostics import Diagnostic, Severity, Source, Suppressed, Suppression
from gpuinfra.policy.rule import Undecided

from .conftest import NOW
from .sarif_form import SARIF

WRONG_TYPE = ("p5.48xlarge", "p5.49xlarge")
VALIDATOR = jsonschema.Draft7Validator(SARIF)


def finding(**changes: object) -> Diagnostic:
    values: dict[str, object] = {
        "code": "GI2001",
        "severity": Severity.ERROR,
        "path": "node_pools[0].instance_type",
        "message": "'x' is not known",
        "hint": "take y",
        "source": Source("a.yaml", 6, 32),
        "facts": ("AWS CMP-01",),
    }
    return Diagnostic(**{**values, **changes})  # type: ignore[arg-type]


WAIVED = finding(
    severity=Severity.INFO, suppression=Suppression(Suppressed.WAIVED, Severity.ERROR, "known", "2026-12-31")
)
KNOWN = finding(
    severity=Severity.INFO,
    suppression=Suppression(Suppressed.BASELINE, Severity.WARNING, "known from the baseline", by="base.json"),
)
LOWERED = finding(
    severity=Severity.WARNING, suppression=Suppression(Suppressed.LOWERED, Severity.ERROR, "by gpuinfra.yaml")
)
ABOUT_A_RESOURCE = finding(
    code="GI3047", path="group.minSize", resource="group", resource_type="aws:autoscaling/group:Group", source=None
)
WHOLE = Report(
    (finding(), WAIVED, LOWERED, ABOUT_A_RESOURCE, finding(path="", source=Source("a.yaml"))),
    ("a.yaml", "clean.yaml"),
    (KNOWN,),
    (Undecided("GI3048", "nodes", "the lease is not known yet"),),
    ("error in rule GI9001 (x): ZeroDivisionError",),
)


def results(report: Report) -> list[dict[str, object]]:
    return as_sarif(report)["runs"][0]["results"]


def test_sarif_has_the_standards_form():
    log = as_sarif(WHOLE)
    assert [e.message for e in VALIDATOR.iter_errors(log)] == []
    # The check can fail.
    log["runs"][0]["results"][0]["colour"] = "red"
    assert not VALIDATOR.is_valid(log)


def test_sarif_of_a_real_run_has_the_standards_form(run, spec_file):
    ran = run("check", spec_file(WRONG_TYPE), spec_file(name="good.yaml"), "--now", NOW, "--format", "sarif")
    assert ran.status == 1
    VALIDATOR.validate(ran.data)
    (one,) = ran.data["runs"]
    bad = next(r for r in one["results"] if r["level"] == "error")
    assert bad["locations"][0]["physicalLocation"]["region"] == {"startLine": 6, "startColumn": 32}
    rule = one["tool"]["driver"]["rules"][bad["ruleIndex"]]
    assert (rule["id"], rule["name"]) == ("GI2001", "unknown-instance-type")
    assert "docs/reference/rules.md#gi2001" in rule["help"]["markdown"]
    assert len(one["artifacts"]) == 2


def test_one_file_by_two_names_is_one_artifact():
    log = as_sarif(Report((), ("a.yaml", "./a.yaml", "<stdin>")))
    assert log["runs"][0]["artifacts"] == [{"location": {"uri": "a.yaml"}}]


def test_sarif_of_nothing_has_the_standards_form():
    VALIDATOR.validate(as_sarif(Report(())))


def test_sarif_levels_suppressions_and_places():
    error, waived, lowered, resource, whole, known, waits = results(WHOLE)
    assert (error["level"], "suppressions" in error) == ("error", False)
    assert waived["level"] == "error"
    assert waived["suppressions"] == [
        {"kind": "inSource", "status": "accepted", "justification": "known; until 2026-12-31"}
    ]
    assert (lowered["level"], "suppressions" in lowered) == ("warning", False)
    assert known["level"] == "warning"
    assert known["suppressions"][0]["kind"] == "external"  # type: ignore[index]
    assert resource["locations"] == [
        {
            "logicalLocations": [
                {"name": "group", "fullyQualifiedName": "aws:autoscaling/group:Group::group", "kind": "resource"},
                {"fullyQualifiedName": "group.minSize", "kind": "property"},
            ]
        }
    ]
    assert "region" not in whole["locations"][0]["physicalLocation"]  # type: ignore[index]
    assert (waits["kind"], waits["level"]) == ("open", "none")


def test_a_waiver_of_the_settings_stands_outside_of_the_source():
    assert WAIVED.suppression is not None
    other = replace(WAIVED, suppression=replace(WAIVED.suppression, by="gpuinfra.yaml"))
    assert results(of([other], ["a.yaml"]))[0]["suppressions"][0]["kind"] == "external"  # type: ignore[index]


def test_a_fault_makes_the_run_unsuccessful():
    (invocation,) = as_sarif(WHOLE)["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
    assert "GI9001" in invocation["toolExecutionNotifications"][0]["message"]["text"]


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("./a.yaml", "a.yaml"),
        ("a b/ü%.yaml", "a%20b/%C3%BC%25.yaml"),
        ("../a.yaml", "../a.yaml"),
        ("/elsewhere/a.yaml", "file:///elsewhere/a.yaml"),
        ("a:b.yaml", "a%3Ab.yaml"),
    ],
)
def test_a_file_is_a_uri(file: str, uri: str):
    (one,) = results(of([finding(source=Source(file, 1, 1))], []))
    assert one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri  # type: ignore[index]


def test_annotations_are_commands_of_a_workflow():
    lines = rendered(WHOLE, "github").splitlines()
    assert lines[0] == (
        "::error file=a.yaml,line=6,col=32,title=GI2001 node_pools[0].instance_type::'x' is not known%0Ahint: take y"
        "%0ASee docs/reference/rules.md#gi2001"
    )
    assert [x.split(" ")[0] for x in lines[:5]] == ["::error", "::notice", "::warning", "::error", "::error"]
    assert lines[3].startswith("::error title=GI3047 group.minSize::")
    assert lines[4].startswith("::error file=a.yaml,title=GI2001::")
    assert lines[5].startswith("::error title=gpuinfra::error in rule GI9001")
    assert (
        lines[-1]
        == "3 errors, 1 warning, 1 info in 2 files; 1 waived, 1 lowered by settings, 1 known from the baseline"
    )


def test_annotations_escape_what_would_end_a_command():
    bad = finding(path="a,b:c", message="50 %\n::error::injected", source=Source("x,y:z.yaml", 1, 1))
    text = rendered(of([bad], []), "github")
    assert text.splitlines()[0].startswith(
        "::error file=x%2Cy%3Az.yaml,line=1,col=1,title=GI2001 a%2Cb%3Ac::50 %25%0A::error::injected%0A"
    )
    assert text.count("\n") == 2


def test_junit_has_a_suite_for_each_file_and_a_case_for_each_finding():
    root = ElementTree.fromstring(rendered(WHOLE, "junit"))
    assert root.attrib == {"name": "gpuinfra", "tests": "9", "failures": "3", "errors": "1", "skipped": "3"}
    suites = {s.attrib["name"]: s for s in root}
    assert list(suites) == ["a.yaml", "clean.yaml", "gpuinfra", "undecided", "faults"]
    cases = list(suites["a.yaml"])
    assert [[c.tag for c in case] for case in cases] == [
        ["failure"],
        ["skipped"],
        ["system-out"],
        ["failure"],
        ["skipped"],
    ]
    assert cases[0].attrib == {"classname": "a.yaml", "name": "GI2001 node_pools[0].instance_type", "line": "6"}
    assert cases[0][0].attrib == {"type": "error GI2001", "message": "'x' is not known"}
    assert "hint: take y" in (cases[0][0].text or "")
    assert [(c.attrib["name"], len(c)) for c in suites["clean.yaml"]] == [("no findings", 0)]


def test_the_summary_is_never_silent():
    text = click.unstyle(rendered(Report((LOWERED,), ("a.yaml",), (KNOWN, KNOWN), gone=3), "text"))
    assert text.splitlines()[-1] == (
        "0 errors, 1 warning in 1 file; 1 lowered by settings, 2 known from the baseline, 3 of the baseline no longer there"
    )


def test_the_json_form_has_what_is_hidden_apart():
    data = json.loads(rendered(WHOLE, "json"))
    assert set(data) == {"findings", "suppressed", "undecided", "faults", "summary"}
    assert data["findings"][0]["facts"] == ["AWS CMP-01"]
    assert data["findings"][3]["resource"] == {"name": "group", "type": "aws:autoscaling/group:Group"}
    assert data["suppressed"][0]["suppression"]["kind"] == "baseline"
    assert data["summary"] == {"errors": 3, "warnings": 1, "infos": 1, "waived": 1, "lowered": 1, "baseline": 1}
    assert set(json.loads(rendered(Report(()), "json"))) == {"findings", "summary"}


def test_a_secret_of_the_source_line_does_not_show(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text(f"name: ghp_{'a' * 36}\n")
    text = rendered(of([finding(source=Source(str(path), 1, 7))], [str(path)]), "text")
    assert "aaaa" not in text


nasty = st.text(st.characters(codec=None), max_size=30)
some = nasty.filter(bool)


@given(some, nasty, nasty, some)
def test_every_form_takes_every_text(message: str, hint: str, path: str, file: str):
    report = of([finding(message=message, hint=hint, path=path, source=Source(file, 1, 1))], [file])
    for form in FORMS:
        text = click.unstyle(rendered(report, form))
        if form == "sarif":
            VALIDATOR.validate(json.loads(text))
        if form == "junit":
            ElementTree.fromstring(text.encode())
        if form == "github":
            assert text.count("\n") == 2
        if form != "json":
            assert not re.search(r"[\x00-\x08\x0b-\x1f]", text)


@pytest.mark.parametrize("form", FORMS)
def test_output_goes_to_a_file_and_the_summary_to_the_person(run, spec_file, tmp_path, form):
    out = tmp_path / "findings"
    ran = run("check", spec_file(WRONG_TYPE), "--now", NOW, "--format", form, "--output", out)
    assert ran.status == 1
    assert re.fullmatch(r"1 error, \d warnings?(, \d infos?)? in 1 file\n", ran.out)
    assert "GI2001" in out.read_text()
    assert "\x1b" not in out.read_text()


def test_output_that_cannot_be_written_is_one_line_and_status_2(run, spec_file, tmp_path):
    ran = run("check", spec_file(), "--now", NOW, "--output", tmp_path / "none" / "out.json")
    assert ran.status == 2
    assert "cannot be written: No such file or directory" in ran.err


def test_output_to_a_link_writes_what_it_leads_to(run, spec_file, tmp_path):
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    link.symlink_to(real)
    run("check", spec_file(), "--now", NOW, "--format", "json", "--output", link)
    assert link.is_symlink()
    assert "findings" in json.loads(real.read_text())


@pytest.mark.parametrize("form", ["sarif", "github", "junit"])
def test_plan_has_the_same_forms(run, spec_file, form):
    ran = run("plan", spec_file(WRONG_TYPE), "--now", NOW, "--format", form)
    assert ran.status == 1
    assert "GI2001" in ran.out
    if form == "sarif":
        VALIDATOR.validate(ran.data)


@pytest.mark.skipif(
    "GPUINFRA_SARIF_SCHEMA" not in os.environ, reason="GPUINFRA_SARIF_SCHEMA names no copy of the standard's own schema"
)
def test_the_standards_own_schema_accepts_every_part() -> None:
    schema = json.loads(Path(os.environ["GPUINFRA_SARIF_SCHEMA"]).read_text("utf-8-sig"))
    jsonschema.validators.validator_for(schema)(schema).validate(as_sarif(WHOLE))


ODD = ['we ird\nn\u00e4me %0A::error,x=1\U0001f642"<&.yaml', "c\x1b[31mtl.yaml", os.fsdecode(b"b\xffad.yaml")]


@pytest.mark.parametrize("name", ODD, ids=ascii)
def test_a_file_of_an_odd_name_is_one_file_in_every_form(run, spec_file, tmp_path, monkeypatch, name):
    """Its findings stand at it, and it is not told clean beside them."""
    monkeypatch.chdir(tmp_path)
    text = spec_file().read_text().replace("90000", "5")
    (tmp_path / name).write_text(text)
    suites = ElementTree.fromstring(run("check", name, "--now", NOW, "--format", "junit").out).findall("testsuite")
    (suite,) = suites
    assert [c.get("name") for c in suite if c.get("name") == "no findings"] == []
    log = json.loads(run("check", name, "--now", NOW, "--format", "sarif").out)["runs"][0]
    (artifact,) = {a["location"]["uri"] for a in log["artifacts"]}
    assert os.fsdecode(unquote_to_bytes(artifact)) == name
    places = [r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in log["results"]]
    assert set(places) == {artifact}
    lines = run("check", name, "--now", NOW, "--format", "github").out.splitlines()
    assert all(line.startswith("::") for line in lines[:-1])
    # The line of the file is shown below the finding.
    assert " | budget: {per_month_usd: 5," in run("check", name, "--now", NOW).out


def test_a_file_that_is_named_twice_is_judged_once(run, spec_file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = spec_file()
    ran = run("check", path.name, f"./{path.name}", path.name, "--now", NOW)
    assert ran.out.splitlines()[-1].endswith("in 1 file")


def test_the_baseline_of_another_stack_is_said(run, spec_file, tmp_path):
    known = tmp_path / "baseline.json"
    path = spec_file(("90000", "5"))
    run("check", path, "--now", NOW, "--write-baseline", known)
    assert run("check", path, "--now", NOW, "--baseline", known).err == ""
    other = tmp_path / "other"
    other.mkdir()
    (other / "cluster.yaml").write_text(path.read_text())
    ran = run("check", other / "cluster.yaml", "--now", NOW, "--baseline", known)
    assert ran.status == 1
    assert "none of its entries is about what was judged" in ran.err


def test_a_baseline_without_end_is_refused(run, spec_file):
    ran = run("check", spec_file(), "--now", NOW, "--baseline", "/dev/zero")
    assert ran.status == 1
    assert "the baseline cannot be used: it is larger than 64 MiB" in ran.out
