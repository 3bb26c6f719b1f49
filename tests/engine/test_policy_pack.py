"""The policy pack in the real engine: `pulumi preview --policy-pack` in a stack's folder, on the simulated clouds."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.engine import Engine
from gpuinfra.simulation.home import Home
from tests import language_host

from .driving import ROOT, command, copied, written

PROGRAM = """
import pulumi
import pulumi_aws as aws

{more}
template = aws.ec2.LaunchTemplate(
    "nodes",
    region="us-east-1",
    image_id="ami-0123456789abcdef0",
    instance_type="g6.xlarge",
    metadata_options={{"http_tokens": "required"}},
    {inputs}
)
aws.autoscaling.Group(
    "group",
    region="us-east-1",
    min_size=2,
    max_size=2,
    availability_zones=["us-east-1a"],
    wait_for_capacity_timeout="0",
    launch_template={{"id": template.id, "version": "$Latest"}},
)
"""
MANDATORY, ADVISORY = "GI3059", "GI3047"


@dataclass(frozen=True)
class Pulumi:
    """`pulumi` with a pack."""

    engine: Engine
    bin: Path
    pack: Path

    def __call__(self, folder: Path, *words: str, status: int = 0) -> str:
        home = Home(folder)
        home.prepare()
        env = {**os.environ, **home.environment(), "PYTHONPATH": str(ROOT)}
        env["PATH"] = f"{self.bin}{os.pathsep}{env['PATH']}"
        run = [str(self.engine.command), "--non-interactive"]
        if not home.state.joinpath(".pulumi").exists():
            subprocess.run([*run, "stack", "init", "dev"], cwd=folder, env=env, check=True, capture_output=True)
        done = subprocess.run([*run, *words], cwd=folder, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == status, done.stdout[-5000:] + done.stderr[-3000:]
        return done.stdout + done.stderr

    def preview(self, folder: Path, config: dict[str, Any] | None = None, *more: str, status: int = 0) -> str:
        words = ["preview", "--policy-pack", str(self.pack), *more]
        if config is not None:
            file = folder / "policies.json"
            file.write_text(json.dumps(config), encoding="utf-8")
            words += ["--policy-pack-config", str(file)]
        return self(folder, *words, status=status)


@pytest.fixture(scope="module")
def pulumi(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Pulumi:
    base = tmp_path_factory.mktemp("pack")
    folder = base / "bin"
    folder.mkdir()
    if language_host.real(engine.command) is None:
        language_host.install(folder)
    said = command("policy-pack", str(base / "policy"))
    assert said.status == 0, said.err
    return Pulumi(engine, folder, base / "policy")


@pytest.fixture
def bad(tmp_path: Path) -> Callable[..., Path]:
    """A program with two mistakes, and whatever a test adds."""
    return lambda more="", inputs="": written(tmp_path / "bad", "bad", PROGRAM.format(more=more, inputs=inputs)).folder


def violations(said: str) -> dict[str, tuple[str, str]]:
    """What the engine prints of a policy: its level, and the resource."""
    found = re.findall(r"- \[(\w+)\].* (GI\d{4}|undecided)  \((.*)\)", said)
    return {code: (level, resource) for level, code, resource in found}


@pytest.mark.parametrize("name", ["aws-l4-inference", "gcp-h100-training", "azure-a10-rendering"])
def test_a_shipped_stack_passes(pulumi: Pulumi, tmp_path: Path, name: str) -> None:
    said = pulumi.preview(copied(name, tmp_path).folder)
    assert re.search(r"✅ gpuinfra@v\d", said)
    assert violations(said) == {}


def test_two_mistakes(pulumi: Pulumi, bad: Callable[..., Path]) -> None:
    """The error ends the preview and the warning is shown, each at its own resource."""
    said = pulumi.preview(bad(), status=1)
    found = violations(said)
    assert found[MANDATORY] == ("mandatory", "aws:autoscaling:Group: group")
    assert found[ADVISORY] == ("advisory", "aws:autoscaling:Group: group")
    assert {code for code, (level, _) in found.items() if level == "mandatory"} == {MANDATORY}
    assert "group.launchTemplate.version: the template's version is '$Latest'" in said
    assert "docs: docs/reference/rules.md#gi3059" in said


def test_an_unknown_beside_a_mistake_hides_nothing(pulumi: Pulumi, bad: Callable[..., Path]) -> None:
    more = 'queue = aws.sqs.Queue("queue", region="us-east-1")'
    folder = bad(more, "user_data=queue.url, name_prefix=queue.url, tags={'queue': queue.url},")
    assert violations(pulumi.preview(folder, status=1))[MANDATORY][0] == "mandatory"


def test_configured_by_a_file(pulumi: Pulumi, bad: Callable[..., Path]) -> None:
    """A disabled rule is silent; a level that is given holds in both directions."""
    folder = bad()
    found = violations(pulumi.preview(folder, {MANDATORY: "disabled", ADVISORY: "mandatory"}, status=1))
    assert MANDATORY not in found
    assert found[ADVISORY][0] == "mandatory"
    found = violations(pulumi.preview(folder, {"all": "advisory", ADVISORY: "disabled"}))
    assert found[MANDATORY][0] == "advisory"
    assert ADVISORY not in found


def test_a_waiver_with_its_reason(pulumi: Pulumi, bad: Callable[..., Path]) -> None:
    waiver = {"reason": "moves in March", "expires": "2199-03-31"}
    folder = bad()
    said = pulumi.preview(folder, {MANDATORY: {"waivers": [waiver]}})
    assert violations(said)[MANDATORY][0] == "advisory"
    assert "(waived until 2199-03-31: moves in March)" in said
    # The engine itself holds the schema of the pack against the file.
    said = pulumi.preview(folder, {MANDATORY: {"waivers": [{"expires": "soon"}]}}, status=1)
    assert "reason" in said
    assert "Traceback" not in said


def test_a_name_that_is_no_rule(pulumi: Pulumi, bad: Callable[..., Path]) -> None:
    said = pulumi.preview(bad(), {"gi3059": "disabled"}, status=1)
    assert "'gi3059' is none of its policies; did you mean GI3059" in said
    assert "Traceback" not in said


def test_the_pack_has_a_configuration_of_its_own(pulumi: Pulumi, bad: Callable[..., Path], tmp_path: Path) -> None:
    own = tmp_path / "own"
    assert command("policy-pack", str(own), "--name", "acme").status == 0
    settings = own / "policy-config.json"
    settings.write_text(json.dumps({"all": "disabled", MANDATORY: "advisory", "undecided": "advisory"}))
    folder = bad()
    said = pulumi(folder, "preview", "--policy-pack", str(own))
    assert "acme@v" in said
    assert violations(said)[MANDATORY][0] == "advisory"
    assert set(violations(said)) <= {MANDATORY, "undecided"}
    settings.write_text("{")
    said = pulumi(folder, "preview", "--policy-pack", str(own), status=1)
    assert "cannot be read as JSON" in said
    assert "Traceback" not in said


def test_up_and_what_is_deployed(pulumi: Pulumi, tmp_path: Path) -> None:
    """After an update every value is known; the state alone is judged the same."""
    folder = copied("aws-l4-inference", tmp_path).folder
    said = pulumi(folder, "up", "--yes", "--skip-preview", "--policy-pack", str(pulumi.pack))
    assert violations(said) == {}
    said = pulumi(folder, "policy", "analyze", "--policy-pack", str(pulumi.pack), "--stack", "dev")
    assert violations(said) == {}
