"""One place reads the machine's clock for what is planned and judged, and another for the simulated world."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gpuinfra.cli.app import COMMANDS, main
from gpuinfra.clock import NOW_VARIABLE, current_moment

PACKAGE = Path(__file__).parents[1] / "gpuinfra"
STACK = PACKAGE.parent / "stacks" / "aws-h100-training" / "cluster.yaml"
READS = re.compile(
    r"datetime\.now\(|datetime\.today\(|date\.today\(|utcnow\(|[^.\w]time\.time\(|from time import time\b"
)
MAY_READ = {Path("clock.py"), Path("simulation/world.py")}


def test_the_clock_is_read_in_two_places() -> None:
    found = {p.relative_to(PACKAGE) for p in PACKAGE.rglob("*.py") if READS.search(p.read_text(encoding="utf-8"))}
    assert found == MAY_READ


@pytest.mark.parametrize("module", sorted({place.partition(":")[0] for place in COMMANDS.values()}))
def test_a_command_imports_no_plan_before_it_runs(module: str) -> None:
    program = f"import sys, gpuinfra.cli.{module}; print('gpuinfra.plan' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_the_environment_names_the_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NOW_VARIABLE, "2031-02-03T04:05:06+01:00")
    assert current_moment() == datetime(2031, 2, 3, 3, 5, 6, tzinfo=UTC)
    monkeypatch.delenv(NOW_VARIABLE)
    assert abs((current_moment() - datetime.now(UTC)).total_seconds()) < 60


@pytest.mark.parametrize("text", ["tomorrow", "2026-12-05", "2026-12-05T18:00:00", "", "0"])
@pytest.mark.parametrize("command", [["check", str(STACK)], ["compare", str(STACK)], ["rules"]], ids=lambda c: c[0])
def test_a_moment_that_is_none_is_refused(
    command: list[str], text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(NOW_VARIABLE, text)
    if not text:
        assert main(command) == 0, "an empty variable is none"
        return
    assert main(command) == 2
    said = capsys.readouterr().err
    assert f"{NOW_VARIABLE}: '{text}' is not a moment with an offset" in said
    assert "internal error" not in said
