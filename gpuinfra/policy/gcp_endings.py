"""How Google machines end: by their own scheduling, and what a stop would do."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from .gcp_graph import GcpGraph
from .gcp_machines import Machines
from .gcp_types import AUTOSCALERS, BUDGET, GROUPS, INSTANCE, JOB, NODE_POOL, own_name
from .resource_graph import Resource
from .wire_values import items, late, number

LISTENERS = (
    "gcp:pubsub/subscription:Subscription",
    "gcp:eventarc/trigger:Trigger",
    "gcp:cloudfunctionsv2/function:Function",
    "gcp:cloudfunctions/function:Function",
)
"""What can act on a message of a budget."""
_STOPPED = ("TERMINATED", "SUSPENDED")
_POWER_OFF = ("shutdown", "poweroff", "instances delete", "instances stop")


def stops_at_end(machines: Machines) -> bool:
    """Whether the machine's own end stops it, and does not delete it."""
    return machines.get("scheduling", "instanceTerminationAction") == "STOP"


def stops_with_ssd(machines: Machines) -> bool:
    """Whether a stop is asked for, on a machine that may have a Local SSD."""
    return (stops_at_end(machines) or machines.source.get("desiredStatus") in _STOPPED) and (
        machines.has_local_ssd is not False
    )


def keeps_its_type(machines: Machines) -> bool:
    """Whether the machine type cannot be changed in place: those that bring bundled SSDs."""
    return machines.layout is not None and machines.layout.local_ssd_bundled > 0


def ends_itself(gcp: GcpGraph, machines: Machines) -> bool:
    """Whether the machines have an end of their own: a run time, a moment, a schedule or a watchdog in their script."""
    if machines.is_pool:
        timed = machines.get("maxRunDuration") is not None or machines.model == "FLEX_START"
    else:
        timed = any(machines.get("scheduling", k) is not None for k in ("maxRunDuration", "terminationTime"))
    return timed or _on_schedule(gcp, machines) or _watched(machines)


def kept_machines(gcp: GcpGraph, owner: Resource) -> tuple[str, float | None]:
    """(path, number) of machines that an instance, group or pool keeps while nothing moves it; None where unknown."""
    if owner.type == INSTANCE:
        return ("desiredStatus", 0) if owner.get("desiredStatus") in _STOPPED else ("", 1)
    if owner.type == NODE_POOL:
        return _kept_by_pool(owner)
    for scaler in gcp.of_type(*AUTOSCALERS):
        if owner in gcp.linked(scaler, "target", *GROUPS).resources:
            value = scaler.get("autoscalingPolicy", "minReplicas")
            return "autoscaling", None if late(value) else number(value) or 0
    value = owner.get("targetSize")
    return "targetSize", None if late(value) else number(value) or 0


def _kept_by_pool(pool: Resource) -> tuple[str, float | None]:
    scaling = pool.get("autoscaling")
    if late(scaling):
        return "autoscaling", None
    keys = ("minNodeCount", "totalMinNodeCount")
    if scaling is not None:
        values = [pool.get("autoscaling", k) for k in keys]
        path = f"autoscaling.{next((k for k, v in zip(keys, values, strict=True) if v), keys[0])}"
    else:
        path, values = "nodeCount", [pool.get(k) for k in ("nodeCount", "initialNodeCount")][:2]
    if any(map(late, values)):
        return path, None
    # A pool that names no number has one node.
    known = [n for v in values if (n := number(v)) is not None]
    return path, max(known) if known else (0 if scaling is not None else 1)


def is_scheduled(gcp: GcpGraph, owner: Resource) -> bool:
    """Whether a scheduler job of the program speaks of an instance, group or pool, by reference or by its name."""
    name = own_name(owner)
    for job in gcp.of_type(JOB):
        if owner.urn in (*job.dependencies, *(u for us in job.property_dependencies.values() for u in us)):
            return True
        text = f"{job.get('httpTarget', 'uri')} {job.get('httpTarget', 'body')}"
        if f"${{{owner.name}." in text or (name and f"/{name}/" in f"{text} /"):
            return True
    return False


def budget_reacts(gcp: GcpGraph) -> bool:
    """Whether a budget of the program tells a topic on which something listens."""
    topics = [b.get("allUpdatesRule", "pubsubTopic") for b in gcp.of_type(BUDGET)]
    return any(t is not None for t in topics) and gcp.has(*LISTENERS)


def ignores(resource: Resource, key: str) -> bool:
    """Whether `up` leaves a property of a resource alone."""
    return bool({key, "*"} & {str(i) for i in items(resource.options.get("ignoreChanges"))})


def moment(value: object) -> datetime | None:
    """An instant from text, UTC where it names no offset; None for anything else."""
    found = value
    if isinstance(value, str) and not late(value):
        try:
            found = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
    if not isinstance(found, datetime):
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def is_timezone(name: str) -> bool:
    """Whether a name is one of the IANA timezones."""
    try:
        ZoneInfo(name)
    except (ValueError, KeyError, OSError):
        return False
    return True


def _on_schedule(gcp: GcpGraph, machines: Machines) -> bool:
    for policy in gcp.policies(machines):
        schedule = policy.get("instanceSchedulePolicy")
        if schedule is not None and (
            late(schedule)
            or any(policy.get("instanceSchedulePolicy", k) is not None for k in ("vmStopSchedule", "expirationTime"))
        ):
            return True
    return False


def _watched(machines: Machines) -> bool:
    scripts = [machines.get("metadata", k) for k in ("startup-script", "user-data")]
    return any(w in str(s) for s in (*scripts, machines.source.get("metadataStartupScript")) for w in _POWER_OFF)
