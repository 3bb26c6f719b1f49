"""The engine tier: a real Pulumi engine against the simulated clouds. Tests that take `engine`, or what is made with it, are
skipped without one, and where GPUINFRA_REQUIRE_ENGINE is set they fail."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gpuinfra.engine import Engine, EngineError, find

from .driving import Driven, command, copied


@pytest.fixture(scope="session")
def engine() -> Engine:
    try:
        return find()
    except EngineError as e:
        if os.environ.get("GPUINFRA_REQUIRE_ENGINE"):
            pytest.fail(str(e))
        pytest.skip(str(e))


@pytest.fixture
def stack(engine: Engine, tmp_path: Path) -> Callable[[str], Driven]:
    """A copy of a shipped stack or template, ready to be driven."""
    return lambda name: copied(name, tmp_path)


@pytest.fixture
def gpuinfra(engine: Engine) -> Callable[..., SimpleNamespace]:
    """Runs the command line and holds it to its exit status: `stdout`, `stderr`."""

    def run(*words: str, status: int = 0) -> SimpleNamespace:
        said = command(*words)
        assert said.status == status, said.out[-3000:] + said.err[-6000:]
        return SimpleNamespace(stdout=said.out, stderr=said.err)

    return run


@pytest.fixture
def deploy(gpuinfra: Callable[..., SimpleNamespace]) -> Callable[..., dict[str, Any]]:
    """Runs an operation on a stack folder in the simulated clouds and returns its JSON."""

    def run(operation: str, folder: Path, *more: str) -> dict[str, Any]:
        return json.loads(gpuinfra(operation, str(folder), "--simulate", "--yes", "--format", "json", *more).stdout)

    return run


@pytest.fixture
def stack_copy(engine: Engine, tmp_path: Path) -> Callable[[str], Path]:
    """A copy of a shipped stack or template, as a folder."""
    return lambda name: copied(name, tmp_path).folder
