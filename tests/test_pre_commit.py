"""The hook that others name in their .pre-commit-config.yaml."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

from gpuinfra.cli import main

ROOT = Path(__file__).parent.parent
(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())


def test_the_hook_is_named_and_runs_in_its_own_environment():
    assert (HOOK["id"], HOOK["language"]) == ("gpuinfra-check", "python")
    # One process: each start costs more than a spec.
    assert HOOK["require_serial"] is True


@pytest.mark.parametrize("path", ["cluster.yaml", "stacks/aws-h100-training/cluster.yaml"])
def test_it_takes_specs(path: str):
    assert re.search(HOOK["files"], path)


@pytest.mark.parametrize("path", ["cluster.yml", "my-cluster.yaml", "cluster.yaml.j2", "docs/spec.md"])
def test_it_takes_nothing_else(path: str):
    assert not re.search(HOOK["files"], path)


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
