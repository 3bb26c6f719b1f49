"""What cannot be read is one finding that says what it is and what to do; nothing is a traceback."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.cli import main
from gpuinfra.diagnostics import Diagnostic
from gpuinfra.lint import Kind, Source, documents, lint
from gpuinfra.policy.examples import NOW

PROGRAMS = Path(__file__).parent / "programs"
PREVIEW = (PROGRAMS / "16-gke-l4-secure-boot" / "preview.json").read_text()
STATE_FILE = PROGRAMS / "16-gke-l4-secure-boot" / "state.json"
STATE = STATE_FILE.read_text()
URN_OF_A_NETWORK = "urn:pulumi:dev::p::aws:ec2/vpc:Vpc::x"


def only(kind: Kind, path: str | Path) -> Diagnostic:
    found = lint(Source(kind, str(path)), now=NOW)
    assert found.graph is None
    (one,) = found.findings
    assert one.is_error
    assert one.hint
    assert one.source is not None
    return one


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str | bytes], Path]:
    def write(content: str | bytes) -> Path:
        file = tmp_path / "file.json"
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    return write


FILES = [Kind.PREVIEW, Kind.STATE]


@pytest.mark.parametrize("kind", FILES, ids=str)
@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        ("", "GI1080", "there is nothing in it"),
        (" \n", "GI1080", "there is nothing in it"),
        (b"\x80\x02PK\xff\xfe", "GI1080", "not text in UTF-8"),
        (b"\xff\xfe\x00\xd8", "GI1080", "not text in UTF-8"),
        ("{}", "GI1082", "empty object"),
        ("[1, 2]", "GI1082", "it holds a list"),
        ("3", "GI1082", "it holds a number"),
        ("null", "GI1082", "it holds null"),
        ("Previewing update (dev):\n", "GI1082", "it begins with 'Previewing update (dev):'"),
        ('{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}', "GI1082", "its keys are 'a', 'b', 'c', 'd' …"),
        ('{"format_version": "1.2", "planned_values": {}}', "GI1082", "a plan of Terraform"),
        ('{"version": 4, "terraform_version": "1.9", "serial": 1, "lineage": "x"}', "GI1082", "a state of Terraform"),
        ('{"AWSTemplateFormatVersion": "2010-09-09"}', "GI1082", "a CloudFormation template"),
        ('{"Resources": {"A": {"Type": "AWS::EC2::VPC"}}}', "GI1082", "a CloudFormation template"),
        ('{"$schema": "https://x/2019-04-01/deploymentTemplate.json#"}', "GI1082", "Azure Resource Manager"),
        ('{"manifest": {}, "resourcePlans": {}}', "GI1082", "--save-plan"),
        ('{"sequence": 0, "timestamp": 1}\n{"sequence": 1, "timestamp": 2}\n', "GI1082", "a log of events"),
        ('{"sequence": 0, "timestamp": 1, "preludeEvent": {}}', "GI1082", "a log of events"),
        ('{"timestamp": 1, "preludeEvent": {}}', "GI1082", "a log of events"),
        ('{"deployments": [{"version": 3}]}', "GI1082", "a list of several deployments"),
        ('{"deployment": null}\n{"deployment": null}', "GI1082", "a state of Pulumi ends, and at line 2 something"),
        ('{"steps": []}\nwarning: a new version', "GI1082", "a preview of Pulumi ends, and at line 2 something"),
        ('{"a": 1} {"b": 2}', "GI1082", "one document ends, and at line 1 something else"),
        ("[" * 100_000, "GI1082", "nested deeper"),
        ('{"steps": [], "n": ' + "9" * 5000 + "}", "GI1082", "a number that Pulumi does not write"),
        ('{"steps": [], }', "GI1081", "not JSON at line 1, column"),
    ],
)
def test_what_is_no_document_of_pulumi(kind: Kind, content: str | bytes, code: str, words: str, written):
    found = only(kind, written(content))
    assert found.code == code
    assert words in found.message


@pytest.mark.parametrize("kind", FILES, ids=str)
def test_messages_of_the_command_may_stand_in_front(kind: Kind, written):
    document = json.dumps(json.loads(PREVIEW if kind is Kind.PREVIEW else STATE), indent=4)
    front = "warning: A new version of Pulumi is available {3.2}\n\nPreviewing update (dev)\n"
    whole = lint(Source(kind, str(written(document))), now=NOW)
    assert lint(Source(kind, str(written(front + document))), now=NOW).graph == whole.graph
    found = only(kind, written(front + document[:-200]))
    assert found.code == "GI1081"
    assert f"line {(front + document[:-200]).count(chr(10)) + 1}," in found.message


def test_a_preview_for_a_state_and_a_state_for_a_preview(written):
    found = only(Kind.STATE, written(PREVIEW))
    assert (found.code, found.message, found.hint) == ("GI1082", "it is a preview of Pulumi", "give it with --preview")
    found = only(Kind.PREVIEW, written(STATE))
    assert (found.code, found.message, found.hint) == ("GI1082", "it is a state of Pulumi", "give it with --state")


@pytest.mark.parametrize(
    ("kind", "document", "place"),
    [
        (Kind.PREVIEW, {"steps": {}}, "steps is"),
        (Kind.PREVIEW, {"steps": [3]}, "steps[0] is a number"),
        (Kind.PREVIEW, {"steps": [{"op": 5}]}, "steps[0].op is a number"),
        (Kind.PREVIEW, {"steps": [{"newState": {}}]}, "steps[0].op is null"),
        (Kind.PREVIEW, {"steps": [{"op": "create", "newState": []}]}, "steps[0].newState is a list"),
        (Kind.PREVIEW, {"steps": [{"op": "same", "oldState": "x"}]}, "steps[0].oldState is a text"),
        (Kind.PREVIEW, {"steps": [{"op": "update", "oldState": {}}]}, "steps[0].newState is null, and what `update`"),
        (Kind.PREVIEW, {"steps": [{"op": "create", "newState": {"urn": "x"}}]}, "steps[0] is no resource of Pulumi"),
        (Kind.STATE, {"deployment": []}, "deployment is a list"),
        (Kind.STATE, {"deployment": {"resources": {}}}, "deployment.resources is"),
        (Kind.STATE, {"deployment": {"resources": [None]}}, "deployment.resources[0] is null"),
        (Kind.STATE, {"deployment": {"resources": [{"a": 1}]}}, "deployment.resources[0] is no resource of Pulumi"),
        (Kind.STATE, {"deployment": {}}, "neither a manifest nor resources"),
        (Kind.STATE, {"version": 9, "deployment": {"manifest": {}}}, "a state of version 9, and 1 to 4 are known"),
        (Kind.STATE, {"version": "3", "deployment": {"manifest": {}}}, 'a state of version "3"'),
    ],
)
def test_a_damaged_document_names_the_place(kind: Kind, document: Any, place: str, written):
    found = only(kind, written(json.dumps(document)))
    assert found.code == "GI1082"
    assert place in found.message


@pytest.mark.parametrize(("kind", "text"), [(Kind.PREVIEW, PREVIEW), (Kind.STATE, STATE)], ids=["preview", "state"])
@pytest.mark.parametrize("part", [0.1, 0.5, 0.999])
def test_a_file_cut_short(kind: Kind, text: str, part: float, written):
    found = only(kind, written(text[: int(len(text.rstrip()) * part)]))
    assert found.code == "GI1081"
    again = {Kind.PREVIEW: "pulumi preview --json > preview.json", Kind.STATE: "pulumi stack export > state.json"}
    assert found.hint.endswith(again[kind])
    assert "line " in found.message


@given(st.integers(0, 1 << 20), st.sampled_from([(Kind.PREVIEW, PREVIEW), (Kind.STATE, STATE)]))
def test_no_cut_passes_for_the_whole(tmp_path_factory, at: int, what: tuple[Kind, str]):
    kind, text = what
    file = tmp_path_factory.getbasetemp() / "cut.json"
    file.write_text(text[: at % len(text.rstrip())])
    assert only(kind, file).code in ("GI1080", "GI1081", "GI1082")


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from([
    "urn", "type", "custom", "inputs", "parent", "provider", "dependencies", "propertyDependencies", "stackTrace", "id",
    "ignoreChanges", "external", "delete", "deletedWith", "sourcePosition", "protect",
])  # fmt: skip
URN = "urn:pulumi:dev::p::aws:ec2/launchTemplate:LaunchTemplate::x"


@given(st.lists(st.dictionaries(KEYS, JUNK | st.just(URN), max_size=6), max_size=3))
def test_no_resource_however_odd_is_a_traceback(tmp_path_factory, resources: list[dict[str, Any]]):
    file = tmp_path_factory.getbasetemp() / "odd.json"
    given_ = [{"urn": URN, **r} for r in resources]
    file.write_text(json.dumps({"steps": [{"op": "create", "newState": r, "oldState": r} for r in given_]}))
    assert lint(Source(Kind.PREVIEW, str(file)), now=NOW) is not None
    file.write_text(json.dumps({"deployment": {"manifest": [], "resources": given_}}))
    assert lint(Source(Kind.STATE, str(file)), now=NOW) is not None


@pytest.mark.parametrize("kind", FILES, ids=str)
def test_files_that_are_not_there(kind: Kind, tmp_path: Path):
    assert only(kind, tmp_path / "none.json").message == "there is no such file"
    found = only(kind, tmp_path)
    assert found.message == "it is a directory"
    assert "--program" in found.hint
    assert "cannot be read" in only(kind, "a\0b").message


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read(written):
    file = written("{}")
    file.chmod(0)
    assert "cannot be read: Permission denied" in only(Kind.PREVIEW, file).message


def test_a_file_that_is_too_large(written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    sparse = tmp_path / "sparse.json"
    with sparse.open("wb") as file:
        file.truncate(1 << 40)
    # It is not read at all.
    assert "larger than 256 MiB" in only(Kind.STATE, sparse).message
    monkeypatch.setattr(documents, "MAX_BYTES", 10)
    assert "larger than" in only(Kind.PREVIEW, written("x" * 11)).message
    assert "larger than" in only(Kind.PREVIEW, "/dev/zero").message


def test_a_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = subprocess.Popen(["sh", "-c", 'sleep 0.3; exec 3> "$0"; sleep 0.3; cat "$1" >&3', pipe, STATE_FILE])
    assert lint(Source(Kind.STATE, str(pipe)), now=NOW).graph is not None
    assert writer.wait() == 0
    monkeypatch.setattr(documents, "_PATIENCE_S", 0.1)
    assert only(Kind.STATE, pipe).message == "it is a pipe that nothing is written into"


STACK = "urn:pulumi:dev::p::pulumi:pulumi:Stack::p-dev"


@pytest.mark.parametrize(
    ("kind", "document"),
    [
        (Kind.PREVIEW, {"steps": [{"op": "create", "urn": STACK, "newState": {"urn": STACK}}]}),
        (Kind.PREVIEW, {"steps": [{"op": "delete", "urn": URN_OF_A_NETWORK, "oldState": {}}]}),
        (Kind.PREVIEW, {"changeSummary": {"same": 1}}),
        (Kind.STATE, {"version": 3, "deployment": None}),
        (Kind.STATE, {"version": 3, "deployment": {"manifest": {"time": "2026-11-30T00:00:00Z"}}}),
        (Kind.STATE, {"version": 3, "deployment": {"resources": [{"urn": STACK, "type": "pulumi:pulumi:Stack"}]}}),
        (Kind.STATE, {"version": 3, "checkpoint": {"stack": "dev"}}),
    ],
)
def test_a_stack_that_is_empty_is_no_fault_and_is_said(kind: Kind, document: Any, written, capsys):
    assert main(["lint", f"--{kind}", str(written(json.dumps(document)))]) == 0
    assert "the stack is empty: no resource was judged" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("document", "code", "words"),
    [
        ({"steps": []}, "GI1083", "it did not come to the program's first line"),
        ({"steps": [], "diagnostics": [{"severity": "error", "message": "no"}]}, "GI1083", "ended with an error: no"),
        ({"changeSummary": {"same": 4}}, "GI1084", "3 resources that do not change are not in it"),
    ],
)
def test_a_preview_of_which_nothing_is_left_to_judge_is_an_error(document: Any, code: str, words: str, written):
    (found,) = lint(Source(Kind.PREVIEW, str(written(json.dumps(document)))), now=NOW).findings
    assert (found.code, found.is_error) == (code, True)
    assert words in found.message


def test_windows_shells_write_utf_16(written):
    for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig"):
        assert lint(Source(Kind.PREVIEW, str(written(PREVIEW.encode(encoding)))), now=NOW).graph is not None


def test_standard_input(monkeypatch: pytest.MonkeyPatch):
    for text, there in ((PREVIEW, True), ("", False)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        found = lint(Source(Kind.PREVIEW, "-"), now=NOW)
        assert (found.graph is not None) is there
    assert found.findings[0].source.file == "<stdin>"
