"""A waiver for years.

What: A waiver's `expires` day is more than a year ahead.
Why: A waiver is for a while; nobody will remember why this one is there, and what it hides will have changed.
Fix: Take a day within a year, and look again then.
References: none
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, timedelta

from ....diagnostics import Diagnostic, Severity
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2282", "waiver-without-end-in-sight", Severity.WARNING, __doc__)
_LONGEST = timedelta(days=366)


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each waiver."""
    today = ctx.now.astimezone(UTC).date()
    for n, waiver in enumerate(ctx.plan.spec.waivers):
        if waiver.expires - today > _LONGEST:
            years = (waiver.expires - today).days / 365.25
            yield CODE.at(
                f"waivers[{n}].expires",
                f"the waiver of {waiver.code} holds to {waiver.expires.isoformat()}, {years:.1f} years from now",
            )


_T = 'waivers: [{{code: GI2230, reason: known, expires: "{0}"}}]'

RULE = PlanRule(
    CODE,
    ("policy",),
    check,
    Examples((_T.format("2027-11-30"), _T.format("2026-11-29")), (_T.format("2028-01-01"),)),
)
