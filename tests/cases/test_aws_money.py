"""AWS-C10 (a budget that reads zero, a stop that stops nothing), AWS-C12 (shut down when idle, and back again), and the
money mistakes that other tools accept."""

from __future__ import annotations

import base64

import pytest

from gpuinfra.diagnostics import Severity

from .judging import codes, judged, rows, said, spec_findings

COST = {f"COST-{n:02}" for n in (1, 2, 3, 4, 5, 6, 7, 8, 11)} | {"CMP-17"}
NAIVE = """
- type: aws.budgets.Budget
  name: money
  inputs:
    budgetType: COST
    timeUnit: MONTHLY
    limitAmount: "50000"
    costFilters: [{name: TagKeyValue, values: ["Cluster$acme"]}]
    notifications: [{threshold: 80, notificationType: ACTUAL}]
- type: aws.budgets.BudgetAction
  name: stop
  inputs:
    actionType: RUN_SSM_DOCUMENTS
    definition: {ssmActionDefinition: {actionSubType: STOP_EC2_INSTANCES, instanceIds: []}}
- {type: aws.ec2.LaunchTemplate, name: nodes, inputs: {instanceType: p5.48xlarge}}
- {type: aws.autoscaling.Group, name: group, inputs: {minSize: 8, maxSize: 8, launchTemplate: {id: !ref nodes.id }}}
"""


def test_c10_every_fault_is_named():
    report = judged(NAIVE)
    assert rows(report) & COST == {"COST-01", "COST-02", "COST-03", "COST-04", "COST-05", "CMP-17"}
    assert "user:Cluster$acme" in said(report, "GI3044").hint
    assert "8–24 h" in said(report, "GI3047").message


def budget(inputs: str) -> str:
    mail = "subscriberEmailAddresses: [ml@example.com]"
    return f"""
- type: aws.budgets.Budget
  name: money
  inputs: {{budgetType: COST, {inputs.replace("MAIL", mail)}}}
"""


@pytest.mark.parametrize(
    ("inputs", "row"),
    [
        ("timeUnit: DAILY, limitAmount: '5', notifications: [{notificationType: FORECASTED, MAIL}]", "COST-01"),
        ("timeUnit: MONTHLY, limitAmount: '0'", "COST-01"),
        ("timeUnit: MONTHLY, limitAmount: '-5'", "COST-01"),
        ("timeUnit: MONTHLY, limitAmount: '5', costFilters: [{name: Service}], filterExpression: {and: []}", "COST-01"),
        (
            "limitAmount: '5', notifications: [" + ", ".join(f"{{threshold: {n}, MAIL}}" for n in range(1, 12)) + "]",
            "COST-01",
        ),
        ("limitAmount: '5', name: 'a:b'", "COST-01"),
        ("limitAmount: '5', costFilters: [{name: TagKeyValue, values: ['acme']}]", "COST-02"),
    ],
)
def test_c10_budgets_that_are_refused(inputs: str, row: str):
    assert row in rows(judged(budget(inputs)), errors=True)


@pytest.mark.parametrize(
    "inputs",
    [
        "timeUnit: MONTHLY, limitAmount: '50000', notifications: [{threshold: 80, notificationType: ACTUAL, MAIL}]",
        "timeUnit: MONTHLY, limitAmount: '5', notifications: [{notificationType: FORECASTED, MAIL}]",
        "limitAmount: '5', notifications: [{threshold: 80, MAIL}], filterExpression: {and: []}",
        "limitAmount: '5', notifications: [{threshold: 80, MAIL}], costFilters: [{name: Service, values: [Amazon EC2]}]",
        "limitAmount: '5', notifications: [{threshold: 80, subscriberSnsTopicArns: [!unknown ]}]",
    ],
)
def test_c10_budgets_that_are_right(inputs: str):
    assert rows(judged(budget(inputs))) & {"COST-01", "COST-02"} == set()


@pytest.mark.parametrize("inputs", ["limitAmount: '5'", "limitAmount: '5', notifications: []"])
def test_c10_a_budget_that_tells_nobody(inputs: str):
    mute = budget(inputs)
    assert said(judged(mute), "GI3043").path == "money.notifications"
    action = "- {type: aws.budgets.BudgetAction, name: deny, inputs: {budgetName: !ref money.name , actionType: APPLY_IAM_POLICY}}\n"
    assert "GI3043" not in codes(judged(mute + action))


def test_c10_an_instance_of_its_own_may_be_stopped():
    report = judged("""
- {type: aws.ec2.Instance, name: box, inputs: {instanceType: p5.4xlarge}}
- type: aws.budgets.BudgetAction
  name: stop
  inputs:
    actionType: RUN_SSM_DOCUMENTS
    definition: {ssmActionDefinition: {actionSubType: STOP_EC2_INSTANCES, instanceIds: [!ref box.id ]}}
""")
    assert "COST-04" not in rows(report)


def idle(script: str, least: int = 2, options: str = "{}", schedule: str = "") -> str:
    data = base64.b64encode(f"#!/bin/bash\n{script}\n".encode()).decode()
    return f"""
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: g6e.12xlarge, userData: {data}}}}}
- type: aws.autoscaling.Group
  name: group
  inputs: {{minSize: {least}, maxSize: 4, desiredCapacity: 4, launchTemplate: {{id: !ref nodes.id }}}}
  options: {options}
{schedule}"""


LEASE = """- type: aws.scheduler.Schedule
  name: lease
  inputs:
    scheduleExpression: at(WHEN)
    scheduleExpressionTimezone: ZONE
    target: {arn: "arn:aws:scheduler:::aws-sdk:autoscaling:updateAutoScalingGroup", input: INPUT}
"""
CALL = """'{"AutoScalingGroupName": "${group.name}", "MinSize": 0, "DesiredCapacity": 0}'"""
LEAVE = "aws autoscaling terminate-instance-in-auto-scaling-group --should-decrement-desired-capacity"


def lease(when: str = "2026-12-05T18:00:00", zone: str = "Europe/Berlin", call: str = CALL) -> str:
    return LEASE.replace("WHEN", when).replace("ZONE", zone).replace("INPUT", call)


def test_c12_the_naive_way():
    report = judged(idle("sleep 1800\nshutdown -h now", schedule=lease(zone="null")))
    assert rows(report) & COST >= {"COST-07", "COST-06", "COST-08"}


def test_c12_the_right_way_is_silent():
    report = judged(idle(LEAVE, 0, "{ignoreChanges: [desiredCapacity]}", lease()))
    assert rows(report) & (COST - {"CMP-17"}) == set()


def test_c12_the_last_nodes_cannot_leave():
    report = judged(idle(LEAVE, 2, "{ignoreChanges: [desiredCapacity]}", lease()))
    assert "its least number is 2" in said(report, "GI3049").message


@pytest.mark.parametrize(
    ("schedule", "said_words"),
    [
        (lease("2026-11-29T18:00:00"), "is past"),
        (lease(zone="null"), "no timezone"),
        (
            lease(call="""'{"auto_scaling_group_name": "gpu", "min_size": 0}'"""),
            "does not know 'auto_scaling_group_name'",
        ),
        (lease(call="MinSize"), "no JSON object"),
    ],
)
def test_c12_leases_that_never_fire(schedule: str, said_words: str):
    assert said_words in said(judged(idle(LEAVE, 0, "{ignoreChanges: ['*']}", schedule)), "GI3048").message


def test_c12_a_lease_in_the_zones_own_time():
    # 09:30 in Berlin is 08:30 UTC, half an hour ago; 10:30 there is in half an hour.
    assert "GI3048" in codes(judged(lease("2026-11-30T09:30:00")))
    assert "GI3048" not in codes(judged(lease("2026-11-30T10:30:00")))


@pytest.mark.parametrize(("trusted", "fails"), [("scheduler.amazonaws.com", False), ("ec2.amazonaws.com", True)])
def test_c12_the_schedules_role(trusted: str, fails: bool):
    report = judged(f"""
- type: aws.iam.Role
  name: caller
  inputs: {{assumeRolePolicy: '{{"Statement": [{{"Principal": {{"Service": "{trusted}"}}}}]}}'}}
- type: aws.scheduler.Schedule
  name: s
  inputs: {{scheduleExpression: rate(1 day), target: {{roleArn: !ref caller.arn }}}}
""")
    assert ("COST-06" in rows(report, errors=True)) is fails


@pytest.mark.parametrize(("option", "warned"), [("desiredCapacity", False), ("desired_capacity", True)])
def test_c12_the_next_up(option: str, warned: bool):
    report = judged(idle(LEAVE, 0, f"{{ignoreChanges: [{option}]}}", lease()))
    assert ("COST-08" in rows(report)) is warned
    assert ("GI3066" in codes(report)) is warned


SPEC = """
name: acme
location: {provider: aws, region: us-east-1}
node_pools: [{name: gpu, instance_type: TYPE, count: COUNT}]
budget: BUDGET
shutdown: SHUTDOWN
"""


def spec(kind: str = "p5.48xlarge", count: str = "16", budget: str = "null", shutdown: str = "null") -> str:
    words = {"TYPE": kind, "COUNT": count, "BUDGET": budget, "SHUTDOWN": shutdown}
    text = SPEC
    for k, v in words.items():
        text = text.replace(k, v)
    return text


def test_sixteen_p5_always_on():
    found = said(spec_findings(spec()), "GI2201")
    assert found.is_error
    assert "a month" in found.message
    assert "2026-07-20" in found.message
    # 16 x 55.04 USD x 730 h are 642,867 USD for the nodes alone.
    assert "64" in found.message.split(" USD a month")[0].rpartition(" ")[2]
    assert "GI2202" in codes(spec_findings(spec()))


@pytest.mark.parametrize("shutdown", ["{lease: 72h}", "{idle_after: 30m}"])
def test_sixteen_p5_with_an_end(shutdown: str):
    assert "GI2201" not in codes(spec_findings(spec(shutdown=shutdown)))


def test_one_cheap_node_without_an_end_is_a_warning():
    assert said(spec_findings(spec("g4dn.xlarge", "1")), "GI2201").severity is Severity.WARNING


@pytest.mark.parametrize(
    ("count", "cap", "fails"), [("1", 50, True), ("1", 70, False), ("16", 300, True), ("16", 1000, False)]
)
def test_an_hourly_cap_counts_every_node(count: str, cap: int, fails: bool):
    found = spec_findings(spec(count=count, budget=f"{{per_hour_usd: {cap}}}", shutdown="{lease: 72h}"))
    assert ("GI2203" in [d.code for d in found if d.is_error]) is fails
    if fails:
        assert f"{cap}.00 USD" in said(found, "GI2203").message


def test_an_hourly_cap_counts_the_most_nodes_of_a_range():
    found = spec_findings(spec(count="{min: 0, max: 16}", budget="{per_hour_usd: 300}", shutdown="{lease: 72h}"))
    assert said(found, "GI2203").is_error


def test_c10_the_lag_is_a_number():
    found = spec_findings(spec(count="8", budget="{per_month_usd: 500000, contacts: [a@example.com], on_limit: stop}"))
    # 8 x 55.04 USD x 24 h are 10,567.68 USD for the nodes alone.
    assert "in which up to 10," in said(found, "GI2201").message
    assert "can be spent" in said(found, "GI2210").message
    assert said(found, "GI2225").severity is Severity.WARNING


def test_c12_the_spec_with_a_minimum():
    found = spec_findings(
        spec("g6e.12xlarge", "{min: 2, max: 4, initial: 4}", shutdown="{idle_after: 30m, lease: 100h}")
    )
    assert said(found, "GI2220").path == "node_pools[0].count.min"
    assert said(found, "GI2271").severity is Severity.WARNING


def test_c12_a_lease_without_timezone_is_refused_when_read():
    from pydantic import ValidationError

    with pytest.raises(ValidationError, match="timezone"):
        spec_findings(spec(shutdown='{lease: "2026-12-05 18:00"}'))


def test_c12_a_lease_in_the_past():
    assert said(spec_findings(spec(shutdown='{lease: "2026-11-29T18:00:00+01:00"}')), "GI2211").is_error


@pytest.mark.parametrize(
    ("alerts", "limit", "fails"),
    [
        (list(range(10, 100, 10)), "notify", False),
        (list(range(10, 120, 10)), "notify", True),
        (list(range(10, 110, 10)), "notify", False),
        ([1, 2, 3, 4, 5, 6, 7, 8, 9], "stop", False),
        ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], "stop", True),
        ([1, 2, 3, 4, 5, 6, 7, 8, 100], "stop", False),
    ],
)
def test_alert_levels_with_what_is_added_to_them(alerts: list[int], limit: str, fails: bool):
    money = f"{{per_month_usd: 900000, alerts_percent: {alerts}, contacts: [a@example.com], on_limit: {limit}}}"
    found = spec_findings(spec(budget=money, shutdown="{lease: 72h}"))
    assert ("GI2206" in codes(found)) is fails
