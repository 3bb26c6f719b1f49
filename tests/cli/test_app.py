"""The root of the command line: status, guard, start-up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from gpuinfra.cli import app
from gpuinfra.cli.app import COMMANDS, root

from .conftest import SPEC

ROOT = Path(__file__).parents[2]
ENV = {**os.environ, "PYTHONPATH": str(ROOT)}


def process(*args: str, env: dict[str, str] | None = None, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gpuinfra", *args],
        env={**ENV, **(env or {})},
        capture_output=True,
        text=True,
        timeout=120,
        **options,  # type: ignore[call-overload]
    )


def test_version_and_help_from_the_module():
    assert process("--version").stdout.startswith("gpuinfra ")
    shown = process("--help")
    assert shown.returncode == 0
    for name in COMMANDS:
        assert f"\n  {name} " in shown.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_the_name_it_is_listed_under_and_help(run, name):
    command = root.get_command(click.Context(root), name)
    assert command is not None
    assert command.name == name
    assert command.help
    assert run(name, "--help").status == 0


def test_no_command_shows_help_and_is_wrong_usage(run):
    assert run().status == 2


def test_a_misspelt_command_names_the_nearest(run):
    ran = run("chekc")
    assert (ran.status, ran.out) == (2, "")
    assert "did you mean check" in ran.err


def test_an_unknown_option_is_wrong_usage(run):
    assert run("check", "--wrong", "x").status == 2


@pytest.mark.parametrize("words", [("--fo\x1b[31m",), ("ch\x1b[31m",), ("check", "--format", "\x1b[31mx", "a.yaml")])
def test_what_was_typed_is_not_obeyed_by_a_terminal(run, words):
    said = run(*words)
    assert said.status == 2
    assert "\\x1b[31m" in said.err
    assert "\x1b[31m" not in said.err


def broken(error: BaseException) -> click.Command:
    @click.command("broken")
    def command() -> None:
        raise error

    return command


@pytest.fixture
def breaking(monkeypatch: pytest.MonkeyPatch):
    def breaks(error: BaseException) -> None:
        monkeypatch.setattr(app.LazyGroup, "get_command", lambda *_: broken(error))

    return breaks


def test_a_fault_of_the_tool_is_one_line_and_status_2(run, breaking):
    breaking(RuntimeError("first line\nsecond line"))
    ran = run("check")
    assert ran.status == 2
    assert ran.err == (
        "gpuinfra: internal error: RuntimeError: first line second line; this is a fault of gpuinfra, please report it "
        "(GPUINFRA_DEBUG=1 shows where)\n"
    )


def test_debug_shows_where(breaking, monkeypatch, capsys):
    breaking(RuntimeError("here"))
    monkeypatch.setenv("GPUINFRA_DEBUG", "1")
    assert app.main(["check"]) == 2
    assert "Traceback" in capsys.readouterr().err


def test_an_endless_recursion_is_a_fault_and_no_traceback(run, breaking):
    breaking(RecursionError("too deep"))
    assert run("check").status == 2


def test_an_interrupt_is_said_and_has_the_status_of_one(run, breaking):
    breaking(KeyboardInterrupt())
    ran = run("check")
    assert ran.status == 130
    assert "interrupted" in ran.err


def test_a_reader_that_leaves_ends_it_quietly():
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "gpuinfra", "prices", "--format", "json"],
            env=ENV,
            stdout=write,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )
    finally:
        os.close(write)
    assert done.stderr == ""
    assert done.returncode == 141


@pytest.mark.parametrize("args", [("prices",), ("--help",), ("--version",), ("check", "none.yaml")])
def test_a_full_disk_is_one_plain_line(args):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "gpuinfra", *args],
            env=ENV,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
        )
    assert done.returncode == 2
    assert done.stderr == "gpuinfra: standard output cannot be written: No space left on device\n"


@pytest.mark.parametrize("args", ["prices", "--help", "check none.yaml"])
def test_a_closed_output_is_one_plain_line(args):
    call = f"exec '{sys.executable}' -m gpuinfra {args} >&-"
    done = subprocess.run(["sh", "-c", call], env=ENV, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
    assert done.returncode == 2
    assert done.stderr == "gpuinfra: standard output cannot be written: it is closed\n"


@pytest.mark.parametrize("where", ["2>/dev/full", "2>&-"])
@pytest.mark.parametrize("args", ["nosuch", "explain nosuch", "instances --gpu H1000"])
def test_without_standard_error_the_status_stays(args, where):
    call = f"exec '{sys.executable}' -m gpuinfra {args} {where}"
    assert subprocess.run(["sh", "-c", call], env=ENV, timeout=120, check=False).returncode == 2


def test_help_whose_reader_leaves_ends_as_any_output():
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "gpuinfra", "--help"], env=ENV, stdout=write, stderr=subprocess.PIPE, timeout=120
        )
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


def test_an_error_of_a_file_is_a_fault_of_the_tool_and_not_of_the_output(run, breaking):
    breaking(FileNotFoundError(2, "No such file", "data.csv"))
    ran = run("check")
    assert ran.status == 2
    assert "internal error: FileNotFoundError" in ran.err


def test_output_that_is_no_utf8_is_escaped_and_json_stays_json(tmp_path):
    path = tmp_path / "cluster.yaml"
    path.write_text(SPEC.replace("p5.48xlarge", "p5.48xlarg語"), encoding="utf-8")
    env = {"PYTHONIOENCODING": "latin-1"}
    text = process("check", str(path), env=env)
    assert text.returncode == 1
    assert "p5.48xlarg\\u8a9e" in text.stdout
    data = process("check", str(path), "--format", "json", env=env)
    assert "p5.48xlarg語" in json.loads(data.stdout)["findings"][0]["message"]


def test_check_loads_nothing_that_it_does_not_use(tmp_path):
    path = tmp_path / "cluster.yaml"
    path.write_text(SPEC)
    code = (
        "import sys; from gpuinfra.cli import main; status = main(['check', sys.argv[1]]);"
        "print(status, sorted({m.split('.')[0] for m in sys.modules}), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], env=ENV, capture_output=True, text=True, timeout=120)
    assert done.stderr.startswith("0 "), done.stderr + done.stdout
    loaded = done.stderr
    for module in ("pulumi", "pulumi_aws", "pulumiverse_time", "rich", "jinja2", "boto3", "grpc"):
        assert f"'{module}'" not in loaded
    for module in ("click", "yaml", "pydantic"):
        assert f"'{module}'" in loaded


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_name_the_variable(run, shell):
    ran = run("completion", shell)
    assert ran.status == 0
    assert f"_GPUINFRA_COMPLETE={shell}_complete" in ran.out


def test_completion_answers_with_commands_and_options():
    env = {"_GPUINFRA_COMPLETE": "bash_complete", "COMP_WORDS": "gpuinfra pri", "COMP_CWORD": "1"}
    assert "plain,prices" in process(env=env).stdout
    env = {"_GPUINFRA_COMPLETE": "bash_complete", "COMP_WORDS": "gpuinfra prices --ma", "COMP_CWORD": "2"}
    assert "--max-price" in process(env=env).stdout


def test_completion_of_an_unknown_shell_is_wrong_usage(run):
    assert run("completion", "tcsh").status == 2
