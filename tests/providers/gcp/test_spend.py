"""The budget, and that the parts of Spend belong together."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gpuinfra.diagnostics import GpuInfraError
from gpuinfra.gcp import Spend
from gpuinfra.policy.resource_graph import UNKNOWN, OutputRef, ResourceGraph
from gpuinfra.testing import record

from .parts import (
    ACCOUNT,
    BUDGET,
    JOB,
    LEAVE_TO_START,
    MEMBER,
    MONEY,
    ROLE,
    TOPIC,
    TRIGGER,
    WORKFLOW,
    budget_of,
    cluster,
    only,
    outputs_of,
    planned,
    pool,
    spend,
)

CHANNEL = "gcp:monitoring/notificationChannel:NotificationChannel"
LOOKUP = "gcp:organizations/getProject:getProject"


def warnings(graph: ResourceGraph) -> list[str]:
    return [text for severity, text in graph.logs if severity == "warning"]


# The budget.


def test_the_budget_counts_this_clusters_label_in_this_project_month_by_month() -> None:
    """GCP-C10: the project by its number, one label, no period beside the month."""
    budget = only(budget_of(), BUDGET)
    assert budget.get("budgetFilter") == {
        "projects": [f"projects/${{{LOOKUP}.number}}"],
        "labels": {"gpuinfra-cluster": "train"},
        "calendarPeriod": "MONTH",
        "creditTypesTreatment": "INCLUDE_ALL_CREDITS",
    }
    assert budget.inputs["billingAccount"] == OutputRef(LOOKUP, "billingAccount")
    assert len(budget.get("displayName")) <= 60


def test_the_number_and_the_account_are_asked_of_the_specs_project() -> None:
    asked: list[Any] = []

    def answer(token: str, args: Any) -> dict[str, Any] | None:
        asked.append((token, args["projectId"]))
        return {"number": "123456789012", "billingAccount": "0A1B2C-3D4E5F-6A7B8C", "projectId": "acme-lab", "id": "x"}

    for preview in (False, True):
        budget = only(budget_of(answers={"invoke": answer}, preview=preview), BUDGET)
        assert budget.get("budgetFilter", "projects") == ["projects/123456789012"]
        assert budget.get("billingAccount") == "0A1B2C-3D4E5F-6A7B8C"
    assert set(asked) == {(LOOKUP, "acme-lab")}


def test_a_project_without_an_account_is_a_finding_with_what_to_do() -> None:
    answers = {"invoke": lambda token, args: {"number": "1", "billingAccount": "", "projectId": "acme-lab", "id": "x"}}
    with pytest.raises(GpuInfraError) as error:
        budget_of(answers=answers)
    (found,) = error.value.diagnostics
    assert (found.code, found.path) == ("GI2175", "location.project")
    assert "acme-lab" in found.message
    assert found.hint


@pytest.mark.parametrize(
    ("amount", "wire"),
    [
        (400000, {"units": "400000"}),
        (2000000.5, {"units": "2000000", "nanos": 500_000_000}),
        (0.1, {"units": "0", "nanos": 100_000_000}),
        (99.994, {"units": "99", "nanos": 990_000_000}),
        (0.9999999999, {"units": "1"}),
    ],
)
def test_the_amount_is_text_and_names_no_currency(amount: float, wire: dict[str, Any]) -> None:
    assert only(budget_of(per_month_usd=amount), BUDGET).get("amount") == {"specifiedAmount": wire}


def test_levels_are_ratios_and_the_forecast_is_one_of_them() -> None:
    rules = only(budget_of(alerts_percent=[100, 50, 80.5, 55]), BUDGET).get("thresholdRules")
    assert [(r["thresholdPercent"], r["spendBasis"]) for r in rules] == [
        (0.5, "CURRENT_SPEND"),
        (0.55, "CURRENT_SPEND"),
        (0.805, "CURRENT_SPEND"),
        (1.0, "CURRENT_SPEND"),
        (1.0, "FORECASTED_SPEND"),
    ]


def test_contacts_are_told_through_channels_of_their_own() -> None:
    people = [f"p{n}@example.com" for n in range(5)]
    graph = budget_of(contacts=people)
    assert [c.get("labels") for c in graph.of_type(CHANNEL)] == [{"email_address": p} for p in people]
    assert {c.get("type") for c in graph.of_type(CHANNEL)} == {"email"}
    rule = only(graph, BUDGET).inputs["allUpdatesRule"]
    assert rule["monitoringNotificationChannels"] == [OutputRef(f"train-contact-{n}", "name") for n in range(5)]
    assert rule["disableDefaultIamRecipients"] is True
    assert not {"pubsubTopic", "schemaVersion"} & set(rule)


def test_without_contacts_google_tells_the_accounts_administrators() -> None:
    graph = budget_of(contacts=[])
    assert "allUpdatesRule" not in only(graph, BUDGET).inputs
    stopped = only(budget_of(contacts=[], on_limit="stop"), BUDGET).get("allUpdatesRule")
    assert stopped["disableDefaultIamRecipients"] is False
    assert stopped["schemaVersion"] == "1.0"


def test_an_account_in_another_currency_is_told_what_its_budget_is() -> None:
    def said(currency: str | None) -> list[str]:
        amount = {"specifiedAmount": {"units": "400000", "currencyCode": currency}}
        return warnings(budget_of(answers=outputs_of(BUDGET, amount=amount)))

    (text,) = said("EUR")
    assert text.startswith("budget.per_month_usd: the billing account counts in EUR")
    assert "400,000 EUR and not 400,000 USD" in text
    assert said("USD") == said(None) == said("") == []


def test_notify_only_notifies() -> None:
    assert not budget_of().of_type(WORKFLOW, TRIGGER, TOPIC)


def test_without_a_monthly_amount_there_is_no_budget() -> None:
    for budget in (None, {"per_run_usd": 900, "on_limit": "stop"}):
        graph = spend(budget=budget)
        assert not graph.of_type(BUDGET, CHANNEL, TOPIC)
        assert not graph.reads


# What happens at the limit.


@pytest.mark.parametrize("on_limit", ["stop", "deny"])
def test_at_the_limit_a_workflow_is_started_with_the_budgets_news(on_limit: str) -> None:
    graph = budget_of(on_limit=on_limit)
    rule = only(graph, BUDGET).inputs["allUpdatesRule"]
    assert rule["pubsubTopic"] == OutputRef("train-budget-spent", "id")
    assert rule["schemaVersion"] == "1.0"
    trigger = only(graph, TRIGGER)
    assert trigger.get("matchingCriterias") == [
        {"attribute": "type", "value": "google.cloud.pubsub.topic.v1.messagePublished"}
    ]
    assert trigger.inputs["transport"] == {"pubsub": {"topic": OutputRef("train-budget-spent", "id")}}
    assert trigger.inputs["destination"] == {"workflow": OutputRef("train-stop-workflow", "id")}
    assert trigger.get("location") == "us-central1", "a trigger for messages is never global"
    waits = {graph.named("train-starter-leave").urn, graph.named("train-budget-trigger-leave").urn}
    assert waits <= set(trigger.dependencies)
    workflow = only(graph, WORKFLOW)
    groups = json.loads(workflow.get("sourceContents"))["main"]["steps"][0]["read"]["assign"][0]["groups"]
    assert groups == [
        "https://compute.googleapis.com/compute/v1/projects/acme-lab/zones/us-central1-a/instanceGroupManagers/train-gpu"
    ]
    assert workflow.get("deletionProtection") is False, "the stack could not be removed"


def test_only_cloud_billing_may_tell_the_topic_and_the_budget_waits_for_that() -> None:
    graph = budget_of(on_limit="stop")
    leave = only(graph, "gcp:pubsub/topicIAMMember:TopicIAMMember")
    assert leave.get("role") == "roles/pubsub.publisher"
    assert leave.get("member") == "serviceAccount:billing-budget-alert@system.gserviceaccount.com"
    assert leave.urn in only(graph, BUDGET).dependencies


def test_who_stops_may_change_groups_and_no_more() -> None:
    graph = budget_of(on_limit="stop")
    role = only(graph, ROLE)
    assert role.get("permissions") == ["compute.instanceGroupManagers.get", "compute.instanceGroupManagers.update"]
    held: dict[str, set[Any]] = {}
    for member in graph.of_type(MEMBER):
        held.setdefault(member.get("member"), set()).add(member.inputs["role"])
    assert held == {
        "serviceAccount:${train-stop-account.email}": {OutputRef("train-stop-role", "name")},
        "serviceAccount:${train-starter-account.email}": {LEAVE_TO_START, "roles/eventarc.eventReceiver"},
    }
    assert only(graph, WORKFLOW).inputs["serviceAccount"] == OutputRef("train-stop-account", "email")
    assert only(graph, TRIGGER).inputs["serviceAccount"] == OutputRef("train-starter-account", "email")


def test_a_role_made_again_has_another_id() -> None:
    """Google keeps the id of a deleted role for weeks: the account's number, which is new each time, is part of it."""

    def role_id(number: str) -> str:
        graph = budget_of(on_limit="stop", answers=outputs_of(ACCOUNT, uniqueId=number, email="a@b"))
        return only(graph, ROLE).get("roleId")

    assert role_id("100000000000000000001") != role_id("100000000000000000002")
    for text in (role_id("1" * 21), only(budget_of("a" * 63, on_limit="stop"), ROLE).get("roleId").partition("$")[0]):
        assert len(text) <= 64
        assert set(text) <= set("abcdefghijklmnopqrstuvwxyz0123456789_")


def test_one_account_stops_whatever_asks_for_it() -> None:
    graph = budget_of(on_limit="stop")
    emails = {json.dumps(str(j.inputs["httpTarget"]["oauthToken"]["serviceAccountEmail"])) for j in graph.of_type(JOB)}
    assert len(emails) == 1
    assert len(graph.of_type(ROLE)) == 1
    waits = [only(graph, WORKFLOW), *graph.of_type(JOB)]
    assert all(graph.named("train-stop-leave").urn in r.dependencies for r in waits)


# Names.


@pytest.mark.parametrize("name", ["a", "a" * 63, "b-" * 31 + "b"])
def test_every_name_is_one_that_google_takes(name: str) -> None:
    graph = budget_of(name, on_limit="stop")
    for account in graph.of_type(ACCOUNT):
        assert 6 <= len(account.get("accountId")) <= 30
        assert len(account.get("displayName")) <= 100
    made_up = 8
    for type_, longest in ((TRIGGER, 63), (WORKFLOW, 64), (TOPIC, 255)):
        one = only(graph, type_)
        assert len(one.inputs.get("name", one.name + "x" * made_up)) <= longest
    assert len(only(graph, BUDGET).get("displayName")) <= 60
    assert len(only(graph, ROLE).get("title")) <= 100


# All of it.


def test_preview_knows_what_it_can_and_breaks_nothing() -> None:
    graph = budget_of(on_limit="stop", preview=True)
    assert only(graph, BUDGET).get("billingAccount") is UNKNOWN
    assert all(member.get("member") is UNKNOWN for member in graph.of_type(MEMBER))
    assert "train-gpu" in only(graph, WORKFLOW).get("sourceContents")


@pytest.mark.parametrize("preview", [False, True])
def test_every_resource_has_a_parent_names_its_project_and_shows_no_none(preview: bool) -> None:
    graph = budget_of(on_limit="stop", preview=preview)
    for resource in graph:
        if not resource.type.startswith("gcp:"):
            continue
        assert resource.parent
        assert resource.name.startswith("train-")
        if resource.type != BUDGET:
            assert resource.get("project") == "acme-lab", resource.name
    assert "None" not in graph.to_json()


def test_alone_it_covers_the_pools_that_are_chosen() -> None:
    pools = [pool(), pool(name="b")]
    graph = spend("money", pools=["b"], node_pools=pools, budget={**MONEY, "on_limit": "stop"})
    assert {r.name for r in graph.of_type(JOB)} == {"money-b-pool-lease"}
    assert "money-b" in only(graph, WORKFLOW).get("sourceContents")
    assert "money-gpu" not in only(graph, WORKFLOW).get("sourceContents")


def test_a_pool_that_is_not_covered_is_refused() -> None:
    plan = planned("a", node_pools=[pool(), pool(name="b")])
    gpu, b = plan.pools

    def program() -> None:
        made = Spend("a", plan, pools=["b"])
        made.check_covers(b)
        with pytest.raises(ValueError, match="does not cover pool 'gpu', whose group is a-gpu; its groups: a-b"):
            made.check_covers(gpu)

    record(program)


def test_what_it_offers() -> None:
    seen: dict[str, Any] = {}

    def program() -> None:
        made = Spend("train-spend", planned(budget=MONEY, shutdown={"lease": "2026-12-05T18:00:00+01:00"}))
        assert made.budget_name is not None
        made.budget_name.apply(lambda name: seen.update(budget=name))
        made.lease_end.apply(lambda end: seen.update(end=end))
        none = Spend("other-spend", planned("other", shutdown=None, workload="inference", budget=None))
        assert none.budget_name is None
        none.lease_end.apply(lambda end: seen.update(no_end=end))

    record(program)
    assert seen == {"budget": "${train-budget.name}", "end": "2026-12-05T17:00:00Z", "no_end": None}


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({"pools": ["gpus"]}, ValueError, "pools: no pool is named 'gpus'; the spec's pools: gpu did you"),
        ({"pools": "gpu"}, TypeError, "pools is a str; give a list of names of pools"),
    ],
)
def test_a_wrong_argument_is_refused(arguments: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        record(lambda: Spend("a", planned("a"), **arguments))


def test_a_mapping_of_the_spec_is_enough() -> None:
    graph = record(lambda: Spend("money", cluster(budget=MONEY)))  # type: ignore[arg-type]
    assert only(graph, BUDGET).get("displayName") == "money-budget"
