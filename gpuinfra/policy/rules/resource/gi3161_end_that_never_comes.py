"""An end that is written down and never comes.

What: A machine's terminationTime is past; or a Cloud Scheduler job that calls a Google API has a schedule or timezone that cannot be read, calls without an OAuth token, or is paused; or an instance schedule stands in a program that grants its service agent nothing.
Severity: warning for a paused job, and for an instance schedule whose grant may stand elsewhere
Why: Preview accepts all of them, and the machines run on: a call without an OAuth token is answered 401, and an instance schedule needs roles/compute.instanceAdmin.v1 for the Compute Engine service agent.
Fix: Write five cron fields and an IANA timezone, an oauthToken with a service account of its own, and grant the service agent its role.
References: Google Cloud docs, Cloud Scheduler, authentication with HTTP targets; hashicorp/terraform-provider-google#11899; GoogleCloudPlatform/cloud-foundation-fabric#2870
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....diagnostics import Diagnostic, Severity
from ....plan.cron import CronError, parse_cron
from ....vocabulary import Provider
from ...gcp_endings import is_timezone, moment
from ...gcp_types import JOB, RESOURCE_POLICY
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, truth

CODE = described("GI3161", "end-that-never-comes", Severity.ERROR, __doc__, ())
_MEMBERS = (
    "gcp:projects/iAMMember:IAMMember",
    "gcp:projects/iAMBinding:IAMBinding",
    "gcp:projects/iAMPolicy:IAMPolicy",
)
_AGENT = "compute-system.iam.gserviceaccount.com"
_API = ".googleapis.com/"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each fault."""
    for m in ctx.gcp.vms:
        said = m.get("scheduling", "terminationTime")
        if late(said):
            yield Undecided(CODE.code, m.name, "the moment of its end is not known yet")
        at = moment(said)
        if at is not None and ctx.now is not None and at <= ctx.now:
            yield CODE.at(m.path("scheduling.terminationTime"), f"{said} is past", resource=m.name)
    for job in ctx.gcp.of_type(JOB):
        uri = job.get("httpTarget", "uri")
        if isinstance(uri, str) and _API in uri:
            yield from _job(job)
    yield from _schedules(ctx)


def _job(job: Resource) -> Iterator[Diagnostic | Undecided]:
    line, zone = job.get("schedule"), job.get("timeZone")
    if late(line):
        yield Undecided(CODE.code, job.name, "the schedule is not known yet")
    elif isinstance(line, str) and not line.strip().lower().startswith("every"):
        try:
            parse_cron(line)
        except CronError as e:
            yield CODE.at(f"{job.name}.schedule", f"'{line[:60]}': {e}", resource=job.name)
    if late(zone) and not late(line):
        yield Undecided(CODE.code, job.name, "the timezone is not known yet")
    elif isinstance(zone, str) and not late(zone) and not is_timezone(zone):
        yield CODE.at(f"{job.name}.timeZone", f"'{zone[:60]}' is no timezone", resource=job.name)
    if job.get("httpTarget", "oauthToken") is None and not _authorized(job):
        yield CODE.at(
            f"{job.name}.httpTarget.oauthToken", "absent: a Google API answers 401 without one", resource=job.name
        )
    if truth(job.get("paused")):
        yield CODE.at(f"{job.name}.paused", "the job is paused", resource=job.name, severity=Severity.WARNING)


def _authorized(job: Resource) -> bool:
    headers = job.get("httpTarget", "headers")
    return late(headers) or (isinstance(headers, Mapping) and "Authorization" in headers)


def _schedules(ctx: GraphContext) -> Iterator[Diagnostic]:
    held = any(
        _AGENT in f"{r.get('member')} {r.get('members')} {r.get('policyData')}" for r in ctx.gcp.of_type(*_MEMBERS)
    )
    for policy in ctx.gcp.of_type(RESOURCE_POLICY):
        used = any(policy in ctx.gcp.policies(m) for m in ctx.gcp.vms)
        if policy.get("instanceSchedulePolicy") is not None and used and not held:
            yield CODE.at(
                f"{policy.name}.instanceSchedulePolicy",
                f"nothing here grants the service agent (service-<number>@{_AGENT}) its role; without it the schedule is "
                "refused with 412",
                resource=policy.name,
                severity=Severity.WARNING,
            )


_T = """\
- type: gcp.cloudscheduler.Job
  name: lease
  inputs:
    schedule: {0}
    timeZone: {1}
    httpTarget:
      uri: https://compute.googleapis.com/compute/v1/projects/p/zones/z/instanceGroupManagers/g/resize?size=0
      oauthToken: {2}
"""
_TOKEN = "{serviceAccountEmail: lease@p.iam.gserviceaccount.com}"
_BOX = "- {{type: gcp.compute.Instance, name: box, inputs: {{scheduling: {{terminationTime: {0}}}}}}}\n"


RULE = ResourceRule(
    CODE,
    ("cost", "time"),
    check,
    Examples(
        (
            _T.format("0 18 5 12 *", "Europe/Berlin", _TOKEN),
            _BOX.format('"2026-12-05T18:00:00Z"'),
        ),
        (
            _T.format("0 18 5 12", "Europe/Berlin", _TOKEN),
            _T.format("0 18 5 12 *", "Europe/Berln", _TOKEN),
            _T.format("0 18 5 12 *", "UTC", "null"),
            _BOX.format('"2026-11-05T18:00:00Z"'),
        ),
        (_T.format("!unknown ", "UTC", _TOKEN),),
    ),
    providers=(Provider.GCP,),
)
