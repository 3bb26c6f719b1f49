"""A timezone that does not exist.

What: `shutdown.stop_at.timezone` is not a name of the IANA database.
Why: The cloud refuses the schedule, or takes it for UTC, hours off.
Fix: Write a name such as Europe/Berlin, or UTC.
References: IANA Time Zone Database
"""

from __future__ import annotations

from collections.abc import Iterator

from ....catalog import rows
from ....diagnostics import Diagnostic, Severity, did_you_mean
from ....vocabulary import Provider
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2223", "unknown-timezone", Severity.ERROR, __doc__, ("AWS COST-06", "AZ SHUT-02"))

_ABBREVIATIONS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("PST", "PDT", "PT"), ("America/Los_Angeles",)),
    **dict.fromkeys(("MDT", "MT"), ("America/Denver",)),
    "CDT": ("America/Chicago",),
    "CT": ("America/Chicago",),
    "CST": ("America/Chicago", "Asia/Shanghai"),
    **dict.fromkeys(("EDT", "ET"), ("America/New_York",)),
    **dict.fromkeys(("AKST", "AKDT"), ("America/Anchorage",)),
    "BRT": ("America/Sao_Paulo",),
    "ART": ("America/Argentina/Buenos_Aires",),
    "BST": ("Europe/London",),
    "WEST": ("Europe/Lisbon",),
    **dict.fromkeys(("CEST", "MEZ", "MESZ"), ("Europe/Berlin",)),
    "EEST": ("Europe/Helsinki",),
    "MSK": ("Europe/Moscow",),
    "SAST": ("Africa/Johannesburg",),
    "IST": ("Asia/Kolkata", "Europe/Dublin", "Asia/Jerusalem"),
    "SGT": ("Asia/Singapore",),
    "HKT": ("Asia/Hong_Kong",),
    "JST": ("Asia/Tokyo",),
    "KST": ("Asia/Seoul",),
    "AWST": ("Australia/Perth",),
    **dict.fromkeys(("ACST", "ACDT"), ("Australia/Adelaide",)),
    **dict.fromkeys(("AEST", "AEDT"), ("Australia/Sydney",)),
    **dict.fromkeys(("NZST", "NZDT"), ("Pacific/Auckland",)),
}
"""Abbreviations that the database lacks: what looks like them there is the zone of somebody else."""
_CONTINENTS = ("Africa", "America", "Asia", "Australia", "Europe", "Pacific")


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the schedule; none where this machine has no timezone database to ask."""
    stop = ctx.plan.spec.shutdown.stop_at if ctx.plan.spec.shutdown else None
    if stop is None or stop.timezone == "UTC":
        return
    # Imported here: most specs have no schedule, and the start-up time counts.
    from zoneinfo import ZoneInfo, available_timezones

    name = stop.timezone
    try:
        ZoneInfo(name)
        return
    except (ValueError, KeyError, OSError):
        known = available_timezones()
    if known:
        city = name.rpartition("/")[2].strip().replace(" ", "_")
        near = did_you_mean(name, known) or did_you_mean(city, (k.rpartition("/")[2] for k in known))
        same_city = sorted(k for k in known if k.rpartition("/")[2].casefold() == city.casefold())
        meant = [k for k in _ABBREVIATIONS.get(name.strip().upper(), ()) if k in known] or _of_windows(name)
        meant = meant or same_city[:1]
        hint = f"did you mean {' or '.join(meant)}?" if meant else near
        yield CODE.at("shutdown.stop_at.timezone", f"'{name[:60]}' is no timezone", hint)


def _of_windows(name: str) -> list[str]:
    """A place with the clock that Windows, and so Azure's own pages, call so; empty where it is no such name."""
    places = [
        row["iana_name"]
        for row in rows("time_zones", Provider.AZURE)
        if row["windows_name"].casefold() == name.strip().casefold()
    ]
    well_known = {place for meant in _ABBREVIATIONS.values() for place in meant}
    return sorted(places, key=lambda p: (p not in well_known, p.partition("/")[0] not in _CONTINENTS, p))[:1]


_T = 'shutdown: {{stop_at: {{cron: "0 20 * * *", timezone: {0}}}}}'

RULE = PlanRule(
    CODE,
    ("time",),
    check,
    Examples((_T.format("Europe/Berlin"), _T.format("UTC")), (_T.format("Europe/Berln"), _T.format("Berlin"))),
)
