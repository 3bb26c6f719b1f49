"""AWS-C05 (a capacity block wired like a normal group) and AWS-C06 (sixteen reserved nodes, eleven launched)."""

from __future__ import annotations

from typing import Any

import pytest

from gpuinfra.plan import resolve
from gpuinfra.policy.examples import NOW, spec_of

from .judging import codes, judged, rows, said, spec_findings

BLOCK = "cr-0aaa1111bbbb2222c"
FIXTURE: dict[str, Any] = {
    BLOCK: {
        "type": "capacity-block",
        "az_id": "use2-az1",
        "instance_type": "p5.48xlarge",
        "count": 8,
        "start": "2026-12-01T11:30:00Z",
        "end": "2026-12-08T11:30:00Z",
        "state": "scheduled",
    }
}
NAIVE = f"""
- {{type: aws.ec2.Subnet, name: one, inputs: {{availabilityZoneId: use2-az1}}}}
- {{type: aws.ec2.Subnet, name: two, inputs: {{availabilityZoneId: use2-az2}}}}
- {{type: aws.ec2.PlacementGroup, name: acme-pg, inputs: {{strategy: cluster}}}}
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs:
    instanceType: p5.48xlarge
    networkInterfaces: [{{interfaceType: efa}}]
    placement: {{groupName: !ref acme-pg.name }}
    capacityReservationSpecification: {{capacityReservationTarget: {{capacityReservationId: {BLOCK}}}}}
- type: aws.autoscaling.Group
  name: group
  inputs:
    {{minSize: 0, maxSize: 10, desiredCapacity: 8, vpcZoneIdentifiers: [!ref one.id , !ref two.id ], launchTemplate: {{id: !ref nodes.id }}}}
"""
RIGHT = f"""
- {{type: aws.ec2.Subnet, name: one, inputs: {{availabilityZoneId: use2-az1}}}}
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs:
    instanceType: p5.48xlarge
    instanceMarketOptions: {{marketType: capacity-block}}
    capacityReservationSpecification: {{capacityReservationTarget: {{capacityReservationId: {BLOCK}}}}}
- type: aws.autoscaling.Group
  name: group
  inputs: {{minSize: 0, maxSize: 8, desiredCapacity: 0, vpcZoneIdentifiers: [!ref one.id ], launchTemplate: {{id: !ref nodes.id }}}}
- type: aws.autoscaling.Schedule
  name: down
  inputs: {{autoscalingGroupName: !ref group.name , minSize: 0, desiredCapacity: 0, startTime: "2026-12-08T10:50:00Z"}}
"""
CAPACITY = {f"CAP-{n:02}" for n in range(1, 13)} | {"PLC-02", "PLC-03", "NET-12", "EKS-01", "EKS-03"}


def test_c05_a_block_wired_like_a_normal_group():
    report = judged(NAIVE, FIXTURE)
    assert rows(report) & CAPACITY >= {"CAP-04", "PLC-02", "NET-12", "CAP-03", "CAP-06", "CAP-09"}
    assert "10 nodes" in said(report, "GI3023").message
    assert "begins 2026-12-01 11:30" in said(report, "GI3026").message


def test_c05_the_right_wiring_is_silent():
    report = judged(RIGHT, FIXTURE)
    assert rows(report) & CAPACITY == set()


def test_c05_without_a_look_up_nothing_is_claimed_of_an_opaque_id():
    assert "CAP-04" not in rows(judged(NAIVE))


def test_c05_an_ordinary_reservation_is_no_block():
    fixture = {BLOCK: {**FIXTURE[BLOCK], "type": "default"}}
    assert "on-demand reservation" in said(judged(RIGHT, fixture), "GI3024").message


def test_c05_a_block_in_another_zone():
    fixture = {BLOCK: {**FIXTURE[BLOCK], "az_id": "use2-az2"}}
    assert "stand in use2-az1, and their reservation in use2-az2" in said(judged(RIGHT, fixture), "GI3025").message


def test_c05_a_block_of_another_type():
    fixture = {BLOCK: {**FIXTURE[BLOCK], "instance_type": "p5e.48xlarge"}}
    assert "CAP-05" in rows(judged(RIGHT, fixture), errors=True)


LEASE = """
- type: aws.scheduler.Schedule
  name: lease
  inputs:
    scheduleExpression: at(WHEN)
    scheduleExpressionTimezone: UTC
    target:
      arn: arn:aws:scheduler:::aws-sdk:autoscaling:updateAutoScalingGroup
      input: '{"AutoScalingGroupName": "${group.name}", "MinSize": 0, "DesiredCapacity": 0}'
"""


@pytest.mark.parametrize(
    ("when", "late"),
    [("2026-12-09T00:00:00", True), ("2026-12-08T11:10:00", True), ("2026-12-08T10:59:00", False)],
)
def test_c05_a_lease_that_outlives_the_block(when: str, late: bool):
    assert ("GI3026" in codes(judged(RIGHT + LEASE.replace("WHEN", when), FIXTURE))) is late


@pytest.mark.parametrize(
    ("market", "row"),
    [
        ("{marketType: capacity-block, spotOptions: {spotInstanceType: one-time}}", "CAP-02"),
        ("{marketType: spot}", "CAP-04"),
    ],
)
def test_c05_other_market_options(market: str, row: str):
    assert row in rows(judged(RIGHT.replace("{marketType: capacity-block}", market), FIXTURE), errors=True)


def test_c05_market_without_a_target_or_type():
    bare = RIGHT.replace(
        f"    capacityReservationSpecification: {{capacityReservationTarget: {{capacityReservationId: {BLOCK}}}}}\n", ""
    )
    assert "CAP-01" in rows(judged(bare), errors=True)
    assert "no instance type" in said(judged(bare.replace("    instanceType: p5.48xlarge\n", "")), "GI3021").message


POOL = f"""
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs:
    instanceType: p5.48xlarge
    instanceMarketOptions: {{marketType: capacity-block}}
    capacityReservationSpecification: {{capacityReservationTarget: {{capacityReservationId: {BLOCK}}}}}
- type: aws.eks.NodeGroup
  name: pool
  inputs: {{capacityType: CAPACITY_BLOCK, launchTemplate: {{id: !ref nodes.id , version: "1"}}EXTRA}}
"""


def test_c05_an_eks_node_group_on_a_block_passes():
    assert rows(judged(POOL.replace("EXTRA", ""))) & {"EKS-01", "EKS-03", "CAP-09"} == set()


@pytest.mark.parametrize("extra", [", instanceTypes: [p5.48xlarge]", ", diskSize: 500"])
def test_c05_an_eks_node_group_that_repeats_the_template(extra: str):
    assert "EKS-01" in rows(judged(POOL.replace("EXTRA", extra)), errors=True)


def test_c05_an_eks_node_group_without_a_template():
    report = judged("- {type: aws.eks.NodeGroup, name: pool, inputs: {capacityType: CAPACITY_BLOCK}}")
    assert "EKS-03" in rows(report, errors=True)


def test_c05_buying_a_block_needs_the_guards():
    block = (
        "- {type: aws.ec2.CapacityBlockReservation, name: b, inputs: {capacityBlockOfferingId: cb-1}, options: OPTIONS}"
    )
    report = judged(block.replace("OPTIONS", "{}"))
    assert "protect, retainOnDelete, ignoreChanges of capacityBlockOfferingId" in said(report, "GI3027").message
    guards = "{protect: true, retainOnDelete: true, ignoreChanges: [capacityBlockOfferingId]}"
    assert "CAP-08" not in rows(judged(block.replace("OPTIONS", guards)))


SPEC = f"""
name: acme
location: {{provider: aws, region: us-east-2, zone: use2-az1}}
node_pools:
  - name: gpu
    instance_type: p5.48xlarge
    count: 8
    capacity: {{type: capacity_block, id: {BLOCK}, starts: "2026-12-01T11:30:00Z", ends: "2026-12-08T11:30:00Z"}}
storage: [{{name: out, kind: bucket, mount: /out}}]
shutdown: {{lease: "LEASE"}}
"""


@pytest.mark.parametrize(
    ("lease", "error"),
    [("2026-12-08T10:30:00Z", False), ("2026-12-09T00:00:00Z", True), ("2026-12-01T09:00:00Z", True), ("100h", False)],
)
def test_c05_the_spec_with_a_lease(lease: str, error: bool):
    found = spec_findings(SPEC.replace("LEASE", lease))
    assert {d.code for d in found if d.is_error} == ({"GI2213"} if error else set())


def test_c05_the_plan_waits_for_the_block():
    import yaml

    from gpuinfra.spec.models import ClusterSpec

    plan = resolve(ClusterSpec.model_validate(yaml.safe_load(SPEC.replace("LEASE", "100h"))), NOW).plan
    assert plan is not None
    pool = plan.pools[0]
    assert (pool.count_initial, pool.wanted, pool.placement.mode) == (0, 8, "none")
    assert pool.capacity.scale_down is not None
    assert pool.capacity.scale_down.isoformat() == "2026-12-08T10:50:00+00:00"


@pytest.mark.parametrize(("count", "refused"), [(9, False), (18, False), (10, True), (1, True)])
def test_c05_an_ultraserver_is_9_or_18_machines(count: int, refused: bool):
    plan = resolve(
        spec_of(
            f"node_pools: [{{instance_type: p6e-gb200.36xlarge, count: {count}, capacity: {{type: capacity_block, id: {BLOCK}}}}}]"
        ),
        NOW,
    ).plan
    assert plan is not None
    from gpuinfra.policy import check_plan

    assert ("GI2216" in {d.code for d in check_plan(plan)}) is refused


RESERVED = "cr-0ddd3333eeee4444f"
ODCR: dict[str, Any] = {
    RESERVED: {"type": "default", "match": "targeted", "placement_group_arn": None, "count": 16, "az_id": "use1-az6"}
}
SIXTEEN = f"""
- {{type: aws.ec2.PlacementGroup, name: auto-pg, inputs: {{name: auto-pg, strategy: cluster}}}}
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs:
    instanceType: p4d.24xlarge
    placement: PLACEMENT
    capacityReservationSpecification:
      capacityReservationPreference: PREFERENCE
      capacityReservationTarget: {{capacityReservationId: {RESERVED}}}
"""


def sixteen(placement: str = "{groupName: !ref auto-pg.name }", preference: str = "open") -> str:
    return SIXTEEN.replace("PLACEMENT", placement).replace("PREFERENCE", preference)


@pytest.mark.parametrize("fixture", [ODCR, None])
def test_c06_an_automatic_placement_group_on_a_reservation(fixture: dict[str, Any] | None):
    report = judged(sixteen(), fixture)
    assert rows(report, errors=True) & CAPACITY == {"PLC-03", "CAP-12"}
    assert "'open'" in said(report, "GI3030").message


@pytest.mark.parametrize("preference", ["null", "capacity-reservations-only"])
def test_c06_no_group_and_no_other_preference_passes(preference: str):
    assert rows(judged(sixteen("null", preference), ODCR)) & CAPACITY == set()


HOME = {
    RESERVED: {**ODCR[RESERVED], "placement_group_arn": "arn:aws:ec2:us-east-1:123456789012:placement-group/acme-pg"}
}


@pytest.mark.parametrize(
    ("placement", "fails"),
    [
        ("{groupName: acme-pg}", False),
        ("{groupName: !ref auto-pg.name }", True),
        ("{groupName: other}", True),
        ("null", True),
    ],
)
def test_c06_a_reservation_that_was_made_in_a_group(placement: str, fails: bool):
    assert ("PLC-03" in rows(judged(sixteen(placement, "null"), HOME), errors=True)) is fails


def test_c06_an_existing_group_may_be_the_reservations():
    # Nothing here shows what the reservation was made in, and the group was there before.
    assert "PLC-03" not in rows(judged(sixteen("{groupName: acme-pg}", "null")))


def test_c06_the_plan_of_a_reservation_has_no_group():
    plan = resolve(
        spec_of(
            "{location: {provider: aws, region: us-east-1, zone: use1-az6}, node_pools: [{instance_type: p4d.24xlarge, "
            f"count: 16, capacity: {{type: reservation, id: {RESERVED}}}}}]}}"
        ),
        NOW,
    ).plan
    assert plan is not None
    assert plan.pools[0].placement.mode == "none"


@pytest.mark.parametrize(("count", "proximity", "warned"), [(4, "none", True), (4, "auto", False), (1, "none", False)])
def test_c06_nodes_far_apart_on_demand(count: int, proximity: str, warned: bool):
    plan = resolve(
        spec_of(f"node_pools: [{{instance_type: p4d.24xlarge, count: {count}, proximity: {proximity}}}]"), NOW
    ).plan
    assert plan is not None
    from gpuinfra.policy import check_plan

    assert ("GI2232" in {d.code for d in check_plan(plan)}) is warned


@pytest.mark.parametrize(("most", "warned"), [(4, True), (1, False)])
def test_c06_resources_far_apart_on_demand(most: int, warned: bool):
    report = judged(f"""
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: p4d.24xlarge, networkInterfaces: [{{interfaceType: efa}}]}}}}
- {{type: aws.autoscaling.Group, name: g, inputs: {{minSize: 0, maxSize: {most}, launchTemplate: {{id: !ref nodes.id }}}}}}
""")
    assert ("PLC-01" in rows(report)) is warned


def test_c06_a_targeted_reservation_that_nothing_aims_at():
    report = judged("""
- {type: aws.ec2.CapacityReservation, name: held, inputs: {instanceMatchCriteria: targeted, instanceCount: 4}}
- {type: aws.ec2.LaunchTemplate, name: nodes, inputs: {instanceType: p4d.24xlarge}}
""")
    assert "GI3031" in codes(report)
