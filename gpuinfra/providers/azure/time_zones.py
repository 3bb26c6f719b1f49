"""Times of day as Azure Monitor's recurrences want them: one time on some days of every week, in a timezone by the name
that Windows has for it."""

from __future__ import annotations

from ...catalog import windows_time_zone
from ...diagnostics import GpuInfraError
from ...plan.cron import CronError, parse_cron
from ...plan.weekly import WeeklyTime, weekly_times
from ..findings import STOP_NOT_WEEKLY

DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")


def stop_times(cron: str) -> tuple[WeeklyTime, ...]:
    """The times of a recurring stop. Raises GpuInfraError where no week can say them; a rule says so before."""
    try:
        return weekly_times(parse_cron(cron))
    except CronError as e:
        raise GpuInfraError([STOP_NOT_WEEKLY.at("shutdown.stop_at.cron", str(e))]) from None


def time_zone(iana_name: str) -> str:
    """The name that Windows has for a timezone. Raises GpuInfraError where it has none; a rule says so before."""
    found = windows_time_zone(iana_name)
    if found is None:
        message = f"Windows, whose names Azure takes, has none for the timezone '{iana_name}'"
        raise GpuInfraError([STOP_NOT_WEEKLY.at("shutdown.stop_at.timezone", message)])
    return found.windows_name
