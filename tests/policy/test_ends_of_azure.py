"""What ends Azure nodes in a plain program, and what only looks like it."""

from __future__ import annotations

import pytest

from tests.cases.judging import judged

CODES = ("GI3246", "GI3275", "GI3278")
SET = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs: {vmScaleSetName: gpu, sku: {name: Standard_ND96isr_H100_v5, capacity: 2}}
  options: {ignoreChanges: [sku.capacity]}
"""
BOX = "- {type: azure-native.compute.VirtualMachine, name: box, inputs: {vmName: box, hardwareProfile: {vmSize: Standard_NC24ads_A100_v4}}}\n"
RUNBOOK = "- {type: azure-native.automation.Runbook, name: down, inputs: {runbookName: down}}\n"
JOIN = "- {type: azure-native.automation.JobSchedule, name: join, inputs: {runbook: {name: down}, schedule: {name: night}}}\n"


def scaled(capacity: str, more: str = "", enabled: str = "true", target: str = "!ref nodes.id ") -> str:
    least, usual, most = capacity.split("/")
    numbers = f'{{minimum: "{least}", default: "{usual}", maximum: "{most}"}}'
    return f"""\
- type: azure-native.monitor.AutoscaleSetting
  name: lease
  inputs: {{enabled: {enabled}, targetResourceUri: {target}, profiles: [{{name: end, capacity: {numbers}{more}}}]}}
"""


def evening(status: str = "Enabled", time: str = '{time: "1900"}', target: str = "!ref box.id ") -> str:
    return f"""\
- type: azure-native.devtestlab.GlobalSchedule
  name: evening
  inputs: {{name: shutdown-computevm-box, taskType: ComputeVmShutdownTask, timeZoneId: UTC, status: {status}, targetResourceId: {target}, dailyRecurrence: {time}}}
"""


def night(inputs: str = "frequency: Day") -> str:
    return f"- {{type: azure-native.automation.Schedule, name: night, inputs: {{scheduleName: night, {inputs}}}}}\n"


def flow(state: str) -> str:
    return f"- {{type: azure-native.logic.Workflow, name: flow, inputs: {{state: {state}}}}}\n"


def action(inputs: str) -> str:
    return f"- {{type: azure-native.computeschedule.ScheduledAction, name: act, inputs: {{properties: {{actionType: Deallocate, {inputs}}}}}}}\n"


def window(end: str) -> str:
    return f", fixedDate: {{timeZone: UTC, start: '2025-12-01T00:00:00Z', end: '{end}'}}"


def rule(direction: str) -> str:
    return f", rules: [{{scaleAction: {{direction: {direction}, type: ChangeCount, value: '1'}}}}]"


def verdict(*parts: str) -> tuple[list[tuple[str, str]], list[str]]:
    report = judged("".join(parts))
    said = [(d.code, d.path) for d in report.diagnostics if d.code in CODES]
    return said, [u.code for u in report.undecided if u.code == "GI3275"]


@pytest.mark.parametrize(
    ("parts", "code", "path"),
    [
        ((SET, scaled("1/1/1")), "GI3275", "lease.profiles[0].capacity.minimum"),
        ((SET, scaled("0/2/4")), "GI3275", "lease.profiles[0]"),
        ((SET, scaled("0/2/4", rule("Increase"))), "GI3275", "lease.profiles[0]"),
        ((SET, scaled("0/0/0", enabled="false")), "GI3278", "lease.enabled"),
        ((SET, scaled("0/0/0", window("2026-01-01T00:00:00Z"))), "GI3278", "lease.profiles[0].fixedDate.end"),
        ((SET, scaled("0/0/0", target="/subscriptions/s/providers/Microsoft.Compute/virtualMachineScaleSets/other")), "GI3275", "nodes.sku.capacity"),
        ((BOX, evening(status="Disabled")), "GI3275", "evening.status"),
        ((BOX, evening(status="null")), "GI3275", "evening.status"),
        ((BOX, evening(time="null")), "GI3275", "evening.dailyRecurrence"),
        ((BOX, evening(time='{time: "19:00"}')), "GI3246", "evening.dailyRecurrence.time"),
        ((SET, RUNBOOK, night()), "GI3275", "night"),
        ((SET, RUNBOOK, night("frequency: OneTime, startTime: '2026-11-01T00:00:00Z'"), JOIN), "GI3275", "night.startTime"),
        ((SET, RUNBOOK, night("frequency: Day, expiryTime: '2026-11-01T00:00:00Z'"), JOIN), "GI3275", "night.expiryTime"),
        ((SET, flow("Disabled")), "GI3275", "flow.state"),
        ((SET, action("disabled: true")), "GI3275", "act.properties.disabled"),
        ((SET, action("endTime: '2026-01-01T00:00:00Z'")), "GI3275", "act.properties.endTime"),
        ((SET, action("").replace("Deallocate", "Start")), "GI3275", "act.properties.actionType"),
    ],
)  # fmt: skip
def test_what_only_looks_like_an_end(parts: tuple[str, ...], code: str, path: str):
    assert verdict(*parts) == ([(code, path)], [])


@pytest.mark.parametrize(
    "parts",
    [
        (SET, scaled("0/0/0")),
        (SET, scaled("0/0/4")),
        (SET, scaled("0/2/4", rule("Decrease"))),
        (SET, scaled("0/0/0", window("2099-01-01T00:00:00Z"))),
        (SET, scaled("0/0/0", target="/subscriptions/s/providers/Microsoft.Compute/virtualMachineScaleSets/gpu")),
        (BOX, evening()),
        (SET, evening(target="!ref nodes.id ").replace("shutdown-computevm-box", "shutdown-computevm-gpu")),
        (SET, RUNBOOK, night(), JOIN),
        (SET, RUNBOOK, "- {type: azure-native.automation.Webhook, name: hook, inputs: {isEnabled: true}}\n"),
        (SET, flow("Enabled")),
        (SET, flow("null")),
        (SET, action("endTime: '2027-01-01T00:00:00Z'")),
        (SET, flow("Disabled"), scaled("0/0/0")),
    ],
)
def test_what_ends_nodes(parts: tuple[str, ...]):
    assert verdict(*parts) == ([], [])


@pytest.mark.parametrize(
    "parts",
    [
        (SET, RUNBOOK),
        (SET, RUNBOOK, night(), JOIN.replace("down", "other")),
        (SET, "- {type: azure-native.web.WebApp, name: watch, inputs: {kind: 'functionapp,linux'}}\n"),
        (SET, scaled("0/0/0", enabled="!unknown ")),
        (BOX, evening(status="!unknown ")),
    ],
)
def test_what_cannot_be_seen_into(parts: tuple[str, ...]):
    assert verdict(*parts) == ([], ["GI3275"])
