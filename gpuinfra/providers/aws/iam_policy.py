"""IAM policy documents: written out, deterministic, without wildcard actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi

from ...plan.models import ClusterPlan
from .partitions import arn
from .tags import cluster_tag

_VERSION = "2012-10-17"
EXACT_GROUPS = 40
"""Groups that are named one by one in a policy. IAM allows 10 240 characters for a role's inline policies together;
beyond this many the group's tag alone decides, which it does in any case."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement that allows, or denies, actions on resources."""

    sid: str
    actions: Sequence[str]
    resources: Sequence[pulumi.Input[str]]
    conditions: Mapping[str, Mapping[str, pulumi.Input[Any]]] = field(
        default_factory=dict[str, Mapping[str, pulumi.Input[Any]]]
    )
    effect: str = "Allow"


def document(statements: Sequence[Statement]) -> pulumi.Output[str]:
    """The policy as JSON text."""
    return pulumi.Output.json_dumps(
        {
            "Version": _VERSION,
            "Statement": [
                {
                    "Sid": s.sid,
                    "Effect": s.effect,
                    "Action": list(s.actions),
                    "Resource": list(s.resources),
                    **({"Condition": dict(s.conditions)} if s.conditions else {}),
                }
                for s in statements
            ],
        }
    )


def trust(service: str, conditions: Mapping[str, Mapping[str, pulumi.Input[Any]]] | None = None) -> pulumi.Output[str]:
    """The trust policy that lets one AWS service take the role."""
    return pulumi.Output.json_dumps(
        {
            "Version": _VERSION,
            "Statement": [
                {
                    "Effect": "Allow",
                    "Principal": {"Service": service},
                    "Action": "sts:AssumeRole",
                    **({"Condition": dict(conditions)} if conditions else {}),
                }
            ],
        }
    )


def topic_policy(
    topic_arn: pulumi.Input[str], service: str, conditions: Mapping[str, Mapping[str, pulumi.Input[str]]]
) -> pulumi.Output[str]:
    """The policy of an SNS topic that one AWS service may publish to, on behalf of this account alone."""
    return pulumi.Output.json_dumps(
        {
            "Version": _VERSION,
            "Statement": [
                {
                    "Sid": "Publish",
                    "Effect": "Allow",
                    "Principal": {"Service": service},
                    "Action": "sns:Publish",
                    "Resource": topic_arn,
                    "Condition": dict(conditions),
                }
            ],
        }
    )


def group_statement(plan: ClusterPlan, sid: str, action: str, groups: Sequence[str]) -> Statement:
    """Leave for one action on the cluster's groups: by their names, and by the tag that only this cluster's carry."""
    key, value = cluster_tag(plan)
    arns = _group_arns(plan.region, groups)
    return Statement(sid, (action,), arns, {"StringEquals": {f"aws:ResourceTag/{key}": value}})


def _group_arns(region: str, groups: Sequence[str]) -> list[str]:
    """ARN patterns of Auto Scaling groups by name. The middle part is an id that AWS makes up at creation."""
    names = groups if len(groups) <= EXACT_GROUPS else ["*"]
    return [
        arn(region, "autoscaling", f"autoScalingGroup:*:autoScalingGroupName/{name}", account="*") for name in names
    ]
