"""The ends of a cluster as schedules of EventBridge Scheduler: the lease's end, and a time of day."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pulumi
import pulumi_aws as aws

from ...diagnostics import GpuInfraError
from ...plan.cron import CronError
from ...plan.models import ClusterPlan, PoolPlan
from ..findings import CRON_NOT_EXPRESSIBLE
from ..late_text import late_text
from ..lease import LeaseEnd
from .auto_names import name_prefix
from .cron import schedule_expressions
from .group_stops import failure_queue, stop_statements
from .iam_policy import document, trust
from .partitions import arn
from .tags import tags

_UTC = "UTC"
_RETRY_FOR_S = 3600
_RETRIES = 30


class Shutdown:
    """Makes the schedules of a plan's groups, and the role and the dead-letter queue that they share."""

    def __init__(self, plan: ClusterPlan, pools: Sequence[PoolPlan], opts: pulumi.ResourceOptions) -> None:
        self._plan = plan
        self._pools = pools
        self._opts = opts
        name = f"{plan.name}-shutdown"
        self._failures = failure_queue(name, plan, opts)
        self._role = aws.iam.Role(
            f"{name}-role",
            name_prefix=name_prefix(f"{name}-role", "role"),
            description=f"Scales the groups of {plan.name} to zero at their end",
            assume_role_policy=trust("scheduler.amazonaws.com"),
            tags=tags(plan, f"{name}-role"),
            opts=opts,
        )
        self._policy = aws.iam.RolePolicy(
            f"{name}-policy",
            role=self._role.id,
            policy=document(stop_statements(plan, [p.cloud_name for p in pools], self._failures)),
            opts=opts,
        )

    def at_end(self, end: LeaseEnd) -> None:
        """One schedule a group that scales it to zero at the end of the lease."""
        when = _at(end)
        for pool in self._pools:
            self._schedule(f"{pool.resource_name}-lease", pool, when, _UTC)

    def at_times(self, cron: str, timezone: str) -> None:
        """Schedules that scale each group to zero at a time of day."""
        try:
            lines = schedule_expressions(cron)
        except CronError as e:
            raise GpuInfraError([CRON_NOT_EXPRESSIBLE.at("shutdown.stop_at.cron", str(e))]) from None
        for pool in self._pools:
            for i, line in enumerate(lines):
                name = f"{pool.resource_name}-stop" if not i else f"{pool.resource_name}-stop-{i}"
                self._schedule(name, pool, line, timezone)

    def _schedule(self, name: str, pool: PoolPlan, expression: pulumi.Input[str], timezone: str) -> None:
        aws.scheduler.Schedule(
            name,
            name_prefix=name_prefix(name, "schedule"),
            description=f"Scales pool {pool.name} of {self._plan.name} to zero",
            schedule_expression=expression,
            schedule_expression_timezone=timezone,
            flexible_time_window=aws.scheduler.ScheduleFlexibleTimeWindowArgs(mode="OFF"),
            # One that deletes itself is missed by the next refresh, and `up` would make it anew with a moment in the past,
            # which EventBridge Scheduler refuses.
            action_after_completion="NONE",
            target=aws.scheduler.ScheduleTargetArgs(
                arn=arn(self._plan.region, "scheduler", "aws-sdk:autoscaling:updateAutoScalingGroup", regional=False),
                role_arn=self._role.arn,
                input=_scale_to_zero(pool),
                retry_policy=aws.scheduler.ScheduleTargetRetryPolicyArgs(
                    maximum_event_age_in_seconds=_RETRY_FOR_S, maximum_retry_attempts=_RETRIES
                ),
                dead_letter_config=aws.scheduler.ScheduleTargetDeadLetterConfigArgs(arn=self._failures.arn),
            ),
            region=self._plan.region,
            # A schedule may come due before the role may do anything.
            opts=pulumi.ResourceOptions.merge(self._opts, pulumi.ResourceOptions(depends_on=[self._policy])),
        )


def _at(end: LeaseEnd) -> pulumi.Input[str]:
    """The end as EventBridge Scheduler wants it: without its zone, which stands in a field of its own."""
    return late_text("at(", pulumi.Output.from_input(end.text or "").apply(_without_zone), ")")


def _without_zone(text: str | None) -> str:
    # None under mocks that leave computed outputs out; the SDK's types do not know it.
    return text.removesuffix("Z") if text is not None else text  # pyright: ignore[reportReturnType]


def _scale_to_zero(pool: PoolPlan) -> str:
    """The request, in the API's own spelling: the universal target passes it on as it stands."""
    return json.dumps({"AutoScalingGroupName": pool.cloud_name, "MinSize": 0, "DesiredCapacity": 0})
