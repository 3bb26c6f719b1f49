"""The hook that others name in their .pre-commit-config.yaml."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

from gpuinfra.cli import main

ROOT = Path(__file__).parent.parent
HOOKS = {h["id"]: h for h in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
HOOK, LINT = HOOKS["gpuinfra-check"], HOOKS["gpuinfra-lint"]


def test_the_hooks_run_in_their_own_environment():
    assert set(HOOKS) == {"gpuinfra-check", "gpuinfra-lint"}
    for hook in HOOKS.values():
        assert hook["language"] == "python"
        # One process: each start costs more than a spec.
        assert hook["require_serial"] is True


@pytest.mark.parametrize("path", ["cluster.yaml", "cluster.yml", "stacks/a/my.cluster.yaml", "infra/llama.yaml"])
def test_it_takes_what_may_be_a_spec(path: str):
    assert re.search(HOOK["files"], path)


@pytest.mark.parametrize("path", ["cluster.yaml.j2", "docs/spec.md", "yaml"])
def test_it_takes_nothing_else(path: str):
    assert not re.search(HOOK["files"], path)


@pytest.mark.parametrize(
    ("path", "taken"),
    [
        ("__main__.py", True),
        ("infra/Pulumi.yaml", True),
        ("Pulumi.my-stack.yml", True),
        ("README.md", False),
        ("notPulumi.yaml", False),
        ("cluster.yaml", False),
    ],
)
def test_a_program_is_judged_when_it_or_its_config_changes(path: str, taken: bool):
    assert bool(re.search(LINT["files"], path)) is taken


def test_a_program_is_judged_by_the_folder_that_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert LINT["pass_filenames"] is False
    assert LINT["args"] == ["--program", "."]
    (tmp_path / "Pulumi.yaml").write_text("name: p\nruntime: python\n")
    (tmp_path / "__main__.py").write_text(
        'import pulumi_gcp as gcp\ngcp.compute.Instance("box", machine_type="g2-standard-8", zone="us-central1-a",\n'
        '    boot_disk={}, network_interfaces=[{"network": "default"}])\n'
    )
    assert main([*shlex.split(LINT["entry"])[1:], "--program", str(tmp_path)]) == 1
    assert "GI3120" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "text", "status"),
    [
        ("cluster.yaml", "nmae: x\n", 1),
        ("old.cluster.yml", "nmae: x\n", 1),
        ("llama.yaml", "api_version: gpuinfra/v1\nnmae: x\n", 1),
        ("llama.yaml", "# of ours\n'api_version': 'gpuinfra/v2'\n", 1),
        ("llama.yaml", '{"api_version": "gpuinfra/v1"}\n', 1),
        ("deployment.yaml", "apiVersion: apps/v1\nkind: Deployment\n", 0),
        ("values.yaml", "nested:\n  text: 'api_version: gpuinfra/v1'\n", 0),
        ("Pulumi.yaml", "name: p\nruntime: python\n", 0),
        ("binary.yaml", "\0\0", 0),
    ],
)
def test_of_all_yaml_files_specs_alone_are_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, status: int
):
    path = tmp_path / name
    path.write_text(text)
    assert main([*shlex.split(HOOK["entry"])[1:], str(path)]) == status
    assert ("no spec is among" in capsys.readouterr().err) is (status == 0)


def test_every_shipped_stack_passes_it(capsys: pytest.CaptureFixture[str]):
    program, *args = shlex.split(HOOK["entry"])
    assert program == "gpuinfra"
    specs = sorted(str(p) for p in (ROOT / "stacks").glob("*/cluster.yaml"))
    assert len(specs) > 5
    assert main([*args, *specs]) == 0
    capsys.readouterr()


def test_a_wrong_spec_fails_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "cluster.yaml"
    path.write_text("nmae: x\n")
    assert main([*shlex.split(HOOK["entry"])[1:], str(path)]) == 1
    capsys.readouterr()
