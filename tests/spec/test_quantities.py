"""Durations, sizes, moments and days: what is read, what is refused with which words, and what comes back as text."""

from __future__ import annotations

import pickle
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.spec.quantities import (
    Gib,
    QuantityError,
    check_moment,
    format_duration,
    format_moment,
    parse_day,
    parse_duration,
    parse_lease,
    parse_moment,
    parse_size_gib,
    shown,
)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30m", 1800),
        ("72h", 259_200),
        ("7d", 604_800),
        ("1h30m", 5400),
        ("1h 30m", 5400),
        (" 2 w ", 1_209_600),
        ("1.5h", 5400),
    ],
)
def test_durations(text: str, seconds: int):
    assert parse_duration(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("72", "72h is 72 hours"), ("0m", "positive"), ("0.5s", "shorter than a second"), ("-3h", "not a duration"),
        ("11y", "not a duration"), ("3651d", "ten years"), ("9" * 400 + "w", "ten years"), ("", "not a duration"),
        ("30 minutes", "not a duration"), ("7 2h", "not a duration"), ("٣h", "not a duration"),
    ],
)  # fmt: skip
def test_durations_that_are_none(text: str, words: str):
    with pytest.raises(QuantityError) as error:
        parse_duration(text)
    assert words in f"{error.value} {error.value.hint}"


@given(st.integers(1, 3650 * 86_400))
def test_a_duration_survives_its_text(seconds: int):
    duration = timedelta(seconds=seconds)
    assert parse_duration(format_duration(duration)) == duration


@pytest.mark.parametrize(
    ("value", "gib"),
    [
        (9600, 9600),
        (1.5, 1.5),
        ("9600 GiB", 9600),
        ("10TiB", 10_240),
        ("1024 mib", 1),
        ("9.6 TB", 9.6e12 / 2**30),
        ("1 PiB", 2**20),
    ],
)
def test_sizes(value: str | float, gib: float):
    assert parse_size_gib(value) == pytest.approx(gib)


def test_a_size_says_how_it_was_written():
    assert str(parse_size_gib("9.6 TB")) == "9.6 TB = 8940.7 GiB"
    assert str(parse_size_gib("9600 GiB")) == "9600 GiB"
    assert str(pickle.loads(pickle.dumps(parse_size_gib("1 TiB")))) == "1 TiB = 1024 GiB"


@pytest.mark.parametrize(
    ("value", "words"),
    [("9600", "without quotes"), (0, "more than 0"), (-1, "more than 0"), ("1 ZB", "not a size"), ("GiB", "not a size"),
     (float("nan"), "not a size"), (float("inf"), "more than any"), (10**400, "more than any"), ("9" * 400 + " TB", "more than any")],
)  # fmt: skip
def test_sizes_that_are_none(value: str | float, words: str):
    with pytest.raises(QuantityError) as error:
        parse_size_gib(value)
    assert words in f"{error.value} {error.value.hint}"


@given(st.sampled_from(["MiB", "GiB", "TiB", "MB", "GB", "TB"]), st.integers(1, 10**6))
def test_units_keep_their_ratio(unit: str, number: int):
    big = {"MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "MB": 10**6, "GB": 10**9, "TB": 10**12}[unit]
    assert parse_size_gib(f"{number} {unit}") == pytest.approx(number * big / 2**30)


@pytest.mark.parametrize(
    "text",
    [
        "2026-12-05T18:00:00+01:00",
        "2026-12-05 17:00Z",
        "2026-12-05T17:00:00.000Z",
        "2026-12-05T18:00+0100",
        "2026-12-05 17:00:00 Z",
    ],
)
def test_moments(text: str):
    assert parse_moment(text).astimezone(UTC) == datetime(2026, 12, 5, 17, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("2026-12-05T18:00:00", "naive_moment", "2026-12-05T18:00:00Z for UTC"),
        ("2026-12-05", "moment", "2026-12-05T18:00:00Z"),
        ("2026-13-05T18:00:00Z", "moment", "does not exist"),
        ("2026-12-05T18:00:00+99:00", "moment", "does not exist"),
        ("0001-01-01T00:00:00+14:00", "moment", "between the years"),
        ("9999-12-31T23:59:59-12:00", "moment", "between the years"),
        ("tomorrow", "moment", "not a moment"),
        ("20261205T180000Z", "moment", "not a moment"),
    ],
)
def test_moments_that_are_none(text: str, kind: str, words: str):
    with pytest.raises(QuantityError) as error:
        parse_moment(text)
    assert error.value.kind == kind
    assert words in f"{error.value} {error.value.hint}"


@given(st.datetimes(datetime(2000, 1, 2), datetime(2199, 12, 30)), st.integers(-14 * 60, 14 * 60))
def test_a_moment_survives_its_text(moment: datetime, offset_min: int):
    aware = moment.replace(microsecond=0, tzinfo=timezone(timedelta(minutes=offset_min)))
    assert parse_moment(aware.isoformat()) == aware
    assert parse_moment(format_moment(aware)) == aware


def test_a_moment_from_python_needs_its_timezone():
    with pytest.raises(QuantityError, match="no timezone"):
        check_moment(datetime(2026, 12, 5))


def test_a_lease_is_a_duration_or_a_moment():
    assert parse_lease("72h") == timedelta(hours=72)
    assert parse_lease("2026-12-05T17:00:00Z") == datetime(2026, 12, 5, 17, tzinfo=UTC)
    with pytest.raises(QuantityError, match="no timezone"):
        parse_lease("2026-12-05T17:00")
    with pytest.raises(QuantityError, match="neither a duration nor a moment"):
        parse_lease("until Friday")


def test_days():
    assert parse_day("2026-12-05") == date(2026, 12, 5)
    for text, words in (("5.12.2026", "not a day"), ("2026-02-30", "not in the calendar"), ("1999-12-31", "2000")):
        with pytest.raises(QuantityError, match=words):
            parse_day(text)


@given(st.one_of(st.text(), st.integers(), st.floats(), st.binary(), st.lists(st.integers()), st.none(), st.booleans()))
def test_any_value_can_be_shown(value: object):
    text = shown(value)
    assert text.isprintable()
    assert len(text) <= 60 * 10 + 2


def test_what_is_shown_is_cut():
    assert shown("x" * 100) == "'" + "x" * 59 + "…'"
    assert shown("a\x1b[31m") == r"'a\x1b[31m'"
    assert shown(10**5000) == "an enormous number"
    assert shown(Gib(3)) == "3.0"
