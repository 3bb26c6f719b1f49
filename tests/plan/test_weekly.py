"""A cron line as weekly times: the same moments as cron's own, or a reason why not."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.plan.cron import CronError, CronLine, parse_cron
from gpuinfra.plan.weekly import WeeklyTime, weekly_times


@pytest.mark.parametrize(
    ("line", "times"),
    [
        ("0 20 * * 1-5", [((1, 2, 3, 4, 5), 20, 0)]),
        ("15,45 8,20 * * sun", [((0,), 8, 15), ((0,), 8, 45), ((0,), 20, 15), ((0,), 20, 45)]),
        ("0 20 1-31 * *", [((0, 1, 2, 3, 4, 5, 6), 20, 0)]),
        # Either day will do, and every day of the month is one.
        ("0 20 1-31 * 5", [((0, 1, 2, 3, 4, 5, 6), 20, 0)]),
    ],
)
def test_times_of_a_line(line: str, times: list[tuple[tuple[int, ...], int, int]]) -> None:
    assert weekly_times(parse_cron(line)) == tuple(WeeklyTime(*t) for t in times)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("0 20 1 * *", "names days of the month"),
        ("0 20 1 * 5", "names days of the month"),
        ("0 20 */2 * 5", "names days of the month"),
        ("0 20 * 1-11 5", "leaves months out"),
    ],
)
def test_a_line_whose_weeks_differ_is_refused(line: str, said: str) -> None:
    with pytest.raises(CronError, match=said):
        weekly_times(parse_cron(line))


def test_later_passes_midnight_and_the_end_of_the_week() -> None:
    assert WeeklyTime((0, 6), 23, 50).later(30) == WeeklyTime((0, 1), 0, 20)
    assert WeeklyTime((3,), 8, 0).later(30) == WeeklyTime((3,), 8, 30)


_FIELD = st.sampled_from(["*", "0", "*/20", "5,25", "7-9"])
_DAY = st.sampled_from(["*", "1-31", "*/1", "3", "1-5", "0,6"])


@given(minute=_FIELD, hour=st.sampled_from(["*", "0", "20", "8,23"]), day=_DAY, weekday=_DAY)
def test_the_weekly_times_are_the_moments_of_the_line(minute: str, hour: str, day: str, weekday: str) -> None:
    try:
        line = parse_cron(f"{minute} {hour} {day} * {weekday}")
        times = weekly_times(line)
    except CronError:
        return
    # Six weeks: whatever a month could change shows in them.
    start = datetime(2026, 11, 1)
    for n in range(42):
        date = start + timedelta(days=n)
        by_cron = {(h, m) for h in line.hours for m in line.minutes} if _fires_on(line, date) else set()
        by_week = {(t.hour, t.minute) for t in times if (date.weekday() + 1) % 7 in t.days}
        assert by_week == by_cron


def _fires_on(line: CronLine, date: datetime) -> bool:
    day, weekday = date.day in line.days, (date.weekday() + 1) % 7 in line.weekdays
    return (day and weekday) if line.fits_both else (day or weekday)
