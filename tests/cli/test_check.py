"""`gpuinfra check`."""

from __future__ import annotations

import io
import os
import re
import sys

import pytest

from gpuinfra.cli import findings as rendering
from gpuinfra.diagnostics import Diagnostic, Severity, Source

from .conftest import NOW, SPEC

WRONG_TYPE = ("p5.48xlarge", "p5.49xlarge")


def test_a_right_spec_has_no_error(run, spec_file):
    ran = run("check", spec_file(), "--now", NOW)
    assert ran.status == 0
    assert re.search(r"^0 errors, \d warnings?(, \d infos?)? in 1 file$", ran.out, re.MULTILINE)


def test_the_text_of_a_finding_is_place_severity_code_path_message_hint_docs(run, spec_file):
    path = spec_file(WRONG_TYPE)
    ran = run("check", path, "--now", NOW)
    assert ran.status == 1
    place, line, mark, hint, docs = ran.out.splitlines()[:5]
    assert place.startswith(f"{path}:6:32: error[GI2001] node_pools[0].instance_type: 'p5.49xlarge'")
    assert line.endswith("6 |   - {name: gpu, instance_type: p5.49xlarge, count: 2}")
    assert mark.count("^") == len("p5.49xlarge")
    assert re.match(r"  hint: .*p5\.48xlarge", hint)
    assert docs == "  docs: docs/reference/rules.md#gi2001"
    assert "1 error" in ran.out.splitlines()[-1]


def test_the_json_form(run, spec_file):
    path = spec_file(WRONG_TYPE)
    ran = run("check", path, "--format", "json", "--now", NOW)
    assert ran.status == 1
    assert set(ran.data) == {"findings", "summary"}
    assert ran.data["summary"]["errors"] == 1
    first = next(f for f in ran.data["findings"] if f["code"] == "GI2001")
    assert {"code", "severity", "path", "message", "hint", "source", "docs"} <= set(first)
    assert first["severity"] == "error"
    assert first["path"] == "node_pools[0].instance_type"
    assert first["source"] == {"file": str(path), "line": 6, "column": 32}


def test_several_files_are_judged_at_once_and_once_each(run, spec_file):
    good, bad = spec_file(), spec_file(WRONG_TYPE, name="bad.yaml")
    ran = run("check", good, bad, bad, "--now", NOW)
    assert ran.status == 1
    assert ran.out.count("GI2001]") == 1
    assert ran.out.endswith("in 2 files\n")


def test_standard_input(run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SPEC.replace(*WRONG_TYPE).encode())))
    ran = run("check", "-", "--now", NOW)
    assert ran.status == 1
    assert "<stdin>:6:32: error[GI2001]" in ran.out


@pytest.mark.parametrize("content", [b"", b"- 1\n", b"a: [", b"\xff\xfe\x00", b"name: x\n", b"\x00\x01"])
def test_unreadable_input_is_a_finding_and_status_1(run, tmp_path, content):
    path = tmp_path / "cluster.yaml"
    path.write_bytes(content)
    ran = run("check", path)
    assert ran.status == 1
    assert re.search(r"error\[GI1\d{3}\]", ran.out)


def test_no_file_and_a_directory_are_findings(run, tmp_path):
    ran = run("check", tmp_path / "none.yaml", tmp_path, "--format", "json")
    assert ran.status == 1
    assert ran.data["summary"]["errors"] == 2
    assert all(re.fullmatch(r"GI1\d{3}", f["code"]) for f in ran.data["findings"])


def test_no_spec_is_wrong_usage(run):
    assert run("check").status == 2


@pytest.mark.parametrize("moment", ["yesterday", "2026-11-30", "2026-11-30T09:00:00", "72h"])
def test_a_moment_without_offset_is_wrong_usage(run, spec_file, moment):
    ran = run("check", spec_file(), "--now", moment)
    assert ran.status == 2
    assert moment in ran.err


def test_now_decides_whether_a_lease_is_over(run, spec_file):
    path = spec_file(("lease: 72h", 'lease: "2026-12-05T18:00:00Z"'))
    assert run("check", path, "--now", "2026-12-01T00:00:00Z").status == 0
    assert run("check", path, "--now", "2026-12-06T00:00:00Z").status == 1


def finding(**changes: object) -> Diagnostic:
    values: dict[str, object] = {
        "code": "GI2001",
        "severity": Severity.ERROR,
        "path": "name",
        "message": "is wrong",
        "hint": "do right",
        "source": Source("a.yaml", 2, 7),
    }
    return Diagnostic(**{**values, **changes})  # type: ignore[arg-type]


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[\d;]*m", "", text)


def test_control_characters_of_a_value_do_not_reach_the_terminal():
    text = rendering.as_text([finding(message="'\x1b[31mred\x07' is wrong")])
    assert "\\x1b[31mred\\x07" in plain(text)
    assert "\x07" not in text


def test_the_place_is_shown_and_marked():
    text = plain(rendering.as_text([finding()], {"a.yaml": ["a: 1", "name: p5.49x, b: 2"]}))
    assert "    2 | name: p5.49x, b: 2\n      |       ^^^^^^\n" in text


@pytest.mark.parametrize(
    ("line", "column", "marked"),
    [("name: 'a b', c: 1", 7, "'a b'"), ("name: abc  # why", 7, "abc"), ("nmae: 1", 1, "nmae"), ("x: [a, b]", 5, "a")],
)
def test_the_mark_is_as_long_as_the_value(line, column, marked):
    text = plain(rendering.as_text([finding(path="", source=Source("a.yaml", 1, column))], {"a.yaml": [line]}))
    caret = next(x for x in text.splitlines() if "^" in x)
    assert caret.count("^") == len(marked)
    assert caret.index("^") - len("    1 | ") == column - 1


@pytest.mark.parametrize("source", [Source("a.yaml", 9, 1), Source("a.yaml", 1, 99), Source("a.yaml"), None])
def test_a_place_that_is_not_in_the_file_is_not_shown(source):
    assert "|" not in plain(rendering.as_text([finding(source=source)], {"a.yaml": ["name: x"]}))


def test_the_line_of_another_key_is_not_shown():
    """A key that is left out has its place where the document begins, which says nothing of it."""
    lines = {"a.yaml": ["name: x", "storage:"]}
    left_out = finding(path="storage[0].size_gib", source=Source("a.yaml", 1, 1))
    assert "|" not in plain(rendering.as_text([left_out], lines))
    assert "|" in plain(rendering.as_text([finding(path="storage[0].size_gib", source=Source("a.yaml", 2, 1))], lines))
    assert "|" in plain(rendering.as_text([finding(path="", source=Source("a.yaml", 1, 1))], lines))


@pytest.mark.parametrize("line", ['Role("r", arn="arn:aws:iam::123456789012:role/x")', "x = {'a': Role('r')}"])
def test_a_line_of_a_program_with_a_colon_is_shown(line: str):
    found = finding(path="r.arn", source=Source("a.py", 1, 1))
    assert f"| {line}" in plain(rendering.as_text([found], {"a.py": [line]}))


def test_a_terminal_breaks_long_texts_between_words():
    text = plain(rendering.as_text([finding(message="word " * 40)], width=60))
    assert all(len(x) <= 60 for x in text.splitlines())
    assert "wo\n" not in text


def test_colour_is_for_terminals_and_as_the_environment_says(run, spec_file, monkeypatch):
    path = spec_file(WRONG_TYPE)
    assert "\x1b[" not in run("check", path).out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in run("check", path).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in run("check", path).out
    assert "NO_COLOR turns colours off, also where FORCE_COLOR" in " ".join(run("--help").out.split())


@pytest.fixture
def faulty(monkeypatch):
    """Makes the judge fail on one file."""
    from gpuinfra.cli import check

    whole = check.judge

    def judge(path, now, ruling):
        if path.endswith("faulty.yaml"):
            raise RuntimeError("first\nsecond")
        return whole(path, now, ruling)

    monkeypatch.setattr(check, "judge", judge)


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_fault_on_one_file_leaves_the_findings_of_the_others(run, spec_file, faulty, form):
    wrong, fault, good = spec_file(WRONG_TYPE), spec_file(name="faulty.yaml"), spec_file(name="good.yaml")
    for order in ((fault, wrong, good), (wrong, good, fault)):
        ran = run("check", *order, "--now", NOW, "--format", form)
        assert ran.status == 2
        assert "GI2001" in ran.out
        assert ran.err == (
            f"gpuinfra: {fault}: internal error: RuntimeError: first second; this is a fault of gpuinfra, please report "
            "it (GPUINFRA_DEBUG=1 shows where)\n"
        )
        if form == "text":
            assert ran.out.endswith("in 2 files\n")
        else:
            assert ran.data["summary"]["errors"] == 1


def test_of_many_findings_the_text_shows_the_worst_hundred_and_counts_all():
    infos = [finding(severity=Severity.INFO, source=Source("a.yaml", n, 1)) for n in range(1, 301)]
    last = finding(source=Source("a.yaml", 999, 1))
    text = plain(rendering.as_text([*infos, last]))
    assert text.count("[GI2001]") == 100
    assert "a.yaml:999:1: error[GI2001]" in text
    assert "a.yaml:99:1:" in text
    assert "a.yaml:100:1:" not in text
    assert text.endswith("… and 201 more findings (the JSON form lists all)\n")
    assert len(rendering.as_data([*infos, last])["findings"]) == 301
    assert "more finding" not in rendering.as_text(infos[:100])
    assert "… and 1 more finding (" in rendering.as_text(infos[:101])


def test_a_thousand_pools_with_one_slip_are_a_short_text(run, spec_file):
    pools = "\n".join(f"  - {{name: p{n}, instance_type: p5.49xlarge, count: 1}}" for n in range(150))
    path = spec_file(("  - {name: gpu, instance_type: p5.48xlarge, count: 2}", pools))
    ran = run("check", path, "--now", NOW)
    assert ran.status == 1
    assert ran.out.count("error[GI2001]") == 100
    assert re.search(r"^150 errors", ran.out.splitlines()[-1])


@pytest.mark.parametrize("words", [("check",), ("plan",), ("compare",), ("lint", "--state"), ("lint", "--preview")])
def test_a_file_that_may_not_be_read_is_one_that_cannot_be(run, spec_file, monkeypatch, words):
    """Wrong usage is another exit status: the command line was right."""
    path = spec_file()
    real = os.access
    monkeypatch.setattr(os, "access", lambda p, mode, **k: str(p) != str(path) and real(p, mode, **k))
    assert "is not readable" not in run(*words, path).err
