"""The engine killed in the middle of `up`, and what has to be true afterwards."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

from .breaking import ended, engines, kill, plugins, when
from .driving import ROOT, Driven, copied

TEMPLATES = {"aws": "aws-h100-hours", "gcp": "gcp-h100-hours", "azure-native": "azure-h100-hours"}
"""A small cluster on each cloud, by the engine's name of the cloud."""
_MOST = {"aws": 50, "gcp": 25, "azure-native": 20}
"""How many resources the template has, about: the kill comes somewhere before, or just after the last one."""


def recovers(it: Driven) -> None:
    """The next `up` completes what is missing and makes nothing twice; `destroy` leaves nothing."""
    it.do("up")
    it.agrees()
    assert it.changes("preview") == {}
    it.do("destroy", "--unprotect")
    it.gone()


def killed_at_random(seed: int, into: Path) -> bool:
    """One life with a kill in it; whether the kill came before the end. Raises AssertionError where it did not recover."""
    package = list(TEMPLATES)[seed % len(TEMPLATES)]
    it = copied(TEMPLATES[package], into)
    at = random.Random(seed).randrange(_MOST[package])
    # In a process of its own, as a person gives it: what the dead engine leaves of the program ends with that process.
    words = [sys.executable, "-W", "ignore", "-m", "gpuinfra", "up", str(it.folder), "--simulate", "--yes"]
    with when(it.home.world, at, lambda: kill(engines(os.getpid()))) as hit:
        said = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    if said.returncode != 0:
        assert hit, said.stderr
        assert "SIGKILL" in said.stderr, said.stderr
        assert ended(lambda: plugins(os.getpid(), package)), "plugins outlive their engine"
    recovers(it)
    return said.returncode != 0
