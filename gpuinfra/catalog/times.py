"""Rows about time: what clouds call the timezones."""

from __future__ import annotations

from .models import WindowsTimeZone
from .reading import Row


def windows_time_zone(row: Row) -> WindowsTimeZone:
    """The name that Windows has for a timezone."""
    return WindowsTimeZone(
        iana_name=row.needed_text("iana_name"),
        windows_name=row.needed_text("windows_name"),
        listed=row.needed_flag("listed"),
        source=row.text("source"),
        as_of=row.text("as_of"),
    )
