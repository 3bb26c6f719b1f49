"""A shutdown schedule that Azure refuses, or that fires at another hour.

What: A schedule's name is not shutdown-computevm-<machine>, its time is not four digits, its time zone is no Windows id, or its task is another one.
Why: The name joins the schedule to its machine: under another one it is refused. Europe/Berlin is unknown to Azure, which says W. Europe Standard Time.
Fix: Write what is named.
References: hashicorp/terraform-provider-azurerm#5863; Azure DevTest Labs API, GlobalSchedule
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import MACHINE, VM_SCHEDULE, AzureGraph
from ...azure_moments import zone_fault
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3246", "vm-schedule-misspelt", Severity.ERROR, __doc__, ("AZ SHUT-02",))
_PREFIX, _TASK = "shutdown-computevm-", "ComputeVmShutdownTask"
_TIME = re.compile(r"(?:[01]\d|2[0-3])[0-5]\d")
_FIELDS = (("name",), ("timeZoneId",), ("dailyRecurrence", "time"), ("taskType",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each fault of a schedule."""
    for s in ctx.azure.of_type(VM_SCHEDULE):
        if any(late(s.get(*path)) for path in _FIELDS):
            yield Undecided(CODE.code, s.name, "the name, the time or the zone is not known yet")
        for path, text, hint in _faults(ctx.azure, s):
            yield CODE.at(f"{s.name}.{path}", text, hint, resource=s.name)


def _faults(azure: AzureGraph, s: Resource) -> Iterator[tuple[str, str, str]]:
    name, zone, time, task = (s.get(*path) for path in _FIELDS)
    machine = _machine(azure, s)
    if isinstance(name, str) and not late(name) and name.lower() != f"{_PREFIX}{machine}".lower():
        if machine or not name.lower().startswith(_PREFIX):
            yield "name", f"'{name}' is joined to no machine", f"name it {_PREFIX}{machine or '<name of the machine>'}"
    elif name is None:
        yield (
            "name",
            "without a name of its own the provider adds letters to it",
            f"name it {_PREFIX}{machine or '<machine>'}",
        )
    fault, hint = zone_fault(zone)
    if fault:
        yield "timeZoneId", fault, hint
    if isinstance(time, str) and not late(time) and not _TIME.fullmatch(time):
        yield "dailyRecurrence.time", f"'{time}' is not four digits", 'write it as "1900"'
    if isinstance(task, str) and not late(task) and task.lower() != _TASK.lower():
        yield "taskType", f"'{task}' is another task", f"write {_TASK}"


def _machine(azure: AzureGraph, s: Resource) -> str:
    """The name of the machine that the schedule aims at; empty where it is not known."""
    for r in azure.linked(s, "targetResourceId", MACHINE).resources:
        name = r.get("vmName")
        return name if isinstance(name, str) and not late(name) else ""
    value = s.get("targetResourceId")
    head, _, tail = value.rpartition("/") if isinstance(value, str) and not late(value) else ("", "", "")
    return tail if head.lower().endswith("/virtualmachines") else ""


_T = """\
- {{type: azure-native.compute.VirtualMachine, name: box, inputs: {{vmName: box}}}}
- type: azure-native.devtestlab.GlobalSchedule
  name: evening
  inputs:
    name: {0}
    targetResourceId: !ref box.id
    taskType: ComputeVmShutdownTask
    timeZoneId: {1}
    dailyRecurrence: {{time: {2}}}
"""
_RIGHT, _ZONE = "shutdown-computevm-box", "W. Europe Standard Time"

RULE = ResourceRule(
    CODE,
    ("time",),
    check,
    Examples(
        (_T.format(_RIGHT, _ZONE, '"1900"'),),
        (
            _T.format("evening", _ZONE, '"1900"'),
            _T.format("shutdown-computevm-other", _ZONE, '"1900"'),
            _T.format(_RIGHT, "Europe/Berlin", '"1900"'),
            _T.format(_RIGHT, _ZONE, '"19:00"'),
        ),
        (_T.format("!unknown ", _ZONE, '"1900"'),),
    ),
    providers=(Provider.AZURE,),
)
