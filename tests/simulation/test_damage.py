"""A world that was used, and whose file is damaged where opening it does not look: one line, status 1, and nothing lost."""

from __future__ import annotations

import io
import sqlite3
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from gpuinfra.cli.app import main
from gpuinfra.simulation.home import Home
from gpuinfra.simulation.world import Thing, World, WorldError
from tests.specs import NOW

PAGE = 4096
WORDS = (
    ("show",),
    ("advance", "3h"),
    ("reclaim", "gpu"),
    ("exhaust", "use2-az1", "p5.48xlarge"),
    ("drift", "a", "b", "1"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "Pulumi.yaml").write_text("name: used\nruntime: python\n")
    (tmp_path / "__main__.py").write_text("")
    home = Home(tmp_path)
    home.prepare()
    world = World(home.world, lambda: NOW)
    world.set_meta("project", "used")
    for i in range(200):
        world.keep(Thing("aws:sqs/queue:Queue", f"q{i}", f"q{i}", f"urn:{i}", {}, {"text": "x" * 400}, NOW))
        world.note("create", f"q{i}")
    world.close()
    return tmp_path


def _spoil(path: Path) -> bytes:
    pages = path.stat().st_size // PAGE
    with path.open("r+b") as file:
        file.seek(pages // 2 * PAGE)
        file.write(b"\xa5" * PAGE * 3)
    return path.read_bytes()


@pytest.mark.parametrize("words", WORDS, ids=lambda w: w[0])
def test_pages_in_the_middle(words: tuple[str, ...], folder: Path) -> None:
    world = Home(folder).world
    spoiled = _spoil(world)
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main(["simulate", words[0], str(folder), *words[1:]])
    assert status == 1
    assert out.getvalue() == ""
    (line,) = err.getvalue().splitlines()
    assert "cannot be read" in line
    assert "nothing was changed" in line
    assert world.read_bytes() == spoiled


@pytest.mark.parametrize("text", ["{half", "[]", "\\xff"])
def test_a_row_that_is_none_of_ours(text: str, folder: Path) -> None:
    path = Home(folder).world
    with sqlite3.connect(path) as db:
        db.execute("UPDATE things SET outputs = ?, made_at = ? WHERE id = 'q7'", (text, text))
    with pytest.raises(WorldError, match="a value in it cannot be read"):
        World(path, searched=True)


def test_damage_that_shows_later(folder: Path) -> None:
    path = Home(folder).world
    _spoil(path)
    opened = World(path)
    with pytest.raises(WorldError, match="cannot be read"), opened.step():
        _ = (opened.things(), opened.events())
    opened.close()


def test_a_world_that_is_whole(folder: Path) -> None:
    assert len(World(Home(folder).world, searched=True).things()) == 200
