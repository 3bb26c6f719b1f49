"""How Google machines end: by their own scheduling, and what a stop would do."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from .found_ends import End, Kind, best_of
from .gcp_graph import GcpGraph
from .gcp_jobs import calls, ends_by_jobs, schedule_faults
from .gcp_machines import Machines
from .gcp_types import (
    AUTOSCALERS,
    BUDGET,
    GROUPS,
    INSTANCE,
    NODE_POOL,
    POLICY_ATTACHMENT,
    RESOURCE_POLICY,
    last_part,
    own_name,
)
from .resource_graph import Resource
from .wire_values import entries, items, late, number, plain

FUNCTIONS = ("gcp:cloudfunctionsv2/function:Function", "gcp:cloudfunctions/function:Function")
LISTENERS = ("gcp:pubsub/subscription:Subscription", "gcp:eventarc/trigger:Trigger", *FUNCTIONS)
"""What can act on a message of a budget."""
_TOPIC = "gcp:pubsub/topic:Topic"
_NEVER_DOWN = ("OFF", "ONLY_UP", "ONLY_SCALE_OUT")
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


def end_of(gcp: GcpGraph, machines: Machines, owner: Resource, kept: float | None, now: datetime | None) -> End:
    """The best that is known of the end of an instance, a group or a pool."""
    own = [End(Kind.ENDS)] if _ends_itself(machines) else []
    return best_of((*own, *_by_policies(gcp, machines, now), *ends_by_jobs(gcp, owner, kept)))


def _ends_itself(machines: Machines) -> bool:
    """Whether the machines have an end of their own: a run time, a moment, or a watchdog in their script."""
    if machines.is_pool:
        timed = machines.get("maxRunDuration") is not None or machines.model == "FLEX_START"
    else:
        timed = any(machines.get("scheduling", k) is not None for k in ("maxRunDuration", "terminationTime"))
    return timed or _watched(machines)


def kept_machines(gcp: GcpGraph, owner: Resource) -> tuple[str, float | None]:
    """(path, number) of machines that an instance, group or pool keeps while nothing moves it; None where unknown."""
    if owner.type == INSTANCE:
        return ("desiredStatus", 0) if owner.get("desiredStatus") in _STOPPED else ("", 1)
    if owner.type == NODE_POOL:
        return _kept_by_pool(owner)
    for scaler in gcp.of_type(*AUTOSCALERS):
        if scaler.get("autoscalingPolicy", "mode") in _NEVER_DOWN:
            continue
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
        values = [pool.get(k) for k in ("nodeCount", "initialNodeCount")]
        path = "initialNodeCount" if values[0] is None and values[1] is not None else "nodeCount"
    if any(map(late, values)):
        return path, None
    # A pool that names no number has one node.
    known = [n for v in values if (n := number(v)) is not None]
    return path, max(known) if known else (0 if scaling is not None else 1)


def is_scheduled(gcp: GcpGraph, owner: Resource) -> bool:
    """Whether a scheduler job of the program speaks of an instance, group or pool, by reference or by its name."""
    return any(call.speaks_of(owner) for call in calls(gcp))


def budget_reacts(gcp: GcpGraph) -> bool:
    """Whether a budget of the program tells a topic on which something listens."""
    return any(is_heard(gcp, b) is not False for b in gcp.of_type(BUDGET))


def is_heard(gcp: GcpGraph, budget: Resource) -> bool | None:
    """Whether something of the program listens to the topic of a budget, or may; None where a topic is not known yet."""
    topic = budget.get("allUpdatesRule", "pubsubTopic")
    if topic is None:
        return False
    own = gcp.link(budget, "allUpdatesRule", topic, _TOPIC).resources
    named = {n for t in own if (n := own_name(t))} | ({last_part(topic)} if isinstance(topic, str) else set[str]())
    if late(topic) and not own:
        return None if any(_topics_of(r) != [] for r in gcp.of_type(*LISTENERS)) else False
    heard = [_may_be(gcp, r, own, named) for r in gcp.of_type(*LISTENERS)]
    return True if True in heard else None if None in heard else False


def _topics_of(listener: Resource) -> list[tuple[str, Any]] | None:
    """(top-level input, value) of each topic that a listener names; None where it may hear one without naming it."""
    if listener.type in FUNCTIONS and listener.get("eventTrigger") is None:
        # It is called by its address: what calls it is a listener of its own.
        return []
    found = [("topic", listener.get("topic"))]
    found += [("eventTrigger", listener.get("eventTrigger", k)) for k in ("pubsubTopic", "resource")]
    for one in entries(listener.get("transports")):
        found += [("transports", plain(p.get("topic"))) for p in entries(plain(one.get("pubsubs")))]
    return [(key, v) for key, v in found if v is not None] or None


def _may_be(gcp: GcpGraph, listener: Resource, own: tuple[Resource, ...], named: set[str]) -> bool | None:
    """Whether a listener hears one topic: it or its name; None where what it hears is not known yet."""
    found = _topics_of(listener)
    if found is None:
        return True
    unknown = False
    for key, value in found:
        linked = gcp.link(listener, key, value, _TOPIC).resources
        if any(t in own or own_name(t) in named for t in linked):
            return True
        if not linked and not late(value) and (last_part(str(value)) in named or (own and not named)):
            return True
        unknown = unknown or (not linked and late(value))
    return None if unknown else False


def ignores(resource: Resource, key: str) -> bool:
    """Whether `up` leaves a property of a resource alone."""
    return bool({key, "*"} & {str(i) for i in items(resource.options.get("ignoreChanges"))})


def _by_policies(gcp: GcpGraph, machines: Machines, now: datetime | None) -> Iterator[End]:
    """What instance schedules make of machines: of a schedule that starts them alone, they run on."""
    attached = schedules_on(gcp, machines)
    for policy in attached:
        if late(policy.get("instanceSchedulePolicy")):
            yield End(Kind.UNSEEN, f"what '{policy.name}' does is not known yet")
        elif policy.get("instanceSchedulePolicy", "vmStopSchedule") is None:
            yield End(Kind.NONE, f"'{policy.name}' starts them and stops none", policy.name, "instanceSchedulePolicy")
        else:
            said = next(schedule_faults(policy, now), None) is not None
            yield End(Kind.SAID if said else Kind.ENDS)
    if machines.is_pool or attached:
        return
    if gcp.linked(machines.source, "resourcePolicies", RESOURCE_POLICY).unknown:
        yield End(Kind.UNSEEN, "which resource policies stand on it is not known yet")
        return
    if machines.source.type == INSTANCE:
        for policy in gcp.once("schedules on no machine", lambda: _unused(gcp)):
            yield End(Kind.NONE, f"'{policy.name}' stands on no machine", policy.name, "instanceSchedulePolicy")


def _unused(gcp: GcpGraph) -> tuple[Resource, ...]:
    """The instance schedules that stop machines, and stand on none."""
    used = {p.urn for m in gcp.vms for p in schedules_on(gcp, m)}
    stops = (p for p in gcp.of_type(RESOURCE_POLICY) if p.get("instanceSchedulePolicy", "vmStopSchedule") is not None)
    return tuple(p for p in stops if p.urn not in used)


def schedules_on(gcp: GcpGraph, machines: Machines) -> tuple[Resource, ...]:
    """The instance schedules that stand on machines, written at them or attached."""
    found = [p for p in gcp.policies(machines) if p.get("instanceSchedulePolicy") is not None]
    for a in gcp.of_type(POLICY_ATTACHMENT):
        if machines.source in gcp.linked(a, "instance", INSTANCE).resources:
            found += gcp.linked(a, "name", RESOURCE_POLICY).resources
    return tuple({p.urn: p for p in found}.values())


def _watched(machines: Machines) -> bool:
    script = machines.boot_script or ""
    return any(w in script for w in _POWER_OFF)
