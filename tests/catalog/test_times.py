"""Timezones under the names that Azure's schedules take."""

from __future__ import annotations

from zoneinfo import available_timezones

import pytest

from gpuinfra import catalog

# A station in Antarctica whose clock jumps by two hours, and entries of the database that are no places.
_NO_WINDOWS_NAME = {"Antarctica/Troll", "Factory", "localtime", "posixrules"}


@pytest.mark.parametrize(
    ("iana", "windows"),
    [
        ("Europe/Berlin", "W. Europe Standard Time"),
        ("America/New_York", "Eastern Standard Time"),
        ("US/Eastern", "Eastern Standard Time"),
        ("Asia/Calcutta", "India Standard Time"),
        ("Asia/Kolkata", "India Standard Time"),
        ("UTC", "UTC"),
        ("Etc/UTC", "UTC"),
    ],
)
def test_a_timezone_has_the_name_that_windows_gives_it(iana: str, windows: str) -> None:
    found = catalog.windows_time_zone(iana)
    assert found
    assert (found.windows_name, found.listed) == (windows, True)


def test_every_timezone_of_the_database_is_known_or_known_to_be_none() -> None:
    zones = {z for z in available_timezones() if not z.startswith(("posix/", "right/"))}
    assert {z for z in zones if catalog.windows_time_zone(z) is None} <= _NO_WINDOWS_NAME


def test_a_name_that_is_newer_than_azures_list_says_so() -> None:
    found = catalog.windows_time_zone("America/Vancouver")
    assert found
    assert not found.listed
