"""What every test shares."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from gpuinfra.clock import NOW_VARIABLE

from .specs import NOW

ROOT = Path(__file__).parent

# How long a case takes is the benchmarks' question: here a busy machine would fail tests of right code.
settings.register_profile("gpuinfra", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("gpuinfra")


@pytest.fixture(autouse=True)
def one_day(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests give on every day what they gave when they were written. What is deployed for real goes by the machine's clock."""
    if "engine" not in request.path.relative_to(ROOT).parts:
        monkeypatch.setenv(NOW_VARIABLE, NOW.isoformat())


@pytest.fixture(autouse=True)
def loop_of_the_thread() -> None:
    """Outputs and mocks ask for this thread's event loop, which a test before this one may have taken away."""
    try:
        asyncio.get_event_loop_policy().get_event_loop()
    except RuntimeError:
        asyncio.set_event_loop(asyncio.new_event_loop())


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Says with which engine and language host the engine tier ran."""
    ran = [r for r in terminalreporter.stats.get("passed", []) if r.nodeid.startswith("tests/engine/")]
    if not ran:
        return
    from gpuinfra.engine import status
    from tests import language_host

    engine = status().engine
    if engine is None:
        terminalreporter.write_line("engine tier: no engine, so only what needs none ran (gpuinfra engine install)")
        return
    host = language_host.real(engine.command) or "the stand-in of tests/language_host"
    terminalreporter.write_line(f"engine tier: pulumi {engine.version} ({engine.source}), Python language host: {host}")
