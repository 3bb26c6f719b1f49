"""Moments and time zones in Azure budgets and schedules."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache

from ..catalog import rows, windows_time_zone
from ..vocabulary import Provider
from .wire_values import late

START = "timePeriod.startDate"


def moment_of(value: object) -> datetime | None:
    """The instant of an ISO date or moment, UTC where no zone is written; None where it is none, or unknown."""
    if not isinstance(value, str) or late(value):
        return None
    try:
        found = datetime.fromisoformat(value)
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


@cache
def _windows_zones() -> frozenset[str]:
    return frozenset({"utc", *(row["windows_name"].lower() for row in rows("time_zones", Provider.AZURE))})


def zone_fault(value: object) -> tuple[str, str]:
    """What is wrong with a time zone, and what to write; empty where it is a Windows name, as Azure wants, or unknown."""
    if not isinstance(value, str) or late(value) or value.lower() in _windows_zones():
        return "", ""
    row = windows_time_zone(value)
    return f"'{value}' is no Windows time zone", f"write its Windows name, as {row.windows_name if row else 'UTC'}"
