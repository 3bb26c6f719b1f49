"""An end that the scheduler would bring a year early.

What: The lease is longer than a year, on a cloud whose scheduler knows no year.
Why: A job of Cloud Scheduler comes due at a minute, hour, day and month. Where the end is more than a year away that minute comes once before it, and the nodes would be stopped then.
Fix: Take an end within a year, and move it when it comes near.
References: Cloud Scheduler, Cron job format and time zone
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from ....diagnostics import Diagnostic, Severity
from ....spec.quantities import format_moment
from ....vocabulary import Provider
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2301", "end-beyond-a-year", Severity.ERROR, __doc__)
_YEAR = timedelta(days=365)


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the lease."""
    lease = ctx.plan.lease
    length = lease.ends - ctx.now if lease.ends is not None else lease.duration
    if length is not None and length > _YEAR:
        yield CODE.at(
            lease.path,
            f"the lease lasts {length.days} days, and Cloud Scheduler would end it a year early or more",
            f"end it by {format_moment(ctx.now + _YEAR)}",
        )


_GCP = """\
location: {{provider: gcp, project: acme-lab, region: us-central1}}
node_pools: [{{instance_type: g2-standard-4}}]
storage: []
shutdown: {{lease: {0}}}
"""

RULE = PlanRule(
    CODE,
    ("time",),
    check,
    Examples(
        (_GCP.format("72h"), _GCP.format('"2027-11-30T09:00:00Z"'), _GCP.format("null")),
        (_GCP.format("9000h"), _GCP.format('"2027-12-01T09:00:00Z"')),
    ),
    providers=(Provider.GCP,),
)
