"""What ends a group of AWS nodes in a plain program, and what only looks like it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from gpuinfra.policy.aws_expressions import never_comes, refused
from tests.cases.judging import judged

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
CODES = ("GI3047", "GI3048")
UPDATE = "arn:aws:scheduler:::aws-sdk:autoscaling:updateAutoScalingGroup"
SET = "arn:aws:scheduler:::aws-sdk:autoscaling:setDesiredCapacity"
DELETE = "arn:aws:scheduler:::aws-sdk:autoscaling:deleteAutoScalingGroup"
LAMBDA = "arn:aws:lambda:us-east-1:123456789012:function:night"
ROLE = """\
- type: aws.iam.Role
  name: caller
  inputs: {name: caller, assumeRolePolicy: '{"Statement": [{"Principal": {"Service": "scheduler.amazonaws.com"}}]}'}
"""


def nodes(least: int = 2, wanted: int | None = 2, more: str = "") -> str:
    return f"""\
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: p5.48xlarge}}}}
- type: aws.autoscaling.Group
  name: group
  inputs: {{name: gpu, minSize: {least}, maxSize: 4, desiredCapacity: {wanted}, launchTemplate: {{id: !ref nodes.id }} {more}}}
  options: {{ignoreChanges: [desiredCapacity]}}
"""


def lease(
    body: str = '{"AutoScalingGroupName": "gpu", "MinSize": 0, "DesiredCapacity": 0}',
    when: str = "at(2026-12-05T18:00:00)",
    arn: str = UPDATE,
    more: str = "",
) -> str:
    return f"""\
- type: aws.scheduler.Schedule
  name: lease
  inputs:
    scheduleExpression: {when}
    scheduleExpressionTimezone: Europe/Berlin
    target: {{arn: "{arn}", input: '{body}', roleArn: !ref caller.arn }}
    {more}
{ROLE}"""


def rights(action: str) -> str:
    text = f'{{"Statement": [{{"Effect": "Allow", "Action": ["{action}"], "Resource": "*"}}]}}'
    return f"- {{type: aws.iam.RolePolicy, name: rights, inputs: {{role: caller, policy: '{text}'}}}}\n"


def night(inputs: str) -> str:
    return f"""\
- type: aws.autoscaling.Schedule
  name: night
  inputs: {{autoscalingGroupName: !ref group.name , {inputs}}}
"""


ALL = rights("autoscaling:*")


def verdict(*parts: str) -> tuple[list[tuple[str, str]], list[str]]:
    report = judged("".join(parts))
    said = [(d.code, d.path) for d in report.diagnostics if d.code in CODES]
    return said, [u.code for u in report.undecided if u.code in CODES]


@pytest.mark.parametrize(
    ("parts", "code", "path"),
    [
        ((nodes(), lease(more="state: DISABLED"), ALL), "GI3047", "lease.state"),
        ((nodes(), lease('{"AutoScalingGroupName": "gpu", "DesiredCapacity": 0}'), ALL), "GI3048", "lease.target.input"),
        ((nodes(), lease('{"AutoScalingGroupName": "gpu", "MaxSize": 0}'), ALL), "GI3048", "lease.target.input"),
        ((nodes(0), lease('{"AutoScalingGroupName": "gpu", "MaxSize": 1}'), ALL), "GI3047", "lease.target.input"),
        ((nodes(0), lease('{"AutoScalingGroupName": "gpu", "MinSize": 0}'), ALL), "GI3047", "lease.target.input"),
        ((nodes(), lease('{"AutoScalingGroupName": "gpu", "MinSize": 1, "DesiredCapacity": 1}'), ALL), "GI3047", "lease.target.input"),
        ((nodes(), lease('{"AutoScalingGroupName": "gpu", "MinSize": 1, "DesiredCapacity": 0}'), ALL), "GI3048", "lease.target.input"),
        ((nodes(), lease('{"AutoScalingGroupName": "gpu", "DesiredCapacity": 0}', arn=SET), ALL), "GI3048", "lease.target.input"),
        ((nodes(), lease('{"AutoScalingGroupName": "other", "MinSize": 0, "DesiredCapacity": 0}'), ALL), "GI3047", "group.minSize"),
        ((nodes(), lease(when="cron(0 18 * * ?)"), ALL), "GI3048", "lease.scheduleExpression"),
        ((nodes(), lease(when="tonight"), ALL), "GI3048", "lease.scheduleExpression"),
        ((nodes(), lease(when="at(2026-11-29T18:00:00)"), ALL), "GI3048", "lease.scheduleExpression"),
        ((nodes(), lease(when="cron(0 18 5 12 ? 2025)"), ALL), "GI3048", "lease.scheduleExpression"),
        ((nodes(), lease(when="rate(1 day)", more='endDate: "2026-11-01T00:00:00Z"'), ALL), "GI3048", "lease.endDate"),
        ((nodes(), lease(), rights("ec2:StopInstances")), "GI3048", "lease.target.roleArn"),
        ((nodes(), night('startTime: "2026-11-01T00:00:00Z", minSize: 0, maxSize: 0, desiredCapacity: 0')), "GI3048", "night.startTime"),
        ((nodes(), night('recurrence: "0 19 * * ? *", minSize: 0, maxSize: 0, desiredCapacity: 0')), "GI3048", "night.recurrence"),
        ((nodes(), night('recurrence: "0 19 31 2 *", minSize: 0, maxSize: 0, desiredCapacity: 0')), "GI3048", "night.recurrence"),
        ((nodes(), night('recurrence: "0 19 * * *", minSize: 1, maxSize: 4, desiredCapacity: 1')), "GI3047", "night.minSize"),
        ((nodes(), night('recurrence: "0 19 * * *", minSize: 0, maxSize: 4, desiredCapacity: -1')), "GI3047", "night.desiredCapacity"),
        ((nodes(), night('recurrence: "0 19 * * *", minSize: -1, maxSize: -1, desiredCapacity: 0')), "GI3048", "night.desiredCapacity"),
        ((nodes(), night('recurrence: "0 7 * * *", minSize: 4, maxSize: 4, desiredCapacity: 4')), "GI3047", "group.minSize"),
    ],
)  # fmt: skip
def test_what_only_looks_like_an_end(parts: tuple[str, ...], code: str, path: str):
    assert verdict(*parts) == ([(code, path)], [])


@pytest.mark.parametrize(
    "parts",
    [
        (nodes(), lease(), ALL),
        (nodes(), lease(when="cron(0 19 ? * MON-FRI *)"), rights("autoscaling:UpdateAutoScalingGroup")),
        (nodes(), lease(when="cron(0/30 18 L * ? 2026-2030)"), rights("*")),
        (nodes(0), lease('{"AutoScalingGroupName": "gpu", "MaxSize": 0}'), ALL),
        (nodes(0), lease('{"AutoScalingGroupName": "gpu", "DesiredCapacity": 0}', arn=SET), ALL),
        (nodes(), lease('{"AutoScalingGroupName": "gpu", "ForceDelete": true}', arn=DELETE), ALL),
        (nodes(), lease(more="state: DISABLED"), ALL, night('recurrence: "0 19 * * *", minSize: 0, desiredCapacity: 0')),
        (nodes(), night('recurrence: "0 19 * * FRI", minSize: 0, maxSize: 4'), night('recurrence: "0 7 * * MON", minSize: 4').replace("night", "day")),
        (nodes(0, 4, ", tags: [{key: k8s.io/cluster-autoscaler/enabled, value: 'true', propagateAtLaunch: true}]"),),
        (nodes(0), "- {type: 'kubernetes:helm.sh/v3:Release', name: scaler, inputs: {chart: cluster-autoscaler}}\n"),
    ],
)  # fmt: skip
def test_what_ends_a_group(parts: tuple[str, ...]):
    assert verdict(*parts) == ([], [])


@pytest.mark.parametrize(
    "parts",
    [
        (nodes(), lease("{}", when="rate(1 hour)", arn=LAMBDA), ALL),
        (nodes(), lease("!U").replace("'!U'", "!unknown "), ALL),
        (nodes(), "- {type: aws.cloudwatch.EventTarget, name: out, inputs: {rule: r, arn: '" + LAMBDA + "'}}\n"),
    ],
)
def test_what_cannot_be_seen_into(parts: tuple[str, ...]):
    assert verdict(*parts) == ([], ["GI3047"])


def test_a_function_that_may_not_end_nodes_is_no_end():
    function = (
        "- {type: aws.lambda.Function, name: report, inputs: {role: !ref mailer.arn }}\n"
        "- {type: aws.iam.Role, name: mailer, inputs: {}}\n"
        """- {type: aws.iam.RolePolicy, name: mail, inputs: {role: !ref mailer.id , policy: '{"Statement": [{"Effect": "Allow", "Action": "ses:SendEmail"}]}'}}\n"""
        "- {type: aws.cloudwatch.EventTarget, name: out, inputs: {rule: r, arn: !ref report.arn }}\n"
    )
    assert verdict(nodes(), function) == ([("GI3047", "group.minSize")], [])
    assert verdict(nodes(), function.replace("ses:SendEmail", "autoscaling:*")) == ([], ["GI3047"])


@pytest.mark.parametrize(
    ("rule", "said", "undecided"),
    [
        ("scheduleExpression: 'cron(0 19 * * ? *)'", [], ["GI3047"]),
        ("scheduleExpression: cron(0 19 * * *)", [("GI3048", "night.scheduleExpression")], []),
        ("scheduleExpression: rate(1 day), state: DISABLED", [("GI3047", "night.state")], []),
        ("scheduleExpression: rate(1 day), isEnabled: false", [("GI3047", "night.isEnabled")], []),
    ],
)
def test_the_rule_of_an_event(rule: str, said: list[tuple[str, str]], undecided: list[str]):
    event = (
        f"- {{type: aws.cloudwatch.EventRule, name: night, inputs: {{{rule}}}}}\n"
        f"- {{type: aws.cloudwatch.EventTarget, name: out, inputs: {{rule: !ref night.name , arn: '{LAMBDA}'}}}}\n"
    )
    assert verdict(nodes(), event) == (said, undecided)


@pytest.mark.parametrize(
    ("inputs", "path"),
    [
        ("policyType: TargetTrackingScaling, targetTrackingConfiguration: {targetValue: 50}", ""),
        ("adjustmentType: ChangeInCapacity, scalingAdjustment: -1", ""),
        ("adjustmentType: ExactCapacity, scalingAdjustment: 0", ""),
        ("adjustmentType: ChangeInCapacity, scalingAdjustment: 1", "idle.scalingAdjustment"),
        ("adjustmentType: ChangeInCapacity, scalingAdjustment: -1, enabled: false", "idle.enabled"),
        ("policyType: TargetTrackingScaling, targetTrackingConfiguration: {targetValue: 50, disableScaleIn: true}", "idle.targetTrackingConfiguration.disableScaleIn"),
        ("policyType: PredictiveScaling, predictiveScalingConfiguration: {mode: ForecastOnly}", "idle.predictiveScalingConfiguration.mode"),
    ],
)  # fmt: skip
def test_scaling_policies(inputs: str, path: str):
    policy = f"- {{type: aws.autoscaling.Policy, name: idle, inputs: {{autoscalingGroupName: !ref group.name , {inputs}}}}}\n"
    assert verdict(nodes(0), policy) == ([("GI3047", path)] if path else [], [])
    assert verdict(nodes(1), policy)[0] == [("GI3047", path or "group.minSize")]


@pytest.mark.parametrize(
    "text",
    [
        "rate(5 minutes)",
        "rate(1 day)",
        "cron(0 12 * * ? *)",
        "cron(15,45 8-18 ? * 2#1 2026)",
        "cron(0 0 1W JAN-MAR ? *)",
        "cron(0 0 L-2 * ? *)",
    ],
)
def test_expressions_that_are_taken(text: str):
    assert (refused(text), never_comes(text, NOW)) == ("", "")


@pytest.mark.parametrize(
    "text",
    ["", "0 12 * * ? *", "cron(0 12 * * *)", "cron(0 12 * * * *)", "cron(60 12 * * ? *)", "cron(0 12 ? * DOM *)",
     "rate(0 days)", "rate(day)", "at(2026-02-30T00:00:00)", "at(2026-12-05)", "at(2026-12-05T18:00:00Z)", "cron()"],
)  # fmt: skip
def test_expressions_that_are_refused(text: str):
    assert refused(text)


EKS = """\
- type: aws.eks.NodeGroup
  name: pool
  inputs: {clusterName: c, nodeGroupName: gpu, instanceTypes: [g5.xlarge], scalingConfig: {minSize: 1, maxSize: 2, desiredSize: 2}}
- type: aws.autoscaling.Schedule
  name: night
  inputs: {autoscalingGroupName: !unknown , recurrence: "0 19 * * *", minSize: 0, maxSize: 2, desiredCapacity: 0}
"""


def test_a_node_groups_hidden_scaling_group():
    assert verdict(EKS + "  from: {autoscalingGroupName: [pool]}\n") == ([], [])
    assert verdict(EKS) == ([], ["GI3047"])


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ('{"MinSize": 0, "MaxSize": 2, "DesiredSize": 0}', []),
        ('{"DesiredSize": 0}', [("GI3048", "lease.target.input")]),
        ('{"MinSize": 1, "DesiredSize": 1}', [("GI3047", "lease.target.input")]),
    ],
)
def test_the_call_of_a_node_group(sizes: str, said: list[tuple[str, str]]):
    body = f'{{"ClusterName": "c", "NodegroupName": "gpu", "ScalingConfig": {sizes}}}'
    call = lease(body, arn="arn:aws:scheduler:::aws-sdk:eks:updateNodegroupConfig")
    pool = EKS.partition("- type: aws.autoscaling.Schedule")[0]
    assert verdict(pool, call, rights("eks:UpdateNodegroupConfig")) == (said, [])


@pytest.mark.parametrize("least", [0, 2])
def test_a_boot_script_that_is_not_known_yet_may_take_the_last_node_away(least: int):
    text = nodes(least, 2).replace("instanceType: p5.48xlarge", "instanceType: p5.48xlarge, userData: !unknown ")
    report = judged(text)
    assert ("GI3047" in {d.code for d in report.diagnostics}) is (least > 0)
    assert ("GI3047" in {u.code for u in report.undecided}) is (least == 0)


UNSEEN_SCRIPT = """\
- {{type: aws.iam.Role, name: role, inputs: {{}}}}
- type: aws.iam.RolePolicyAttachment
  name: rights
  inputs: {{role: !ref role.name , policyArn: "arn:aws:iam::aws:policy/{0}"}}
- {{type: aws.iam.InstanceProfile, name: profile, inputs: {{role: !ref role.name }}}}
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {{instanceType: p5.48xlarge, userData: !unknown , iamInstanceProfile: {{arn: !ref profile.arn }}}}
- type: aws.autoscaling.Group
  name: group
  inputs: {{minSize: 0, desiredCapacity: 2, maxSize: 4, launchTemplate: {{id: !ref nodes.id }}}}
"""


@pytest.mark.parametrize(
    ("policy", "ends"),
    [("AmazonEKSWorkerNodePolicy", False), ("AutoScalingFullAccess", None), ("PowerUserAccess", None)],
)
def test_a_script_that_is_not_seen_ends_no_node_without_the_right_to(policy: str, ends: bool | None):
    report = judged(UNSEEN_SCRIPT.format(policy))
    assert ("GI3047" in {d.code for d in report.diagnostics}) is (ends is False)
    assert ("GI3047" in {u.code for u in report.undecided}) is (ends is None)
