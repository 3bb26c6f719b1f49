"""From a five-field cron line to EventBridge Scheduler's six fields.

The two differ in four ways (EventBridge Scheduler User Guide, "Schedule types"): a year is added; one of the two day
fields must be `?`; Sunday is 1 and not 0 or 7; and a line that restricts both days fires when *either* fits, which one
AWS expression cannot say, so it becomes two.
"""

from __future__ import annotations

from dataclasses import dataclass

_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")


class CronError(ValueError):
    """A cron line that cannot be read, or that AWS cannot express. The text says which field and why."""


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    low: int
    high: int
    names: tuple[str, ...] = ()
    """Names of the values, from `low` on."""


_FIELDS = (
    _Field("minute", 0, 59),
    _Field("hour", 0, 23),
    _Field("day of month", 1, 31),
    _Field("month", 1, 12, _MONTHS),
    _Field("day of week", 0, 7, _DAYS),
)


def schedule_expressions(line: str) -> tuple[str, ...]:
    """The AWS expressions that together fire when the line does: one, or two where both day fields are restricted.

    Raises CronError.
    """
    words = line.split()
    if len(words) != len(_FIELDS):
        raise CronError(f"'{line}' has {len(words)} fields; a cron line has five: minute hour day month weekday")
    minute, hour, days, month, weekdays = (_values(w, f) for w, f in zip(words, _FIELDS, strict=True))
    weekdays = frozenset(d % 7 for d in weekdays)
    time, months = f"{_numbers(minute, 0, 59)} {_numbers(hour, 0, 23)}", _numbers(month, 1, 12)
    by_day = f"cron({time} {_numbers(days, 1, 31)} {months} ? *)"
    by_weekday = f"cron({time} ? {months} {_names(weekdays)} *)"
    every_day, every_weekday = len(days) == 31, len(weekdays) == 7
    # crontab(5): with a `*` at the start of either day field (as */2) both must fit, otherwise either may.
    if "*" not in (words[2][0], words[4][0]):
        if every_day or every_weekday:
            return (f"cron({time} * {months} ? *)",)
        return (by_day, by_weekday)
    if every_weekday:
        return (by_day,)
    if every_day:
        return (by_weekday,)
    raise CronError(
        f"'{line}' asks for days that fit both the day of month and the weekday, which EventBridge Scheduler cannot "
        "express; leave one of the two fields as *"
    )


def _values(word: str, field: _Field) -> frozenset[int]:
    found: set[int] = set()
    for part in word.split(","):
        span, slash, step_text = part.partition("/")
        step = _number(step_text, field, part) if slash else 1
        if step < 1:
            raise CronError(f"'{part}' in the {field.name} field: a step must be at least 1")
        low_text, dash, high_text = span.partition("-")
        if span == "*":
            low, high = field.low, field.high
        elif dash:
            low, high = _value(low_text, field, part), _value(high_text, field, part)
        else:
            low = _value(low_text, field, part)
            high = field.high if slash else low
        if low > high:
            raise CronError(f"'{part}' in the {field.name} field runs backwards")
        found.update(range(low, high + 1, step))
    return frozenset(found)


def _value(text: str, field: _Field, part: str) -> int:
    name = text.upper()
    value = field.names.index(name) + field.low if name in field.names else _number(text, field, part)
    if not field.low <= value <= field.high:
        raise CronError(f"'{part}' in the {field.name} field: {value} is outside {field.low} to {field.high}")
    return value


def _number(text: str, field: _Field, part: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise CronError(f"'{part}' in the {field.name} field is not a number, range, list or step")
    return int(text)


def _numbers(values: frozenset[int], low: int, high: int) -> str:
    """The shortest of `*`, `5`, `1-5`, `0/15` and `1,2,7` that names the values."""
    if len(values) == high - low + 1:
        return "*"
    ordered = sorted(values)
    first, last = ordered[0], ordered[-1]
    if len(ordered) == 1:
        return str(first)
    step = ordered[1] - first
    if ordered == list(range(first, last + 1)):
        return f"{first}-{last}"
    # AWS counts `first/step` up to the end of the field, so it stands only for values that go as far.
    if ordered == list(range(first, high + 1, step)) and len(ordered) > 2:
        return f"{first}/{step}"
    return ",".join(str(v) for v in ordered)


def _names(days: frozenset[int]) -> str:
    ordered = sorted(days)
    if len(ordered) > 2 and ordered == list(range(ordered[0], ordered[-1] + 1)):
        return f"{_DAYS[ordered[0]]}-{_DAYS[ordered[-1]]}"
    return ",".join(_DAYS[d] for d in ordered)
