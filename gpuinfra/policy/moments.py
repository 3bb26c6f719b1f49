"""Moments and timezones in recorded values."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from .wire_values import late


def moment(value: object) -> datetime | None:
    """An instant from text, UTC where it names no offset; None for anything else."""
    found = value
    if isinstance(value, str) and not late(value):
        try:
            found = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
    if not isinstance(found, datetime):
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def is_timezone(name: str) -> bool:
    """Whether a name is one of the IANA timezones."""
    try:
        ZoneInfo(name)
    except (ValueError, KeyError, OSError):
        return False
    return True
