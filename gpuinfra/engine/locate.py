"""Where an engine is: on PATH, else in the cache, and why it is taken or left."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

TESTED = "3.274.1"
"""The version that the tests run against, and that `gpuinfra engine install` gets."""
MINIMUM = (3, 260, 0)
"""The oldest engine that is taken: the oldest SDK that the extras allow talks to it."""
ON_PATH = "on PATH"
CACHED = "in the cache"
_ASK_TIMEOUT_S = 60


class EngineError(Exception):
    """No engine can be used. The text says why and how to get one."""


@dataclass(frozen=True)
class Engine:
    """A `pulumi` program."""

    command: Path
    version: str
    source: str
    """ON_PATH or CACHED."""

    @property
    def root(self) -> Path:
        """The folder that holds `bin/pulumi`, as the Automation API wants it."""
        return self.command.parent.parent


@dataclass(frozen=True)
class Status:
    """What was looked at, in order, and what came of it."""

    engine: Engine | None
    seen: tuple[tuple[str, str], ...]
    """(place, what is there), for a person."""


def cache_folder() -> Path:
    """Where engines are kept: below GPUINFRA_CACHE, else XDG_CACHE_HOME, else ~/.cache."""
    own = os.environ.get("GPUINFRA_CACHE")
    if own:
        return Path(own) / "engine"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "gpuinfra" / "engine"


def cached_command() -> Path:
    """The program in the cache, whether or not it is there."""
    return cache_folder() / TESTED / "bin" / "pulumi"


def find() -> Engine:
    """The engine to use. Raises EngineError."""
    found = status()
    if found.engine is None:
        looked = "; ".join(f"{place}: {what}" for place, what in found.seen)
        raise EngineError(f"no Pulumi engine ({looked}); get one with: gpuinfra engine install")
    return found.engine


def status() -> Status:
    """Looks at every place. The first engine that is new enough is taken."""
    seen: list[tuple[str, str]] = []
    taken: Engine | None = None
    on_path = shutil.which("pulumi")
    for source, command in ((ON_PATH, Path(on_path) if on_path else None), (CACHED, cached_command())):
        if command is None or not os.access(command, os.X_OK):
            seen.append((source, "none" if command is None else f"none at {command}"))
            continue
        version, why_not = _ask(command)
        if why_not:
            seen.append((source, f"{command}: {why_not}"))
            continue
        seen.append((source, f"{command}: version {version}"))
        taken = taken or Engine(command, version, source)
    return Status(taken, tuple(seen))


def _ask(command: Path) -> tuple[str, str]:
    """The version of a program, or why it cannot be used."""
    try:
        done = subprocess.run(
            [str(command), "version"],
            capture_output=True,
            text=True,
            timeout=_ASK_TIMEOUT_S,
            env={**os.environ, "PULUMI_SKIP_UPDATE_CHECK": "true"},
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as e:
        return "", f"does not run ({e.__class__.__name__})"
    match = re.fullmatch(r"v?(\d+)\.(\d+)\.(\d+)\S*", done.stdout.strip())
    if done.returncode or match is None:
        return "", "does not say its version"
    if tuple(int(n) for n in match.groups()) < MINIMUM:
        least = ".".join(str(n) for n in MINIMUM)
        return "", f"version {match[0].removeprefix('v')} is older than {least}, the least that works"
    return match[0].removeprefix("v"), ""
