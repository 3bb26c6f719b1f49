"""The folder of a simulation: plugins that start, serve and stop, and an environment that touches nothing else."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import grpc
import pytest
from google.protobuf import empty_pb2
from pulumi.runtime.proto import provider_pb2_grpc as service

from gpuinfra.simulation.home import Home, as_exports
from gpuinfra.simulation.plugin import CLOUDS
from gpuinfra.simulation.schema import Sdk

Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "a stack's folder")
    made.stack_dir.mkdir()
    made.prepare()
    return made


def _program(home: Home, package: str) -> Path:
    folder = home.pulumi_home / "plugins" / f"resource-{package}-v{Sdk(package).version}"
    return folder / f"pulumi-resource-{package}"


def _start(home: Home, package: str) -> tuple[subprocess.Popen[str], int]:
    env = {**os.environ, **home.environment()}
    process = subprocess.Popen([_program(home, package), "127.0.0.1:1"], stdout=subprocess.PIPE, text=True, env=env)
    assert process.stdout is not None
    return process, int(process.stdout.readline())


@pytest.mark.parametrize("package", CLOUDS)
def test_a_plugin_serves_and_stops_at_once_on_sigint(package: str, home: Home) -> None:
    process, port = _start(home, package)
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        info = service.ResourceProviderStub(channel).GetPluginInfo(empty_pb2.Empty(), timeout=20)
    assert info.version == Sdk(package).version
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 0
    # The engine waits five seconds for a plugin; a loaded machine gets some of them.
    assert time.monotonic() - began < 4


def test_a_plugin_ends_when_its_engine_is_gone(home: Home) -> None:
    engine = subprocess.Popen(
        ["sh", "-c", f"{shlex.quote(str(_program(home, 'time')))} & echo $!; wait"],
        stdout=subprocess.PIPE, text=True, env={**os.environ, **home.environment()},
    )  # fmt: skip
    assert engine.stdout is not None
    pid, port = int(engine.stdout.readline()), engine.stdout.readline()
    assert port
    engine.kill()
    engine.wait()
    limit = time.monotonic() + 20
    while _runs(pid):
        assert time.monotonic() < limit, "the plugin outlives its engine"
        time.sleep(0.05)


def _runs(pid: int) -> bool:
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


def test_a_plugin_without_a_world_says_who_starts_it(home: Home) -> None:
    env = {k: v for k, v in os.environ.items() if not k.startswith("GPUINFRA_")}
    done = subprocess.run([_program(home, "aws")], capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 2
    assert "started by gpuinfra's simulation" in done.stderr
    assert done.stdout == "", "the engine reads a port there"


def test_preparing_again_changes_nothing(home: Home) -> None:
    before = {p: p.stat().st_mtime_ns for p in home.root.rglob("*") if p.is_file()}
    home.prepare()
    assert {p: p.stat().st_mtime_ns for p in home.root.rglob("*") if p.is_file()} == before


def test_git_does_not_see_it(home: Home) -> None:
    assert (home.stack_dir / ".gpuinfra" / ".gitignore").read_text() == "*\n"


def test_the_environment_as_a_shell_reads_it(home: Home) -> None:
    text = as_exports(home.environment()) + 'printf %s "$PULUMI_HOME"'
    done = subprocess.run(["sh", "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout == str(home.pulumi_home)


def test_everything_lies_in_the_stacks_folder(home: Home) -> None:
    for key, value in home.environment().items():
        if "/" in value:
            assert str(home.stack_dir) in value, key


def test_a_users_own_passphrase_is_used(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULUMI_CONFIG_PASSPHRASE", "mine")
    assert home.environment()["PULUMI_CONFIG_PASSPHRASE"] == "mine"
