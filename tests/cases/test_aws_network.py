"""AWS-C01 (a B300 node that never launches) and AWS-C03 (TCP works, EFA does not)."""

from __future__ import annotations

import pytest

from .judging import codes, judged, nics, rows, said, spec_findings

FABRIC = {f"NET-{n:02}" for n in (1, 2, 3, 4, 5, 6, 9)}

Slots = list[tuple[int, int, str]]


def template(kind: str, slots: Slots) -> str:
    return f"""
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {{instanceType: {kind}, networkInterfaces: {nics(*slots)}}}
"""


def cards(first: int, last: int, kind: str = "efa-only", device: int = 0) -> Slots:
    return [(c, device, kind) for c in range(first, last + 1)]


B300_BY_COUNTING: Slots = [(0, 0, "efa"), *cards(1, 16, "efa", 1)]
B300: Slots = [(0, 0, "interface"), *cards(1, 16)]


def test_c01_a_list_made_by_counting_cards_gives_one_error_for_each_rule():
    report = judged(template("p6-b300.48xlarge", B300_BY_COUNTING))
    assert rows(report) & FABRIC == {"NET-01", "NET-03", "NET-05"}
    fabric = [d for d in report.diagnostics if d.code in ("GI3001", "GI3003", "GI3005")]
    assert len(fabric) == 3
    assert "card 0" in said(report, "GI3003").message
    assert "17 EFA interfaces" in said(report, "GI3005").message
    assert "at most 16" in said(report, "GI3005").message
    assert "16 `efa-only` (cards 1–16)" in said(report, "GI3001").message


P5EN: Slots = [(0, 0, "interface"), (0, 1, "efa-only"), *cards(1, 15)]


@pytest.mark.parametrize(
    ("kind", "slots"),
    [
        ("p6-b300.48xlarge", B300),
        ("p6-b300.48xlarge", [(0, 0, "interface"), *cards(1, 16, device=1)]),
        ("p6-b300.48xlarge", [(0, 0, "interface"), *cards(1, 16, "efa")]),
        ("p6-b200.48xlarge", [(0, 0, "interface"), (0, 1, "efa-only"), *cards(1, 7)]),
        ("p4d.24xlarge", [(0, 0, "interface"), (0, 1, "efa-only"), *cards(1, 3)]),
        ("p5en.48xlarge", P5EN),
        ("p5.48xlarge", [(0, 0, "interface"), (0, 1, "efa-only"), *cards(1, 31)]),
        ("p5.48xlarge", [(0, 0, "efa"), *cards(1, 31, "efa")]),
        ("g5.8xlarge", [(0, 0, "interface"), (0, 1, "efa-only")]),
        ("g5.8xlarge", [(0, 0, "efa")]),
        ("g5.xlarge", [(0, 0, "interface")]),
        ("p5.48xlarge", [(0, 0, "interface")]),
        ("p5.48xlarge", []),
    ],
)
def test_c01_right_layouts_pass(kind: str, slots: Slots):
    assert rows(judged(template(kind, slots))) & FABRIC == set()


def test_c01_the_right_number_of_interfaces_in_the_wrong_places_is_caught():
    # 17 interfaces are right for both types, in different places.
    assert "NET-03" in rows(judged(template("p6-b300.48xlarge", P5EN)))
    assert "NET-04" in rows(judged(template("p5en.48xlarge", B300)))


@pytest.mark.parametrize(
    ("kind", "slots", "row"),
    [
        ("p5.48xlarge", [(0, 0, "efa-only")], "NET-02"),
        ("p5.48xlarge", [(0, 0, "interface"), (1, 2, "efa-only")], "NET-04"),
        ("p5.48xlarge", [(0, 0, "interface"), (99, 0, "efa-only")], "NET-04"),
        ("p4d.24xlarge", [(0, 0, "interface"), (1, 0, "efa-only"), (1, 0, "efa-only")], "NET-05"),
        ("p4d.24xlarge", [(0, 0, "interface"), (1, 0, "efa-only"), (1, 1, "efa-only")], "NET-05"),
        ("p5.48xlarge", [(0, 0, "interface"), (0, 1, "efa-only"), *cards(1, 15)], "NET-01"),
    ],
)
def test_c01_each_fault_has_its_row(kind: str, slots: Slots, row: str):
    assert row in rows(judged(template(kind, slots)), errors=True)


@pytest.mark.parametrize("kind", ["g5.4xlarge", "g6.xlarge"])
def test_c01_efa_on_a_small_size_names_the_smallest_with_it(kind: str):
    found = said(judged(template(kind, [(0, 0, "efa")])), "GI3006")
    assert kind in found.message
    assert f"{kind.split('.')[0]}.8xlarge" in found.hint


def test_c01_whole_numbers_may_come_as_floats_and_text():
    report = judged("""
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {instanceType: p5.48xlarge, networkInterfaces: [{networkCardIndex: 1.0, deviceIndex: 2.0, interfaceType: efa}]}
""")
    assert "device index 2 does not exist on card 1" in said(report, "GI3004").message


@pytest.mark.parametrize(
    ("kind", "shape"),
    [
        ("p6-b300.48xlarge", B300),
        ("p6-b200.48xlarge", [(0, 0, "interface"), (0, 1, "efa-only"), *cards(1, 7)]),
        ("p4d.24xlarge", [(0, 0, "interface"), (0, 1, "efa-only"), *cards(1, 3)]),
        ("p5en.48xlarge", P5EN),
    ],
)
def test_c01_the_plan_has_the_right_layout(kind: str, shape: Slots):
    from gpuinfra.plan import resolve
    from gpuinfra.policy.examples import NOW, spec_of

    plan = resolve(
        spec_of(f"{{location: {{provider: aws, region: us-west-2}}, node_pools: [{{instance_type: {kind}}}]}}"), NOW
    ).plan
    assert plan is not None
    assert [(n.card, n.device, n.kind) for n in plan.pools[0].fabric.nics] == shape


@pytest.mark.parametrize("kind", ["g5.4xlarge", "g6.xlarge"])
def test_c01_fabric_required_on_a_type_without_it_is_refused(kind: str):
    found = spec_findings(f"""
name: acme
location: {{provider: aws, region: us-east-1}}
node_pools: [{{name: gpu, instance_type: {kind}, count: 2, fabric: required}}]
shutdown: {{lease: 72h}}
""")
    assert "GI2040" in codes(found)
    assert any("8xlarge" in d.hint for d in found if d.code == "GI2040")


SG = "- {type: aws.ec2.SecurityGroup, name: efa, inputs: {vpcId: vpc-1}}\n"
NODES = """
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {instanceType: p4d.24xlarge, networkInterfaces: [{interfaceType: efa, securityGroups: [!ref efa.id ]}]}
"""
SELF_IN = """
- type: aws.vpc.SecurityGroupIngressRule
  name: self-in
  inputs: {securityGroupId: !ref efa.id , referencedSecurityGroupId: !ref efa.id , ipProtocol: "-1"}
"""
SELF_OUT = SELF_IN.replace("Ingress", "Egress").replace("self-in", "self-out")
WORLD_OUT = """
- type: aws.vpc.SecurityGroupEgressRule
  name: world-out
  inputs: {securityGroupId: !ref efa.id , cidrIpv4: 0.0.0.0/0, ipProtocol: "-1"}
"""
VPC_OUT = WORLD_OUT.replace("0.0.0.0/0", "10.0.0.0/16").replace("world", "vpc")


def test_c03_egress_to_the_world_is_not_egress_to_self():
    report = judged(SG + NODES + SELF_IN + WORLD_OUT)
    assert "egress must also name the group itself" in said(report, "GI3011").message
    assert "NET-11" in rows(report, errors=True)


@pytest.mark.parametrize(
    "rules",
    [
        SELF_IN + SELF_OUT,
        SELF_IN + SELF_OUT + WORLD_OUT,
        """
- {type: aws.ec2.SecurityGroupRule, name: a, inputs: {type: ingress, protocol: "-1", self: true, securityGroupId: !ref efa.id }}
- {type: aws.ec2.SecurityGroupRule, name: b, inputs: {type: egress, protocol: "-1", self: true, securityGroupId: !ref efa.id }}
""",
    ],
)
def test_c03_both_directions_pass(rules: str):
    report = judged(SG + NODES + rules)
    assert "NET-11" not in rows(report)
    assert "NET-18" not in rows(report)


@pytest.mark.parametrize(
    "rules",
    [
        SELF_IN + SELF_OUT.replace('"-1"', "tcp, fromPort: 0, toPort: 65535"),
        SELF_IN + VPC_OUT,
        SELF_OUT + WORLD_OUT,
        "",
    ],
)
def test_c03_half_of_it_fails(rules: str):
    assert "NET-11" in rows(judged(SG + NODES + rules), errors=True)


def test_c03_the_narrow_protocol_is_named():
    found = said(judged(SG + NODES + SELF_IN + SELF_OUT.replace('"-1"', "tcp, fromPort: 0, toPort: 65535")), "GI3011")
    assert "protocol tcp alone is not enough" in found.message


def test_c03_rules_on_one_of_two_groups_pass():
    two = SG + "- {type: aws.ec2.SecurityGroup, name: other, inputs: {}}\n"
    nodes = NODES.replace("[!ref efa.id ]", "[!ref other.id , !ref efa.id ]")
    assert "NET-11" not in rows(judged(two + nodes + SELF_IN + SELF_OUT))


def test_c03_inline_rules_pass_and_mixed_ones_do_not():
    inline = """
- type: aws.ec2.SecurityGroup
  name: efa
  inputs: {ingress: [{self: true, protocol: "-1"}], egress: [{self: true, protocol: "-1", fromPort: 0, toPort: 0}]}
"""
    assert rows(judged(inline + NODES)) & {"NET-11", "NET-21"} == set()
    mixed = judged(inline + NODES + SELF_OUT)
    assert "NET-21" in rows(mixed, errors=True)


PEERS = """
- {type: aws.ec2.PlacementGroup, name: close, inputs: {strategy: cluster}}
- {type: aws.ec2.SecurityGroup, name: efa, inputs: {}}
- {type: aws.ec2.SecurityGroup, name: second, inputs: {}}
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs:
    instanceType: p4d.24xlarge
    placement: {groupName: !ref close.name }
    networkInterfaces: [{interfaceType: efa, securityGroups: [!ref efa.id ]}]
- type: aws.ec2.LaunchTemplate
  name: more
  inputs:
    instanceType: p4d.24xlarge
    placement: {groupName: !ref close.name }
    networkInterfaces: [{interfaceType: efa, securityGroups: [!ref GROUP.id ]}]
"""
SECOND = (SELF_IN + SELF_OUT).replace("efa.id", "second.id").replace("name: self", "name: second")


def test_c03_peers_each_in_a_group_of_their_own_fail():
    report = judged(PEERS.replace("GROUP", "second") + SELF_IN + SELF_OUT + SECOND)
    assert "share a placement group but no security group" in said(report, "GI3011").message


def test_c03_peers_in_one_group_pass():
    assert "NET-11" not in rows(judged(PEERS.replace("GROUP", "efa") + SELF_IN + SELF_OUT + SECOND))


def test_c03_strangers_in_groups_of_their_own_pass():
    apart = PEERS.replace("GROUP", "second").replace("    placement: {groupName: !ref close.name }\n", "")
    assert "NET-11" not in rows(judged(apart + SELF_IN + SELF_OUT + SECOND))


@pytest.mark.parametrize("group", ["!unknown ", "sg-0aaa1111bbbb2222c"])
def test_c03_a_group_that_is_not_known_here_is_not_doubted(group: str):
    report = judged(NODES.replace("!ref efa.id ", group))
    assert "NET-11" not in rows(report)
    assert "GI3011" in {u.code for u in report.undecided}


def test_c03_an_unknown_group_is_traced_by_the_recorded_dependency():
    unknown = NODES.replace("!ref efa.id ", "!unknown ") + "  from: {networkInterfaces: [efa]}\n"
    assert "NET-11" in rows(judged(SG + unknown + SELF_IN + WORLD_OUT), errors=True)
    assert "NET-11" not in rows(judged(SG + unknown + SELF_IN + SELF_OUT))


def test_without_efa_no_self_rule_is_demanded():
    assert "NET-11" not in rows(judged(SG + NODES.replace("interfaceType: efa, ", "")))


SUBNETS = """
- {type: aws.ec2.Subnet, name: a, inputs: {availabilityZone: us-east-1a}}
- {type: aws.ec2.Subnet, name: b, inputs: {availabilityZone: us-east-1b}}
- {type: aws.ec2.PlacementGroup, name: close, inputs: {strategy: cluster}}
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {instanceType: p4d.24xlarge, placement: {groupName: !ref close.name }, networkInterfaces: [{interfaceType: KIND}]}
- type: aws.autoscaling.Group
  name: group
  inputs: {minSize: 0, maxSize: 4, vpcZoneIdentifiers: IDS, launchTemplate: {id: !ref nodes.id }}
"""


@pytest.mark.parametrize(
    ("kind", "ids", "wanted"),
    [
        ("efa", "[!ref a.id , !ref b.id ]", {"NET-12", "PLC-05"}),
        ("efa", "[!ref a.id ]", set()),
        ("interface", "[!ref a.id , !ref b.id ]", {"PLC-05"}),
        ("efa", "[subnet-1, subnet-2]", {"NET-12"}),
        ("efa", "[!unknown , !unknown ]", {"NET-12"}),
        ("efa", "!unknown ", set()),
    ],
)
def test_efa_and_placement_groups_stand_in_one_subnet(kind: str, ids: str, wanted: set[str]):
    report = judged(SUBNETS.replace("KIND", kind).replace("IDS", ids))
    assert rows(report, errors=True) & {"NET-12", "PLC-05"} == wanted


def test_a_port_open_to_the_world_on_a_load_balancer_is_its_own_affair():
    web = """
- type: aws.ec2.SecurityGroup
  name: web
  inputs: {ingress: [{protocol: tcp, fromPort: PORT, toPort: PORT, cidrBlocks: ["0.0.0.0/0"]}]}
"""
    assert "NET-18" not in rows(judged(web.replace("PORT", "443")))
    assert "NET-18" in rows(judged(web.replace("PORT", "22")), errors=True)
    ipv6 = web.replace("PORT", "22").replace('cidrBlocks: ["0.0.0.0/0"]', 'ipv6CidrBlocks: ["::/0"]')
    assert "::/0" in said(judged(ipv6), "GI3013").message
