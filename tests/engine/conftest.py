"""The engine tier: a real Pulumi engine against the simulated clouds. Without an engine the tests are skipped, and where
GPUINFRA_REQUIRE_ENGINE is set they fail."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.engine import Engine, EngineError, find

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def engine() -> Engine:
    try:
        return find()
    except EngineError as e:
        if os.environ.get("GPUINFRA_REQUIRE_ENGINE"):
            pytest.fail(str(e))
        pytest.skip(str(e))


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def gpuinfra(engine: Engine) -> Run:
    """Runs the command line as a process of its own, as a user does."""

    def run(*words: str, status: int = 0, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-m", "gpuinfra", *words],
            capture_output=True,
            text=True,
            cwd=ROOT,
            env={**os.environ, **(env or {})},
            check=False,
        )
        assert done.returncode == status, done.stdout[-3000:] + done.stderr[-6000:]
        return done

    return run


@pytest.fixture
def deploy(gpuinfra: Run) -> Callable[..., dict[str, Any]]:
    """Runs an operation on a stack folder in the simulated clouds and returns its JSON."""

    def run(operation: str, folder: Path, *more: str) -> dict[str, Any]:
        done = gpuinfra(operation, str(folder), "--simulate", "--yes", "--format", "json", *more)
        return json.loads(done.stdout)

    return run


@pytest.fixture
def stack_copy(tmp_path: Path) -> Callable[[str], Path]:
    """A copy of a shipped stack or template, in a folder of its own."""

    def copy(name: str) -> Path:
        (source,) = [p for p in (ROOT / "stacks" / name, ROOT / "templates" / name) if p.is_dir()]
        target = tmp_path / name
        shutil.copytree(source, target, ignore=shutil.ignore_patterns(".gpuinfra", "__pycache__"))
        project = target / "Pulumi.yaml"
        # What `pulumi new` fills in.
        text = project.read_text(encoding="utf-8")
        project.write_text(text.replace("${PROJECT}", name).replace("${DESCRIPTION}", "a test"), encoding="utf-8")
        return target

    return copy
