"""An end that is written down and never comes.

What: A machine's terminationTime is past; or a Cloud Scheduler job that calls a Google API has a schedule or timezone that cannot be read or never comes, calls without an OAuth token or with the wrong method, or is paused; or an instance schedule has such a schedule, is over, or stands in a program that grants its service agent nothing.
Severity: warning for a paused job, and for an instance schedule whose grant may stand elsewhere
Why: Preview accepts all of them, and the machines run on: a call without an OAuth token is answered 401, and an instance schedule needs roles/compute.instanceAdmin.v1 for the Compute Engine service agent.
Fix: Write five cron fields and an IANA timezone, an oauthToken with a service account of its own, and grant the service agent its role.
References: Google Cloud docs, Cloud Scheduler, authentication with HTTP targets; hashicorp/terraform-provider-google#11899; GoogleCloudPlatform/cloud-foundation-fabric#2870
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_endings import schedules_on
from ...gcp_jobs import job_faults, schedule_faults
from ...gcp_types import JOB, RESOURCE_POLICY
from ...moments import moment
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, late, plain, truth

CODE = described("GI3161", "end-that-never-comes", Severity.ERROR, __doc__, ())
_MEMBERS = (
    "gcp:projects/iAMMember:IAMMember",
    "gcp:projects/iAMBinding:IAMBinding",
    "gcp:projects/iAMPolicy:IAMPolicy",
)
_AGENT = "compute-system.iam.gserviceaccount.com"
_ROLES_THAT_DO = ("roles/compute.", "roles/owner", "roles/editor", "projects/", "organizations/")
"""The beginnings of the roles that may start and stop a machine; those of the last two are somebody's own."""
_POLICY = "instanceSchedulePolicy"
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
    yield from _open(job, ("schedule",), ("timeZone",), ("httpTarget", "httpMethod"))
    for place, why in job_faults(job):
        yield CODE.at(f"{job.name}.{place}", why, resource=job.name)
    if truth(job.get("paused")):
        yield CODE.at(f"{job.name}.paused", "the job is paused", resource=job.name, severity=Severity.WARNING)


def _open(resource: Resource, *paths: tuple[str, ...]) -> Iterator[Undecided]:
    """One verdict for the first of the paths whose value is not known yet."""
    late_one = next((p[-1] for p in paths if late(resource.get(*p))), "")
    if late_one:
        yield Undecided(CODE.code, resource.name, f"the {late_one} is not known yet")


def _schedules(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    held = _agent_holds_its_role(ctx)
    for policy in ctx.gcp.of_type(RESOURCE_POLICY):
        yield from _open(
            policy,
            (_POLICY, "vmStopSchedule", "schedule"),
            (_POLICY, "timeZone"),
            (_POLICY, "expirationTime"),
        )
        for place, why in schedule_faults(policy, ctx.now):
            yield CODE.at(f"{policy.name}.{place}", why, resource=policy.name)
        used = any(policy in schedules_on(ctx.gcp, m) for m in ctx.gcp.vms)
        if policy.get(_POLICY) is None or not used:
            continue
        if held is None:
            yield Undecided(CODE.code, policy.name, "who is granted the role of the service agent is not known yet")
        elif not held:
            yield CODE.at(
                f"{policy.name}.{_POLICY}",
                f"nothing here grants the service agent (service-<number>@{_AGENT}) its role; without it the schedule is "
                "refused with 412",
                resource=policy.name,
                severity=Severity.WARNING,
            )


def _agent_holds_its_role(ctx: GraphContext) -> bool | None:
    """Whether the program grants the service agent something. The agent's name holds the project's number, which a
    program looks up: a member that is not known yet, of a role that would do, leaves it open."""
    grants = list(ctx.gcp.of_type(*_MEMBERS))
    if any(_AGENT in f"{r.get('member')} {r.get('members')} {r.get('policyData')}" for r in grants):
        return True
    return None if any(_may_be_the_agents(r) for r in grants) else False


def _may_be_the_agents(grant: Resource) -> bool:
    role = grant.get("role")
    if isinstance(role, str) and not late(role) and not role.startswith(_ROLES_THAT_DO):
        return False
    said = [plain(grant.get(k)) for k in ("member", "members", "policyData")]
    return any(late(v) for value in said for v in (value, *map(plain, items(value))))


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
_HOURS = """\
- type: gcp.compute.ResourcePolicy
  name: hours
  inputs: {{instanceSchedulePolicy: {{vmStopSchedule: {{schedule: {0}}}, timeZone: {1}, expirationTime: {2}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("cost", "time"),
    check,
    Examples(
        (
            _T.format("0 18 5 12 *", "Europe/Berlin", _TOKEN),
            _BOX.format('"2026-12-05T18:00:00Z"'),
            _HOURS.format("0 19 * * MON-FRI", "Europe/Berlin", '"2027-11-01T00:00:00Z"'),
        ),
        (
            _T.format("0 18 5 12", "Europe/Berlin", _TOKEN),
            _T.format("0 18 5 12 *", "Europe/Berln", _TOKEN),
            _T.format("0 18 5 12 *", "UTC", "null"),
            _BOX.format('"2026-11-05T18:00:00Z"'),
            _T.format("0 18 31 2 *", "UTC", _TOKEN),
            _T.format("0 18 5 12 *", "UTC", "{}"),
            _T.format("0 18 5 12 *", "UTC", _TOKEN + "\n      httpMethod: GET"),
            _HOURS.format("0 19 30 2 *", "Europe/Berlin", "null"),
            _HOURS.format("0 19 * * *", "Berlin", "null"),
            _HOURS.format("0 19 * * *", "Europe/Berlin", '"2026-11-01T00:00:00Z"'),
        ),
        (_T.format("!unknown ", "UTC", _TOKEN),),
    ),
    providers=(Provider.GCP,),
)
