"""A capacity block's time: the group goes up when the block starts and down before the cloud takes the nodes."""

from __future__ import annotations

import json

import pulumi
import pulumi_aws as aws

from ...plan.models import ClusterPlan, PoolPlan
from ...spec.quantities import format_moment
from ...vocabulary import CapacityType
from .auto_names import name_prefix
from .iam_policy import topic_policy
from .spend import Spend
from .tags import tags

# The EC2 User Guide titles these events one way and spells their detail-type another ("Monitor Capacity Blocks using
# EventBridge"), so both are listened for.
_DETAIL_TYPES = (
    "Capacity Block Delivered",
    "Capacity Block Expiration Warning",
    "Capacity Block Reservation Delivered",
    "Capacity Block Reservation Expiration Warning",
)


def follow_block(
    plan: ClusterPlan, pool: PoolPlan, group: aws.autoscaling.Group, spend: Spend, opts: pulumi.ResourceOptions
) -> None:
    """Registers what follows a pool's block; nothing for a pool that is bought otherwise."""
    if pool.capacity.type is not CapacityType.CAPACITY_BLOCK:
        return
    _schedule(plan, pool, group, spend, opts)
    _tell(plan, pool, opts)


def _schedule(
    plan: ClusterPlan, pool: PoolPlan, group: aws.autoscaling.Group, spend: Spend, opts: pulumi.ResourceOptions
) -> None:
    """Up at the start and down before the end; a moment that has passed is left out, since AWS refuses it.

    A minimum would hold up the idle timer, and the range of a pool stays open while the block lasts.
    """
    wanted = spend.until_end(pool.wanted)
    fixed = plan.idle_after is None and pool.wanted == pool.count_max
    moments = (
        ("up", pool.capacity.starts, (wanted if fixed else 0, wanted, spend.until_end(pool.count_max))),
        ("down", pool.capacity.scale_down, (0, 0, 0)),
    )
    for role, moment, (least, nodes, most) in moments:
        if moment is None or moment <= plan.now:
            continue
        aws.autoscaling.Schedule(
            f"{pool.resource_name}-block-{role}",
            scheduled_action_name=f"{pool.cloud_name}-block-{role}",
            autoscaling_group_name=group.name,
            start_time=format_moment(moment),
            min_size=least,
            max_size=most,
            desired_capacity=nodes,
            region=plan.region,
            opts=opts,
        )


def _tell(plan: ClusterPlan, pool: PoolPlan, opts: pulumi.ResourceOptions) -> None:
    """Tells the budget's contacts when the block is delivered and when it is about to end."""
    name = f"{pool.resource_name}-block-events"
    # No key of the account's own: EventBridge may not use the one that AWS manages for SNS.
    topic = aws.sns.Topic(name, region=plan.region, tags=tags(plan, name, pool), opts=opts)
    rule = aws.cloudwatch.EventRule(
        f"{name}-rule",
        name_prefix=name_prefix(f"{name}-rule", "rule"),
        description=f"Capacity block {pool.capacity.id} of pool {pool.name} of {plan.name}",
        event_pattern=json.dumps(
            {
                "source": ["aws.ec2"],
                "detail-type": list(_DETAIL_TYPES),
                "detail": {"capacity-reservation-id": [pool.capacity.id]},
            },
            sort_keys=True,
        ),
        region=plan.region,
        tags=tags(plan, f"{name}-rule", pool),
        opts=opts,
    )
    allowed = aws.sns.TopicPolicy(
        f"{name}-policy",
        arn=topic.arn,
        policy=topic_policy(topic.arn, "events.amazonaws.com", {"ArnEquals": {"aws:SourceArn": rule.arn}}),
        region=plan.region,
        opts=opts,
    )
    aws.cloudwatch.EventTarget(
        f"{name}-target",
        rule=rule.name,
        arn=topic.arn,
        region=plan.region,
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[allowed])),
    )
    contacts = plan.spec.budget.contacts if plan.spec.budget else ()
    for i, address in enumerate(contacts):
        aws.sns.TopicSubscription(
            f"{name}-contact-{i}", topic=topic.arn, protocol="email", endpoint=address, region=plan.region, opts=opts
        )
