"""AZ-03 (a budget created in the middle of the month, redeployed next month), leases that never act, nodes without an end,
and what `up` undoes."""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from typing import Any

import pytest

from gpuinfra.diagnostics import Severity
from gpuinfra.policy import Secret, check_graph
from gpuinfra.policy.examples import NOW, graph_of

from .azure_programs import (
    A100,
    H100,
    MAIL,
    T4,
    autoscale,
    budget,
    changed,
    found,
    judge,
    ref,
    resource,
    scale_set,
    spec,
)
from .judging import codes, rows, said

BUD = {f"BUD-{n:02}" for n in range(1, 6)}
MONEY = "per_month_usd: 90000, contacts: [ml@example.com]"
JANUARY = datetime(2027, 1, 4, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("money", "code"),
    [
        (MONEY, ""),
        (f"{MONEY}, start: 2026-12-01", ""),
        (f"{MONEY}, start: 2026-11-17", "GI2209"),
        (f"{MONEY}, start: 2028-01-01", "GI2308"),
        (f"{MONEY}, alerts_percent: [50, 80, 100, 120, 150]", ""),
        (f"{MONEY}, alerts_percent: [50, 80, 100, 120, 150, 200]", "GI2206"),
        (f"{MONEY}, alerts_percent: [1001]", "GI2207"),
        ("per_month_usd: 90000, contacts: []", "GI2208"),
    ],
)
def test_03_budgets_of_a_spec(money: str, code: str):
    listed = [d for d in spec(money=money) if d.is_error]
    assert codes(listed) == ([code] if code else [])


def test_03_the_first_run_and_the_second_are_right():
    assert found(budget()) & BUD == set()
    later = judge(budget(), last={"money": budget()["inputs"]}, now=JANUARY)
    assert rows(later, cloud="AZ ") & BUD == set()


@pytest.mark.parametrize(
    ("start", "row"),
    [
        ("2026-11-17T00:00:00Z", "BUD-01"),
        ("2026-11-01T09:31:07Z", "BUD-01"),
        ("2016-01-01", "BUD-01"),
        ("2027-12-01", "BUD-01"),
        ("2027-11-01", ""),
        ("2026-12-01T00:00:00Z", ""),
        ("2026-12-01T00:00:00+00:00", ""),
        ("2026-12-01T00:00:00+01:00", "BUD-01"),
    ],
)
def test_03_starts(start: str, row: str):
    assert found(budget(timePeriod={"startDate": start})) & BUD == ({row} if row else set())


def test_03_a_start_of_this_month_that_is_not_ignored_moves_next_month():
    naive = {**budget(), "options": {}}
    assert said(judge(naive), "GI3271").severity is Severity.WARNING
    january = changed(naive, "timePeriod.startDate", "2027-01-01T00:00:00Z")
    one = said(judge(january, last={"money": naive["inputs"]}, now=JANUARY), "GI3271")
    assert one.is_error
    assert "starts on 2026-11-01" in one.message
    assert "GI3271" not in codes(judge(changed(budget(), "timePeriod.startDate", "2027-01-01T00:00:00Z"),
                                       last={"money": naive["inputs"]}, now=JANUARY))  # fmt: skip


def test_03_a_start_that_is_kept_in_the_state_is_right():
    kept = changed({**budget(), "options": {}}, "timePeriod.startDate", "${first.rfc3339}")
    report = judge(kept)
    assert rows(report, cloud="AZ ") & BUD == set()
    assert {u.code for u in report.undecided} >= {"GI3270"}


def notices(count: int, **more: Any) -> dict[str, Any]:
    return {f"n{n}": {"operator": "GreaterThan", "threshold": 10 * (n + 1), **MAIL, **more} for n in range(count)}


@pytest.mark.parametrize(
    ("inputs", "row"),
    [
        ({"notifications": notices(5)}, ""),
        ({"notifications": notices(6)}, "BUD-03"),
        ({"notifications": notices(1, threshold=1000)}, ""),
        ({"notifications": notices(1, threshold=1001)}, "BUD-03"),
        ({"notifications": notices(1, threshold=0)}, "BUD-03"),
        ({"notifications": notices(1, contactEmails=[])}, "BUD-04"),
        ({"notifications": notices(1, contactEmails=[], contactGroups=["/subscriptions/s/actionGroups/a"])}, ""),
        ({"notifications": {}}, "BUD-04"),
        ({"notifications": notices(1, enabled=False)}, "BUD-04"),
        ({"amount": 0}, "BUD-03"),
        ({"amount": -5}, "BUD-03"),
        ({"filter": {"and": [{"tags": {"name": "a", "values": ["b"]}}]}}, "BUD-03"),
    ],
)
def test_03_budgets_that_are_refused_or_mute(inputs: dict[str, Any], row: str):
    assert (row in found(budget(**inputs), errors=True)) if row else not found(budget(**inputs), errors=True)


def test_a_filter_by_a_tag_that_nothing_has_reads_zero():
    by_tag = {"filter": {"tags": {"name": "gpuinfra-cluster", "operator": "In", "values": ["acme"]}}}
    nodes = scale_set(T4, 1, tags={"gpuinfra-cluster": "acme"})
    assert "GI3274" not in codes(judge(nodes, budget(**by_tag)))
    assert "GI3274" in codes(judge(changed(nodes, "tags", {"team": "nlp"}), budget(**by_tag)))


def test_a_stop_that_no_budget_calls():
    acts = [{"name": "stop", "resourceId": "/w", "callbackUrl": "https://example.com"}]
    stop = resource("monitor.ActionGroup", "stop", groupShortName="stop", logicAppReceivers=acts)
    mails = resource(
        "monitor.ActionGroup", "mails", groupShortName="mails", emailReceivers=[{"name": "a", "emailAddress": "a@b.c"}]
    )
    called = budget(notifications=notices(1, contactGroups=[ref("stop")]))
    assert "GI3273" not in codes(judge(stop, mails, called))
    assert "GI3273" in codes(judge(stop, mails, budget()))
    assert "GI3273" not in codes(judge(stop))


@pytest.mark.parametrize("with_budget", [False, True])
def test_nodes_without_an_end(with_budget: bool):
    money = [budget()] if with_budget else []
    one = said(judge(scale_set(H100, 2), *money), "GI3275")
    assert "2 nodes of Standard_ND96isr_H100_v5 run for ever" in one.message
    assert ("8–24 h" in one.message) is with_budget


def test_a_budget_that_tells_nobody_is_none():
    one = said(judge(scale_set(H100, 2), budget(notifications=notices(1, enabled=False))), "GI3275")
    assert "the budget tells nobody" in one.message


def _script(line: str) -> dict[str, Any]:
    data = base64.b64encode(f"#!/bin/bash\n{line}\n".encode()).decode()
    return {"osProfile": {**scale_set()["inputs"]["virtualMachineProfile"]["osProfile"], "customData": data}}


@pytest.mark.parametrize(
    "resources",
    [
        [scale_set(H100, 2), autoscale()],
        [scale_set(H100, 0)],
        [scale_set("Standard_D8s_v5", 2)],
        [scale_set(H100, 2, profile=_script("az vmss scale --new-capacity 0"))],
        [scale_set(H100, 2), resource("automation.Runbook", "night", runbookType="PowerShell")],
        [resource("containerservice.AgentPool", "p", vmSize=H100, count=2, enableAutoScaling=True, minCount=0)],
    ],
)
def test_nodes_with_an_end(resources: list[dict[str, Any]]):
    assert "GI3275" not in codes(judge(*resources))


def test_pools_of_a_managed_cluster():
    pools = [
        {"name": "base", "mode": "System", "vmSize": "Standard_D4s_v3", "count": 1},
        {
            "name": "h100",
            "mode": "User",
            "vmSize": H100,
            "count": 2,
            "nodeTaints": ["nvidia.com/gpu=present:NoSchedule"],
        },
    ]
    plane = resource(
        "containerservice.ManagedCluster", "plane", agentPoolProfiles=pools, tags={"example.com/gpu": "h100"}
    )
    report = judge(plane)
    assert rows(report, cloud="AZ ") == {"BUD-05"}
    assert said(report, "GI3275").path == "plane.agentPoolProfiles[1].count"
    assert "'example.com/gpu'" in said(report, "GI3215").message


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"enabled": None}, "which means false"),
        ({"enabled": False}, "is false"),
        ({"profiles": [{"name": "p", "capacity": {"minimum": 0, "default": "0", "maximum": "4"}}]}, "is no text"),
        (
            {"profiles": [{"name": "p", "capacity": {"minimum": "4", "default": "0", "maximum": "4"}}]},
            "not in this order",
        ),
        (
            {"profiles": [{"name": "p", "recurrence": {"schedule": {"timeZone": "Europe/Berlin"}}}]},
            "no Windows time zone",
        ),
        (
            {
                "profiles": [
                    {"name": "p", "fixedDate": {"start": "2026-11-01T00:00:00Z", "end": "2026-11-02T00:00:00Z"}}
                ]
            },
            "is over",
        ),
        (
            {
                "profiles": [
                    {"name": "p", "fixedDate": {"start": "2027-11-01T00:00:00Z", "end": "2027-10-02T00:00:00Z"}}
                ]
            },
            "ends before it begins",
        ),
    ],
)
def test_leases_that_never_act(changes: dict[str, Any], text: str):
    report = judge(scale_set(T4, 1), autoscale(**changes))
    assert text in said(report, "GI3278").message
    assert "SHUT-03" in rows(report, errors=True, cloud="AZ ")


def test_a_lease_that_acts_is_silent():
    window = {"start": "2026-12-03T09:00:00Z", "end": "2099-01-01T00:00:00Z", "timeZone": "UTC"}
    end = {"name": "end", "capacity": {"minimum": "0", "default": "0", "maximum": "0"}, "fixedDate": window}
    assert "GI3278" not in codes(judge(scale_set(T4, 1), autoscale(profiles=[end])))


def test_up_does_not_undo_the_lease():
    nodes = scale_set(T4, 2)
    assert "SHUT-04" not in found(nodes, autoscale())
    assert "SHUT-04" in found({**nodes, "options": {}}, autoscale(), errors=True)
    assert "SHUT-04" not in found({**nodes, "options": {}})
    by_name = autoscale(targetResourceUri="/subscriptions/s/providers/Microsoft.Compute/virtualMachineScaleSets/acme")
    assert "SHUT-04" in found({**changed(nodes, "vmScaleSetName", "acme"), "options": {}}, by_name, errors=True)


@pytest.mark.parametrize(
    ("line", "bills"),
    [
        ("sleep 1800; shutdown -h now", True),
        ("ExecStart=/usr/sbin/poweroff", True),
        ("sleep 1800; az vm deallocate --ids self", False),
        ("curl -X POST https://management.azure.com/x/delete; shutdown -h now", False),
        ("echo shutdown", False),
    ],
)
def test_a_node_that_halts_goes_on_billing(line: str, bills: bool):
    assert ("SHUT-05" in found(scale_set(A100, 1, profile=_script(line)))) is bills


@pytest.mark.parametrize(
    ("line", "severity"),
    [
        ("export WANDB_API_KEY=0123456789abcdef0123", Severity.ERROR),
        ("-----BEGIN OPENSSH PRIVATE KEY-----", Severity.ERROR),
        (
            "azcopy cp 'https://a.blob.core.windows.net/c?sv=2024&sig=ab%2Bcdefghijklmnopqrstuvwxyz0123%3D' .",
            Severity.ERROR,
        ),
        (f"echo DefaultEndpointsProtocol=https;AccountName=a;AccountKey={'A' * 86}==", Severity.ERROR),
        ("export HF_TOKEN=$(az keyvault secret show --query value)", None),
    ],
)
def test_secrets_in_custom_data(line: str, severity: Severity | None):
    report = judge(scale_set(A100, 1, profile=_script(line)))
    assert [d.severity for d in report.diagnostics if d.code == "GI3251"] == ([severity] if severity else [])
    assert all("0123456789abcdef" not in f"{d.message}{d.hint}" for d in report.diagnostics)


def test_a_value_that_is_marked_secret_is_warned_of():
    from dataclasses import replace

    graph = graph_of(f"- {{type: azure-native.compute.VirtualMachine, name: box, inputs: {{userData: x, size: {T4}}}}}")
    (box,) = graph
    marked = replace(graph, resources=(replace(box, inputs={"userData": Secret("eA==")}),))
    assert said(check_graph(marked, now=NOW), "GI3251").severity is Severity.WARNING


def test_open_settings_of_an_extension_hold_no_secret():
    box = resource("compute.VirtualMachine", "box", vmName="box")
    run = {"vmName": "box", "publisher": "Microsoft.Azure.Extensions", "type": "CustomScript"}
    command = {"commandToExecute": "API_KEY=0123456789abcdef ./run"}
    assert "SEC-10" in found(box, resource("compute.VirtualMachineExtension", "run", **run, settings=command))
    assert "SEC-10" not in found(
        box, resource("compute.VirtualMachineExtension", "run", **run, protectedSettings=command)
    )
