"""Durations, sizes and moments as people write them, and back again as text."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from ..redaction import NOT_SHOWN, secret_kind

# The JSON schema publishes these patterns, so an editor and `load` agree. [0-9], not \d: that takes every script's digits.
DURATION_PATTERN = r"^\s*([0-9]+(\.[0-9]+)?\s*[smhdw]\s*)+$"
SIZE_PATTERN = r"^\s*[0-9]+(\.[0-9]+)?\s*[MmGgTtPp][Ii]?[Bb]\s*$"
MOMENT_PATTERN = (
    r"^\s*[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?\s?(Z|[+-][0-9]{2}:?[0-9]{2})\s*$"
)
DAY_PATTERN = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"

_DURATION_UNIT_S = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_DURATION = re.compile(DURATION_PATTERN)
_DURATION_PART = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([smhdw])")
_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")

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
_SIZE_PART = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]+)\s*")
_MOMENT = re.compile(MOMENT_PATTERN)
_LOCAL_MOMENT = re.compile(
    r"\s*[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?\s*", re.ASCII
)
_DAY = re.compile(DAY_PATTERN)

MAX_DURATION = timedelta(days=3650)
MAX_SIZE_GIB = 2.0**40
"""One zebibyte: far over what any cloud sells, and exact in a float and in JSON."""
MOMENT_YEARS = range(2000, 2200)
"""Years a moment may lie in: later arithmetic (an hour before, another offset) stays inside the calendar."""


class QuantityError(ValueError):
    """A duration, size or moment that cannot be read. The text says what is wrong and what is right."""

    def __init__(self, message: str, kind: str = "quantity", hint: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.hint = hint


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


def shown(value: object, limit: int = 60) -> str:
    """A value for a message: text in quotes, at most `limit` characters, with nothing that a terminal would obey."""
    if isinstance(value, str):
        return f"'{printable(value, limit)}'"
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        # Python refuses to spell an int of thousands of digits.
        return str(value) if value.bit_length() < 200 else "an enormous number"
    if isinstance(value, (float, date, timedelta)):
        return str(float(value)) if isinstance(value, float) else str(value)
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, (list, tuple, set, frozenset)):
        return "a list"
    return f"a value of type {printable(type(value).__name__, limit)}"


def printable(text: str, limit: int = 60) -> str:
    """Text cut to `limit` characters, control characters and what cannot be encoded spelled as escapes. A text that
    holds a secret is named and not shown: cut, it would no longer look like one."""
    if secret := secret_kind(text):
        return f"({secret}, {NOT_SHOWN})"
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    if cut.isprintable():
        return cut
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in cut)


def parse_duration(text: str) -> timedelta:
    """The time that `30m`, `72h`, `7d` or `1h30m` names. Raises QuantityError; zero and negative are refused."""
    said = shown(text)
    if not _DURATION.fullmatch(text):
        raise QuantityError(
            f"{said} is not a duration: a number and a unit of s, m, h, d or w, as 30m, 72h or 1h30m",
            "duration",
            duration_hint(text),
        )
    try:
        duration = timedelta(seconds=sum(float(n) * _DURATION_UNIT_S[u] for n, u in _DURATION_PART.findall(text)))
    except (OverflowError, ValueError):
        raise QuantityError(f"{said} is longer than ten years", "duration", _DURATION_HINT) from None
    check_duration(duration, said)
    return duration


_DURATION_HINT = "write it as 30m, 72h, 7d or 1h30m"
_UNIT_WORDS = {
    "s": ("s", "sec", "secs", "second", "seconds"),
    "m": ("m", "min", "mins", "minute", "minutes"),
    "h": ("h", "hr", "hrs", "hour", "hours"),
    "d": ("d", "day", "days"),
    "w": ("w", "wk", "wks", "week", "weeks"),
}
_UNIT_OF_WORD = {word: unit for unit, words in _UNIT_WORDS.items() for word in words}
_WORDED = re.compile(r"(?:[0-9]+(?:\.[0-9]+)?\s*[a-z]+[\s,]*(?:and\s+)?)+")
_WORDED_PART = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([a-z]+)")
_ISO = re.compile(r"p(?:([0-9]+)d)?(?:t(?:([0-9]+)h)?(?:([0-9]+)m)?(?:([0-9]+)s)?)?")


def duration_hint(text: str) -> str:
    """How to write what is meant by text that is no duration: `1 days` as 1d, PT30M as 30m, 72 with a unit. What is
    offered is a duration."""
    bare = text.strip().casefold()[:60]
    if _NUMBER.fullmatch(bare):
        meanings = [f"{bare}{u} is {bare} {word}" for u, word in (("h", "hours"), ("m", "minutes")) if _reads(bare + u)]
        return f"give it a unit: {', '.join(meanings)}" if meanings else _DURATION_HINT
    if match := _ISO.fullmatch(bare):
        short = "".join(f"{n}{u}" for n, u in zip(match.groups(), "dhms", strict=True) if n)
    else:
        parts = _WORDED_PART.findall(bare) if _WORDED.fullmatch(bare) else []
        short = "".join(n + _UNIT_OF_WORD.get(word, "?") for n, word in parts)
    return f"write {short}" if short and _reads(short) else _DURATION_HINT


def _reads(text: str) -> bool:
    """Whether text is a duration."""
    if not _DURATION.fullmatch(text):
        return False
    try:
        parse_duration(text)
    except QuantityError:
        return False
    return True


def check_duration(duration: timedelta, said: str = "") -> None:
    """Raises QuantityError unless a duration is at least a second and at most ten years."""
    said = said or shown(duration)
    if duration < timedelta(seconds=1):
        raise QuantityError(f"{said} is shorter than a second; a duration must be positive", "duration", _DURATION_HINT)
    if duration > MAX_DURATION:
        raise QuantityError(f"{said} is longer than ten years", "duration", _DURATION_HINT)


def format_duration(duration: timedelta) -> str:
    """The shortest of `30m`, `72h`, `1h30m` for a duration. Days are written as hours, as clouds bill them."""
    seconds = int(duration.total_seconds())
    parts = [(seconds // 3600, "h"), (seconds % 3600 // 60, "m"), (seconds % 60, "s")]
    return "".join(f"{n}{u}" for n, u in parts if n) or "0s"


def parse_size_gib(value: str | int | float) -> Gib:
    """A size in GiB. A bare number is GiB; text carries its unit, binary or decimal. Raises QuantityError."""
    if isinstance(value, Gib):
        return value
    said = shown(value)
    if isinstance(value, (int, float)):
        try:
            size = Gib(value)
        except OverflowError:
            raise QuantityError(f"{said} GiB is more than any cloud has", "size") from None
    else:
        match = _SIZE_PART.fullmatch(value)
        unit = match and _SIZE_UNIT_BYTES.get(match[2].lower())
        if not match or not unit:
            bare = value.strip()
            raise QuantityError(
                f"{said} is not a size: a number of GiB, or a number and a unit, as 9600 GiB, 9.6 TB or 10 TiB",
                "size",
                f"write {bare} GiB, or {bare} without quotes"
                if _NUMBER.fullmatch(bare) and 0 < float(bare) <= MAX_SIZE_GIB and len(bare) < 20
                else "write a number of GiB, as 9600, or a unit of GiB, TiB, GB or TB",
            )
        exact = float(match[1]) * unit / 2**30
        size = Gib(round(exact) if exact < 2**53 and abs(exact - round(exact)) < 1e-6 else exact, value.strip())
    if size != size:
        raise QuantityError(f"{said} is not a size", "size", "write a number of GiB, as 9600")
    if size <= 0:
        raise QuantityError(f"{said} is not a size; it must be more than 0 GiB", "size")
    if size > MAX_SIZE_GIB:
        raise QuantityError(f"{said} is more than any cloud has", "size", "a bare number counts GiB")
    return size


def parse_moment(text: str) -> datetime:
    """An instant with its offset, as 2026-12-05T18:00:00+01:00 or …Z. Raises QuantityError when the offset is missing."""
    said = shown(text)
    if not _MOMENT.fullmatch(text):
        day = text.strip()
        if _LOCAL_MOMENT.fullmatch(text):
            raise QuantityError(
                f"{said} has no timezone, so it would mean another moment in another place",
                "naive_moment",
                f"add the offset, as {day}+01:00, or {day}Z for UTC"
                if _is_moment(f"{day}Z")
                else "as 2026-12-05T18:00:00Z",
            )
        raise QuantityError(
            f"{said} is not a moment: a day, a time and an offset, as 2026-12-05T18:00:00+01:00",
            "moment",
            f"add the time and the offset, as {day}T18:00:00Z"
            if _DAY.fullmatch(day) and _is_moment(f"{day}T18:00:00Z")
            else "as 2026-12-05T18:00:00Z",
        )
    try:
        moment = datetime.fromisoformat(re.sub(r"\s(?=Z|[+-]\d\d:?\d\d$)", "", text.strip()))
    except ValueError:
        raise QuantityError(
            f"{said} names a day, a time or an offset that does not exist", "moment", "as 2026-12-05T18:00:00Z"
        ) from None
    check_moment(moment, said)
    return moment


def _is_moment(text: str) -> bool:
    try:
        parse_moment(text)
    except QuantityError:
        return False
    return True


def check_moment(moment: datetime, said: str = "") -> None:
    """Raises QuantityError unless a moment has an offset and lies between the years 2000 and 2199."""
    said = said or f"'{moment.isoformat()}'"
    if moment.utcoffset() is None:
        raise QuantityError(
            f"{said} has no timezone, so it would mean another moment in another place",
            "naive_moment",
            "give the moment its tzinfo, as datetime.timezone.utc",
        )
    if moment.year not in MOMENT_YEARS:
        raise QuantityError(f"{said} is not between the years 2000 and 2199", "moment", "as 2026-12-05T18:00:00Z")


def parse_lease(text: str) -> timedelta | datetime:
    """A duration or a moment. Raises QuantityError for text that is neither."""
    if _DURATION.fullmatch(text):
        return parse_duration(text)
    start = text.strip()[:5]
    if start[:4].isdecimal() and start[4:] == "-":
        return parse_moment(text)
    hint = duration_hint(text)
    if hint == _DURATION_HINT:
        hint = "write how long, as 72h, or until when, as 2026-12-05T18:00:00+01:00"
    raise QuantityError(f"{shown(text)} is neither a duration nor a moment", "duration", hint)


def parse_day(text: str) -> date:
    """The day that 2026-12-05 names. Raises QuantityError."""
    if not _DAY.fullmatch(text):
        raise QuantityError(f"{shown(text)} is not a day", "day", "write year, month and day, as 2026-12-05")
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise QuantityError(
            f"{shown(text)} is not in the calendar", "day", "take a day that exists, as 2026-12-05"
        ) from None
    check_day(day, shown(text))
    return day


def check_day(day: date, said: str = "") -> None:
    """Raises QuantityError unless a day lies between the years 2000 and 2199."""
    if day.year not in MOMENT_YEARS:
        raise QuantityError(f"{said or shown(day)} is not between the years 2000 and 2199", "day", "as 2026-12-05")


def format_moment(moment: datetime) -> str:
    """An instant in UTC, as 2026-12-05T17:00:00Z."""
    return moment.astimezone(UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")
