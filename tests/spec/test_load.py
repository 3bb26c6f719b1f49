"""Files to specs: what cannot be read, places of findings, and right specs."""

from __future__ import annotations

import io
import os
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gpuinfra.diagnostics import Code, Severity, Source, in_order
from gpuinfra.spec import findings as f
from gpuinfra.spec import reading
from gpuinfra.spec.load import Loaded, load, parse
from gpuinfra.spec.paths import path_text
from tests.spec.specs import FILES, HEAD, LEAST, only, place, read


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_right_specs_are_read_without_a_word(path: Path):
    loaded = load(path)
    assert loaded.diagnostics == ()
    assert loaded.spec is not None


def test_a_spec_holds_what_the_file_says():
    spec = load(next(p for p in FILES if p.stem == "aws-everything")).spec
    assert spec is not None
    assert spec.shutdown is not None
    assert spec.shutdown.idle_after == timedelta(hours=1.5)
    assert spec.node_pools[2].capacity.ends == datetime(2026, 12, 8, 11, 30, tzinfo=UTC)
    assert str(spec.storage[0].size_gib) == "9600 GiB"
    assert spec.job is not None
    assert spec.job.command == ("python", "train.py", "--steps", "20000")
    assert spec.budget is not None
    assert spec.budget.alerts_percent == (50, 80, 99.5)


def refused(loaded: Loaded, code: Code) -> str:
    found = only(loaded)
    assert found.code == code.code
    assert found.severity is Severity.ERROR
    assert found.source is not None
    assert found.hint
    return f"{found.source}: {found.message}"


def test_no_file(tmp_path: Path):
    name = str(tmp_path / "absent.yaml")
    assert refused(load(name), f.NO_FILE) == f"{name}: there is no such file"
    for odd in ("", "a\0b", "x" * 5000, str(tmp_path / "absent.yaml" / "below")):
        assert "no such file" in refused(load(odd), f.NO_FILE)


def test_a_file_as_a_folder(tmp_path: Path):
    (tmp_path / "file").write_text("a: 1")
    assert "no such file" in refused(load(tmp_path / "file" / "spec.yaml"), f.NO_FILE)


def test_a_directory(tmp_path: Path):
    assert "a directory" in refused(load(tmp_path), f.DIRECTORY)


@pytest.mark.parametrize(
    "error", [PermissionError(13, "Permission denied"), OSError(5, "Input/output error"), OSError("odd")], ids=str
)
def test_an_error_of_the_operating_system(error: OSError, monkeypatch: pytest.MonkeyPatch):
    def fails(_path: str) -> bytes:
        raise error

    monkeypatch.setattr(reading, "_read_file", fails)
    assert (error.strerror or "OSError") in refused(load("x.yaml"), f.UNREADABLE)


def test_a_large_file_is_refused_by_its_size_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "large.yaml"
    with path.open("wb") as file:
        file.truncate(50 * 2**20)

    def fails(_stream: object) -> bytes:
        raise AssertionError("the file was read")

    monkeypatch.setattr(reading, "_drain", fails)
    assert "larger than 1 MiB" in refused(load(path), f.TOO_LARGE)


def test_an_endless_file_is_read_to_the_limit_only():
    assert "larger than 1 MiB" in refused(load("/dev/zero"), f.TOO_LARGE)


def test_the_limit_itself_fits(tmp_path: Path):
    path = tmp_path / "full.yaml"
    path.write_text(HEAD + "#" * (2**20 - len(HEAD)))
    assert load(path).diagnostics == ()
    assert "larger" in refused(load("x", HEAD + "#" * (2**20 - len(HEAD) + 1)), f.TOO_LARGE)


def test_bytes_that_are_not_utf8(tmp_path: Path):
    path = tmp_path / "latin.yaml"
    path.write_bytes("name: tiny\nlabels: {ö: ".encode() + b"\xe4}\n")
    found = only(load(path))
    assert (found.code, place(found)) == ("GI1005", (2, 13))
    path.write_bytes(HEAD.encode("utf-16"))
    assert "UTF-16" in refused(load(path), f.NOT_UTF8)


def test_text_that_is_no_unicode():
    assert only(load("x", "a: \ud800")).code == "GI1005"


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path):
    path = tmp_path / "bom.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + HEAD.encode() + b"nmae: x\n")
    found = only(load(path))
    assert (found.path, place(found)) == ("nmae", (6, 1))


def test_windows_line_ends():
    assert load("x", HEAD.replace("\n", "\r\n")).diagnostics == ()


def test_standard_input(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(HEAD.encode() + b"x: 1\n")))
    found = only(load("-"))
    assert str(found.source) == "<stdin>:6:1"
    monkeypatch.setattr(sys, "stdin", io.StringIO(HEAD))
    assert load("-").diagnostics == ()
    monkeypatch.setattr(sys, "stdin", None)
    assert "closed" in refused(load("-"), f.UNREADABLE)


def test_a_named_pipe(tmp_path: Path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(HEAD,))
    writer.start()
    assert load(pipe).diagnostics == ()
    writer.join()


def test_a_file_name_that_no_terminal_should_get():
    found = only(load("a\x1b[31m\udcff.yaml"))
    assert found.source is not None
    assert found.source.file.isprintable()


@pytest.mark.parametrize(
    ("text", "kind"), [("- a\n", "a list"), ("text\n", "text"), ("1\n", "a number"), ("null\n", "no value")]
)
def test_a_document_that_is_no_mapping(text: str, kind: str):
    assert f"the document is {kind}" in refused(load("x", text), f.NOT_A_MAPPING)


def test_findings_come_in_the_order_of_the_file():
    loaded = read("labels: 3\nnmae: x\nbudget: {}\nnmae: y\n")
    assert [(d.code, place(d)[0]) for d in loaded.diagnostics] == [
        ("GI1032", 6),
        ("GI1030", 7),
        ("GI1041", 8),
        ("GI1010", 9),
    ]
    assert loaded.spec is None


def test_a_fault_of_the_document_leaves_no_spec():
    loaded = read("labels: {a: b, a: c}\n")
    assert [d.code for d in loaded.diagnostics] == ["GI1010"]
    assert loaded.spec is None


def test_places_of_findings():
    head = "name: tiny\nlocation: {provider: aws}\nnode_pools:\n  - name: gpu\n    count: four\n    instnce_type: x\n"
    loaded = load("c.yaml", head)
    assert {d.path: place(d) for d in loaded.diagnostics} == {
        "location.region": (2, 1),  # a missing key: the key of the mapping that lacks it
        "node_pools[0].count": (5, 12),  # a wrong value: the value
        "node_pools[0].instnce_type": (6, 5),  # an unknown key: the key
    }


@pytest.mark.parametrize(
    ("path", "where"),
    [
        ("node_pools[0].instance_type", (5, 20)),
        ("node_pools[0].mig", (4, 5)),
        ("node_pools[0]", (4, 5)),
        ("node_pools[7].count", (3, 1)),
        ("location.zone", (2, 1)),
        ("location.region", (2, 35)),
        ("budget.alerts_percent", (1, 1)),
        ('labels["a.b"]', (6, 17)),
        ("", (0, 0)),
        ("!?", (0, 0)),
    ],
)
def test_locate_finds_the_users_own_line(path: str, where: tuple[int, int]):
    loaded = read('labels: {"a.b": c}\n')
    found = loaded.locate(Code("GI2999", "x", Severity.ERROR, "x").at(path, "wrong"))
    assert found.source == Source("cluster.yaml", *where)


ODD_KEYS = """\
labels:
  aws:x: a
  a b: c
  k8s.io/x: d
  "größe": e
  aws: f
  LONG: g
""".replace("LONG", "team" * 50)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("labels.aws:x", 7), ('labels["aws:x"]', 7), ("labels.a b", 8), ('labels["a b"]', 8), ("labels.k8s.io/x", 9),
        ('labels["k8s.io/x"]', 9), ("labels.größe", 10), ('labels["größe"]', 10), ("labels.aws", 11),
        ("labels." + "team" * 15, 12), (path_text(("labels", "team" * 50)), 12), ("labels.aws:y", 6), ("labels.no.such", 6),
        ("node_pools[0].instance_type", 5), ("node_pools[0].a:b", 4),
    ],
)  # fmt: skip
def test_locate_finds_keys_of_any_form(path: str, line: int):
    loaded = read(ODD_KEYS)
    assert loaded.spec is not None
    found = loaded.locate(Code("GI2999", "x", Severity.ERROR, "x").at(path, "wrong"))
    assert place(found)[0] == line


def test_locate_leaves_a_known_place_alone():
    found = Code("GI2999", "x", Severity.ERROR, "x").at("name", "wrong").located(Source("other.yaml", 7, 7))
    assert read().locate(found) is found


def test_from_python_there_are_no_places():
    loaded = parse({**LEAST, "nmae": 1})
    found = only(loaded)
    assert found.source is None
    assert loaded.locate(found) is found
    assert parse(LEAST).spec is not None


def test_more_findings_than_anyone_reads_are_cut():
    loaded = read("labels: {" + ", ".join(f"k{i}: {i}" for i in range(5000)) + "}\n")
    assert len(loaded.diagnostics) == 201
    more = [d for d in loaded.diagnostics if d.code == "GI1098"]
    assert [d.message for d in more] == ["and 4800 more findings of the same reading"]
    assert loaded.diagnostics[-1] is more[0]


def test_the_first_findings_of_the_file_are_kept_and_the_note_comes_last():
    head = "name: tiny\nlocation: {provider: aws, region: us-east-2}\nnode_pools:\n"
    pools = "".join(f"  - name: p{i}\n    instnce_type: x\n    nme: y\n" for i in range(400))
    found = load("c.yaml", head + pools + "labels: {a: 1}\nfabrik: z\n").diagnostics
    assert [d.code for d in found] == ["GI1030"] * 200 + ["GI1098"]
    assert [place(d)[0] for d in found[:3]] == [5, 6, 8]
    assert found[-1].message == "and 602 more findings of the same reading"
    assert in_order(found) == found
    from_python = parse({**LEAST, "labels": dict.fromkeys((f"k{i:04}" for i in range(300)), 1)}).diagnostics
    assert (len(from_python), from_python[-1].code) == (201, "GI1098")


def test_misspelt_keys_are_not_missing_as_well_however_many():
    pools = "".join(f"  - nmae: p{i}\n" for i in range(300))
    found = load("c.yaml", "name: x\nlocation: {provider: aws, region: r}\nnode_pools:\n" + pools).diagnostics
    assert {d.code for d in found[:-1]} == {"GI1030"}
    assert found[-1].message == "and 100 more findings of the same reading"


def test_faults_of_the_document_are_cut_and_the_note_comes_last():
    found = load("c.yaml", "a: 1\n" * 1000).diagnostics
    assert (len(found), found[-1].code) == (101, "GI1098")
    assert in_order(found) == found
