"""Cron lines in Cloud Scheduler's form: they come due when the user's line does."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.plan.cron import CronError, CronLine, parse_cron
from gpuinfra.providers.gcp.cron import moment_line, schedule_lines


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        ("0 20 * * 1-5", ["0 20 * * 1-5"]),
        ("0 20 * * mon-fri", ["0 20 * * 1-5"]),
        ("*/15 8-18 * * *", ["0,15,30,45 8-18 * * *"]),
        ("10/20 0 * * *", ["10,30,50 0 * * *"]),
        ("0 20 * * 7", ["0 20 * * 0"]),
        ("0 20 1 * *", ["0 20 1 * *"]),
        ("0 20 1 * 5", ["0 20 1 * *", "0 20 * * 5"]),
        ("0 20 1 * 0-6", ["0 20 * * *"]),
        ("0 20 */2 jan,jun *", ["0 20 1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31 1,6 *"]),
        ("0 20 * 6-8,12 0,6", ["0 20 * 6-8,12 0,6"]),
    ],
)
def test_a_line_is_written_out(line: str, lines: list[str]) -> None:
    assert list(schedule_lines(line)) == lines


def test_a_line_that_asks_for_both_days_at_once_has_no_words() -> None:
    with pytest.raises(CronError, match="Cloud Scheduler cannot express"):
        schedule_lines("0 20 */2 * 5")


def due(at: CronLine, moment: datetime) -> bool:
    """Whether a line comes due at a moment."""
    if moment.minute not in at.minutes or moment.hour not in at.hours or moment.month not in at.months:
        return False
    day, weekday = moment.day in at.days, moment.isoweekday() % 7 in at.weekdays
    return (day and weekday) if at.fits_both else (day or weekday)


def fields(low: int, high: int) -> st.SearchStrategy[str]:
    number = st.integers(low, high)
    span = st.tuples(number, number).map(lambda ab: f"{min(ab)}-{max(ab)}")
    step = st.integers(1, high).map(lambda n: f"*/{n}")
    piece = number.map(str) | span | step | st.just("*")
    return st.lists(piece, min_size=1, max_size=3).map(",".join)


MOMENTS = st.datetimes(datetime(2026, 1, 1), datetime(2029, 1, 1)).map(lambda m: m.replace(second=0, microsecond=0))


@given(
    line=st.tuples(fields(0, 59), fields(0, 23), fields(1, 31), fields(1, 12), fields(0, 7)).map(" ".join),
    moments=st.lists(MOMENTS, min_size=20, max_size=20),
)
def test_the_lines_come_due_when_the_users_does(line: str, moments: list[datetime]) -> None:
    try:
        lines = [parse_cron(text) for text in schedule_lines(line)]
    except CronError:
        assert parse_cron(line).both_days
        return
    for moment in moments:
        assert any(due(one, moment) for one in lines) == due(parse_cron(line), moment)


@given(moment=MOMENTS, hours=st.integers(-12, 14))
def test_a_moments_line_comes_due_in_its_minute_and_not_again_within_a_year(moment: datetime, hours: int) -> None:
    here = moment.replace(tzinfo=timezone(timedelta(hours=hours)))
    line, utc = parse_cron(moment_line(here)), here.astimezone(UTC)
    assert due(line, utc)
    assert not any(due(line, utc + timedelta(days=n)) for n in range(1, 365))
    assert not any(due(line, utc + timedelta(minutes=n)) for n in (-1, 1))
