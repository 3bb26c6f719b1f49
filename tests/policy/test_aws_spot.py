"""Spot requests, spot groups, lone instances and default security groups of plain AWS programs."""

from __future__ import annotations

import base64

import pytest

from gpuinfra.policy import check_graph
from gpuinfra.policy.examples import NOW, graph_of

SPOT_REQUEST = """
- type: aws.ec2.SpotInstanceRequest
  name: box
  inputs: {{ami: {0}, instanceType: {1}, spotPrice: "0.4", rootBlockDevice: {{volumeSize: 200}}, userData: "{2}"}}
"""


def codes(text: str) -> set[str]:
    return {d.code for d in check_graph(graph_of(text), now=NOW).diagnostics}


def undecided(text: str) -> set[str]:
    return {u.code for u in check_graph(graph_of(text), now=NOW).undecided}


def boot(line: str) -> str:
    return base64.b64encode(f"#!/bin/bash\n{line}\n".encode()).decode()


def test_a_spot_request_is_judged_as_the_instance_that_it_is():
    found = codes(SPOT_REQUEST.format("ubuntu-24.04", "g5.xlarge", "#!/bin/bash\\npython train.py"))
    assert {"GI3053", "GI3056", "GI3061", "GI3078", "GI3401", "GI3402"} <= found
    assert "GI3290" in codes(SPOT_REQUEST.format("ami-0123456789abcdef0", "g5.xxlarge", ""))


@pytest.mark.parametrize("more", ["validUntil: '2026-12-01T00:00:00Z'", "userData: '(sleep 1h; poweroff) &'"])
def test_a_spot_request_with_an_end(more: str):
    text = "{type: aws.ec2.SpotInstanceRequest, name: box, inputs: {instanceType: g5.xlarge, " + more + "}}"
    assert "GI3402" not in codes("- " + text)


MIXED = """
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {{instanceType: g5.xlarge, userData: {2}}}
- type: aws.autoscaling.Group
  name: group
  inputs:
    minSize: 0
    maxSize: 4
    vpcZoneIdentifiers: [subnet-0123456789abcdef0]
    mixedInstancesPolicy:
      instancesDistribution: {{onDemandBaseCapacity: 0, onDemandPercentageAboveBaseCapacity: {0}, spotAllocationStrategy: price-capacity-optimized}}
      launchTemplate: {{launchTemplateSpecification: {{launchTemplateId: !ref nodes.id }}, overrides: {1}}}
"""


@pytest.mark.parametrize(
    ("share", "overrides", "found"),
    [
        (0, "[]", True),
        (0, "[{instanceType: g5.xlarge}]", True),
        (0, "[{instanceType: g5.xlarge}, {instanceType: g5.2xlarge}]", False),
        (0, "[{instanceRequirements: {acceleratorManufacturers: [nvidia]}}]", False),
        (50, "[]", False),
        (100, "[]", False),
    ],
)
def test_a_mixed_group_in_one_market(share: int, overrides: str, found: bool):
    assert ("GI3311" in codes(MIXED.format(share, overrides, "null"))) is found


def test_a_mixed_group_that_hears_its_notice():
    assert "GI3401" in codes(MIXED.format(0, "[]", boot("python train.py")))
    assert "GI3401" not in codes(MIXED.format(0, "[]", boot("watch latest/meta-data/spot/instance-action")))
    assert "GI3401" not in codes(MIXED.format(100, "[]", boot("python train.py")))
    chart = "- {type: 'kubernetes:helm.sh/v3:Release', name: nth, inputs: {chart: aws-node-termination-handler}}\n"
    assert "GI3401" not in codes(MIXED.format(0, "[]", boot("/etc/eks/bootstrap.sh")) + chart)


BOX = "- {type: aws.ec2.Instance, name: box, inputs: {ami: ami-0123456789abcdef0, instanceType: p5.48xlarge}}\n"


@pytest.mark.parametrize(
    "ends",
    [
        "- {type: aws.scheduler.Schedule, name: night, inputs: {scheduleExpression: rate(1 day), target: {arn: "
        "'arn:aws:scheduler:::aws-sdk:ec2:stopInstances', input: '{\"InstanceIds\": []}'}}}\n",
        "- {type: aws.cloudwatch.EventRule, name: night, inputs: {scheduleExpression: rate(1 day)}}\n",
        "- {type: 'aws:ec2transitgateway/instanceState:InstanceState', name: off, "
        "inputs: {instanceId: !ref box.id , state: stopped}}\n",
        "- {type: aws.budgets.BudgetAction, name: stop, inputs: {definition: {ssmActionDefinition: "
        "{actionSubType: STOP_EC2_INSTANCES, instanceIds: [!ref box.id ]}}}}\n",
    ],
)
def test_what_ends_a_lone_instance(ends: str):
    assert "GI3402" in codes(BOX)
    assert "GI3402" not in codes(BOX + ends)


def test_the_type_of_a_lone_instance_may_stand_in_its_template():
    template = "- {type: aws.ec2.LaunchTemplate, name: nodes, inputs: {instanceType: p5.48xlarge, userData: %s}}\n"
    box = "- {type: aws.ec2.Instance, name: box, inputs: {launchTemplate: {id: !ref nodes.id }}}\n"
    assert "GI3402" in codes(template % "null" + box)
    assert "GI3402" not in codes(template % boot("shutdown -h +480") + box)
    assert "GI3402" in undecided(template % "!unknown " + box)


def test_an_alarm_that_only_tells_ends_nothing():
    alarm = (
        "- {type: aws.cloudwatch.MetricAlarm, name: idle, inputs: {alarmActions: ['arn:aws:sns:us-east-1:1:ops'], "
        "dimensions: {InstanceId: !ref box.id }}}\n"
    )
    assert "GI3402" in codes(BOX + alarm)


def test_the_nodes_of_a_capacity_block_end_with_it():
    group = "- {type: aws.autoscaling.Group, name: group, inputs: {minSize: 2, maxSize: 2, launchTemplate: {id: !ref nodes.id }}}\n"
    template = "- {type: aws.ec2.LaunchTemplate, name: nodes, inputs: {instanceType: p5.48xlarge%s}}\n"
    assert "GI3047" in codes(template % "" + group)
    found = codes(template % ", instanceMarketOptions: {marketType: capacity-block}" + group)
    assert "GI3047" not in found
    assert "GI3028" in found


def test_the_group_that_a_vpc_comes_with_is_read_too():
    group = (
        "- {type: aws.ec2.DefaultSecurityGroup, name: rest, "
        "inputs: {ingress: [{protocol: '-1', fromPort: 0, toPort: 0, %s}]}}\n"
    )
    assert "GI3013" in codes(group % "cidrBlocks: [0.0.0.0/0]" + BOX)
    assert "GI3013" not in codes(group % "self: true" + BOX)
