"""How rules read AWS resources: links, firewall rules, groups, schedules, user data, Lustre sizes."""

from __future__ import annotations

import base64
import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.policy import UNKNOWN, OutputRef, Secret
from gpuinfra.policy.aws_graph import SECURITY_GROUP, AwsGraph
from gpuinfra.policy.aws_interfaces import spelled
from gpuinfra.policy.aws_lustre import least_metadata_iops, nearest_sizes
from gpuinfra.policy.aws_schedules import aims_at, moment_of
from gpuinfra.policy.aws_user_data import is_late, script
from gpuinfra.policy.examples import graph_of
from gpuinfra.policy.wire_values import late, number, secret_texts, truth

TWO_GROUPS = """
- {type: aws.ec2.SecurityGroup, name: a, inputs: {}}
- {type: aws.ec2.SecurityGroup, name: b, inputs: {}}
- {type: aws.ec2.Subnet, name: s, inputs: {}}
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {networkInterfaces: [{subnetId: !ref s.id , securityGroups: GROUPS}]}
  from: {networkInterfaces: [FROM]}
"""


@pytest.mark.parametrize(
    ("groups", "traced", "resources", "foreign", "unknown"),
    [
        ("[!ref a.id ]", "", ["a"], (), False),
        ("['${a.id}']", "", ["a"], (), False),
        ("[sg-1]", "", [], ("sg-1",), False),
        ("[sg-1]", "a", ["a"], (), False),
        ("[!unknown ]", "b", ["b"], (), False),
        ("[!unknown ]", "", [], (), True),
        ("[sg-1, sg-2]", "a, b", ["a", "b"], (), False),
        ("[sg-1, sg-2]", "a", ["a"], (), True),
        ("[!ref a.id , sg-2]", "", ["a"], ("sg-2",), False),
        ("!unknown ", "", [], (), True),
        ("null", "", [], (), False),
    ],
)
def test_links(groups: str, traced: str, resources: list[str], foreign: tuple[str, ...], unknown: bool):
    aws = AwsGraph(graph_of(TWO_GROUPS.replace("GROUPS", groups).replace("FROM", traced)))
    links = aws.security_groups(aws.nodes[0])
    assert sorted(r.name for r in links.resources) == resources
    assert links.foreign == foreign
    assert links.unknown is unknown


def test_a_link_takes_only_the_wanted_type():
    aws = AwsGraph(graph_of(TWO_GROUPS.replace("GROUPS", "[!unknown ]").replace("FROM", "")))
    template = aws.nodes[0].template
    assert not aws.link(template, "networkInterfaces", OutputRef("s", "id"), SECURITY_GROUP).resources


@pytest.mark.parametrize(
    "group",
    [
        "{type: aws.autoscaling.Group, name: g, inputs: {launchTemplate: {id: !ref nodes.id }}}",
        "{type: aws.autoscaling.Group, name: g, inputs: {launchTemplate: {id: lt-1}}, from: {launchTemplate: [nodes]}}",
        "{type: aws.autoscaling.Group, name: g, inputs: {mixedInstancesPolicy: {launchTemplate: "
        "{launchTemplateSpecification: {launchTemplateId: !ref nodes.id }}}}}",
        "{type: aws.eks.NodeGroup, name: g, inputs: {launchTemplate: !unknown }, from: {launchTemplate: [nodes]}}",
    ],
)
def test_groups_find_their_template(group: str):
    aws = AwsGraph(graph_of(f"- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{}}}}\n- {group}"))
    assert [g.name for n in aws.nodes for g in n.groups] == ["g"]


def test_the_type_may_stand_on_the_group():
    aws = AwsGraph(
        graph_of("""
- {type: aws.ec2.LaunchTemplate, name: nodes, inputs: {}}
- {type: aws.eks.NodeGroup, name: g, inputs: {instanceTypes: [p5.48xlarge], launchTemplate: {id: !ref nodes.id }}}
""")
    )
    assert aws.nodes[0].instance_type == "p5.48xlarge"
    facts = aws.facts_of(aws.nodes[0])
    assert facts is not None
    assert facts.gpu_count == 8


def test_three_ways_to_write_one_firewall_rule():
    aws = AwsGraph(
        graph_of("""
- {type: aws.ec2.SecurityGroup, name: sg, inputs: {ingress: [{protocol: tcp, fromPort: 988, toPort: 1023, self: true}]}}
- type: aws.ec2.SecurityGroupRule
  name: old
  inputs: {type: ingress, protocol: tcp, fromPort: "988", toPort: 1023.0, self: true, securityGroupId: !ref sg.id }
- type: aws.vpc.SecurityGroupIngressRule
  name: new
  inputs:
    {securityGroupId: !ref sg.id , referencedSecurityGroupId: !ref sg.id , ipProtocol: tcp, fromPort: 988, toPort: 1023}
""")
    )
    (group,) = aws.of_type(SECURITY_GROUP)
    rules = aws.firewall_rules(group)
    assert len(rules) == 3
    assert all(r.ingress and r.opens(988, 1023) and r.peers == (group.urn,) and not r.unknown for r in rules)
    assert not rules[0].opens(987, 988)


def test_a_rule_of_an_unknown_group_says_so():
    aws = AwsGraph(
        graph_of("- {type: aws.vpc.SecurityGroupIngressRule, name: r, inputs: {securityGroupId: !unknown }}")
    )
    assert [(r.group, r.unknown) for r in aws.all_firewall_rules] == [("", True)]


def test_what_a_component_of_ours_made_is_known():
    aws = AwsGraph(
        graph_of("""
- {type: "gpuinfra:index:GpuCluster", name: c, custom: false}
- {type: "gpuinfra:aws:NodePool", name: c-p, custom: false, parent: c}
- {type: aws.ec2.LaunchTemplate, name: mine, parent: c-p}
- {type: aws.ec2.LaunchTemplate, name: theirs}
""")
    )
    mine, theirs = (n.template for n in aws.nodes)
    assert aws.ours(mine)
    assert not aws.ours(theirs)
    assert aws.root(mine).endswith("::c")
    assert aws.root(theirs) == ""


@pytest.mark.parametrize(
    ("value", "wanted"),
    [(8, 8), (8.0, 8), ("8", 8), ("x", None), (True, None), (UNKNOWN, None), (float("nan"), None), ("9" * 400, None)],
)
def test_numbers(value: object, wanted: float | None):
    assert number(value) == wanted


@pytest.mark.parametrize(
    ("value", "wanted"), [(True, True), ("true", True), ("false", False), ("yes", None), (UNKNOWN, None), (1, None)]
)
def test_truths(value: object, wanted: bool | None):
    assert truth(value) is wanted


@pytest.mark.parametrize(
    ("value", "wanted"), [(UNKNOWN, True), (OutputRef("a", "b"), True), ("${a.b}", True), ("$a", False), (None, False)]
)
def test_what_is_late(value: object, wanted: bool):
    assert late(value) is wanted


def test_secret_texts_are_found_at_any_depth():
    assert secret_texts({"a": [Secret({"b": ["deep", 7]})], "c": "open"}) == {"deep", "7"}


@pytest.mark.parametrize(("numbers", "text"), [([0], "0"), ([0, 1, 2, 5], "0–2, 5"), ([3, 3, 1], "1, 3"), ([], "")])
def test_ranges_of_numbers(numbers: list[int], text: str):
    assert spelled(numbers) == text


def test_user_data_are_read_through_base64_and_gzip():
    text = "#!/bin/bash\necho hi\n"
    assert script(text) == text
    assert script(base64.b64encode(text.encode()).decode()) == text
    assert script(base64.b64encode(gzip.compress(text.encode())).decode()) == text
    bomb = base64.b64encode(gzip.compress(b"0" * (64 << 20))).decode()
    assert len(script(bomb)) <= 1 << 20


@pytest.mark.parametrize(
    ("value", "wanted"), [("${a.b}", True), (UNKNOWN, True), ("echo ${HOME}", False), (None, False)]
)
def test_user_data_that_are_not_known_yet(value: object, wanted: bool):
    assert is_late(value) is wanted


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("""'{"AutoScalingGroupName": "gpu"}'""", True),
        ("""'{"AutoScalingGroupName": "other"}'""", False),
        ("""'{"AutoScalingGroupName": "${g.name}"}'""", True),
        ("!unknown ", True),
    ],
)
def test_a_schedule_stops_the_group_that_it_names(body: str, wanted: bool):
    graph = graph_of(f"""
- {{type: aws.autoscaling.Group, name: g, inputs: {{name: gpu}}}}
- type: aws.scheduler.Schedule
  name: s
  inputs: {{target: {{arn: "arn:aws:scheduler:::aws-sdk:autoscaling:updateAutoScalingGroup", input: {body}}}}}
""")
    assert aims_at(AwsGraph(graph), graph.named("s"), graph.named("g")) is wanted


@pytest.mark.parametrize(
    ("expression", "zone", "wanted"),
    [
        ("at(2026-12-05T18:00:00)", "Europe/Berlin", "2026-12-05T18:00:00+01:00"),
        ("at(2026-12-05T18:00)", "UTC", "2026-12-05T18:00:00+00:00"),
        ("at(2026-12-05T18:00:00)", "Nowhere/Land", None),
        ("rate(1 day)", "UTC", None),
        ("at(2026-13-05T18:00:00)", "UTC", None),
    ],
)
def test_the_moment_of_a_schedule(expression: str, zone: str, wanted: str | None):
    graph = graph_of(
        f"- {{type: aws.scheduler.Schedule, name: s, inputs: {{scheduleExpression: '{expression}', scheduleExpressionTimezone: {zone}}}}}"
    )
    at = moment_of(graph.named("s"))
    assert (at.isoformat() if at else None) == wanted


@given(st.integers(1, 500_000), st.sampled_from(["PERSISTENT_2", "PERSISTENT_1", "SCRATCH_1", "SCRATCH_2"]))
def test_the_sizes_named_are_sold_and_next_to_the_one_asked(size: int, kind: str):
    near = nearest_sizes(kind, "SSD", None, size)
    if not near:
        assert nearest_sizes(kind, "SSD", None, size + 1)
        return
    assert all(nearest_sizes(kind, "SSD", None, n) == () for n in near)
    assert near[-1] > size
    assert len(near) == 1 or near[0] < size
    between = range(near[0] + 1 if len(near) == 2 else 1, near[-1])
    assert all(nearest_sizes(kind, "SSD", None, n) for n in between[:: max(len(between) // 20, 1)])


@pytest.mark.parametrize(
    ("size", "iops"),
    [(1200, 1500), (2400, 3000), (4800, 6000), (9600, 6000), (12000, 12000), (45600, 12000), (48000, 24000)],
)
def test_the_least_metadata_iops(size: int, iops: int):
    assert least_metadata_iops(size) == iops
