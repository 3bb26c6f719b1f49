"""The file of a simulated world: opened, and what is wrong with it said as a person needs it, whenever it shows."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..engine.deployment import DeploymentError

BUSY_S = 60
"""How long another process is waited for."""
_NOT_DAMAGED = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH", "SQLITE_IOERR")
"""Beginnings of the names of errors of a file that is well, and cannot be used: nobody should remove it."""
_FULL = "SQLITE_FULL"
_BUSY = ("SQLITE_BUSY", "SQLITE_LOCKED")


class WorldError(DeploymentError):
    """The world's file cannot be used. The text says why and what to do."""


class WorldBusyError(WorldError):
    """Another process holds the world's file."""


def start_anew(world: Path) -> str:
    """What to do where a world cannot be gone on with: it and the state that speaks of it go together."""
    folder = next((p for p in world.parents if p.name == ".gpuinfra"), world.parent)
    return f"To start anew remove the folder {folder}: the world, and the simulated state in {world.parent / 'state'} with it"


def connect(path: Path) -> sqlite3.Connection:
    """The database of a world, whose errors are WorldErrors from here on."""
    with _told(path):
        db = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False, factory=_Connection)
    assert isinstance(db, _Connection)
    db.path = path
    return db


def journaled(db: sqlite3.Connection) -> None:
    """A write-ahead log, so that readers and a writer do not wait for each other.

    SQLite's own waiting does not cover this statement: to change the mode, or to take over the log of a process that was
    killed, it asks for the whole file once and is refused (https://sqlite.org/rescode.html#busy_recovery).
    """
    until = time.monotonic() + BUSY_S
    while True:
        try:
            db.execute("PRAGMA journal_mode=WAL")
            return
        except WorldBusyError:
            if time.monotonic() >= until:
                raise
            time.sleep(0.05)


@contextmanager
def readable(path: Path) -> Generator[None]:
    """Within it values of the file are read: one that is none is a fault of the file."""
    try:
        yield
    except (ValueError, TypeError) as e:
        raise WorldError(damaged(path, f"a value in it cannot be read: {' '.join(str(e).split())[:120]}")) from e


@contextmanager
def _told(path: Path) -> Generator[None]:
    try:
        yield
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
        raise
    except sqlite3.DatabaseError as e:
        if str(getattr(e, "sqlite_errorname", "")).startswith(_BUSY):
            raise WorldBusyError(
                f"{path}: the simulated world is in use by another process, for more than {BUSY_S} s; nothing was changed. Wait "
                "until the other command is done, or end it, and try again"
            ) from e
        raise WorldError(_reason(path, e)) from e
    except OSError as e:
        raise WorldError(f"{e.filename or path}: the simulated world cannot be kept there: {e.strerror or e}") from e


def _reason(path: Path, error: sqlite3.DatabaseError) -> str:
    name = str(getattr(error, "sqlite_errorname", ""))
    if name.startswith(_FULL):
        return f"{path}: the disk is full: the simulated world could not be written"
    if name.startswith(_NOT_DAMAGED):
        return (
            f"{path}: the simulated world cannot be used ({error}); nothing is wrong with what it holds. Make the file and its "
            "folder readable and writable for the user who runs the command"
        )
    return damaged(path, " ".join(str(error).split())[:120])


def damaged(path: Path, reason: str) -> str:
    return f"{path}: the simulated world cannot be read ({reason}); nothing was changed. {start_anew(path)}"


class _Cursor(sqlite3.Cursor):
    """Rows are read as they are asked for, and damage may lie behind the first of them."""

    def execute(self, sql: str, parameters: Any = (), /) -> _Cursor:
        with self._read():
            super().execute(sql, parameters)
            return self

    def fetchone(self) -> Any:
        with self._read():
            return super().fetchone()

    def fetchall(self) -> list[Any]:
        with self._read():
            return super().fetchall()

    def __next__(self) -> Any:
        with self._read():
            return super().__next__()

    @contextmanager
    def _read(self) -> Generator[None]:
        assert isinstance(self.connection, _Connection)
        with _told(self.connection.path):
            yield


class _Connection(sqlite3.Connection):
    path: Path

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        return self.cursor(_Cursor).execute(sql, parameters)
