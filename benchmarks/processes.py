"""Whole processes, timed in turn so that a noisy moment hits each of them."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
PYTHON = sys.executable


def once(command: Sequence[str], *, ok: Sequence[int] = (0,), cwd: Path = ROOT) -> float:
    """Seconds from start to end of a command. Raises when it ends in a status that is not `ok`."""
    start = time.perf_counter()
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    took = time.perf_counter() - start
    if done.returncode not in ok:
        raise SystemExit(
            f"{' '.join(command)} ended with {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        )
    return took


def medians(commands: Mapping[str, Sequence[str]], runs: int, ok: Sequence[int] = (0,)) -> dict[str, float]:
    """The median seconds of each command, run in turn; one run of each before is not counted."""
    for command in commands.values():
        once(command, ok=ok)
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            times[name].append(once(command, ok=ok))
    return {name: statistics.median(values) for name, values in times.items()}


def verdict(what: str, measured: float, limit: float) -> bool:
    """Prints one line of the result and says whether the limit is kept."""
    kept = measured <= limit
    print(f"  {'ok  ' if kept else 'OVER'} {what}: {measured:.3f} (limit {limit:.3f})")
    return kept
