"""Programs in a folder: what keeps one from being judged is said at its own line."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuinfra.diagnostics import GpuInfraError
from gpuinfra.lint import Kind, Linted, Source, lint
from gpuinfra.lint.program import read
from gpuinfra.lint.source import MissingSdkError
from gpuinfra.policy.examples import NOW

PROJECT = "name: probe\nruntime: python\nconfig:\n  aws:region: us-east-1\n"
VPC = 'import pulumi_aws as aws\naws.ec2.Vpc("net", cidr_block="10.0.0.0/16")\n'


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., Path]:
    def make(main: str | None = VPC, project: str | None = PROJECT, **files: str) -> Path:
        if main is not None:
            (tmp_path / "__main__.py").write_text(main)
        if project is not None:
            (tmp_path / "Pulumi.yaml").write_text(project)
        for name, text in files.items():
            (tmp_path / f"Pulumi.{name}.yaml").write_text(text)
        return tmp_path

    return make


def judged(path: Path, **more: object) -> Linted:
    return lint(Source(Kind.PROGRAM, str(path), **more), now=NOW)  # type: ignore[arg-type]


def only(path: Path, **more: object) -> tuple[str, str, str, str]:
    found = judged(path, **more)
    assert found.graph is None
    (one,) = found.findings
    assert one.is_error
    assert one.hint
    return one.code, one.message, one.hint, str(one.source)


def test_a_program_is_recorded_as_a_preview_sees_it(folder):
    found = judged(folder())
    assert [r.name for r in found.graph] == ["net"]
    assert (found.graph.project, found.graph.stack, found.graph.preview) == ("probe", "dev", True)
    assert judged(folder() / "Pulumi.yaml").graph is not None


def test_a_folder_without_a_project(folder, tmp_path: Path):
    code, message, hint, source = only(folder(project=None))
    assert (code, message, source) == ("GI1085", "there is no Pulumi.yaml in it", str(tmp_path))
    assert "--preview" in hint
    (tmp_path / "infra").mkdir()
    (tmp_path / "infra" / "Pulumi.yaml").write_text(PROJECT)
    assert only(tmp_path)[1] == "there is no Pulumi.yaml in it; there is one in infra"


def test_a_folder_below_the_project(folder, tmp_path: Path):
    (tmp_path / "modules").mkdir()
    folder()
    assert only(tmp_path / "modules")[1].endswith("there is one in the folder above")


def test_what_is_no_folder(folder, tmp_path: Path):
    assert only(tmp_path / "none")[:2] == ("GI1085", "there is no such folder")
    code, message, hint, _ = only(folder() / "__main__.py")
    assert (code, message) == ("GI1085", "it is a file")
    assert "--preview" in hint


@pytest.mark.parametrize("runtime", ["nodejs", "go", "yaml", "{name: dotnet}"])
def test_a_program_of_another_language(folder, runtime: str):
    code, message, hint, _ = only(folder(project=f"name: p\nruntime: {runtime}\n"))
    assert code == "GI1085"
    assert "only programs in Python" in message
    assert "pulumi preview --json" in hint


@pytest.mark.parametrize("project", ["", "- a\n", "name: p\n", "a: [", "\tb: c"])
def test_a_project_that_is_none(folder, project: str):
    assert only(folder(project=project))[0] == "GI1085"


def test_a_folder_with_a_project_and_no_program(folder):
    code, message, _, _ = only(folder(main=None))
    assert code == "GI1085"
    assert "there is no __main__.py in it" in message


@pytest.mark.parametrize("text", ["config: [", "- a", "\tconfig: {}", "config: 3", "config: [a]"])
def test_a_stacks_file_that_cannot_be_read(folder, text: str):
    code, message, _, _ = only(folder(dev=text))
    assert code == "GI1085"
    assert message.startswith("Pulumi.dev.yaml: ")
    assert "\n" not in message


@pytest.mark.parametrize(
    ("main", "words", "line"),
    [
        ("import pulumi\n1 / 0\n", "ZeroDivisionError: division by zero", 2),
        ("x = (\n", "SyntaxError: '(' was never closed", 1),
        ("import helper\nhelper.work()\n", "KeyError: 'zone'", 2),
        ("import not_there_at_all\n", "ModuleNotFoundError: No module named 'not_there_at_all'", 1),
        ("import sys\nsys.exit(3)\n", "ended itself, with status 3", 2),
        ("import pulumi\nasync def f():\n    raise RuntimeError('later')\npulumi.Output.from_input(f())\n", "later", 3),
    ],
)
def test_a_program_that_raises(folder, tmp_path: Path, main: str, words: str, line: int):
    (tmp_path / "helper.py").write_text("def work():\n    return {}['zone']\n")
    code, message, _, source = only(folder(main=main))
    assert code == "GI1086"
    assert words in message
    assert "\n" not in message
    file = "helper.py" if "helper" in main else "__main__.py"
    assert source.startswith(f"{tmp_path / file}:{line}:")


def test_an_sdk_that_is_not_installed(folder):
    with pytest.raises(MissingSdkError, match=r"imports pulumi_nothing, .* pip install pulumi-nothing"):
        judged(folder(main="import pulumi_nothing\n"))


@pytest.mark.parametrize("named", ["env", ""])
def test_an_sdk_of_the_programs_own_environment_is_found(folder, tmp_path: Path, named: str):
    packages = tmp_path / (named or "venv") / f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    (packages / "pulumi_nothing").mkdir(parents=True)
    (packages / "pulumi_nothing" / "__init__.py").write_text("SIZE = '10.0.0.0/16'\n")
    # What is installed here goes first.
    (packages / "pulumi_aws.py").write_text("raise ValueError\n")
    main = "import pulumi_nothing\n" + VPC
    options = f"{{name: python, options: {{virtualenv: {named}}}}}" if named else "python"
    found = judged(folder(main=main, project=f"name: p\nruntime: {options}\nconfig: {{aws:region: us-east-1}}\n"))
    assert [r.name for r in found.graph] == ["net"]


def test_what_the_engine_would_refuse(folder):
    found = judged(folder(main=VPC + 'aws.ec2.Vpc("net", cidr_block="10.1.0.0/16")\n'))
    assert [d.code for d in found.findings] == ["GI1087"]
    assert "two resources have the URN" in found.findings[0].message


ASKS = 'import pulumi\nzone = pulumi.Config().require("zone")\n'


def test_a_config_value_that_is_missing(folder, tmp_path: Path):
    code, message, hint, source = only(folder(main=ASKS, dev="config:\n  probe:zoen: a\n"))
    assert (code, message) == ("GI1088", "the program asks for the config value 'probe:zone'")
    assert "--config probe:zone=VALUE" in hint
    assert "did you mean probe:zoen?" in hint
    assert source.startswith(f"{tmp_path / '__main__.py'}:2:")
    assert judged(folder(main=ASKS), config={"probe:zone": "a"}).graph is not None
    assert judged(folder(main=ASKS), config={"zone": "a"}).graph is not None


def test_the_only_stack_is_taken_and_another_by_name(folder):
    made = folder(main=ASKS + "import pulumi_aws as aws\naws.ec2.Vpc(zone)\n", prod="config:\n  probe:zone: a\n")
    assert [r.name for r in judged(made).graph] == ["a"]
    folder(dev="config:\n  probe:zone: b\n", main=None)
    assert [r.name for r in judged(made).graph] == ["b"]
    assert [r.name for r in judged(made, stack="prod").graph] == ["a"]


def test_a_stack_that_is_not_there_is_refused_with_those_that_are(folder):
    made = folder(prod="config: {}\n", staging="config: {}\n")
    code, message, hint, _ = only(made, stack="prd")
    assert (code, message) == ("GI1085", "it has no stack 'prd'; its stacks are prod, staging")
    assert hint == "did you mean prod?; for a stack without any config make an empty Pulumi.prd.yaml"
    assert only(made)[1:3] == ("it has the stacks prod, staging", "say which one is meant, with --stack")
    assert judged(made, stack="acme/probe/prod").graph.stack == "prod"
    for odd in ("", "a b", "acme/"):
        assert only(made, stack=odd)[1] == f"'{odd}' is no name of a stack"


def test_of_a_program_without_files_of_stacks_every_stack_is_taken(folder):
    assert judged(folder(), stack="nope").graph.stack == "nope"


def test_a_secret_of_the_stack_is_not_printed(folder):
    main = 'import pulumi\nraise ValueError(pulumi.Config().require("token"))\n'
    sealed = "config:\n  probe:token:\n    secure: v1:hush-hush\n"
    assert "hush" not in str(only(folder(main=main, dev=sealed)))
    told = "import pulumi\nraise ValueError('AKIAIOSFODNN7EXAMPLE1'[:20] + ' is the key')\n"
    assert "AKIAIOSFODNN7EXAMPLE" not in only(folder(main=told))[1]


def test_what_the_program_prints_does_not_mix_with_the_findings(folder, capfd: pytest.CaptureFixture[str]):
    loud = "import os\nprint('hello', flush=True)\nos.write(1, b'raw ')\nos.system('echo sub')\n"
    assert judged(folder(main=loud + VPC)).graph is not None
    said = capfd.readouterr()
    assert (said.out, said.err.split()) == ("", ["hello", "raw", "sub"])


@pytest.mark.parametrize(
    ("main", "how"),
    [
        ("import os\nos._exit(0)\n", "with exit status 0"),
        ("import os\nos._exit(7)\n", "with exit status 7"),
        ("import ctypes\nctypes.string_at(0)\n", "by SIGSEGV"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n", "by SIGKILL"),
        (
            "import os, signal, threading, time\n"
            "threading.Thread(target=lambda: os.kill(os.getpid(), signal.SIGTERM)).start()\ntime.sleep(60)\n",
            "by SIGTERM",
        ),
        ("import os\nos.closerange(3, 256)\nos._exit(0)\n", "with exit status 0"),
    ],
)
def test_a_program_that_ends_its_process(folder, main: str, how: str):
    code, message, hint, source = only(folder(main=VPC + main))
    assert (code, message) == ("GI1086", f"the program ended its process {how} before it had come to its end")
    assert "pulumi preview --json" in hint
    assert source


@pytest.mark.parametrize(
    "main",
    [
        "import atexit, os\natexit.register(lambda: os._exit(3))\n",
        "import threading, time\nthreading.Thread(target=time.sleep, args=(300,)).start()\n",
        "import os\nif not os.fork():\n    os._exit(0)\n",
        "import subprocess\nsubprocess.Popen(['sleep', '20'])\n",
        "import sys\nassert sys.stdin.read() == ''\n",
    ],
)
def test_what_a_program_leaves_behind_keeps_it_from_nothing(folder, main: str):
    assert [r.name for r in judged(folder(main=VPC + main)).graph] == ["net"]


def test_the_process_is_as_it_was(folder):
    before = (os.getcwd(), dict(os.environ))
    judged(folder(main="import os\nos.environ['X'] = '1'\nraise ValueError\n"))
    assert (os.getcwd(), dict(os.environ)) == before


def test_a_value_of_the_command_line_is_not_shown_by_the_programs_own_error(folder):
    main = "import pulumi\nraise ValueError('bad password ' + pulumi.Config().require('pw'))\n"
    message = only(folder(main=main), config={"probe:pw": "TOPSEC9"})[1]
    assert message == "the program raises ValueError: bad password [probe:pw]"


def test_the_text_of_an_output_hides_nothing_else(folder):
    box = (
        "box = aws.ec2.Instance('box', ami='ami-0123456789abcdef0', instance_type='g5.xxlarge', "
        "metadata_options={'http_tokens': 'required'})\n"
        "aws.ec2.Instance('next', ami=f'{box.ami}', instance_type='g5.xlarge', user_data=f'echo {box.private_ip}', "
        "metadata_options={'http_tokens': 'required'})\n"
        "aws.ec2.Eip(f'of-{box.id}')\n"
        "import pulumi\npulumi.export('url', f'http://{box.public_ip}')\n"
    )
    found = judged(folder(main="import pulumi_aws as aws\n" + box))
    codes = [d.code for d in found.findings]
    assert codes.count("GI1087") == 4
    # What the text stands for is not known: it is no wrong name of an image.
    assert "GI3290" in codes
    assert "GI3061" not in codes
    assert {("GI3061", "next"), ("GI3060", "next")} <= {(u.code, u.resource) for u in found.undecided}
    assert found.graph is not None
    assert [r.name for r in found.graph] == ["box", "next"]


def test_a_folder_that_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def closed(self: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "is_file", closed)
    with pytest.raises(GpuInfraError, match="it cannot be read: Permission denied"):
        read(Source(Kind.PROGRAM, str(tmp_path)))
