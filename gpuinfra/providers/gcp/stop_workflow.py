"""The workflow that scales a cluster's groups to zero, and who may start it.

Google runs it: there is no code of ours to keep running, and no image to build.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import pulumi
import yaml
from pulumi_gcp import projects, serviceaccount, workflows

from ...plan.models import ClusterPlan, PoolPlan
from ..late_text import late_text
from .group_stops import GroupStops
from .labels import labels
from .names import account_id, auto_name, project_of
from .project import group_url
from .roles import member_of
from .scheduling import is_queued

_SOURCE = "scale_to_zero.yaml"
_EXECUTIONS = "https://workflowexecutions.googleapis.com/v1/"


class StopWorkflow:
    """Makes the workflow, and an account that may start it and do no more."""

    id: pulumi.Output[str]
    """As projects/P/locations/R/workflows/W."""
    executions_url: pulumi.Output[str]
    """The address in the API at which an execution is started."""
    starter: serviceaccount.Account
    may_start: pulumi.Resource
    """What must exist before the account may do anything."""

    def __init__(
        self, plan: ClusterPlan, pools: Sequence[PoolPlan], stops: GroupStops, opts: pulumi.ResourceOptions
    ) -> None:
        name, project = f"{plan.name}-stop-workflow", project_of(plan)
        workflow = workflows.Workflow(
            name,
            name=auto_name(name, "workflow"),
            description=f"Scales the groups of {plan.name} to zero",
            source_contents=json.dumps(workflow_source(plan, pools), indent=1),
            service_account=stops.email,
            # What failed is kept with the execution for 90 days. A log of calls would want leave to write logs.
            call_log_level="LOG_NONE",
            # Left out, the provider refuses to delete it.
            deletion_protection=False,
            region=plan.region,
            project=project,
            labels=labels(plan),
            opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[stops.allowed])),
        )
        self.id = workflow.id
        self.executions_url = late_text(_EXECUTIONS, workflow.id, "/executions")
        self.starter = serviceaccount.Account(
            f"{plan.name}-starter-account",
            account_id=account_id(f"{plan.name}-starter"),
            display_name=f"Starts the workflow that stops {plan.name}"[:100],
            project=project,
            opts=opts,
        )
        self.may_start = projects.IAMMember(
            f"{plan.name}-starter-leave",
            project=project,
            role="roles/workflows.invoker",
            member=member_of(self.starter),
            opts=opts,
        )


def workflow_source(plan: ClusterPlan, pools: Sequence[PoolPlan]) -> dict[str, Any]:
    """The workflow for the groups of these pools."""
    source: dict[str, Any] = yaml.safe_load(files(__package__ or "").joinpath(_SOURCE).read_text(encoding="utf-8"))
    groups, queued = source["main"]["steps"][0]["read"]["assign"][:2]
    groups["groups"] = [group_url(plan, pool) for pool in pools]
    queued["queued"] = [group_url(plan, pool) for pool in pools if is_queued(pool)]
    return source
