"""Whole processes, timed in turn so that a noisy moment hits each of them.

The time is the processor's, which a busy machine changes least; on an idle one it is what a person waits.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
PYTHON = sys.executable


def once(
    command: Sequence[str], *, ok: Sequence[int] = (0,), cwd: Path = ROOT, env: Mapping[str, str] | None = None
) -> float:
    """Seconds that a command took. Raises when it ends in a status that is not `ok`."""
    before = _children_s()
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True)
    took = _children_s() - before
    if done.returncode not in ok:
        raise SystemExit(
            f"{' '.join(command)} ended with {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        )
    return took


def _children_s() -> float:
    """The processor's time of all commands that have ended, in the program and in the system."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


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
