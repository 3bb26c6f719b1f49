"""A recurring stop that cannot be read, or never fires.

What: `shutdown.stop_at.cron` is not five fields of minute, hour, day, month and weekday; it names a day that no month has; or it fires every minute, or at least every hour around the clock.
Severity: warning where it can be kept and stops nodes oftener than it is likely meant
Why: The cloud refuses it, or takes it and never stops anything.
Fix: Write five fields, as "0 20 * * 1-5" for 20:00 on working days.
References: POSIX crontab; EventBridge Scheduler User Guide, cron-based schedules
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....plan.cron import CronError, CronLine, parse_cron
from ....vocabulary import Provider
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2222", "stop-schedule-unreadable", Severity.ERROR, __doc__)
_SHORTHANDS = {"@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0"}
_LONGEST_MONTH = {2: 29, 4: 30, 6: 30, 9: 30, 11: 30}
_EITHER_DAY = {Provider.AWS}
"""Clouds whose scheduler takes one day field only. A line whose day fields have a `*` at the start of one asks for both
(crontab(5)); without it either may fit, which two schedules can say."""
_YEARS = re.compile(r"(?:19|20)\d{2}(?:[-,/]\d+)*")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})")


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the schedule."""
    stop = ctx.plan.spec.shutdown.stop_at if ctx.plan.spec.shutdown else None
    if stop is None:
        return
    path = "shutdown.stop_at.cron"
    try:
        line = parse_cron(stop.cron)
    except CronError as e:
        yield CODE.at(path, f"'{stop.cron[:60]}': {e}", _nearest(stop.cron))
        return
    if line.both_days and ctx.plan.provider in _EITHER_DAY:
        yield CODE.at(
            path,
            f"'{stop.cron}' asks for days that fit both the day of the month and the weekday, which the cloud's scheduler "
            "cannot express",
            "leave one of the two fields as *",
        )
        return
    if line.any_weekday and all(min(line.days) > _LONGEST_MONTH.get(m, 31) for m in line.months):
        yield CODE.at(path, f"'{stop.cron}' never fires: no such day in that month")
    else:
        yield from _too_often(line)


def _too_often(line: CronLine) -> Iterator[Diagnostic]:
    path, cron, minutes = "shutdown.stop_at.cron", line.text, sorted(line.minutes)
    always = len(line.hours) == 24 and len(line.months) == 12 and line.every_day
    if len(minutes) == 60:
        yield CODE.at(
            path,
            f"'{cron}' fires every minute: nodes could never run"
            if always
            else f"'{cron}' fires in every minute of its hours",
            'name one minute, as "0 20 * * 1-5" for 20:00 on working days',
            severity=Severity.ERROR if always else Severity.WARNING,
        )
    elif always:
        gap = max(b - a for a, b in zip(minutes, [*minutes[1:], minutes[0] + 60], strict=True))
        yield CODE.at(
            path,
            f"'{cron}' fires day and night: nodes never run longer than {gap} minutes",
            'name the hours, as "0 20 * * 1-5" for 20:00 on working days',
            severity=Severity.WARNING,
        )


def _nearest(text: str) -> str:
    clean = text.strip().lower()
    if clean in _SHORTHANDS:
        return f'write "{_SHORTHANDS[clean]}"'
    clock = _CLOCK.search(clean)
    if clock and int(clock[1]) < 24 and int(clock[2]) < 60:
        return f'write "{int(clock[2])} {int(clock[1])} * * *"'
    parts = text.split()
    if len(parts) == 6:
        rest, what = _five_of(parts)
        shown = " ".join(rest).replace("?", "*")
        if rest and _readable(shown):
            return f'write "{shown}": no {what}'
    return 'write five fields, as "0 20 * * 1-5"'


def _five_of(parts: list[str]) -> tuple[list[str], str]:
    """Six fields as five, and what is left out: seconds before them (Quartz, Spring) or a year behind them (AWS); nothing
    where both forms fit, for they name different times."""
    weekday_last = parts[5] != "*" and not _YEARS.fullmatch(parts[5])
    if weekday_last or parts[3] == "?":
        rest, what = parts[1:], "seconds"
    elif parts[5] != "*" or "?" in (parts[2], parts[4]):
        rest, what = parts[:5], "year"
    else:
        fits = [(r, w) for r, w in ((parts[:5], "year"), (parts[1:], "seconds")) if _readable(" ".join(r))]
        return fits[0] if len(fits) == 1 else ([], "")
    # In the forms that have `?`, Sunday is day 1 and not 0.
    return ([], "") if "?" in parts and re.search(r"\d", rest[4]) else (rest, what)


def _readable(text: str) -> bool:
    try:
        parse_cron(text)
    except CronError:
        return False
    return True


_T = 'shutdown: {{stop_at: {{cron: "{0}", timezone: UTC}}}}'

RULE = PlanRule(
    CODE,
    ("time",),
    check,
    Examples(
        (_T.format("0 20 * * 1-5"), _T.format("*/15 8-18 1,15 jan-jun *")),
        (
            _T.format("20:00"),
            _T.format("0 25 * * *"),
            _T.format("0 0 30 2 *"),
            _T.format("0 20 * *"),
            _T.format("0 0 */2 * 1"),
            _T.format("*/5 * * * *"),
        ),
    ),
)
