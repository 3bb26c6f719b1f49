"""What a Cloud Scheduler job makes of machines: which it speaks of, what it calls, and why it never does."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

from ..plan.cron import CronError, parse_cron
from .aws_user_data import script
from .found_ends import End, Kind
from .gcp_graph import GcpGraph
from .gcp_types import JOB, own_name
from .moments import is_timezone, moment
from .resource_graph import Resource
from .wire_values import late, number, truth

_MACHINE_API = re.compile(r"https://(?:compute|container|www)\.googleapis\.com/", re.IGNORECASE)
_RUNNERS = re.compile(r"//(?:workflowexecutions|cloudfunctions|run|pubsub|[\w-]+-run)\.googleapis\.com/")
_ACTION = re.compile(r"[/:](resize|stop|suspend|start|resume|reset|setSize|setAutoscaling)$")
_END_OF_NAME = r"(?=[/:?\s\"']|$)"
_ENDING = ("stop", "suspend")
_STARTING = ("start", "resume", "reset")
_SIZE_KEYS = ("targetSize", "nodeCount", "size")


@dataclass(frozen=True)
class Call:
    """A job, read once: what it names, and whether it calls the API of machines."""

    job: Resource
    urns: frozenset[str]
    text: str
    uri: Any
    to_machines: bool

    def speaks_of(self, owner: Resource) -> bool:
        """Whether the job speaks of an instance, group or pool, by reference or by its name."""
        if owner.urn in self.urns or f"${{{owner.name}." in self.text:
            return True
        name = own_name(owner)
        return (
            bool(name)
            and f"/{name}" in self.text
            and re.search(f"/{re.escape(name)}{_END_OF_NAME}", self.text) is not None
        )


def calls(gcp: GcpGraph) -> tuple[Call, ...]:
    """Every scheduler job of the program."""
    return gcp.once("scheduler jobs", lambda: tuple(_call(job) for job in gcp.of_type(JOB)))


def _call(job: Resource) -> Call:
    uri, body = job.get("httpTarget", "uri"), job.get("httpTarget", "body")
    urns = frozenset((*job.dependencies, *(u for us in job.property_dependencies.values() for u in us)))
    text = f"{uri} {body} {script(body) if isinstance(body, str) else ''}"
    return Call(job, urns, text, uri, isinstance(uri, str) and bool(_MACHINE_API.match(uri)))


def ends_by_jobs(gcp: GcpGraph, owner: Resource, kept: float | None) -> Iterator[End]:
    """What each job of the program makes of an instance, group or pool."""
    for call in calls(gcp):
        if call.speaks_of(owner):
            yield _of_job(call.job, call.uri, kept) if call.to_machines else _elsewhere(call.job, call.uri)
    yield from gcp.once("jobs that act unseen", lambda: tuple(_unseen(gcp)))


def _unseen(gcp: GcpGraph) -> Iterator[End]:
    for call in calls(gcp):
        if not call.to_machines and _may_act(call.job, call.uri):
            yield End(Kind.UNSEEN, f"what '{call.job.name}' calls cannot be seen into")


def _may_act(job: Resource, uri: object) -> bool:
    """Whether a job goes to a function, a workflow or a topic, whose doing stands in code."""
    if truth(job.get("paused")):
        return False
    if not isinstance(uri, str):
        return uri is not None or job.get("pubsubTarget") is not None
    return ".googleapis.com/" not in uri or bool(_RUNNERS.search(uri))


def _elsewhere(job: Resource, uri: object) -> End:
    """A call that names the machines and goes to a function, a workflow or a topic."""
    if uri is not None and not isinstance(uri, str):
        return End(Kind.UNSEEN, f"what '{job.name}' calls is not known yet")
    return End(Kind.SAID) if truth(job.get("paused")) else End(Kind.ENDS)


def _of_job(job: Resource, uri: str, kept: float | None) -> End:
    if next(job_faults(job), None) is not None or truth(job.get("paused")):
        return End(Kind.SAID)
    action, method = action_of(uri), method_of(job)
    if action in _STARTING:
        return End(Kind.NONE)
    if not method:
        return End(Kind.UNSEEN, f"how '{job.name}' calls is not known yet")
    if method in ("GET", "HEAD", "OPTIONS"):
        return End(Kind.NONE, f"'{job.name}' only reads", job.name, "httpTarget.httpMethod")
    if method == "DELETE" or action in _ENDING:
        return End(Kind.ENDS)
    asked = _asked_size(job, uri)
    if asked is None or asked == 0:
        return End(Kind.ENDS)
    if late(asked):
        return End(Kind.UNSEEN, f"what '{job.name}' leaves is not known yet")
    left = number(asked)
    if left is None or (kept is not None and left > kept):
        return End(Kind.NONE)
    place = "httpTarget.uri" if "size" in parse_qs(urlsplit(uri).query) else "httpTarget.body"
    return End(Kind.NONE, f"'{job.name}' leaves {left:g}", job.name, place)


def action_of(uri: str) -> str:
    """The verb at the end of a call's address; empty where it is none that moves machines."""
    match = _ACTION.search(urlsplit(uri).path.rstrip("/"))
    return match[1] if match else ""


def method_of(job: Resource) -> str:
    """The HTTP method of a job, POST where none is written; empty where it is not known yet."""
    said = job.get("httpTarget", "httpMethod")
    return "POST" if said is None else "" if late(said) else str(said).upper()


def _asked_size(job: Resource, uri: str) -> Any:
    """The size that a call asks for; None where it names none."""
    query = parse_qs(urlsplit(uri).query).get("size")
    if query:
        return query[0] if late(query[0]) else number(query[0])
    body = job.get("httpTarget", "body")
    if late(body):
        return body
    try:
        found = json.loads(script(body)) if isinstance(body, str) else None
    except ValueError:
        return None
    if not isinstance(found, Mapping):
        return None
    return next((v for k in _SIZE_KEYS if (v := cast("Mapping[str, Any]", found).get(k)) is not None), None)


def job_faults(job: Resource) -> Iterator[tuple[str, str]]:
    """(place, why) of each fault for which a job that calls a Google API never does."""
    line, zone, uri = job.get("schedule"), job.get("timeZone"), job.get("httpTarget", "uri")
    if isinstance(line, str) and not late(line) and (why := cron_fault(line)):
        yield "schedule", why
    if isinstance(zone, str) and not late(zone) and not is_timezone(zone):
        yield "timeZone", f"'{zone[:60]}' is no timezone"
    token, account = job.get("httpTarget", "oauthToken"), job.get("httpTarget", "oauthToken", "serviceAccountEmail")
    if token is None and not _authorized(job):
        yield "httpTarget.oauthToken", "absent: a Google API answers 401 without one"
    elif isinstance(token, Mapping) and account in (None, ""):
        yield "httpTarget.oauthToken", "it names no service account"
    action, method = action_of(uri) if isinstance(uri, str) else "", method_of(job)
    if action in ("resize", "setSize", *_ENDING) and method not in ("POST", ""):
        yield "httpTarget.httpMethod", f"{action} is called with POST; {method} is answered 404, and does nothing"


def cron_fault(line: str) -> str:
    """Why a line of cron is refused or never comes; empty where it does, or is said in words (`every 24 hours`)."""
    if line.strip().lower().startswith("every"):
        return ""
    try:
        return "" if parse_cron(line).comes else f"'{line[:60]}' never comes: no month in it has such a day"
    except CronError as e:
        return f"'{line[:60]}': {e}"


def _authorized(job: Resource) -> bool:
    headers = job.get("httpTarget", "headers")
    return late(headers) or (isinstance(headers, Mapping) and "Authorization" in headers)


def schedule_faults(policy: Resource, now: datetime | None) -> Iterator[tuple[str, str]]:
    """(place, why) of each fault for which an instance schedule stops nothing."""
    line = policy.get("instanceSchedulePolicy", "vmStopSchedule", "schedule")
    zone, over = (policy.get("instanceSchedulePolicy", k) for k in ("timeZone", "expirationTime"))
    if isinstance(line, str) and not late(line) and (why := cron_fault(line)):
        yield "instanceSchedulePolicy.vmStopSchedule.schedule", why
    if isinstance(zone, str) and not late(zone) and not is_timezone(zone):
        yield "instanceSchedulePolicy.timeZone", f"'{zone[:60]}' is no timezone"
    end = moment(over)
    if end is not None and now is not None and end <= now:
        yield "instanceSchedulePolicy.expirationTime", f"the schedule was over at {over}"
