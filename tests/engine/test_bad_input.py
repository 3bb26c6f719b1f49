"""What is wrong with a folder, a file or the engine gets a clear line and an exit status, and nothing is lost."""

from __future__ import annotations

import json
import os
import random
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from unittest.mock import patch

import pytest

from gpuinfra.engine import Engine, cache_folder
from gpuinfra.simulation.home import Home
from gpuinfra.simulation.world import World

from .driving import Driven, command, copied, written

PROGRAM = "import pulumi\nimport pulumi_aws as aws\naws.sqs.Queue('q', opts=pulumi.ResourceOptions(protect=False))\n"


@pytest.fixture
def small(engine: Engine, tmp_path: Path) -> Driven:
    return written(tmp_path / "small", "small", PROGRAM)


def _folder(tmp_path: Path) -> Driven:
    return copied("aws-l4-inference", tmp_path)


# Without an engine.


def test_a_folder_without_a_project(tmp_path: Path) -> None:
    said = Driven(tmp_path).refused("up")
    assert "no Pulumi.yaml" in said
    assert not (tmp_path / ".gpuinfra").exists(), "nothing is put into a folder that is no stack"


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    assert "no such folder" in Driven(tmp_path / "none").refused("preview")


@pytest.mark.parametrize(("text", "reason"), [
    ("name: [", "cannot be read"),
    ("runtime: python\n", "needs a name"),
    ("name: a\nruntime: nodejs\n", "runtime: python"),
    ("name: ../up\nruntime: python\n", "no name of a project"),
    ("name: a\nruntime: python\n", "no program"),
])  # fmt: skip
def test_a_project_file_that_is_none(text: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text(text)
    assert reason in Driven(tmp_path).refused("up")


@pytest.fixture
def no_engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A PATH with no engine, and an empty cache."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("GPUINFRA_CACHE", str(tmp_path / "cache"))
    return folder


def test_no_engine_says_how_to_get_one(no_engine: Path, tmp_path: Path) -> None:
    said = _folder(tmp_path).ask("up")
    assert said.status == 2
    assert "gpuinfra engine install" in said.err
    assert command("engine", "status").status == 2


@pytest.mark.parametrize(("answer", "reason"), [
    ("echo v3.100.0", "3.100.0 is older than 3.260.0"),
    ("echo something", "does not say its version"),
    ("exit 3", "does not say its version"),
])  # fmt: skip
def test_an_engine_that_will_not_do(answer: str, reason: str, no_engine: Path, tmp_path: Path) -> None:
    fake = no_engine / "pulumi"
    fake.write_text(f"#!/bin/sh\n{answer}\n")
    fake.chmod(0o755)
    it = _folder(tmp_path)
    said = it.ask("up")
    assert said.status == 2
    assert reason in said.err
    assert not it.home.state.exists()


def test_a_damaged_world(tmp_path: Path) -> None:
    it = _folder(tmp_path)
    command("simulate", "exhaust", str(it.folder), "euc1-az1", "g6.xlarge")
    it.home.world.write_bytes(b"no database" * 1000)
    before = it.home.world.read_bytes()
    said = command("simulate", "show", str(it.folder))
    assert said.status == 1
    assert "cannot be read" in said.err
    assert str(it.home.state) in said.err
    assert it.home.world.read_bytes() == before


@pytest.mark.parametrize("seed", range(4))
def test_a_world_damaged_after_it_was_opened_once(seed: int, tmp_path: Path) -> None:
    """The first page is whole, so that it opens; what is behind it is not."""
    it = _folder(tmp_path)
    command("simulate", "exhaust", str(it.folder), "euc1-az1", "g6.xlarge")
    with closing(sqlite3.connect(it.home.world)) as db:
        db.execute("INSERT INTO things VALUES ('a', 'b', 'c', 'd', '{}', '{}', '2026-11-30T09:00:00+00:00')")
        db.commit()
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole = bytearray(it.home.world.read_bytes())
    whole[4096:] = random.Random(seed).randbytes(len(whole) - 4096)
    it.home.world.write_bytes(whole)
    for words in (("show",), ("show", "--format", "json"), ("advance", "1h")):
        said = command("simulate", words[0], str(it.folder), *words[1:])
        assert said.status == 1
        assert "cannot be read" in said.err
        assert "internal error" not in said.err
        if "json" in words:
            assert "cannot be read" in said.data["error"]["message"]


def test_a_world_whose_values_are_none(tmp_path: Path) -> None:
    it = _folder(tmp_path)
    command("simulate", "exhaust", str(it.folder), "euc1-az1", "g6.xlarge")
    for value, wrong in (("ahead_s", "soon"), ("inputs", "{"), ("inputs", "7"), ("made_at", "yesterday")):
        with closing(sqlite3.connect(it.home.world)) as db:
            db.execute("DELETE FROM things")
            db.execute("INSERT OR REPLACE INTO meta VALUES ('ahead_s', ?)", (wrong if value == "ahead_s" else "0",))
            row = {"inputs": "{}", "made_at": "2026-11-30T09:00:00+00:00", value: wrong}
            db.execute("INSERT INTO things VALUES ('a', 'b', 'c', 'd', ?, '{}', ?)", (row["inputs"], row["made_at"]))
            db.commit()
        said = command("simulate", "show", str(it.folder))
        assert (said.status, "a value in it cannot be read" in said.err) == (1, True), (value, said.err)


@pytest.mark.parametrize(("operation", "more"), [
    ("preview", ()), ("up", ()), ("refresh", ()), ("destroy", ()), ("destroy", ("--unprotect",)),
])  # fmt: skip
def test_a_program_that_reads_gets_json_of_a_failure_too(operation: str, more: tuple[str, ...], tmp_path: Path) -> None:
    said = Driven(tmp_path).ask(operation, *more)
    assert said.status == 1
    assert said.data["operation"] == operation
    assert (said.data["stack"], said.data["simulated"], said.data["error"]["status"]) == ("dev", True, 1)
    assert "no Pulumi.yaml" in said.data["error"]["message"]
    assert "no Pulumi.yaml" in said.err


def test_json_of_no_engine_and_of_nobody_to_ask(no_engine: Path, tmp_path: Path) -> None:
    said = _folder(tmp_path).ask("up")
    assert (said.status, said.data["error"]["status"]) == (2, 2)
    assert "gpuinfra engine install" in said.data["error"]["message"]


def test_a_folder_that_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(self: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(self))

    it = _folder(tmp_path)
    monkeypatch.setattr(Path, "is_file", closed)
    assert "Pulumi.yaml: cannot be used: Permission denied" in it.refused("up")


def test_a_cache_that_cannot_be_used(no_engine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GPUINFRA_CACHE", str(tmp_path / "file" / "cache"))
    said = command("engine", "install")
    assert said.status == 2
    assert "internal error" not in said.err
    assert "GPUINFRA_CACHE" in said.err


# With one.


def test_what_the_program_writes_does_not_mix_with_the_outcome(small: Driven) -> None:
    (small.folder / "__main__.py").write_text(f"print('printed')\n{PROGRAM}")
    said = small.ask("up")
    assert said.status == 0, said.err
    assert said.data["changes"] == {"create": 2}
    assert "printed" in said.err


def test_an_interruption_gives_json_too(small: Driven, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gpuinfra.engine.deployment.Deployment.run", interrupted)
    monkeypatch.setattr("gpuinfra.simulation.session._Simulated.run", interrupted)
    said = small.ask("up")
    assert (said.status, said.data["error"]["status"]) == (130, 130)


def test_a_file_that_is_well_is_not_to_be_removed(small: Driven) -> None:
    """What the engine has to do with is a file that cannot be written, not a damaged one."""
    world = World(small.home.world)
    world.close()
    with patch("sqlite3.connect", side_effect=_readonly()):
        said = small.refused("up")
    assert "nothing is wrong with what it holds" in said
    assert "To start anew" not in said


def _readonly() -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("attempt to write a readonly database")
    error.sqlite_errorname = "SQLITE_READONLY"
    return error


def test_what_is_kept_from_destroy_is_named_whole(engine: Engine, tmp_path: Path) -> None:
    program = (
        "import pulumi\nimport pulumi_aws as aws\no = pulumi.ResourceOptions(protect=True)\n"
        "b = aws.s3.Bucket('store', opts=o)\n"
        "aws.s3.BucketVersioning('store-versioning', bucket=b.id, versioning_configuration={'status': 'Enabled'}, opts=o)\n"
    )
    it = written(tmp_path / "kept", "kept", program)
    it.do("up")
    said = it.refused("destroy")
    assert "store, store-versioning: protected" in said
    assert "nothing was changed" in said
    it.do("destroy", "--unprotect")


def test_a_world_that_is_damaged_in_its_middle(small: Driven) -> None:
    small.do("up")
    before = small.state
    size = small.home.world.stat().st_size
    with small.home.world.open("r+b") as file:
        file.seek(size // 2 // 4096 * 4096)
        file.write(b"\xa5" * 8192)
    spoiled = small.home.world.read_bytes()
    for operation in ("preview", "up", "refresh", "destroy"):
        said = small.ask(operation)
        assert said.status == 1
        assert len(said.err.splitlines()) == 2
        assert "cannot be read" in said.err
        assert small.home.world.read_bytes() == spoiled
        assert small.state == before


@pytest.mark.parametrize(("text", "reason"), [
    ("zones: {mars-1a: {p5.48xlarge: 1}}", "zones.mars-1a: 'mars-1a' is no zone"),
    ("zones: {use2-az1: {p9.48xlarge: 1}}", "'p9.48xlarge' is no instance type"),
    ("zones: {use2-az1: {p5.48xlarge: many}}", "is no number"),
    ("zones: {use2-az1: {p5.48xlarge: -1}}", "is no number"),
    ("shelves: {}", "holds no stock"),
    ("zones: {", "cannot be read"),
])  # fmt: skip
def test_a_stock_file_that_cannot_be_used(text: str, reason: str, small: Driven, tmp_path: Path) -> None:
    stock = tmp_path / "stock.yaml"
    stock.write_text(text)
    assert reason in small.refused("up", "--stock", str(stock))
    with small.world() as world:
        assert world.things() == []


def test_a_state_of_another_project(small: Driven) -> None:
    small.do("up")
    before = small.state
    small.edit("name: small", "name: other", "Pulumi.yaml")
    said = small.refused("up")
    assert "belongs to project 'small'" in said
    assert small.state == before
    small.edit("name: other", "name: small", "Pulumi.yaml")
    assert small.changes("up") == {}


def test_the_state_file_of_another_project(small: Driven) -> None:
    small.do("up")
    (file,) = small.home.state.glob(".pulumi/stacks/small/dev.json")
    own = file.read_text()
    file.write_text(own.replace("urn:pulumi:dev::small::", "urn:pulumi:dev::strange::"))
    other = file.read_text()
    with small.world() as world:
        there = {(t.type, t.id) for t in world.things()}
    for words in (("preview",), ("up",), ("refresh",), ("destroy", "--unprotect")):
        said = small.refused(*words)
        assert "project 'strange'" in said
        assert "nothing was changed" in said
        assert file.read_text() == other
    with small.world() as world:
        assert {(t.type, t.id) for t in world.things()} == there
    file.write_text(own)
    assert small.changes("up") == {}


def test_a_stack_that_is_not_there(small: Driven) -> None:
    assert "nothing was deployed" in small.refused("destroy")
    small.do("preview")
    assert small.state == {}, "a look leaves no stack behind"
    assert "no stack 'dev'" in small.refused("refresh")
    small.do("up")
    typo = Driven(small.folder, "typo")
    assert "the stacks of this project are dev" in typo.refused("destroy", "--unprotect")
    assert typo.state == {}
    assert "is no name of a stack" in Driven(small.folder, "a b").refused("up")


def test_a_preview_that_fails_leaves_nothing_to_put_right(small: Driven) -> None:
    small.do("up")
    before = small.state
    (small.folder / "__main__.py").write_text("raise RuntimeError('no such luck')\n")
    small.refused("preview")
    with small.world() as world:
        assert not world.meta("began:dev"), "as if an update had been killed"
    assert small.state == before


@pytest.mark.parametrize("left", ["os._exit(0)", "try:\n    os._exit(0)\nexcept BaseException:\n    pass"])
def test_a_program_that_ends_its_own_process(left: str, small: Driven) -> None:
    """It would take the command along, which would look like success."""
    (small.folder / "__main__.py").write_text(f"import os\n{left}\n")
    assert "os._exit(0)" in small.refused("up")


def test_a_stack_that_another_update_holds(small: Driven) -> None:
    small.do("up")
    locks = small.home.state / ".pulumi/locks/organization/small/dev"
    locks.mkdir(parents=True, exist_ok=True)
    lock = locks / "5f2c.json"
    lock.write_text(json.dumps({"pid": os.getpid(), "username": "you", "hostname": socket.gethostname()}))
    said = small.refused("up")
    assert "locked by another update" in said
    assert "pulumi cancel" not in said, "that looks at the user's own backend"
    assert str(lock) in said
    assert lock.exists(), "the lock of a process that lives is left alone"
    lock.unlink()
    assert small.changes("up") == {}


def test_a_passphrase_that_does_not_match(engine: Engine, tmp_path: Path) -> None:
    it = written(
        tmp_path / "secret", "secret", "import pulumi\npulumi.export('token', pulumi.Output.secret('s3cr3t'))\n"
    )
    it.do("up")
    before = it.state
    it.env = {"PULUMI_CONFIG_PASSPHRASE": "another"}
    said = it.refused("up")
    assert "PULUMI_CONFIG_PASSPHRASE" in said
    assert "s3cr3t" not in said
    assert it.state == before
    it.env = {}
    assert it.changes("up") == {}


def test_a_program_that_fails_says_why(small: Driven) -> None:
    (small.folder / "__main__.py").write_text("raise RuntimeError('no such luck')\n")
    said = small.refused("up")
    assert "RuntimeError: no such luck" in said


def test_the_simulation_stays_in_its_folder(
    engine: Engine, tmp_path: Path, stack: Callable[[str], Driven], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No login, no setting of the user's, no file beside it."""
    home = tmp_path / "somebody"
    home.mkdir()
    # Where the engine lies is not the question here.
    monkeypatch.setenv("GPUINFRA_CACHE", str(cache_folder().parent))
    monkeypatch.setenv("HOME", str(home))
    it = written(tmp_path / "alone", "alone", PROGRAM)
    before = sorted(p.name for p in it.folder.iterdir())
    it.do("up")
    assert list(home.rglob("*")) == []
    assert sorted(p.name for p in it.folder.iterdir() if p.name != "__pycache__") == [".gpuinfra", *before]
    assert Home(it.folder).world.exists()
