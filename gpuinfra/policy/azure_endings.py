"""What ends Azure nodes, what only looks like it, and what cannot be seen into."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, cast

from .azure_boot import boot_text
from .azure_graph import (
    ACTION_GROUP,
    AUTOSCALE,
    MACHINE,
    PREFIX,
    SCALE_SET,
    SCHEDULED_ACTION,
    VM_SCHEDULE,
    AzureGraph,
    AzureNodes,
)
from .azure_moments import moment_of
from .azure_scaling import profile_fault, profiles
from .found_ends import End, Kind, best_of
from .resource_graph import Resource
from .wire_values import entries, items, late, number, plain, truth

_RUNBOOK = f"{PREFIX}:automation:Runbook"
_SCHEDULE = f"{PREFIX}:automation:Schedule"
_JOB = f"{PREFIX}:automation:JobSchedule"
_CALLERS = (f"{PREFIX}:automation:Webhook", f"{PREFIX}:automation:Watcher")
_WORKFLOW = f"{PREFIX}:logic:Workflow"
_APP = f"{PREFIX}:web:WebApp"
_APP_JOB = f"{PREFIX}:app:Job"
_WATCH = re.compile(r"deallocate|virtualMachineScaleSets|az\s+vm(?:ss)?\s+(?:scale|delete|stop)", re.IGNORECASE)


def end_of(azure: AzureGraph, nodes: AzureNodes, now: datetime | None) -> End:
    """The best that is known of the end of a set or a machine."""
    found = [*_by_scalers(azure, nodes, now), *_by_schedules(azure, nodes)]
    if _WATCH.search(boot_text(azure, nodes) or ""):
        found.append(End(Kind.ENDS))
    return best_of((*found, *by_automation(azure, now)))


def _by_scalers(azure: AzureGraph, nodes: AzureNodes, now: datetime | None) -> Iterator[End]:
    for setting in azure.scalers(nodes):
        if late(setting.get("enabled")) or late(setting.get("profiles")):
            yield End(Kind.UNSEEN, f"what '{setting.name}' does is not known yet")
        elif truth(setting.get("enabled")) is not True:
            # Another rule says that it never acts.
            yield End(Kind.SAID)
        else:
            yield from (_by_profile(setting, n, profile, capacity, now) for n, profile, capacity in profiles(setting))
    for name in azure.once("settings that aim unseen", lambda: _aim_unseen(azure)):
        yield End(Kind.UNSEEN, f"what '{name}' aims at is not known yet")


def _aim_unseen(azure: AzureGraph) -> tuple[str, ...]:
    """The names of autoscale settings and shutdown schedules whose target is not known yet."""
    aims = ((AUTOSCALE, "targetResourceUri"), (VM_SCHEDULE, "targetResourceId"))
    found = ((s.name, azure.linked(s, key)) for kind, key in aims for s in azure.of_type(kind))
    return tuple(name for name, links in found if links.unknown and not links.resources)


def _by_profile(
    setting: Resource, index: int, profile: Mapping[str, Any], capacity: Mapping[str, Any], now: datetime | None
) -> End:
    if profile_fault(profile, capacity, now)[1]:
        return End(Kind.SAID)
    numbers = [plain(capacity.get(k)) for k in ("minimum", "default", "maximum")]
    if any(map(late, numbers)):
        return End(Kind.UNSEEN, f"what '{setting.name}' leaves is not known yet")
    least, usual, most = map(number, numbers)
    if least:
        text = f"'{setting.name}' keeps {least:g} of them"
        return End(Kind.NONE, text, setting.name, f"profiles[{index}].capacity.minimum")
    if not most or not usual or late(profile.get("rules")) or any(map(_shrinks, entries(profile.get("rules")))):
        return End(Kind.ENDS)
    return End(Kind.NONE, f"'{setting.name}' has no rule that takes any away", setting.name, f"profiles[{index}]")


def _shrinks(rule: Mapping[str, Any]) -> bool:
    action = plain(rule.get("scaleAction"))
    said = plain(cast("Mapping[str, Any]", action).get("direction")) if isinstance(action, Mapping) else action
    return str(said).lower() not in ("increase", "none")


def _by_schedules(azure: AzureGraph, nodes: AzureNodes) -> Iterator[End]:
    """Shutdown schedules of a machine. What is wrong with their words another rule says."""
    by_target = azure.once("shutdown schedules by target", lambda: _by_target(azure))
    own = {nodes.resource.urn, _last_part(nodes.resource.get("vmScaleSetName" if nodes.is_set else "vmName"))} - {""}
    for s in {s.urn: s for key in own for s in by_target.get(key, ())}.values():
        if nodes.is_set:
            # Another rule says that it knows machines alone.
            yield End(Kind.SAID)
            continue
        status = s.get("status")
        if late(status):
            yield End(Kind.UNSEEN, f"whether '{s.name}' is switched on is not known yet")
        elif str(status).lower() != "enabled":
            said = "is switched off" if status is not None else "has no status, which means that it is off"
            yield End(Kind.NONE, f"'{s.name}' {said}", s.name, "status")
        elif s.get("dailyRecurrence") is None and s.get("weeklyRecurrence") is None:
            yield End(Kind.NONE, f"'{s.name}' names no time", s.name, "dailyRecurrence")
        else:
            yield End(Kind.ENDS)


def _by_target(azure: AzureGraph) -> dict[str, list[Resource]]:
    """The shutdown schedules by the URN of what they aim at, and by the name at the id's end."""
    found: dict[str, list[Resource]] = {}
    for s in azure.of_type(VM_SCHEDULE):
        urns = [r.urn for r in azure.linked(s, "targetResourceId", MACHINE, SCALE_SET).resources]
        for key in dict.fromkeys((*urns, _last_part(s.get("targetResourceId")))):
            found.setdefault(key, []).append(s)
    return found


def _last_part(value: object) -> str:
    return value.lower().rpartition("/")[2] if isinstance(value, str) and not late(value) else ""


def by_automation(azure: AzureGraph, now: datetime | None) -> tuple[End, ...]:
    """What may take nodes down without naming them in a way that can be followed."""
    return azure.once("what may take any nodes down", lambda: tuple(_automation(azure, now)))


def _automation(azure: AzureGraph, now: datetime | None) -> Iterator[End]:
    yield from _by_runbooks(azure, now)
    for flow in azure.of_type(_WORKFLOW):
        if late(flow.get("state")):
            yield End(Kind.UNSEEN, f"whether '{flow.name}' is switched on is not known yet")
        elif str(flow.get("state")).lower() in ("disabled", "suspended"):
            yield End(Kind.NONE, f"'{flow.name}' is switched off", flow.name, "state")
        else:
            yield End(Kind.ENDS)
    for action in azure.of_type(SCHEDULED_ACTION):
        yield _by_scheduled_action(action, now)
    for app in azure.of_type(_APP, _APP_JOB):
        if app.type == _APP_JOB or ("functionapp" in str(app.get("kind")) and truth(app.get("enabled")) is not False):
            yield End(Kind.UNSEEN, f"what '{app.name}' does cannot be seen into")


def _by_scheduled_action(action: Resource, now: datetime | None) -> End:
    disabled, kind, over = (action.get("properties", k) for k in ("disabled", "actionType", "endTime"))
    end = moment_of(over)
    if late(disabled) or late(kind):
        return End(Kind.UNSEEN, f"whether '{action.name}' stops them is not known yet")
    if truth(disabled):
        return End(Kind.NONE, f"'{action.name}' is switched off", action.name, "properties.disabled")
    if str(kind).lower() == "start":
        return End(Kind.NONE, f"'{action.name}' starts them and stops none", action.name, "properties.actionType")
    if end is not None and now is not None and end <= now:
        return End(Kind.NONE, f"'{action.name}' was over at {over}", action.name, "properties.endTime")
    return End(Kind.ENDS)


def _by_runbooks(azure: AzureGraph, now: datetime | None) -> Iterator[End]:
    joins = list(azure.of_type(_JOB))
    for runbook in azure.of_type(_RUNBOOK):
        joined = [j for j in joins if _names(azure, j, "runbook", runbook)]
        if joined:
            yield from (_by_join(azure, j, now) for j in joined)
        elif _is_called(azure, runbook):
            yield End(Kind.ENDS)
        else:
            free = [s for s in azure.of_type(_SCHEDULE) if not any(_names(azure, j, "schedule", s) for j in joins)]
            if free:
                yield End(Kind.NONE, f"'{free[0].name}' is joined to no runbook (JobSchedule)", free[0].name)
            else:
                # It may be started from elsewhere.
                yield End(Kind.UNSEEN, f"what starts the runbook '{runbook.name}' is not in this program")
    if joins and not azure.has(_RUNBOOK):
        yield from (_by_join(azure, j, now) for j in joins)


def _by_join(azure: AzureGraph, join: Resource, now: datetime | None) -> End:
    """A runbook that a schedule starts: unless the schedule is over."""
    for s in azure.of_type(_SCHEDULE):
        if not _names(azure, join, "schedule", s):
            continue
        once = str(s.get("frequency")).lower() == "onetime"
        for key in ("expiryTime", *(("startTime",) if once else ())):
            at = moment_of(s.get(key))
            if at is not None and now is not None and at <= now:
                return End(Kind.NONE, f"'{s.name}' was over at {s.get(key)}", s.name, key)
    return End(Kind.ENDS)


def _names(azure: AzureGraph, join: Resource, key: str, target: Resource) -> bool:
    """Whether a job schedule joins a runbook or a schedule; also where the name is not known and nothing says another."""
    value = join.get(key, "name")
    links = azure.link(join, key, value, target.type)
    named = target.get("runbookName" if key == "runbook" else "scheduleName") or target.get("name")
    if any(r.urn == target.urn for r in links.resources):
        return True
    return (links.unknown and not links.resources) or (isinstance(value, str) and value == named)


def _is_called(azure: AzureGraph, runbook: Resource) -> bool:
    """Whether a webhook or the receiver of an action group may start a runbook."""
    hooks = [h for h in azure.of_type(*_CALLERS) if truth(h.get("isEnabled")) is not False]
    receivers = ("automationRunbookReceivers", "webhookReceivers")
    return bool(hooks) or any(items(g.get(k)) or late(g.get(k)) for g in azure.of_type(ACTION_GROUP) for k in receivers)
