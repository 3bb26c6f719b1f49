"""An end that the scheduler may not bring in time.

What: The lease is longer than a year, on a cloud whose scheduler knows no year; or an end is scheduled in a region that is not known to have the scheduler.
Severity: info for the region
Why: A job of Cloud Scheduler comes due at a minute, hour, day and month. Where the end is more than a year away that minute comes once before it, and the nodes would be stopped then. In a region without the service the job cannot be made, and `up` fails.
Fix: Take an end within a year, and move it when it comes near. For the region ask gcloud scheduler locations list.
References: Cloud Scheduler, Cron job format and time zone; Cloud Scheduler, Locations
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from ....catalog import service_regions
from ....diagnostics import Diagnostic, Severity
from ....spec.quantities import format_moment
from ....vocabulary import Provider
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2301", "end-not-schedulable", Severity.ERROR, __doc__)
_YEAR = timedelta(days=365)


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the lease, and one for the region."""
    plan, lease = ctx.plan, ctx.plan.lease
    length = lease.ends - ctx.now if lease.ends is not None else lease.duration
    if length is not None and length > _YEAR:
        yield CODE.at(
            lease.path,
            f"the lease lasts {length.days} days, and Cloud Scheduler would end it a year early or more",
            f"end it by {format_moment(ctx.now + _YEAR)}",
        )
    end = plan.spec.shutdown
    known = service_regions(plan.provider, "scheduler")
    if (lease.present or (end is not None and end.stop_at is not None)) and plan.region not in known:
        yield CODE.at(
            "location.region",
            f"the tables do not say that Cloud Scheduler, which ends the nodes, is in {plan.region}; where it is not, up fails",
            "look it up: gcloud scheduler locations list",
            severity=Severity.INFO,
        )


_GCP = """\
location: {{provider: gcp, project: acme-lab, region: {1}}}
node_pools: [{{instance_type: g2-standard-4}}]
storage: []
shutdown: {0}
"""
_HERE = "us-central1"

RULE = PlanRule(
    CODE,
    ("time",),
    check,
    Examples(
        (
            _GCP.format("{lease: 72h}", _HERE),
            _GCP.format('{lease: "2027-11-30T09:00:00Z"}', _HERE),
            _GCP.format("null", "us-east5"),
        ),
        (
            _GCP.format("{lease: 9000h}", _HERE),
            _GCP.format('{lease: "2027-12-01T09:00:00Z"}', _HERE),
            _GCP.format("{lease: 72h}", "us-east5"),
            _GCP.format('{lease: null, stop_at: {cron: "0 20 * * *", timezone: UTC}}', "us-east5"),
        ),
    ),
    providers=(Provider.GCP,),
)
