"""Moments in Azure budgets and schedules."""

from __future__ import annotations

from datetime import UTC, datetime

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
