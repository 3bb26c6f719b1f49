"""A waiver that is over.

What: A waiver's `expires` day is past.
Why: The finding counts again. A waiver left in the spec looks as if somebody still answered for it.
Fix: Mend the cause and remove the waiver, or give a new day and reason.
References: none
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC

from ....diagnostics import Diagnostic, Severity
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2280", "waiver-expired", Severity.WARNING, __doc__)


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each waiver."""
    today = ctx.now.astimezone(UTC).date()
    for n, waiver in enumerate(ctx.plan.spec.waivers):
        if waiver.expires < today:
            yield CODE.at(
                f"waivers[{n}].expires",
                f"the waiver of {waiver.code} ended {waiver.expires.isoformat()} ({waiver.reason[:80]})",
            )


_T = 'waivers: [{{code: GI2230, reason: known, expires: "{0}"}}]'

RULE = PlanRule(
    CODE,
    ("policy",),
    check,
    Examples((_T.format("2026-12-31"),), (_T.format("2026-11-29"),)),
)
