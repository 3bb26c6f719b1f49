"""What the simulated clouds have: a YAML file of machines by zone and type, quotas, reservations, what is slow, and how
long spot machines live."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import UTC, datetime
from difflib import get_close_matches
from functools import partial
from typing import Any

from ..diagnostics import Diagnostic, did_you_mean, has_errors
from ..engine.deployment import DeploymentError
from .places import regions, type_fault, zone_fault
from .plugin import CLOUDS
from .schema import Sdk
from .supply import plain, quota_names
from .values import is_map
from .world import Reservation, World

_LONGEST_SLEEP = 5.0
_LONGEST_LIFE = 87600.0
"""Hours: ten years."""
_MOST = 1e9
"""More than any cloud has of anything that is counted."""
_RESERVED = ("type", "zone", "count", "kind", "starts", "ends")
_MOST_TOLD = 20
Write = Callable[[World], None]


def fill(world: World, path: str | None, seed: int | None) -> None:
    """Takes over a stock file and a seed. Raises DeploymentError where the file cannot be used; then nothing changes."""
    writes = _read(path) if path is not None else []
    with world.step():
        if seed is not None:
            world.set_meta("seed", str(seed))
        for write in writes:
            write(world)


def _read(path: str) -> list[Write]:
    from ..spec.document import compose
    from ..spec.reading import read_text

    text = read_text(path)
    if isinstance(text, Diagnostic):
        raise DeploymentError(f"{path}: cannot be read: {text.message}")
    document = compose(text, path)
    if has_errors(document.diagnostics):
        said = [
            f"{path}{f':{d.source.line}' if d.source and d.source.line else ''}: cannot be read: {d.message}"
            for d in document.diagnostics
        ]
        raise DeploymentError("\n".join(said[:_MOST_TOLD]))
    stock = _Stock(document.data)
    if stock.faults:
        more = len(stock.faults) - _MOST_TOLD
        told = [f"{path}: {fault}" for fault in stock.faults[:_MOST_TOLD]]
        raise DeploymentError("\n".join([*told, f"and {more} more"] if more > 0 else told))
    return stock.writes


class _Stock:
    """A stock file as it was read: what it writes into the world, and everything that is wrong with it."""

    def __init__(self, document: Any) -> None:
        self.writes: list[Write] = []
        self.faults: list[str] = []
        parts = {
            "zones": self._zone,
            "quotas": self._quota,
            "reservations": self._reservation,
            "slow": self._slow,
            "spot": self._spot,
        }
        if not is_map(document) or (document and not {*document} & {*parts}):
            self.faults.append(
                "holds no stock; write zones: {use2-az1: {p5.48xlarge: 4}}, quotas: {L-417A185B: 768}, and reservations, "
                "slow and spot as docs/how-to/simulated-clouds.md shows them"
                + (f"; what it has: {', '.join(str(k) for k in list(document)[:5])}" if is_map(document) else "")
            )
            return
        for part, given in document.items():
            if self._is_key(str(part), part, parts):
                for name, value in self._entries(str(part), given):
                    parts[part](f"{part}.{name}", str(name), value)

    def _entries(self, where: str, given: Any) -> list[tuple[Any, Any]]:
        """The entries of a mapping. A key with nothing behind it has none."""
        if is_map(given):
            return list(given.items())
        if given is not None:
            self.faults.append(f"{where}: '{given}' is no mapping of names to values")
        return []

    def _is_key(self, where: str, key: Any, known: Collection[str]) -> bool:
        if key in known:
            return True
        guess = did_you_mean(str(key), known) or f"known are {', '.join(known)}"
        self.faults.append(f"{where}: unknown key; {guess}")
        return False

    def _take(self, what: Callable[..., None], *values: Any) -> None:
        self.writes.append(partial(_call, what=what, values=values))

    def _zone(self, where: str, zone: str, types: Any) -> None:
        if fault := zone_fault(zone):
            self.faults.append(f"{where}: {fault}")
            return
        for type_, amount in self._entries(where, types):
            at = f"{where}.{type_}"
            if fault := type_fault(zone, str(type_)):
                self.faults.append(f"{at}: {fault}")
                continue
            nodes = self._count(at, amount)
            if nodes is not None:
                self._take(World.set_stock, zone, str(type_), nodes)

    def _quota(self, where: str, name: str, value: Any) -> None:
        known = {plain(name): name for name in quota_names()}
        region, _, bare = name.rpartition(":")
        if plain(bare) not in known:
            near = get_close_matches(plain(bare), known, 3, 0.4)
            meant = f"; near it: {', '.join(known[n] for n in near)}" if near else ""
            self.faults.append(f"{where}: no such quota is known{meant}")
        elif region and plain(region) not in {plain(one) for one in regions()}:
            self.faults.append(f"{where}: '{region}' is no region that the tables list (gpuinfra regions)")
        elif (amount := self._amount(where, value, "amount")) is not None:
            self._take(World.set_quota, name, amount)

    def _reservation(self, where: str, name: str, given: Any) -> None:
        before = len(self.faults)
        entries = dict(self._entries(where, given))
        for key in entries:
            self._is_key(f"{where}.{key}", key, _RESERVED)
        missing = [key for key in ("type", "zone", "count") if entries.get(key) is None]
        if missing:
            self.faults.append(
                f"{where}: {', '.join(missing)} missing; write type, zone and count, and kind (reservation or window), "
                "starts and ends where it has them"
            )
        if len(self.faults) > before:
            return
        type_, zone = str(entries["type"]), str(entries["zone"])
        kind = str(entries.get("kind") or ("window" if entries.get("ends") else "reservation"))
        if kind not in ("reservation", "window"):
            self.faults.append(f"{where}.kind: '{kind}' is neither reservation nor window")
        if fault := zone_fault(zone):
            self.faults.append(f"{where}.zone: {fault}")
        elif type_ == "*":
            self.faults.append(f"{where}.type: '*' is no instance type: a reservation is of one")
        elif fault := type_fault(zone, type_):
            self.faults.append(f"{where}.type: {fault}")
        count = self._count(f"{where}.count", entries["count"])
        starts, ends = (self._moment(f"{where}.{key}", entries.get(key)) for key in ("starts", "ends"))
        if starts and ends and ends <= starts:
            self.faults.append(f"{where}: ends before it starts")
        if count is not None and len(self.faults) == before:
            self._take(World.set_reservation, Reservation(name, type_, zone, count, kind, starts, ends))

    def _slow(self, where: str, type_: str, value: Any) -> None:
        seconds = self._amount(where, value, "number of seconds")
        if type_ != "*" and not _may_be_type(type_):
            self.faults.append(
                f"{where}: no such type of resource; write it as aws:fsx/lustreFileSystem:LustreFileSystem"
            )
        elif seconds is not None and seconds > _LONGEST_SLEEP:
            self.faults.append(
                f"{where}: {seconds:g} is too many: at most {_LONGEST_SLEEP:g} seconds, which are real ones"
            )
        elif seconds is not None:
            self._take(World.set_meta, f"slow:{type_}", str(seconds))

    def _spot(self, where: str, key: str, value: Any) -> None:
        if not self._is_key(where, key, ("mean_hours",)):
            return
        hours = self._amount(where, value, "number of hours")
        if hours is not None and not 0 < hours <= _LONGEST_LIFE:
            self.faults.append(
                f"{where}: '{value}' is no mean life of a machine; write more than 0 hours, {_LONGEST_LIFE:g} at most, or leave "
                "spot out: then no machine is taken by chance"
            )
        elif hours is not None:
            self._take(World.set_meta, "spot_mean_hours", str(hours))

    def _moment(self, where: str, value: Any) -> datetime | None:
        if value is None:
            return None
        try:
            moment = datetime.fromisoformat(str(value))
            return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
        except (ValueError, OverflowError):
            self.faults.append(f"{where}: '{value}' is no moment; write 2026-12-01T11:30:00Z")
            return None

    def _count(self, where: str, value: Any) -> int | None:
        amount = self._amount(where, value, "number of machines")
        if amount is not None and not amount.is_integer():
            self.faults.append(f"{where}: '{value}' is no whole number of machines")
            return None
        return None if amount is None else int(amount)

    def _amount(self, where: str, value: Any, what: str) -> float | None:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or not 0 <= value <= _MOST:
            shown = str(value)[:40]
            self.faults.append(f"{where}: '{shown}' is no {what}")
            return None
        return float(value)


def _call(world: World, what: Callable[..., None], values: tuple[Any, ...]) -> None:
    what(world, *values)


def _may_be_type(token: str) -> bool:
    """Whether a cloud may have such a type of resource: where its SDK is not installed, nobody can say."""
    package = token.split(":")[0]
    return package in CLOUDS and (not Sdk(package).installed or Sdk(package).type(token) is not None)
