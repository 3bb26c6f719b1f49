"""The times of a cron line as a week that repeats: what schedulers take that know days of the week and no others."""

from __future__ import annotations

from dataclasses import dataclass

from .cron import CronError, CronLine

_MONTHS = 12
_EVERY_DAY = tuple(range(7))


@dataclass(frozen=True)
class WeeklyTime:
    """A time of day on some days of every week. Sunday is day 0."""

    days: tuple[int, ...]
    hour: int
    minute: int

    def later(self, minutes: int) -> WeeklyTime:
        """The time so many minutes later, on the next day where that passes midnight."""
        days_on, at = divmod(self.hour * 60 + self.minute + minutes, 24 * 60)
        days = tuple(sorted((day + days_on) % 7 for day in self.days))
        return WeeklyTime(days, at // 60, at % 60)


def weekly_times(line: CronLine) -> tuple[WeeklyTime, ...]:
    """Every time at which the line fires, in order of the day. Raises CronError where some weeks are unlike others."""
    if len(line.months) < _MONTHS:
        raise CronError(f"'{line.text}' leaves months out, and a week cannot")
    if line.every_day:
        days = _EVERY_DAY
    elif line.fits_both and line.any_day:
        days = tuple(sorted(line.weekdays))
    else:
        raise CronError(f"'{line.text}' names days of the month, and a week has none")
    return tuple(WeeklyTime(days, hour, minute) for hour in sorted(line.hours) for minute in sorted(line.minutes))
