"""When a schedule of AWS fires: what its scheduler takes as an expression, and what never comes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

_FORM = re.compile(r"(at|rate|cron)\(([^()]*)\)")
_RATE = re.compile(r"[1-9]\d*\s+(?:minute|hour|day)s?")
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
# EventBridge Scheduler User Guide, schedule types: (name, least, most, words for them).
_FIELDS: tuple[tuple[str, int, int, tuple[str, ...]], ...] = (
    ("minute", 0, 59, ()),
    ("hour", 0, 23, ()),
    ("day", 1, 31, ()),
    ("month", 1, 12, _MONTHS),
    ("weekday", 1, 7, _DAYS),
    ("year", 1970, 2199, ()),
)
_DAY, _MONTH, _WEEKDAY, _YEAR = 2, 3, 4, 5
_LONGEST = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def refused(expression: str) -> str:
    """Why EventBridge does not take an expression; empty where it does."""
    match = _FORM.fullmatch(expression.strip())
    if match is None:
        return f"'{expression[:60]}' is none of at(…), rate(…) and cron(…)"
    form, inner = match.groups()
    if form == "at":
        return "" if _is_moment(inner) else f"'{inner[:40]}' is no moment, as at(2026-12-05T18:00:00)"
    if form == "rate":
        return "" if _RATE.fullmatch(inner.strip()) else f"'{inner[:40]}' is no rate, as rate(1 day)"
    return _cron_fault(inner)


def never_comes(expression: str, now: datetime | None) -> str:
    """Why the moments of a cron expression that is taken do not come; empty where they do."""
    match = _FORM.fullmatch(expression.strip())
    parts = match[2].split() if match is not None and match[1] == "cron" else []
    if len(parts) != len(_FIELDS):
        return ""
    years = _values(parts[_YEAR], _YEAR)
    if now is not None and years and max(years) < now.year:
        return f"the year {max(years)} is past"
    days, months = _values(parts[_DAY], _DAY), _values(parts[_MONTH], _MONTH)
    if days and months and all(d > _LONGEST[m - 1] for d in days for m in months):
        return f"no month in it has a day {min(days)}"
    return ""


def _is_moment(text: str) -> bool:
    try:
        return datetime.fromisoformat(text.strip()).tzinfo is None and "T" in text
    except ValueError:
        return False


def _cron_fault(inner: str) -> str:
    parts = inner.split()
    if len(parts) != len(_FIELDS):
        return f"cron({inner[:40]}) has {len(parts)} fields, and EventBridge wants six, the last one the year"
    if "?" not in (parts[_DAY], parts[_WEEKDAY]):
        return f"cron({inner[:40]}) has a day and a weekday, and one of the two has to be ?"
    fault = next((n for n, part in enumerate(parts) if not all(_fits(p, n) for p in part.split(","))), None)
    return "" if fault is None else f"'{parts[fault][:20]}' is no {_FIELDS[fault][0]}"


def _fits(piece: str, field: int) -> bool:
    span, slash, step = piece.partition("/")
    if slash and not step.isdigit():
        return False
    if span == "*" or (field in (_DAY, _WEEKDAY) and re.fullmatch(r"\?|LW?|L-\d+", span)):
        return True
    if field in (_DAY, _WEEKDAY):
        span = re.sub(r"(?:W|L|#\d)$", "", span)
    return all(_number(v, field) is not None for v in span.split("-", 1))


def _number(text: str, field: int) -> int | None:
    _, low, high, words = _FIELDS[field]
    if text.upper() in words:
        return words.index(text.upper()) + 1
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 4 and low <= int(text) <= high else None


def _values(part: str, field: int) -> frozenset[int]:
    """The numbers of a field that lists them; empty where it says more than that."""
    found = frozenset(_listed(part, field))
    return frozenset[int]() if None in found else frozenset(n for n in found if n is not None)


def _listed(part: str, field: int) -> Iterator[int | None]:
    for piece in part.split(","):
        first, dash, last = piece.partition("-")
        low, high = _number(first, field), _number(last, field) if dash else _number(first, field)
        if low is None or high is None:
            yield None
        else:
            yield from range(low, high + 1)
