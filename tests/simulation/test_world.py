"""The simulated world's file: whole steps, many processes, time that only goes on."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gpuinfra.simulation import world_file
from gpuinfra.simulation.world import Thing, World, WorldError

ROOT = Path(__file__).parents[2]
WHEN = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "world.sqlite")


def _thing(id_: str, **outputs: object) -> Thing:
    return Thing("aws:sqs/queue:Queue", id_, "q", f"urn:{id_}", {}, outputs, WHEN)


def test_what_is_kept_is_found_again(world: World) -> None:
    world.keep(_thing("a", size=1))
    world.keep(_thing("a", size=2))
    assert world.thing("aws:sqs/queue:Queue", "a") == _thing("a", size=2)
    assert World(world.path).things() == [_thing("a", size=2)]
    world.forget("aws:sqs/queue:Queue", "a")
    assert world.things() == []


def test_a_step_that_fails_leaves_nothing(world: World) -> None:
    def half() -> None:
        with world.step():
            world.keep(_thing("a"))
            with world.step():
                world.keep(_thing("b"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half()
    assert world.things() == []


def test_time_goes_on_and_never_back(world: World) -> None:
    before = world.now
    world.move_to(before + timedelta(hours=3))
    assert timedelta(hours=3) <= world.now - before < timedelta(hours=3, minutes=1)
    world.move_to(before)
    assert world.now - before >= timedelta(hours=3)
    assert World(world.path).now - before >= timedelta(hours=3)


@pytest.mark.parametrize(("entries", "left"), [
    ([], None),
    ([("z", "t", 3)], 2),
    ([("*", "t", 5)], 4),
    ([("z", "*", 5), ("*", "t", 0)], 4),
    ([("z", "t", 0)], 0),
])  # fmt: skip
def test_what_a_zone_has_left(entries: list[tuple[str, str, int]], left: int | None, world: World) -> None:
    """The nearest entry counts, a zone before a type; what runs is taken off."""
    world.launch(("g", "1"), ("r", "z"), "t", "on_demand", 2)
    world.end_nodes(world.running("g", "1")[:1], "test")
    for entry in entries:
        world.set_stock(*entry)
    assert world.left("z", "t") == left


_WRITER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from gpuinfra.simulation.world import Thing, World

world, me = World(Path(sys.argv[1])), sys.argv[2]
for n in range(int(sys.argv[3])):
    with world.step():
        world.set_meta("count", str(int(world.meta("count") or 0) + 1))
        world.keep(Thing("t", f"{me}-{n}", "n", "u", {}, {}, datetime(2026, 1, 1, tzinfo=UTC)))
"""


def _writer(path: Path, name: str, steps: int) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-W", "ignore", "-c", _WRITER, str(path), name, str(steps)]
    return subprocess.Popen(words, cwd=ROOT)


def test_processes_at_once_follow_one_another(world: World) -> None:
    running = [_writer(world.path, str(n), 25) for n in range(4)]
    assert [p.wait(120) for p in running] == [0] * 4
    assert world.meta("count") == "100"
    assert len(world.things()) == 100


def test_a_killed_process_leaves_whole_steps(world: World) -> None:
    process = _writer(world.path, "x", 100_000)
    while len(world.things()) < 5:
        assert process.poll() is None
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    again = World(world.path)
    assert int(again.meta("count")) == len(again.things())
    again.keep(_thing("after"))


def _held(path: Path) -> sqlite3.Connection:
    # As a plugin holds it that is about to give a new file its log: SQLite then refuses another one at once, and does not wait.
    held = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    held.execute("CREATE TABLE other (a INTEGER)")
    held.execute("BEGIN IMMEDIATE")
    return held


def test_a_world_that_another_process_holds_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "world.sqlite"
    held = _held(path)
    end = threading.Timer(0.5, held.rollback)
    end.start()
    World(path).keep(_thing("after"))
    end.join()
    held.close()


def test_a_world_that_stays_held_is_told_as_in_use_and_not_as_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(world_file, "BUSY_S", 1)
    path = tmp_path / "world.sqlite"
    held = _held(path)
    with pytest.raises(WorldError, match="in use by another process") as raised:
        World(path)
    assert "remove" not in str(raised.value)
    held.close()


@pytest.mark.parametrize("content", [b"no database at all", b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_is_refused_and_left_as_it_is(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "world.sqlite"
    path.write_bytes(content)
    with pytest.raises(WorldError, match=r"cannot be read.*To start anew remove the folder .*state"):
        World(path)
    assert path.read_bytes() == content


def test_a_world_of_another_format_is_refused(world: World) -> None:
    world.set_meta("format", "99")
    world.close()
    with pytest.raises(WorldError, match="format 99"):
        World(world.path)


def test_another_programs_database_is_not_written_to(tmp_path: Path) -> None:
    path = tmp_path / "world.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE meta (a INTEGER)")
    with pytest.raises(WorldError):
        World(path)
    tables = sqlite3.connect(path).execute("SELECT name FROM sqlite_master").fetchall()
    assert tables == [("meta",)]
