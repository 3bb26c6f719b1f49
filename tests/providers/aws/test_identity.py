from __future__ import annotations

import json
from typing import Any

import pytest

from .clusters import cluster, pool, recorded, statements

BUCKETS = [
    {"name": "data", "kind": "bucket", "existing": "s3://acme-data/imagenet/", "mount": "/data"},
    {"name": "out", "kind": "bucket", "mount": "/out"},
]


def by_sid(spec: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {s["Sid"]: s for s in statements(recorded(spec).named("train-nodes-policy"))}


def test_no_action_and_no_writing_resource_is_a_wildcard() -> None:
    for statement in by_sid(cluster(storage=BUCKETS)).values():
        assert not [a for a in statement["Action"] if "*" in a]
        if statement["Resource"] == ["*"]:
            reads = ("ssm:UpdateInstanceInformation", "ssmmessages:", "ec2:Describe", "ecr:GetAuthorizationToken")
            assert all(a.startswith(reads) for a in statement["Action"])


def test_a_node_may_leave_its_own_group_and_no_other() -> None:
    """AWS-C12: the role allows that one action, scoped by tag."""
    leave = by_sid(cluster())["LeaveOwnGroupWhenIdle"]
    assert leave["Action"] == ["autoscaling:TerminateInstanceInAutoScalingGroup"]
    assert leave["Resource"] == ["arn:aws:autoscaling:us-east-2:*:autoScalingGroup:*:autoScalingGroupName/train-gpu"]
    assert leave["Condition"] == {"StringEquals": {"aws:ResourceTag/gpuinfra-cluster": "train"}}


def test_without_an_idle_timer_no_node_may_end_another() -> None:
    assert "LeaveOwnGroupWhenIdle" not in by_sid(cluster(shutdown={"lease": "72h"}))


def test_very_many_groups_are_named_by_their_tag_alone() -> None:
    pools = [pool(name=f"p{i}", instance_type="g5.xlarge", count=1) for i in range(60)]
    policy = recorded(cluster(node_pools=pools)).named("train-nodes-policy")
    assert len(policy.get("policy")) < 10_240, "IAM's limit for the inline policies of a role"
    leave = next(s for s in statements(policy) if s["Sid"] == "LeaveOwnGroupWhenIdle")
    assert leave["Resource"] == ["arn:aws:autoscaling:us-east-2:*:autoScalingGroup:*:autoScalingGroupName/*"]
    assert "Condition" in leave


def test_exactly_the_buckets_of_the_spec_and_deletion_only_in_our_own() -> None:
    found = by_sid(cluster(storage=BUCKETS))
    assert found["ListBuckets"]["Resource"] == ["${train-out-storage.arn}"]
    assert found["ListPrefix0"]["Resource"] == ["arn:aws:s3:::acme-data"]
    # One prefix was asked for, and the names of everything else in the bucket are nobody's business here.
    assert found["ListPrefix0"]["Condition"] == {"StringLike": {"s3:prefix": ["imagenet", "imagenet/*"]}}
    assert found["UseObjects"]["Resource"] == ["arn:aws:s3:::acme-data/imagenet/*"]
    assert "s3:DeleteObject" not in found["UseObjects"]["Action"]
    assert found["UseOwnObjects"]["Resource"] == ["${train-out-storage.arn}/*"]
    assert "s3:DeleteObject" in found["UseOwnObjects"]["Action"]
    assert not [sid for sid in by_sid(cluster()) if "Bucket" in sid or "Object" in sid]


def test_a_private_registry_of_aws_may_be_read() -> None:
    image = "763104351884.dkr.ecr.us-east-2.amazonaws.com/pytorch-training:2.6.0-gpu-py312-cu126-ubuntu22.04-ec2"
    found = by_sid(cluster(image={"container": image}))
    assert found["PullImages"]["Resource"] == ["arn:aws:ecr:us-east-2:763104351884:repository/pytorch-training"]
    assert found["LogInToRegistry"]["Action"] == ["ecr:GetAuthorizationToken"]
    assert "PullImages" not in by_sid(cluster())


@pytest.mark.parametrize("role", ["train-nodes-role"])
def test_only_ec2_may_take_the_role(role: str) -> None:
    trust = json.loads(recorded(cluster()).named(role).get("assumeRolePolicy"))
    assert [s["Principal"] for s in trust["Statement"]] == [{"Service": "ec2.amazonaws.com"}]
