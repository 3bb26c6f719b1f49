"""A recurring stop that no week can say.

What: `shutdown.stop_at` names days of the month or some months only, more times than the cloud's schedules have room for, or a timezone that Windows has no name for.
Severity: warning where the timezone's name is newer than the cloud's own list of them
Why: Azure Monitor stops nodes at times of day, on days of the week, in timezones by the names that Windows has for them. A stop that it cannot be told does not happen, and the nodes bill on.
Fix: Write minute, hour and weekday alone, as "0 20 * * 1-5" in Europe/Berlin.
References: Azure Monitor, Autoscale with multiple profiles; unicode-org/cldr windowsZones.xml
"""

from __future__ import annotations

from collections.abc import Iterator

from ....catalog import limit, windows_time_zone
from ....diagnostics import Diagnostic, Severity
from ....plan.cron import CronError, parse_cron
from ....plan.models import ClusterPlan
from ....plan.weekly import weekly_times
from ....spec.models import StopAt
from ....vocabulary import Provider
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2305", "stop-schedule-not-weekly", Severity.ERROR, __doc__, ("AZ SHUT-02",))
_PROFILES_OF_A_STOP = 2
"""One that takes the nodes away, and one for afterwards."""


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """A finding for the line, and one for the timezone. What cannot be read at all is another rule's."""
    stop = ctx.plan.spec.shutdown.stop_at if ctx.plan.spec.shutdown else None
    if stop is not None:
        yield from _line(ctx.plan, stop)
        yield from _timezone(stop)


def _line(plan: ClusterPlan, stop: StopAt) -> Iterator[Diagnostic]:
    path = "shutdown.stop_at.cron"
    try:
        line = parse_cron(stop.cron)
    except CronError:
        return
    try:
        times = weekly_times(line)
    except CronError as e:
        yield CODE.at(path, str(e), 'leave day and month as *, and name weekdays, as "0 20 * * 1-5"')
        return
    room = limit(plan.provider, "autoscale_profiles")
    if room is None:
        return
    most = (room.maximum - int(plan.lease.present)) // _PROFILES_OF_A_STOP
    if len(times) > most:
        yield CODE.at(
            path,
            f"'{line.text}' names {len(times)} times of day, and the cloud's schedules take {most}",
            "name fewer hours or minutes",
        )


def _timezone(stop: StopAt) -> Iterator[Diagnostic]:
    path = "shutdown.stop_at.timezone"
    found = windows_time_zone(stop.timezone)
    if found is None:
        # A name that nobody knows is another rule's finding, on machines that have the database.
        if _exists(stop.timezone):
            yield CODE.at(
                path, f"Windows has no name for '{stop.timezone}'", "take a timezone with the same clock, or UTC"
            )
    elif not found.listed:
        yield CODE.at(
            path,
            f"'{stop.timezone}' is '{found.windows_name}' to Windows, a name that Azure Monitor's own list lacks: it may be "
            "refused",
            "if it is, take a timezone with the same clock, or UTC",
            severity=Severity.WARNING,
        )


def _exists(name: str) -> bool:
    # Imported here: most specs have no schedule, and the start-up time counts.
    from zoneinfo import ZoneInfo

    try:
        ZoneInfo(name)
    except (ValueError, KeyError, OSError):
        return False
    return True


_AZURE = """\
location: {{provider: azure, region: eastus}}
node_pools: [{{instance_type: Standard_ND96isr_H100_v5}}]
storage: []
shutdown: {{stop_at: {{cron: "{0}", timezone: {1}}}}}
"""

RULE = PlanRule(
    CODE,
    ("time",),
    check,
    Examples(
        (
            _AZURE.format("0 20 * * 1-5", "Europe/Berlin"),
            _AZURE.format("0,30 16-19 * * *", "UTC"),
            _AZURE.format("0 20 * *", "Europe/Berln"),
        ),
        (
            _AZURE.format("0 20 1 * *", "UTC"),
            _AZURE.format("0 20 * 1-6 5", "UTC"),
            _AZURE.format("0,15,30,45 16-20 * * *", "UTC"),
            _AZURE.format("0 20 * * *", "Antarctica/Troll"),
            _AZURE.format("0 20 * * *", "America/Vancouver"),
        ),
    ),
    providers=(Provider.AZURE,),
)
