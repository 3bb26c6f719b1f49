"""What breaks an operation at a chosen point: signals to the engine or to a plugin, as soon as the world has so much."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gpuinfra.simulation.world import World

_LOOK_S = 0.01


def processes() -> dict[int, tuple[int, str]]:
    """Every process: its parent, and its command line."""
    found: dict[int, tuple[int, str]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, IndexError):
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            found[int(folder.name)] = (parent, (folder / "cmdline").read_text().replace("\0", " "))
    return found


def below(pid: int) -> dict[int, str]:
    """The processes that one has started, and those that they have: number and command line."""
    every = processes()
    found: dict[int, str] = {}
    fresh = {pid}
    while fresh:
        fresh = {p for p, (parent, _) in every.items() if parent in fresh}
        found |= {p: every[p][1] for p in fresh}
    return found


def engines(pid: int) -> list[int]:
    """The engines that work for a process."""
    return [p for p, words in below(pid).items() if words.split(" ")[0].endswith("/pulumi") and " up " in f"{words} "]


def plugins(pid: int, package: str) -> list[int]:
    """The plugins of a package that an engine of a process has started."""
    return [p for p, words in below(pid).items() if f'main("{package}")' in words]


def kill(found: list[int], number: signal.Signals = signal.SIGKILL) -> bool:
    """Ends processes of ours; whether there was one."""
    for pid in found:
        with suppress(ProcessLookupError):
            os.kill(pid, number)
    return bool(found)


@contextmanager
def when(world: Path, creates: int, act: Callable[[], bool]) -> Iterator[list[int]]:
    """While the block runs: as soon as the world has noted so many creations, acts until that hit something. Yields a list
    that holds the number of creations at that moment, or nothing where it never came to it."""
    hit: list[int] = []
    over = threading.Event()

    def watch() -> None:
        while not world.exists() and not over.wait(_LOOK_S):
            pass
        if over.is_set():
            return
        seen = World(world)
        try:
            while not over.wait(_LOOK_S):
                made = sum(e.what == "create" for e in seen.events())
                if made >= creates and act():
                    hit.append(made)
                    return
        finally:
            seen.close()

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield hit
    finally:
        over.set()
        thread.join()


def ended(find: Callable[[], list[int]], within_s: float = 10) -> bool:
    """Whether processes are gone, at the latest after a while."""
    limit = time.monotonic() + within_s
    while find():
        if time.monotonic() > limit:
            return False
        time.sleep(0.05)
    return True
