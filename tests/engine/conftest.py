"""The engine tier: a real Pulumi engine against the simulated clouds. Tests that take `engine`, or what is made with it, are
skipped without one, and where GPUINFRA_REQUIRE_ENGINE is set they fail."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuinfra.engine import Engine, EngineError, find

from .driving import Driven, copied


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
