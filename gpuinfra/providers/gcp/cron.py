"""From a five-field cron line to Cloud Scheduler's, which reads the same fields in a form of its own.

Cloud Scheduler takes numbers, lists, ranges and steps over `*` (Cloud Scheduler, "Cron job format and time zone"), and
does not say what it makes of a line that restricts both day fields, or of `10/5`. So lines are written out in lists and
ranges, and one that fires when either day fits becomes two.
"""

from __future__ import annotations

from datetime import UTC, datetime

from ...plan.cron import parse_cron, with_one_day_field


def schedule_lines(line: str) -> tuple[str, ...]:
    """The lines that together fire when the line does: one, or two where both day fields are restricted.

    Raises CronError.
    """
    at = parse_cron(line)
    time, months = f"{_numbers(at.minutes, 0, 59)} {_numbers(at.hours, 0, 23)}", _numbers(at.months, 1, 12)
    by_day = f"{time} {_numbers(at.days, 1, 31)} {months} *"
    by_weekday = f"{time} * {months} {_numbers(at.weekdays, 0, 6)}"
    return with_one_day_field(
        at, "Cloud Scheduler", every_day=f"{time} * {months} *", by_day=by_day, by_weekday=by_weekday
    )


def moment_line(moment: datetime) -> str:
    """The line of a moment's minute, in UTC. It has no year: it comes due again a year later."""
    utc = moment.astimezone(UTC)
    return f"{utc.minute} {utc.hour} {utc.day} {utc.month} *"


def _numbers(values: frozenset[int], low: int, high: int) -> str:
    """`*`, or the values as ranges and single numbers."""
    if len(values) == high - low + 1:
        return "*"
    runs: list[list[int]] = []
    for value in sorted(values):
        if runs and value == runs[-1][-1] + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
