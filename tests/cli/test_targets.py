"""No command writes over a file that it reads."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpuinfra.cli.targets import refuse_inputs

from .conftest import NOW


def refused(run, path: Path, *args: str | Path) -> str:
    """What is said when a command would write over a file, which stays as it was."""
    before = path.read_bytes()
    ran = run(*args)
    assert (ran.status, ran.out) == (2, "")
    assert path.read_bytes() == before
    return ran.err


@pytest.mark.parametrize("option", ["--output", "--write-baseline"])
@pytest.mark.parametrize("door", ["check", "plan", "preflight"])
def test_the_spec_is_not_written_over(run, spec_file, door, option):
    path = spec_file()
    said = refused(run, path, door, path, option, path, "--now", NOW)
    assert f"{option}: {path} is an input, and would be overwritten: name another file" in said


def test_another_name_of_the_same_file_is_the_same_file(run, spec_file, tmp_path, monkeypatch):
    path = spec_file()
    (tmp_path / "link.json").symlink_to(path)
    os.link(path, tmp_path / "hard.json")
    for other in ("link.json", "hard.json", "./cluster.yaml"):
        assert "is an input" in refused(run, path, "check", path, "--output", tmp_path / other)
    monkeypatch.chdir(tmp_path)
    assert "is an input" in refused(run, path, "check", path, "--output", "cluster.yaml")


def test_one_of_several_specs_is_not_written_over(run, spec_file):
    first, second = spec_file(), spec_file(name="second.yaml")
    assert "is an input" in refused(run, second, "check", first, second, "--output", second)


@pytest.mark.parametrize("option", ["--preview", "--state"])
def test_what_lint_reads_is_not_written_over(run, tmp_path, option):
    path = tmp_path / "p.json"
    path.write_text("{}")
    for target in ("--output", "--write-baseline"):
        assert "is an input" in refused(run, path, "lint", option, path, target, path)


def test_the_file_of_the_account_is_not_written_over(run, spec_file, tmp_path):
    path = tmp_path / "account.json"
    path.write_text("{}")
    assert "is an input" in refused(run, path, "preflight", spec_file(), "--account", path, "--output", path)


def test_save_of_preflight_writes_over_no_spec(run, spec_file):
    path = spec_file()
    assert "--save: " in refused(run, path, "preflight", path, "--save", path)


def test_settings_and_baseline_are_not_written_over(run, spec_file, tmp_path):
    settings, known = tmp_path / "s.yaml", tmp_path / "known.json"
    settings.write_text("severity: {GI2202: error}\n")
    known.write_text("{}")
    spec = spec_file()
    for target in ("--output", "--write-baseline"):
        assert "is an input" in refused(run, settings, "check", spec, "--settings", settings, target, settings)
    assert "is an input" in refused(run, known, "check", spec, "--baseline", known, "--output", known)


@pytest.mark.parametrize("name", ["gpuinfra.yaml", "Pulumi.yaml", "Pulumi.dev.yaml"])
def test_files_of_the_stack_are_not_written_over(run, spec_file, tmp_path, name):
    path = tmp_path / name
    path.write_text("{}\n")
    assert "of the stack's own" in refused(run, path, "check", spec_file(), "--output", path)
    below = tmp_path / "stacks" / "a"
    below.mkdir(parents=True)
    inner = spec_file().rename(below / "cluster.yaml")
    assert "of the stack's own" in refused(run, path, "check", inner, "--write-baseline", path)


@pytest.mark.parametrize("name", ["__main__.py", "Pulumi.yaml", "Pulumi.prod.yaml", "parts/net.py"])
def test_a_program_is_not_written_over(run, tmp_path, name):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("# own\n")
    assert "of the stack's own" in refused(run, path, "lint", "--program", tmp_path, "--output", path)


def test_two_outputs_are_two_files(run, spec_file, tmp_path):
    one = tmp_path / "one.json"
    ran = run("check", spec_file(), "--output", one, "--write-baseline", one)
    assert (ran.status, one.exists()) == (2, False)
    assert f"--output and --write-baseline name the same file, {one}" in ran.err


def test_a_baseline_may_be_renewed_and_other_files_written(run, spec_file, tmp_path):
    spec, known = spec_file(), tmp_path / "known.json"
    assert run("check", spec, "--now", NOW, "--write-baseline", known).status == 0
    again = run("check", spec, "--now", NOW, "--baseline", known, "--write-baseline", known)
    assert (again.status, "is written" in again.out) == (0, True)
    assert run("check", spec, "--now", NOW, "--output", tmp_path / "found.txt").status == 0
    assert run("check", spec, "--now", NOW, "--output", tmp_path / "found.txt").status == 0


def test_a_device_and_a_name_that_no_system_takes_are_left_to_who_writes():
    refuse_inputs({"--output": "/dev/null", "--save": "/dev/stderr"}, ["/dev/null", "-"])
    refuse_inputs({"--output": "a\0b"}, ["cluster.yaml"], ["program"])
    refuse_inputs({"--output": None}, ["cluster.yaml"])
