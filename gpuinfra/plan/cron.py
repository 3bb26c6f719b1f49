"""A cron line of five fields, read once for whoever needs its times: the rules, and the clouds' schedulers."""

from __future__ import annotations

from dataclasses import dataclass

_FIELDS = (("minute", 0, 59), ("hour", 0, 23), ("day", 1, 31), ("month", 1, 12), ("weekday", 0, 7))
_LONGEST = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_NAMES = {
    "month": {n: i + 1 for i, n in enumerate(_MONTHS)},
    "weekday": {n: i for i, n in enumerate(_DAYS)},
}


class CronError(ValueError):
    """Why a line cannot be read, or cannot be said to a cloud's scheduler."""


@dataclass(frozen=True)
class CronLine:
    """The times of a line. Sunday is weekday 0."""

    text: str
    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    fits_both: bool
    """A day must fit both day fields, since a `*` begins one of them (crontab(5)); else either will do."""

    @property
    def every_day(self) -> bool:
        """Whether no day is left out."""
        return (self.any_day and self.any_weekday) if self.fits_both else (self.any_day or self.any_weekday)

    @property
    def both_days(self) -> bool:
        """Whether both day fields restrict and a day must fit both, which few schedulers can say."""
        return self.fits_both and not self.any_day and not self.any_weekday

    @property
    def comes(self) -> bool:
        """Whether there is a day that fits: the 31st of February never is."""
        return not self.fits_both or any(min(self.days) <= _LONGEST[m - 1] for m in self.months)

    @property
    def any_day(self) -> bool:
        return len(self.days) == 31

    @property
    def any_weekday(self) -> bool:
        return len(self.weekdays) == 7


def with_one_day_field(
    at: CronLine, scheduler: str, *, every_day: str, by_day: str, by_weekday: str
) -> tuple[str, ...]:
    """The lines that together fire when a line does, for a scheduler that takes one day field: one of the three, or two
    where either day field will do. Raises CronError where a day must fit both."""
    if at.every_day:
        return (every_day,)
    if not at.fits_both:
        return (by_day, by_weekday)
    if at.any_weekday:
        return (by_day,)
    if at.any_day:
        return (by_weekday,)
    raise CronError(
        f"'{at.text}' asks for days that fit both the day of month and the weekday, which {scheduler} cannot express; leave "
        "one of the two fields as *"
    )


def parse_cron(text: str) -> CronLine:
    """The times of a line. Raises CronError."""
    parts = text.split()
    if len(parts) != len(_FIELDS):
        raise CronError(f"{len(parts)} field{'s' if len(parts) != 1 else ''}, and a schedule has five")
    minutes, hours, days, months, weekdays = (_field(part, *spec) for part, spec in zip(parts, _FIELDS, strict=True))
    return CronLine(text, minutes, hours, days, months, weekdays, "*" in (parts[2][0], parts[4][0]))


def _field(text: str, name: str, low: int, high: int) -> frozenset[int]:
    out: set[int] = set()
    for piece in text.split(","):
        span, slash, step_text = piece.partition("/")
        if slash and not (step_text.isascii() and step_text.isdigit() and int(step_text[:6]) > 0):
            raise CronError(f"'{piece[:20]}' is no {name} step")
        first, dash, last = span.partition("-")
        if span == "*":
            start, end = low, high
        else:
            start = _value(first, name, low, high)
            end = _value(last, name, low, high) if dash else (high if slash else start)
        if start > end:
            raise CronError(f"'{span[:20]}' runs backwards in the {name}")
        out.update(range(start, end + 1, int(step_text) if slash else 1))
    return frozenset(0 if name == "weekday" and v == 7 else v for v in out)


def _value(text: str, name: str, low: int, high: int) -> int:
    named = _NAMES.get(name, {}).get(text.lower())
    if named is not None:
        return named
    if not (text.isascii() and text.isdigit() and len(text) <= 4):
        raise CronError(f"'{text[:20]}' is no {name}")
    if not low <= int(text) <= high:
        raise CronError(f"{name} {int(text)} is not between {low} and {high}")
    return int(text)
