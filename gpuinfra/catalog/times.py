"""Rows about time: what clouds call the timezones."""

from __future__ import annotations

from typing import NamedTuple

from .reading import Row


class WindowsTimeZone(NamedTuple):
    """The name that Windows, and with it Azure, has for a timezone."""

    iana_name: str
    windows_name: str
    listed: bool
    """The list of Azure Monitor has the name; where not, it is newer than the list, and may be refused."""
    source: str
    as_of: str


def windows_time_zone(row: Row) -> WindowsTimeZone:
    """The name that Windows has for a timezone."""
    return WindowsTimeZone(
        iana_name=row.needed_text("iana_name"),
        windows_name=row.needed_text("windows_name"),
        listed=row.needed_flag("listed"),
        source=row.text("source"),
        as_of=row.text("as_of"),
    )
