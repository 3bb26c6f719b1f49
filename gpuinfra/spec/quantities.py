"""Durations, sizes and moments as people write them, and back again as text."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_DURATION_UNIT_S = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_DURATION = re.compile(r"(?:\d+(?:\.\d+)?[smhdw])+")
_DURATION_PART = re.compile(r"(\d+(?:\.\d+)?)([smhdw])")

# Decimal and binary units differ by 7 % at GB and 10 % at TB, which is how 9.6 TB misses Lustre's 9600 GiB.
_SIZE_UNIT_BYTES = {
    "gib": 2**30,
    "gb": 10**9,
    "tib": 2**40,
    "tb": 10**12,
    "mib": 2**20,
    "mb": 10**6,
    "pib": 2**50,
    "pb": 10**15,
}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([A-Za-z]+)")
MAX_DURATION = timedelta(days=3650)


class QuantityError(ValueError):
    """A duration, size or moment that cannot be read. The text says what is wrong and what is right."""


class Gib(float):
    """A size in GiB that remembers how it was written, so that a finding can quote it."""

    written: str

    def __new__(cls, value: float, written: str = "") -> Gib:
        self = super().__new__(cls, value)
        self.written = written
        return self

    def __reduce__(self) -> tuple[type[Gib], tuple[float, str]]:
        return (Gib, (float(self), self.written))

    def __str__(self) -> str:
        number = f"{int(self)}" if self.is_integer() else f"{float(self):.1f}"
        text = f"{number} GiB"
        return f"{self.written} = {text}" if self.written and self.written != text else text

    __repr__ = __str__


def parse_duration(text: str) -> timedelta:
    """The time that `30m`, `72h`, `7d` or `1h30m` names. Raises QuantityError; zero and negative are refused."""
    compact = text.strip().replace(" ", "")
    if not _DURATION.fullmatch(compact):
        raise QuantityError(
            f"'{text}' is not a duration; write a number and a unit of s, m, h, d or w, as 30m, 72h or 1h30m"
        )
    try:
        seconds = sum(float(n) * _DURATION_UNIT_S[u] for n, u in _DURATION_PART.findall(compact))
        duration = timedelta(seconds=seconds)
    except OverflowError:
        raise QuantityError(f"'{text}' is longer than ten years") from None
    if duration <= timedelta():
        raise QuantityError(f"'{text}' is not longer than nothing; a duration must be positive")
    if duration > MAX_DURATION:
        raise QuantityError(f"'{text}' is longer than ten years")
    return duration


def format_duration(duration: timedelta) -> str:
    """The shortest of `30m`, `72h`, `1h30m` for a duration. Days are written as hours, as clouds bill them."""
    seconds = int(duration.total_seconds())
    parts = [(seconds // 3600, "h"), (seconds % 3600 // 60, "m"), (seconds % 60, "s")]
    return "".join(f"{n}{u}" for n, u in parts if n) or "0s"


def parse_size_gib(value: str | int | float) -> Gib:
    """A size in GiB. A bare number is GiB; text carries its unit, binary or decimal. Raises QuantityError."""
    if isinstance(value, Gib):
        return value
    if isinstance(value, (int, float)):
        size = Gib(value)
    else:
        text = value.strip()
        match = _SIZE.fullmatch(text)
        unit = match and _SIZE_UNIT_BYTES.get(match[2].lower())
        if not match or not unit:
            raise QuantityError(
                f"'{value}' is not a size; write a number of GiB, or a number and a unit, as 9600 GiB, 9.6 TB or 10 TiB"
            )
        exact = float(match[1]) * unit / 2**30
        size = Gib(round(exact) if abs(exact - round(exact)) < 1e-6 else exact, text)
    if size != size or size in (float("inf"), float("-inf")):
        raise QuantityError(f"'{value}' is not a size")
    if size <= 0:
        raise QuantityError(f"'{value}' is not a size; it must be more than 0 GiB")
    return size


def parse_moment(text: str) -> datetime:
    """An instant with its offset, as 2026-12-05T18:00:00+01:00 or …Z. Raises QuantityError when the offset is missing."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise QuantityError(
            f"'{text}' is neither a duration nor a moment; write 72h, or 2026-12-05T18:00:00+01:00"
        ) from None
    if moment.tzinfo is None:
        raise QuantityError(
            f"'{text}' has no timezone, so it would mean another moment in another place; add the offset, "
            f"as {moment.isoformat()}+01:00 or {moment.isoformat()}Z"
        )
    return moment


def format_moment(moment: datetime) -> str:
    """An instant in UTC, as 2026-12-05T17:00:00Z."""
    return moment.astimezone(UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")
