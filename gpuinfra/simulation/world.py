"""A simulated world: what exists in the clouds, how much is left, what time it is. One SQLite file beside the stack.

Every plugin process opens the file by itself. Each step is one transaction with the write lock taken at its start, so
that concurrent plugins follow one another and a process that is killed leaves either all of a step or nothing.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

from .world_file import WorldError, connect, damaged, journaled, readable, start_anew

FORMAT = "2"
_TABLES = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS things (
  type TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, urn TEXT NOT NULL,
  inputs TEXT NOT NULL, outputs TEXT NOT NULL, made_at TEXT NOT NULL, PRIMARY KEY (type, id));
CREATE TABLE IF NOT EXISTS nodes (
  id INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT NOT NULL, group_id TEXT NOT NULL, region TEXT NOT NULL, zone TEXT NOT NULL,
  instance_type TEXT NOT NULL, market TEXT NOT NULL, launched_at TEXT NOT NULL, ended_at TEXT, why TEXT,
  reservation TEXT NOT NULL DEFAULT '', draws TEXT NOT NULL DEFAULT '{}');
CREATE INDEX IF NOT EXISTS nodes_of_group ON nodes (type, group_id, ended_at);
CREATE TABLE IF NOT EXISTS stock (zone TEXT NOT NULL, instance_type TEXT NOT NULL, nodes INTEGER NOT NULL,
  PRIMARY KEY (zone, instance_type));
CREATE TABLE IF NOT EXISTS reservations (
  id TEXT PRIMARY KEY, instance_type TEXT NOT NULL, zone TEXT NOT NULL, nodes INTEGER NOT NULL, kind TEXT NOT NULL,
  starts TEXT, ends TEXT);
CREATE TABLE IF NOT EXISTS quotas (name TEXT PRIMARY KEY, amount REAL NOT NULL);
CREATE TABLE IF NOT EXISTS events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, what TEXT NOT NULL, subject TEXT NOT NULL, detail TEXT NOT NULL);
"""


@dataclass(frozen=True)
class Thing:
    """A resource as its cloud knows it."""

    type: str
    id: str
    name: str
    urn: str
    inputs: Mapping[str, Any]
    outputs: Mapping[str, Any]
    made_at: datetime


@dataclass(frozen=True)
class Node:
    """A machine of a group."""

    id: int
    type: str
    group_id: str
    region: str
    zone: str
    instance_type: str
    market: str
    launched_at: datetime
    ended_at: datetime | None
    why: str
    reservation: str = ""
    """The reservation that it stands in; empty for none."""
    draws: Mapping[str, float] = field(default_factory=dict[str, float])
    """What it takes of each quota."""


@dataclass(frozen=True)
class Reservation:
    """Machines that are kept for somebody, with or without a window."""

    id: str
    instance_type: str
    zone: str
    nodes: int
    kind: str
    """reservation, or window: then its machines are taken when it ends."""
    starts: datetime | None
    ends: datetime | None


@dataclass(frozen=True)
class Event:
    """Something that happened."""

    at: datetime
    what: str
    subject: str
    detail: str


class World:
    """The world of one stack folder."""

    def __init__(
        self, path: Path, clock: Callable[[], datetime] = lambda: datetime.now(UTC), *, searched: bool = False
    ) -> None:
        """Opens the world, or makes it. Raises WorldError where the file is none of ours, or damaged.

        `clock`: the time that the world's own goes by, with an offset; the machine's where none is given. `searched`: every
        page is read before anything is begun, so that damage in the middle of the file is found while nothing is lost by it.
        """
        self.path = path
        self._clock = clock
        self._lock = threading.RLock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as e:
            raise WorldError(f"{path.parent}: the simulated world cannot be kept there: {e.strerror or e}") from e
        self._db = connect(path)
        if searched:
            self._search()
        journaled(self._db)
        self._db.execute("PRAGMA synchronous=FULL")
        with self.step():
            for statement in _TABLES.split(";"):
                self._db.execute(statement)
            found = self.meta("format") or FORMAT
            self.set_meta("format", found)
        if found != FORMAT:
            raise WorldError(
                f"{path}: the world has format {found}, and this version of gpuinfra reads {FORMAT}; go on with the version that "
                f"made it. {start_anew(path)}"
            )

    def close(self) -> None:
        self._db.close()

    def _search(self) -> None:
        """Raises WorldError for a page that is none, and for a row whose text is none of ours."""
        ((found,),) = self._run("PRAGMA quick_check(1)")
        if found != "ok":
            raise WorldError(damaged(self.path, str(found).splitlines()[-1]))
        if self._run("SELECT 1 FROM sqlite_master WHERE name = 'events'"):
            _ = (self.things(), self.nodes(), self.reservations(), self.events())

    def _run(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        return self._db.execute(sql, values).fetchall()

    @contextmanager
    def step(self) -> Generator[None]:
        """One step that happens as a whole or not at all. Threads of this process wait for each other."""
        with self._lock:
            if self._db.in_transaction:
                yield
                return
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                with suppress(WorldError):
                    self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    # What the world is told of itself.

    def meta(self, key: str) -> str:
        """A value of the world; empty where there is none."""
        rows = self._run("SELECT value FROM meta WHERE key = ?", (key,))
        return rows[0][0] if rows else ""

    def set_meta(self, key: str, value: str) -> None:
        self._run("INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", (key, value))

    def acted(self, group_id: str, wanted: int, why: str) -> None:
        """Something set a group's number: whether the end of its lease stands stays known until machines are asked for."""
        if "lease" in why:
            self.set_meta(f"lease over:{group_id}", "yes")
        elif wanted:
            self.set_meta(f"lease over:{group_id}", "")

    def is_over(self, group_id: str) -> bool:
        """Whether a lease ended a group, and nothing asked for machines since."""
        return bool(self.meta(f"lease over:{group_id}"))

    @property
    def now(self) -> datetime:
        """The world's time: its clock's and what was added to it."""
        return self._clock().replace(microsecond=0) + timedelta(seconds=self._ahead_s)

    @property
    def _ahead_s(self) -> float:
        with readable(self.path):
            return float(self.meta("ahead_s") or 0)

    def move_to(self, moment: datetime) -> None:
        """Moves the world's time forward to a moment; never back."""
        ahead = (moment - self.now).total_seconds()
        if ahead > 0:
            self.set_meta("ahead_s", str(self._ahead_s + ahead))

    # Resources.

    def keep(self, thing: Thing) -> None:
        """Keeps a resource, new or changed."""
        self._run(
            "INSERT INTO things VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (type, id) DO UPDATE SET "
            "name = excluded.name, urn = excluded.urn, inputs = excluded.inputs, outputs = excluded.outputs",
            (
                thing.type,
                thing.id,
                thing.name,
                thing.urn,
                json.dumps(thing.inputs, sort_keys=True),
                json.dumps(thing.outputs, sort_keys=True),
                thing.made_at.isoformat(),
            ),
        )

    def thing(self, type_: str, id_: str) -> Thing | None:
        """The resource of an id; None where the cloud has none."""
        row = self._db.execute("SELECT * FROM things WHERE type = ? AND id = ?", (type_, id_)).fetchone()
        with readable(self.path):
            return _thing(row) if row else None

    def things(self, *types: str) -> list[Thing]:
        """Every resource, or those of some types, in the order of their making."""
        where = f"WHERE type IN ({', '.join('?' * len(types))}) " if types else ""
        rows = self._run(f"SELECT * FROM things {where}ORDER BY made_at, rowid", types)
        with readable(self.path):
            return [_thing(row) for row in rows]

    def forget(self, type_: str, id_: str) -> None:
        self._run("DELETE FROM things WHERE type = ? AND id = ?", (type_, id_))

    # Machines.

    def launch(
        self,
        group: tuple[str, str],
        place: tuple[str, str],
        instance_type: str,
        market: str,
        count: int,
        *,
        reservation: str = "",
        draws: Mapping[str, float] | None = None,
    ) -> None:
        """Starts machines of a group (type and id) in a place (region and zone)."""
        for _ in range(count):
            self._run(
                "INSERT INTO nodes (type, group_id, region, zone, instance_type, market, launched_at, reservation, draws) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *group,
                    *place,
                    instance_type,
                    market,
                    self.now.isoformat(),
                    reservation,
                    json.dumps(dict(draws or {}), sort_keys=True),
                ),
            )

    def end_nodes(self, nodes: Sequence[Node], why: str, at: datetime | None = None) -> None:
        for node in nodes:
            self._run(
                "UPDATE nodes SET ended_at = ?, why = ? WHERE id = ?", ((at or self.now).isoformat(), why, node.id)
            )

    def running(self, type_: str, group_id: str) -> list[Node]:
        """The machines of a group that run."""
        rows = self._db.execute(
            "SELECT * FROM nodes WHERE type = ? AND group_id = ? AND ended_at IS NULL ORDER BY id", (type_, group_id)
        )
        with readable(self.path):
            return [_node(row) for row in rows]

    def nodes(self) -> list[Node]:
        """Every machine that ever ran."""
        with readable(self.path):
            return [_node(row) for row in self._db.execute("SELECT * FROM nodes ORDER BY id")]

    def left(self, zone: str, instance_type: str) -> int | None:
        """How many more machines of a type a zone has; None without a limit."""
        rows = self._run(
            "SELECT nodes FROM stock WHERE zone IN (?, '*') AND instance_type IN (?, '*') "
            "ORDER BY zone = '*', instance_type = '*' LIMIT 1",
            (zone, instance_type),
        )
        if not rows:
            return None
        ((used,),) = self._run(
            "SELECT count(*) FROM nodes WHERE zone = ? AND instance_type = ? AND ended_at IS NULL AND reservation = ''",
            (zone, instance_type),
        )
        return max(0, rows[0][0] - used)

    def set_stock(self, zone: str, instance_type: str, nodes: int) -> None:
        self._run(
            "INSERT INTO stock VALUES (?, ?, ?) ON CONFLICT (zone, instance_type) DO UPDATE SET nodes = excluded.nodes",
            (zone, instance_type, nodes),
        )

    def quota(self, name: str) -> float | None:
        """A quota; None where the world sets none."""
        rows = self._run("SELECT amount FROM quotas WHERE name = ?", (name,))
        return rows[0][0] if rows else None

    def set_quota(self, name: str, amount: float) -> None:
        self._run(
            "INSERT INTO quotas VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET amount = excluded.amount", (name, amount)
        )

    def quotas(self) -> dict[str, float]:
        """Every quota that the world sets."""
        return dict(self._run("SELECT name, amount FROM quotas ORDER BY name"))

    def stock(self) -> list[tuple[str, str, int]]:
        """(zone, instance type, machines) of every limit that the world sets."""
        return self._run("SELECT zone, instance_type, nodes FROM stock ORDER BY zone, instance_type")

    def set_reservation(self, one: Reservation) -> None:
        """Keeps a reservation, new or changed."""
        self._run(
            "INSERT OR REPLACE INTO reservations VALUES (?, ?, ?, ?, ?, ?, ?)",
            (one.id, one.instance_type, one.zone, one.nodes, one.kind, _text(one.starts), _text(one.ends)),
        )

    def reservations(self) -> list[Reservation]:
        """Every reservation that the world has."""
        with readable(self.path):
            return [_reservation(row) for row in self._db.execute("SELECT * FROM reservations ORDER BY id")]

    # What happened.

    def note(self, what: str, subject: str, detail: str = "") -> None:
        self._run(
            "INSERT INTO events (at, what, subject, detail) VALUES (?, ?, ?, ?)",
            (self.now.isoformat(), what, subject, detail),
        )

    def was_made(self, id_: str) -> bool:
        """Whether a resource of that id was ever made here."""
        return bool(self._run("SELECT 1 FROM events WHERE what = 'create' AND detail = ? LIMIT 1", (id_,)))

    def events(self) -> list[Event]:
        rows = self._db.execute("SELECT at, what, subject, detail FROM events ORDER BY seq")
        with readable(self.path):
            return [_event(row) for row in rows]


def _thing(row: tuple[Any, ...]) -> Thing:
    type_, id_, name, urn, inputs, outputs, made = row
    return Thing(type_, id_, name, urn, _mapping(inputs), _mapping(outputs), datetime.fromisoformat(made))


def _event(row: tuple[Any, ...]) -> Event:
    at, what, subject, detail = row
    return Event(datetime.fromisoformat(at), what, subject, detail)


def _node(row: tuple[Any, ...]) -> Node:
    id_, type_, group, region, zone, instance_type, market, launched, ended, why, reservation, draws = row
    return Node(
        id_,
        type_,
        group,
        region,
        zone,
        instance_type,
        market,
        datetime.fromisoformat(launched),
        datetime.fromisoformat(ended) if ended else None,
        why or "",
        reservation,
        _mapping(draws),
    )


def _reservation(row: tuple[Any, ...]) -> Reservation:
    id_, instance_type, zone, nodes, kind, starts, ends = row
    return Reservation(id_, instance_type, zone, nodes, kind, _moment(starts), _moment(ends))


def _mapping(text: str) -> dict[str, Any]:
    read: Any = json.loads(text)
    if not isinstance(read, dict):
        raise TypeError(f"{text[:40]!r} is no mapping")
    return cast("dict[str, Any]", read)


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _text(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
