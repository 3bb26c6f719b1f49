"""From a five-field cron line to EventBridge Scheduler's six fields.

The two differ in four ways (EventBridge Scheduler User Guide, "Schedule types"): a year is added; one of the two day
fields must be `?`; Sunday is 1 and not 0 or 7; and a line that restricts both days fires when *either* fits, which one
AWS expression cannot say, so it becomes two.
"""

from __future__ import annotations

from ...plan.cron import parse_cron, with_one_day_field

_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")


def schedule_expressions(line: str) -> tuple[str, ...]:
    """The AWS expressions that together fire when the line does: one, or two where both day fields are restricted.

    Raises CronError.
    """
    at = parse_cron(line)
    time, months = f"{_numbers(at.minutes, 0, 59)} {_numbers(at.hours, 0, 23)}", _numbers(at.months, 1, 12)
    by_day = f"cron({time} {_numbers(at.days, 1, 31)} {months} ? *)"
    by_weekday = f"cron({time} ? {months} {_names(at.weekdays)} *)"
    return with_one_day_field(
        at, "EventBridge Scheduler", every_day=f"cron({time} * {months} ? *)", by_day=by_day, by_weekday=by_weekday
    )


def _numbers(values: frozenset[int], low: int, high: int) -> str:
    """The shortest of `*`, `5`, `1-5`, `0/15` and `1,2,7` that names the values."""
    if len(values) == high - low + 1:
        return "*"
    ordered = sorted(values)
    first, last = ordered[0], ordered[-1]
    if len(ordered) == 1:
        return str(first)
    step = ordered[1] - first
    if ordered == list(range(first, last + 1)):
        return f"{first}-{last}"
    # AWS counts `first/step` up to the end of the field, so it stands only for values that go as far.
    if ordered == list(range(first, high + 1, step)) and len(ordered) > 2:
        return f"{first}/{step}"
    return ",".join(str(v) for v in ordered)


def _names(days: frozenset[int]) -> str:
    ordered = sorted(days)
    if len(ordered) > 2 and ordered == list(range(ordered[0], ordered[-1] + 1)):
        return f"{_DAYS[ordered[0]]}-{_DAYS[ordered[-1]]}"
    return ",".join(_DAYS[d] for d in ordered)
