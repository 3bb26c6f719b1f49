"""What everything that scales groups to zero shares: the leave to do it, and the queue that keeps what failed."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi
import pulumi_aws as aws

from ...plan.models import ClusterPlan
from .auto_names import name_prefix
from .iam_policy import Statement, group_statement
from .tags import tags

_KEEP_FAILURES_S = 14 * 24 * 3600


def failure_queue(name: str, plan: ClusterPlan, opts: pulumi.ResourceOptions) -> aws.sqs.Queue:
    """Keeps for 14 days what a stop named `name` could not do."""
    return aws.sqs.Queue(
        f"{name}-failures",
        name_prefix=name_prefix(f"{name}-failures", "queue"),
        sqs_managed_sse_enabled=True,
        message_retention_seconds=_KEEP_FAILURES_S,
        region=plan.region,
        tags=tags(plan, f"{name}-failures"),
        opts=opts,
    )


def stop_statements(plan: ClusterPlan, groups: Sequence[str], failures: aws.sqs.Queue) -> tuple[Statement, Statement]:
    """Leave to scale these groups, and to keep what failed."""
    return (
        group_statement(plan, "ScaleToZero", "autoscaling:UpdateAutoScalingGroup", groups),
        Statement("KeepFailures", ("sqs:SendMessage",), [failures.arn]),
    )
