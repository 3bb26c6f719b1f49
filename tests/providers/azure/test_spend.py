"""The budget, and what happens when it is spent."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from gpuinfra.azure import ResourceGroup, Spend
from gpuinfra.diagnostics import GpuInfraError
from gpuinfra.policy.resource_graph import OutputRef, ResourceGraph, Secret
from gpuinfra.spec.load import parse
from gpuinfra.testing import record

from .clusters import ASSIGNMENT, AUTOSCALE, BUDGET, ROLE, cluster, location, only, pool, recorded

MADE = "azure-native:consumption:Budget"
WORKFLOW = "azure-native:logic:Workflow"
ACTIONS = "azure-native:monitor:ActionGroup"
JANUARY = datetime(2027, 1, 4, tzinfo=UTC)


def budget_of(**changes: Any) -> ResourceGraph:
    return recorded(cluster(budget={**BUDGET, **changes}))


def levels(graph: ResourceGraph) -> list[tuple[str, float, bool, bool]]:
    found = only(graph, MADE).get("notifications").values()
    return sorted(
        (n["thresholdType"], n["threshold"], bool(n["contactEmails"]), bool(n.get("contactGroups"))) for n in found
    )


# The budget.


def test_the_budget_counts_the_clusters_own_resource_group() -> None:
    budget = only(budget_of(), MADE)
    assert budget.inputs["scope"] == OutputRef("train-rg", "id")
    assert (budget.get("amount"), budget.get("category"), budget.get("timeGrain")) == (400000, "Cost", "Monthly")
    assert budget.get("budgetName") == "train-budget"
    assert "filter" not in budget.inputs


def test_in_a_group_that_others_share_it_counts_this_clusters_tag() -> None:
    there = location(resource_group="rg-shared", existing_resource_group=True)
    budget = only(recorded(cluster(location=there, budget=BUDGET)), MADE)
    # One tag stands alone: `and` wants two entries or more.
    assert budget.get("filter") == {"tags": {"name": "gpuinfra-cluster", "operator": "In", "values": ["train"]}}


def test_a_long_name_keeps_within_azures_limit() -> None:
    name = "a-very-long-name-for-a-cluster-that-nobody-would-ever-want-xyz"
    assert len(only(recorded(cluster(budget=BUDGET), name=name), MADE).get("budgetName")) <= 63


def test_alerts_and_one_forecast_reach_the_contacts() -> None:
    assert levels(budget_of()) == [
        ("Actual", 50, True, False),
        ("Actual", 80, True, False),
        ("Actual", 100, True, False),
        ("Forecasted", 100, True, False),
    ]
    notifications = only(budget_of(), MADE).get("notifications")
    assert {n["operator"] for n in notifications.values()} == {"GreaterThan"}
    assert all(n["enabled"] is True for n in notifications.values())


def test_the_forecast_is_left_out_where_there_is_no_room_for_it() -> None:
    """Azure takes five."""
    found = levels(budget_of(alerts_percent=[20, 40, 60, 80, 100]))
    assert [kind for kind, *_ in found] == ["Actual"] * 5
    with pytest.raises(GpuInfraError, match="GI2206"):
        budget_of(alerts_percent=[20, 40, 60, 80, 90], on_limit="stop")


def test_levels_that_differ_in_a_fraction_are_two() -> None:
    found = only(budget_of(alerts_percent=[99.5, 99]), MADE).get("notifications")
    assert sorted(n["threshold"] for n in found.values()) == [99, 99.5, 100]


def test_the_limit_itself_is_told_even_where_no_alert_is_at_it_and_nobody_has_an_address() -> None:
    assert levels(budget_of(alerts_percent=[80], on_limit="stop", contacts=[])) == [("Actual", 100, False, True)]
    assert levels(budget_of(alerts_percent=[80], on_limit="stop")) == [
        ("Actual", 80, True, False),
        ("Actual", 100, True, True),
        ("Forecasted", 100, True, False),
    ]


def test_it_begins_with_the_month_of_the_first_up_and_stays() -> None:
    """AZ-03: Azure takes the first of a month alone, and never another one afterwards."""
    first, next_month = budget_of(), recorded(cluster(budget=BUDGET), now=JANUARY)
    assert only(first, MADE).get("timePeriod") == {"startDate": "2026-11-01T00:00:00Z"}
    for graph in (first, next_month):
        assert only(graph, MADE).options["ignoreChanges"] == ["timePeriod.startDate"]


def test_a_start_in_the_future_is_the_users_and_another_one_makes_another_budget() -> None:
    budget = only(budget_of(start="2027-02-01"), MADE)
    assert budget.get("timePeriod") == {"startDate": "2027-02-01T00:00:00Z"}
    assert not budget.options.get("ignoreChanges")
    assert "timePeriod.startDate" in budget.options["replaceOnChanges"]
    assert budget.options["deleteBeforeReplace"] is True, "its name is taken"


@pytest.mark.parametrize("start", ["2026-11-01", "2026-01-01"])
def test_a_start_that_has_passed_is_never_sent(start: str) -> None:
    """Azure refuses a month before the current one, and a spec keeps its start for longer than that."""
    budget = only(budget_of(start=start), MADE)
    assert budget.get("timePeriod") == {"startDate": "2026-11-01T00:00:00Z"}
    assert budget.options["ignoreChanges"] == ["timePeriod.startDate"]


@pytest.mark.parametrize(("start", "code"), [("2026-12-15", "GI2209"), ("2028-01-01", "GI2308")])
def test_a_start_that_azure_refuses_is_a_finding(start: str, code: str) -> None:
    with pytest.raises(GpuInfraError, match=code):
        recorded(cluster(budget={**BUDGET, "start": start}, shutdown=None))


def test_notify_only_notifies() -> None:
    made = {r.type for r in budget_of()}
    assert not {WORKFLOW, ACTIONS} & made


def test_without_a_monthly_amount_there_is_no_budget_and_nothing_acts() -> None:
    graph = recorded(cluster(budget={"per_run_usd": 90000, "on_limit": "stop"}))
    assert not graph.of_type(MADE, WORKFLOW, ACTIONS)


# What happens at the limit.


def test_stop_sets_these_scale_sets_to_zero() -> None:
    graph = recorded(cluster(node_pools=[pool(), pool(name="b")], budget={**BUDGET, "on_limit": "stop"}))
    workflow = only(graph, WORKFLOW)
    assert workflow.get("state") == "Enabled"
    assert workflow.get("parameters", "scaleSets", "value") == [
        f"https://management.azure.com${{train-rg.id}}/providers/Microsoft.Compute/virtualMachineScaleSets/train-{p}"
        "?api-version=2024-11-01"
        for p in ("gpu", "b")
    ]
    definition = workflow.inputs["definition"]
    loop = definition["actions"]["each-scale-set"]
    assert (loop["type"], loop["foreach"]) == ("Foreach", "@parameters('scaleSets')")
    request = loop["actions"]["no-nodes"]
    assert (request["inputs"]["method"], request["inputs"]["uri"]) == ("PATCH", "@items('each-scale-set')")
    assert request["inputs"]["body"] == {"sku": {"capacity": 0}}
    assert request["inputs"]["retryPolicy"]["count"] > 0
    # Asking how a long operation goes wants a right at the subscription.
    assert request["operationOptions"] == "DisableAsyncPattern"


def test_the_workflow_acts_as_its_own_identity_which_reaches_these_sets_and_no_more() -> None:
    graph = recorded(cluster(node_pools=[pool(), pool(name="b")], budget={**BUDGET, "on_limit": "stop"}))
    workflow = only(graph, WORKFLOW)
    own = OutputRef("train-budget-stop-identity", "id")
    assert workflow.inputs["identity"]["userAssignedIdentities"] == [own]
    request = workflow.inputs["definition"]["actions"]["each-scale-set"]["actions"]["no-nodes"]["inputs"]
    assert request["authentication"] == {
        "type": "ManagedServiceIdentity",
        "audience": "https://management.azure.com/",
        "identity": own,
    }
    role = graph.named("train-budget-stop-role")
    assert role.type == ROLE
    (permission,) = role.get("permissions")
    assert permission["actions"] == [
        "Microsoft.Compute/virtualMachineScaleSets/read",
        "Microsoft.Compute/virtualMachineScaleSets/write",
    ]
    assert not permission["dataActions"]
    for name in ("gpu", "b"):
        leave = graph.named(f"train-{name}-pool-budget-stop")
        assert leave.type == ASSIGNMENT
        assert leave.inputs["scope"] == OutputRef(f"train-{name}-pool-set", "id"), "and not the group, or more"
        assert leave.inputs["principalId"] == OutputRef("train-budget-stop-identity", "principalId")
        assert leave.get("principalType") == "ServicePrincipal"


def test_the_budget_starts_the_workflow_by_an_address_that_nobody_reads() -> None:
    graph = budget_of(on_limit="stop")
    group = only(graph, ACTIONS)
    assert (group.get("location"), group.get("enabled")) == ("Global", True)
    assert group.get("groupShortName") == "train"
    (receiver,) = group.inputs["logicAppReceivers"]
    assert receiver["resourceId"] == OutputRef("train-budget-stop", "id")
    assert isinstance(receiver["callbackUrl"], Secret)
    assert group.options["additionalSecretOutputs"] == ["logicAppReceivers"], "Azure gives it back"
    spent = only(graph, MADE).inputs["notifications"]["actual-100"]
    assert spent["contactGroups"] == [OutputRef("train-budget-spent", "id")]
    # The address holds a signature: whoever reads it may stop the cluster.
    assert "listWorkflowTriggerCallbackUrl" not in json.dumps(graph.to_json(), default=str)


@pytest.mark.parametrize("preview", [True, False])
def test_the_address_is_secret_in_preview_too(preview: bool) -> None:
    graph = recorded(cluster(budget={**BUDGET, "on_limit": "stop"}), preview=preview)
    assert isinstance(only(graph, ACTIONS).inputs["logicAppReceivers"][0]["callbackUrl"], Secret)


def test_a_short_name_keeps_within_its_twelve_characters() -> None:
    graph = recorded(cluster(budget={**BUDGET, "on_limit": "stop"}), name="llama-seventy-billion")
    assert 1 <= len(only(graph, ACTIONS).get("groupShortName")) <= 12


def test_deny_is_a_stop_and_says_so() -> None:
    denied, stopped = budget_of(on_limit="deny"), budget_of(on_limit="stop")
    assert denied.to_json() == stopped.to_json()
    assert [m for severity, m in denied.logs if severity == "warning" and "GI2304" in m]
    assert not [m for _, m in stopped.logs if "GI2304" in m]


# Alone.


def test_alone_it_makes_what_needs_no_scale_set() -> None:
    model = parse(cluster(node_pools=[pool(), pool(name="b")], budget={**BUDGET, "on_limit": "stop"})).spec
    assert model
    graph = record(lambda: Spend("money", model, pools=["b"]))
    assert only(graph, MADE).get("budgetName") == "money-budget"
    assert not graph.of_type(AUTOSCALE, ASSIGNMENT, "azure-native:compute:VirtualMachineScaleSet")
    (address,) = only(graph, WORKFLOW).get("parameters", "scaleSets", "value")
    assert "/money-b?" in address
    assert all(r.name.startswith("money") for r in graph if r.type != "pulumi:pulumi:Stack")


def test_a_group_that_is_given_holds_it() -> None:
    model = parse(cluster(budget=BUDGET)).spec
    assert model
    graph = record(lambda: Spend("money", model, group=ResourceGroup("shared", model)))
    assert only(graph, MADE).inputs["scope"] == OutputRef("shared-rg", "id")
    assert len(graph.of_type("azure-native:resources:ResourceGroup")) == 1
