from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from gpuinfra.aws import Spend
from gpuinfra.cluster import GpuCluster
from gpuinfra.diagnostics import GpuInfraError
from gpuinfra.policy.resource_graph import UNKNOWN, OutputRef, ResourceGraph
from gpuinfra.providers.lease import is_over
from gpuinfra.spec.load import parse
from gpuinfra.testing import record

from .clusters import BUDGET, GROUP, NOW, SCHEDULE, cluster, only, pool, recorded, statements

OFFSET = "time:index/offset:Offset"
MADE = "aws:budgets/budget:Budget"
END = "2026-12-05T18:00:00+01:00"
AFTER = datetime(2026, 12, 6, tzinfo=UTC)


def budget_of(**changes: Any) -> ResourceGraph:
    return recorded(cluster(budget={**BUDGET, **changes}))


def levels(graph: ResourceGraph) -> list[tuple[str, int, bool, bool]]:
    return [
        (
            n["notificationType"],
            n["threshold"],
            bool(n.get("subscriberEmailAddresses")),
            bool(n.get("subscriberSnsTopicArns")),
        )
        for n in only(graph, MADE).get("notifications")
    ]


# The budget.


def test_the_budget_counts_this_clusters_tag() -> None:
    """AWS-C10: without `user:` it reads 0 for ever."""
    budget = only(budget_of(), MADE)
    assert budget.get("costFilters") == [{"name": "TagKeyValue", "values": ["user:gpuinfra-cluster$train"]}]
    assert (budget.get("limitAmount"), budget.get("limitUnit")) == ("400000", "USD")
    assert (budget.get("budgetType"), budget.get("timeUnit")) == ("COST", "MONTHLY")
    assert len(budget.get("name")) <= 100
    assert not {"filterExpression", "metrics"} & set(budget.inputs)


@pytest.mark.parametrize(("amount", "text"), [(400000, "400000"), (400000.5, "400000.50")])
def test_the_amount_is_text(amount: float, text: str) -> None:
    assert only(budget_of(per_month_usd=amount), MADE).get("limitAmount") == text


def test_alerts_and_one_forecast_reach_the_contacts() -> None:
    assert levels(budget_of()) == [
        ("ACTUAL", 50, True, False),
        ("ACTUAL", 80, True, False),
        ("ACTUAL", 100, True, False),
        ("FORECASTED", 100, True, False),
    ]


def test_the_limit_itself_is_told_to_the_topic_even_where_no_alert_is_at_it() -> None:
    assert levels(budget_of(alerts_percent=[80], on_limit="stop")) == [
        ("ACTUAL", 80, True, False),
        ("ACTUAL", 100, True, True),
        ("FORECASTED", 100, True, False),
    ]


def test_a_budget_begins_on_the_day_that_is_named() -> None:
    assert only(budget_of(start="2026-12-01"), MADE).get("timePeriodStart") == "2026-12-01_00:00"
    assert "timePeriodStart" not in only(budget_of(), MADE).inputs


def test_the_cost_tag_is_activated_only_on_request() -> None:
    tag = "aws:costexplorer/costAllocationTag:CostAllocationTag"
    assert not budget_of().of_type(tag)
    location = {"provider": "aws", "region": "us-east-2", "zone": "use2-az1", "activate_cost_tag": True}
    found = only(recorded(cluster(location=location, budget=BUDGET)), tag)
    assert (found.get("tagKey"), found.get("status")) == ("gpuinfra-cluster", "Active")


def test_notify_only_notifies() -> None:
    made = {r.type for r in budget_of()}
    assert not {"aws:lambda/function:Function", "aws:sns/topic:Topic", "aws:budgets/budgetAction:BudgetAction"} & made


# What happens at the limit.


def test_stop_scales_these_groups_to_zero() -> None:
    graph = budget_of(on_limit="stop")
    function = only(graph, "aws:lambda/function:Function")
    assert function.get("runtime") == "python3.13"
    files = function.get("code")["$archive"]["assets"]
    assert json.loads(files["groups.json"]["$asset"]["text"]) == ["train-gpu"]
    assert function.get("handler") == "scale_to_zero.handler"
    compile(files["scale_to_zero.py"]["$asset"]["text"], "scale_to_zero.py", "exec")
    allowed = {a for s in statements(graph.named("train-budget-stop-policy")) for a in s["Action"]}
    assert allowed == {
        "autoscaling:UpdateAutoScalingGroup",
        "logs:CreateLogStream",
        "logs:PutLogEvents",
        "sqs:SendMessage",
    }
    topic = json.loads(graph.named("train-budget-spent-policy").get("policy"))["Statement"][0]
    assert topic["Principal"] == {"Service": "budgets.amazonaws.com"}
    assert topic["Condition"] == {"StringEquals": {"aws:SourceAccount": "${train-budget-spent.owner}"}}
    assert function.inputs["deadLetterConfig"] == {"targetArn": OutputRef("train-budget-stop-failures", "arn")}
    assert not graph.of_type("aws:budgets/budgetAction:BudgetAction")


def test_deny_also_takes_the_deployers_right_to_start_nodes() -> None:
    location = {"provider": "aws", "region": "us-east-2", "zone": "use2-az1", "deployer_roles": ["deploy", "people"]}
    graph = recorded(cluster(location=location, budget={**BUDGET, "on_limit": "deny"}))
    action = only(graph, "aws:budgets/budgetAction:BudgetAction")
    assert (action.get("actionType"), action.get("approvalModel")) == ("APPLY_IAM_POLICY", "AUTOMATIC")
    assert action.get("definition", "iamActionDefinition", "roles") == ["deploy", "people"]
    (denial,) = statements(graph.named("train-budget-deny-policy"))
    assert denial["Effect"] == "Deny"
    assert set(denial["Action"]) == {
        "ec2:RunInstances",
        "ec2:CreateFleet",
        "autoscaling:UpdateAutoScalingGroup",
        "autoscaling:SetDesiredCapacity",
    }
    (attach,) = statements(graph.named("train-budget-deny-role-policy"))
    assert attach["Resource"] == ["arn:aws:iam::*:role/deploy", "arn:aws:iam::*:role/people"]
    assert attach["Condition"] == {"ArnEquals": {"iam:PolicyARN": "${train-budget-deny-policy.arn}"}}
    assert graph.of_type("aws:lambda/function:Function"), "the group's own role is not the deployers'"


# The end.


def test_the_end_is_outside_the_guest() -> None:
    """AWS-C12: a schedule with a timezone, exact, that goes away by itself."""
    graph = recorded(cluster(shutdown={"lease": END}))
    schedule = only(graph, SCHEDULE)
    assert schedule.get("scheduleExpression") == "at(2026-12-05T17:00:00)"
    assert schedule.get("scheduleExpressionTimezone") == "UTC"
    assert schedule.get("flexibleTimeWindow") == {"mode": "OFF"}
    assert schedule.get("actionAfterCompletion") == "NONE"
    target = schedule.get("target")
    assert target["arn"] == "arn:aws:scheduler:::aws-sdk:autoscaling:updateAutoScalingGroup"
    assert json.loads(target["input"]) == {"AutoScalingGroupName": "train-gpu", "MinSize": 0, "DesiredCapacity": 0}
    assert target["retryPolicy"]["maximumRetryAttempts"] > 0
    assert target["deadLetterConfig"] == {"arn": OutputRef("train-shutdown-failures", "arn")}
    assert graph.named("train-shutdown-failures").get("sqsManagedSseEnabled") is True
    assert not graph.of_type(OFFSET)


def test_the_schedulers_role_may_scale_these_groups_and_no_more() -> None:
    graph = recorded(cluster())
    trust = json.loads(graph.named("train-shutdown-role").get("assumeRolePolicy"))
    assert [s["Principal"] for s in trust["Statement"]] == [{"Service": "scheduler.amazonaws.com"}]
    scale = statements(graph.named("train-shutdown-policy"))[0]
    assert scale["Action"] == ["autoscaling:UpdateAutoScalingGroup"]
    assert scale["Resource"] == ["arn:aws:autoscaling:us-east-2:*:autoScalingGroup:*:autoScalingGroupName/train-gpu"]
    assert scale["Condition"] == {"StringEquals": {"aws:ResourceTag/gpuinfra-cluster": "train"}}


def test_a_duration_starts_at_the_first_up_and_is_remembered() -> None:
    graph = recorded(cluster())
    offset = only(graph, OFFSET)
    assert (offset.get("offsetSeconds"), offset.get("triggers")) == (72 * 3600, {"lease": "72h"})
    assert "baseRfc3339" not in offset.inputs, "a base in the program would move with every preview"
    assert "${train-lease.rfc3339}" in only(graph, SCHEDULE).get("scheduleExpression")
    group = only(graph, GROUP)
    assert (group.get("desiredCapacity"), group.get("maxSize")) == (4, 4), "a text that is no moment ends nothing"


def test_another_moment_changes_nothing_of_a_lease_that_runs() -> None:
    later = recorded(cluster(), now=datetime(2026, 12, 1, 3, 4, tzinfo=UTC))
    assert later.to_json() == recorded(cluster()).to_json()


def test_preview_says_that_the_end_is_not_known_yet() -> None:
    graph = recorded(cluster(), preview=True)
    assert only(graph, SCHEDULE).get("scheduleExpression") is UNKNOWN
    assert only(graph, GROUP).get("minSize") == 0


def after(end: str, now: datetime, **changes: Any) -> ResourceGraph:
    """A stack whose first `up` fixed the end."""
    return record(
        lambda: GpuCluster("train", cluster(**changes), now=now),
        outputs=lambda type_, name, inputs: {"rfc3339": end} if type_ == OFFSET else None,
    )


def test_a_known_end_is_scheduled() -> None:
    schedule = only(after("2026-12-03T09:00:00Z", NOW), SCHEDULE)
    assert schedule.get("scheduleExpression") == "at(2026-12-03T09:00:00)"


def test_after_the_end_up_buys_nothing_and_says_why() -> None:
    graph = after("2026-12-03T09:00:00Z", AFTER)
    group = only(graph, GROUP)
    assert (group.get("minSize"), group.get("desiredCapacity"), group.get("maxSize")) == (0, 0, 0)
    said = [m for severity, m in graph.logs if severity == "warning" and "lease ended" in m]
    assert said == [
        "shutdown.lease: the lease ended at 2026-12-03T09:00:00Z: the cluster has expired, and no node is started again; "
        "to go on change shutdown.lease, run up, and set the groups' desired capacity (aws autoscaling "
        "set-desired-capacity), which up leaves alone"
    ]


def test_before_the_end_nothing_is_said() -> None:
    graph = after("2026-12-03T09:00:00Z", NOW)
    assert only(graph, GROUP).get("desiredCapacity") == 4
    assert not [m for _, m in graph.logs if "lease ended" in m]


@pytest.mark.parametrize(
    ("text", "over"),
    [
        ("2026-11-30T08:59:59Z", True),
        ("2026-11-30T09:00:00Z", True),
        ("2026-11-30T09:00:01Z", False),
        ("2026-11-30T10:00:00+02:00", True),
        ("${train-lease.rfc3339}", False),
        ("", False),
        ("2026-11-30T08:00:00", False),
    ],
)
def test_what_is_no_moment_is_never_over(text: str, over: bool) -> None:
    assert is_over(text, NOW) is over


# A time of day.


def test_a_daily_stop_keeps_its_own_timezone() -> None:
    stop_at = {"cron": "0 20 * * 1-5", "timezone": "Europe/Berlin"}
    graph = recorded(cluster(node_pools=[pool(), pool(name="b")], shutdown={"lease": END, "stop_at": stop_at}))
    stops = {r.name: r for r in graph.of_type(SCHEDULE) if "stop" in r.name}
    assert set(stops) == {"train-gpu-pool-stop", "train-b-pool-stop"}
    for stop in stops.values():
        assert stop.get("scheduleExpression") == "cron(0 20 ? * MON-FRI *)"
        assert stop.get("scheduleExpressionTimezone") == "Europe/Berlin"
        assert stop.get("actionAfterCompletion") == "NONE"
        assert json.loads(stop.get("target", "input"))["DesiredCapacity"] == 0


def test_a_line_with_two_day_fields_becomes_two_schedules() -> None:
    stop_at = {"cron": "0 20 1 * 5", "timezone": "UTC"}
    graph = recorded(cluster(shutdown={"lease": END, "stop_at": stop_at}))
    stops = sorted(r.get("scheduleExpression") for r in graph.of_type(SCHEDULE) if "stop" in r.name)
    assert stops == ["cron(0 20 1 * ? *)", "cron(0 20 ? * FRI *)"]


def test_a_line_without_words_on_aws_is_a_finding() -> None:
    stop_at = {"cron": "0 20 */2 * 5", "timezone": "UTC"}
    with pytest.raises(GpuInfraError) as error:
        recorded(cluster(shutdown={"lease": END, "stop_at": stop_at}))
    assert any(d.path == "shutdown.stop_at.cron" and d.hint for d in error.value.diagnostics)


def test_without_an_end_there_is_nothing_to_schedule() -> None:
    graph = recorded(
        cluster(node_pools=[pool(instance_type="g5.xlarge", count=1)], shutdown=None, workload="inference")
    )
    assert not graph.of_type(SCHEDULE, OFFSET, "aws:sqs/queue:Queue")


def test_alone_it_ends_the_pools_that_are_chosen() -> None:
    model = parse(cluster(node_pools=[pool(), pool(name="b")], budget=BUDGET)).spec
    assert model
    graph = record(lambda: Spend("money", model, pools=["b"]))
    assert {r.name for r in graph.of_type(SCHEDULE)} == {"money-b-pool-lease"}
    assert only(graph, MADE).get("name") == "money-budget"
    assert not graph.of_type(GROUP)
