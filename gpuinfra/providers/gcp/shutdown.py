"""The ends of a cluster as jobs of Cloud Scheduler: the lease's end, and a time of day."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from datetime import datetime

import pulumi
from pulumi_gcp import cloudscheduler

from ...diagnostics import GpuInfraError
from ...plan.cron import CronError
from ...plan.models import ClusterPlan, PoolPlan
from ..findings import CRON_NOT_EXPRESSIBLE
from ..lease import LeaseEnd
from .cron import moment_line, schedule_lines
from .group_stops import GroupStops
from .names import project_of
from .project import group_url
from .scheduling import is_queued
from .stop_workflow import StopWorkflow

_UTC = "Etc/UTC"
_COMPUTE = "https://www.googleapis.com/auth/compute"
_ANY = "https://www.googleapis.com/auth/cloud-platform"
_NO_NEWS = base64.b64encode(json.dumps({"argument": "{}"}).encode()).decode()
"""The request that starts a workflow with nothing in it."""


class Shutdown:
    """Makes the jobs of a plan's groups. `workflow` is asked for where a pool waits in a queue: what waits is called back
    by the workflow alone."""

    def __init__(
        self,
        plan: ClusterPlan,
        pools: Sequence[PoolPlan],
        stops: GroupStops,
        workflow: Callable[[], StopWorkflow],
        opts: pulumi.ResourceOptions,
    ) -> None:
        self._plan = plan
        self._pools = pools
        self._stops = stops
        self._workflow = workflow() if any(is_queued(pool) for pool in pools) else None
        self._opts = opts

    def at_end(self, end: LeaseEnd) -> None:
        """One job a group that scales it to zero at the end of the lease.

        It comes due again a year later, since a job knows no year. By then the group is at zero: `up` starts no node of a
        lease that is over, and another lease is another time. A lease of more than a year is refused by the plan's rules.
        """
        when = pulumi.Output.from_input(end.text or "").apply(_line)
        for pool in self._pools:
            self._scale(f"{pool.resource_name}-lease", pool, when, _UTC)
        self._call_back("lease", when, _UTC)

    def at_times(self, cron: str, timezone: str) -> None:
        """Jobs that scale each group to zero at a time of day."""
        try:
            lines = schedule_lines(cron)
        except CronError as e:
            raise GpuInfraError([CRON_NOT_EXPRESSIBLE.at("shutdown.stop_at.cron", str(e))]) from None
        for i, line in enumerate(lines):
            role = f"stop-{i}" if i else "stop"
            for pool in self._pools:
                self._scale(f"{pool.resource_name}-{role}", pool, line, timezone)
            self._call_back(role, line, timezone)

    def _scale(self, name: str, pool: PoolPlan, line: pulumi.Input[str], timezone: str) -> None:
        """One job that sets a group to zero."""
        target = cloudscheduler.JobHttpTargetArgs(
            uri=f"{group_url(self._plan, pool)}/resize?size=0",
            http_method="POST",
            oauth_token=cloudscheduler.JobHttpTargetOauthTokenArgs(
                service_account_email=self._stops.email, scope=_COMPUTE
            ),
        )
        what = f"Scales pool {pool.name} of {self._plan.name} to zero"
        self._job(name, what, line, timezone, target, self._stops.allowed)

    def _call_back(self, role: str, line: pulumi.Input[str], timezone: str) -> None:
        """One job that starts the workflow, where requests for machines may wait when the end comes."""
        if self._workflow is None:
            return
        target = cloudscheduler.JobHttpTargetArgs(
            uri=self._workflow.executions_url,
            http_method="POST",
            headers={"Content-Type": "application/json"},
            body=_NO_NEWS,
            # The API that starts workflows knows no narrower scope; the account may do nothing else.
            oauth_token=cloudscheduler.JobHttpTargetOauthTokenArgs(
                service_account_email=self._workflow.starter.email, scope=_ANY
            ),
        )
        what = f"Calls back what {self._plan.name} waits for"
        self._job(f"{self._plan.name}-queue-{role}", what, line, timezone, target, self._workflow.may_start)

    def _job(
        self,
        name: str,
        what: str,
        line: pulumi.Input[str],
        timezone: str,
        target: cloudscheduler.JobHttpTargetArgs,
        allowed: pulumi.Resource,
    ) -> None:
        cloudscheduler.Job(
            name,
            description=what,
            schedule=line,
            time_zone=timezone,
            region=self._plan.region,
            project=project_of(self._plan),
            paused=False,
            attempt_deadline="180s",
            # Google allows five retries; an hour is the time that they are spread over.
            retry_config=cloudscheduler.JobRetryConfigArgs(
                retry_count=5,
                min_backoff_duration="30s",
                max_backoff_duration="900s",
                max_doublings=5,
                max_retry_duration="3600s",
            ),
            http_target=target,
            # A job may come due before its account may do anything.
            opts=pulumi.ResourceOptions.merge(self._opts, pulumi.ResourceOptions(depends_on=[allowed])),
        )


def _line(end: str | None) -> str:
    """The cron line of the end; a text that is no moment stays what it is (a placeholder, where nothing is known)."""
    try:
        return moment_line(datetime.fromisoformat(end or ""))
    except ValueError:
        # None under mocks that leave computed outputs out; the SDK's types do not know it.
        return end  # pyright: ignore[reportReturnType]
