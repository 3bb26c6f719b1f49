from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.plan.cron import CronError
from gpuinfra.providers.aws.cron import schedule_expressions

CASES = {
    "0 20 * * 1-5": ("cron(0 20 ? * MON-FRI *)",),
    "0 20 * * *": ("cron(0 20 * * ? *)",),
    "30 6 * * 0": ("cron(30 6 ? * SUN *)",),
    "30 6 * * 7": ("cron(30 6 ? * SUN *)",),
    "0 0 * * 6,7": ("cron(0 0 ? * SUN,SAT *)",),
    "0 0 * * 5-7": ("cron(0 0 ? * SUN,FRI,SAT *)",),
    "0 0 * * 0-7": ("cron(0 0 * * ? *)",),
    "0 0 * * 1-7": ("cron(0 0 * * ? *)",),
    "0 0 * * mon,Wed,FRI": ("cron(0 0 ? * MON,WED,FRI *)",),
    "0 0 * * */2": ("cron(0 0 ? * SUN,TUE,THU,SAT *)",),
    "*/15 * * * *": ("cron(0/15 * * * ? *)",),
    "5/15 * * * *": ("cron(5/15 * * * ? *)",),
    "0-30/10 * * * *": ("cron(0,10,20,30 * * * ? *)",),
    "0,20,40 9-17 * * *": ("cron(0/20 9-17 * * ? *)",),
    "0 1 1 */3 *": ("cron(0 1 1 1/3 ? *)",),
    "0 1 1 jan,JUL *": ("cron(0 1 1 1,7 ? *)",),
    "0 1 */2 * *": ("cron(0 1 1/2 * ? *)",),
    "0 1 1-31 * *": ("cron(0 1 * * ? *)",),
    "0 22 1 * 5": ("cron(0 22 1 * ? *)", "cron(0 22 ? * FRI *)"),
    "0 0 2 * 0-6": ("cron(0 0 * * ? *)",),
    "0 0 1-31 * 1": ("cron(0 0 * * ? *)",),
    "0 0 */1 * 1": ("cron(0 0 ? * MON *)",),
    "0 0 2 * */1": ("cron(0 0 2 * ? *)",),
    "  0   20  *  *  1-5 ": ("cron(0 20 ? * MON-FRI *)",),
}


@pytest.mark.parametrize(("line", "expected"), CASES.items())
def test_a_line_becomes_the_expressions_that_fire_with_it(line: str, expected: tuple[str, ...]) -> None:
    assert schedule_expressions(line) == expected


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "0 fields, and a schedule has five"),
        ("0 20 * *", "4 fields"),
        ("0 20 * * 1-5 *", "6 fields"),
        ("@daily", "1 field,"),
        ("60 * * * *", "minute 60 is not between 0 and 59"),
        ("0 24 * * *", "hour 24 is not between 0 and 23"),
        ("0 0 0 * *", "day 0 is not between 1 and 31"),
        ("0 0 * 13 *", "month 13 is not between 1 and 12"),
        ("0 0 * * 8", "weekday 8 is not between 0 and 7"),
        ("0 0 * * 5-1", "runs backwards"),
        ("*/0 * * * *", "'*/0' is no minute step"),
        ("a * * * *", "'a' is no minute"),
        ("1,, * * * *", "'' is no minute"),
        ("-1 * * * *", "'' is no minute"),
        ("0 0 L * *", "'L' is no day"),
        ("0 0 ? * 1", "'?' is no day"),
        ("0 0 * * 5#3", "'5#3' is no weekday"),
        ("\u0663 * * * *", "is no minute"),
        ("0 0 */2 * 1", "cannot express"),
        ("0 0 1 * */2", "cannot express"),
    ],
)
def test_a_line_that_is_wrong_or_has_no_words_on_aws_is_refused(line: str, said: str) -> None:
    with pytest.raises(CronError, match=r"field|is n|backwards|cannot express") as error:
        schedule_expressions(line)
    assert said in str(error.value)


def field(low: int, high: int) -> st.SearchStrategy[str]:
    number = st.integers(low, high).map(str)
    span = st.tuples(st.integers(low, high), st.integers(low, high)).map(lambda p: f"{min(p)}-{max(p)}")
    step = st.tuples(st.one_of(span, st.just("*")), st.integers(1, high + 3)).map(lambda p: f"{p[0]}/{p[1]}")
    part = st.one_of(number, span, step)
    return st.one_of(st.just("*"), part, st.lists(part, min_size=2, max_size=3).map(",".join))


def cron_set(word: str, low: int, high: int) -> set[int]:
    """crontab(5), read apart from the code under test."""
    out: set[int] = set()
    for part in word.split(","):
        span, _, step = part.partition("/")
        first, last = (low, high) if span == "*" else (int(span.split("-")[0]), int(span.split("-")[-1]))
        out |= {v for v in range(first, last + 1) if (v - first) % int(step or 1) == 0}
    return out


def weekdays(word: str) -> set[int]:
    return {d % 7 for d in cron_set(word, 0, 7)}


def cron_fires(line: str, at: datetime) -> bool:
    minute, hour, day, month, weekday = line.split()
    by_day = at.day in cron_set(day, 1, 31)
    by_weekday = at.isoweekday() % 7 in weekdays(weekday)
    both = "*" in (day[0], weekday[0])
    days = (by_day and by_weekday) if both else (by_day or by_weekday)
    return (
        at.minute in cron_set(minute, 0, 59)
        and at.hour in cron_set(hour, 0, 23)
        and at.month in cron_set(month, 1, 12)
        and days
    )


DAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]


def aws_set(word: str, low: int, high: int) -> set[int]:
    out: set[int] = set()
    for part in word.split(","):
        if part in ("*", "?"):
            out |= set(range(low, high + 1))
        elif "/" in part:
            start, step = part.split("/")
            out |= set(range(int(start), high + 1, int(step)))
        else:
            ends = [DAYS.index(e) if e in DAYS else int(e) for e in part.split("-")]
            out |= set(range(ends[0], ends[-1] + 1))
    return out


def aws_fires(expression: str, at: datetime) -> bool:
    minute, hour, day, month, weekday, year = expression.removeprefix("cron(").removesuffix(")").split()
    assert [day, weekday].count("?") == 1
    assert year == "*"
    return (
        at.minute in aws_set(minute, 0, 59)
        and at.hour in aws_set(hour, 0, 23)
        and at.month in aws_set(month, 1, 12)
        and at.day in aws_set(day, 1, 31)
        and at.isoweekday() % 7 in aws_set(weekday, 0, 6)
    )


@given(
    field(0, 59),
    field(0, 23),
    field(1, 31),
    field(1, 12),
    field(0, 7),
    st.integers(0, 4 * 366 * 24 * 60),
    st.booleans(),
)
def test_both_fire_at_the_same_minutes(
    minute: str, hour: str, day: str, month: str, weekday: str, offset: int, aim: bool
) -> None:
    line = f"{minute} {hour} {day} {month} {weekday}"
    if "*" in (day[0], weekday[0]) and len(cron_set(day, 1, 31)) < 31 and len(weekdays(weekday)) < 7:
        with pytest.raises(CronError, match="cannot express"):
            schedule_expressions(line)
        return
    expressions = schedule_expressions(line)
    assert all(len(e) <= 256 for e in expressions)
    at = datetime(2026, 1, 1) + timedelta(minutes=offset)
    if aim:
        # Random moments rarely hit: move to a time of day that fits, so that the day fields decide.
        at = at.replace(minute=min(cron_set(minute, 0, 59)), hour=min(cron_set(hour, 0, 23)))
    assert any(aws_fires(e, at) for e in expressions) == cron_fires(line, at)
