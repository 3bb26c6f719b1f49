"""What happens when the budget is spent: nodes to zero.

A budget of Google does nothing but tell. It tells a topic, Eventarc starts a workflow at each message, and the workflow
scales the groups where the cost has reached the budget. There is no code of ours to keep running, and no image to build.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import pulumi
import yaml
from pulumi_gcp import eventarc, projects, pubsub, serviceaccount, workflows

from ...plan.models import ClusterPlan, PoolPlan
from ..late_text import late_text
from .group_stops import GroupStops
from .labels import labels
from .names import account_id, auto_name, project_of
from .project import group_url

_SOURCE = "scale_to_zero.yaml"
# Cloud Billing publishes as this account for every customer (Cloud Billing, "Set up programmatic notifications").
_BILLING = "serviceAccount:billing-budget-alert@system.gserviceaccount.com"
_MESSAGE = "google.cloud.pubsub.topic.v1.messagePublished"
# What a trigger's account needs to start a workflow (Eventarc, "Route Pub/Sub events to Workflows").
_TRIGGER_ROLES = {"start": "roles/workflows.invoker", "hear": "roles/eventarc.eventReceiver"}


@dataclass(frozen=True)
class LimitTopic:
    """What the budget tells."""

    id: pulumi.Output[str]
    """As projects/P/topics/T."""
    allowed: pulumi.Resource
    """Cloud Billing's leave to publish, which a budget must wait for."""


def limit_topic(plan: ClusterPlan, opts: pulumi.ResourceOptions) -> LimitTopic:
    """Registers the topic that the budget tells, and the leave for Cloud Billing alone to publish there."""
    name, project = f"{plan.name}-budget-spent", project_of(plan)
    topic = pubsub.Topic(name, name=auto_name(name, "topic"), project=project, labels=labels(plan), opts=opts)
    allowed = pubsub.TopicIAMMember(
        f"{name}-leave", topic=topic.name, role="roles/pubsub.publisher", member=_BILLING, project=project, opts=opts
    )
    return LimitTopic(topic.id, allowed)


def scale_to_zero(
    plan: ClusterPlan, pools: Sequence[PoolPlan], topic: LimitTopic, stops: GroupStops, opts: pulumi.ResourceOptions
) -> None:
    """Registers the workflow that the topic starts, and all it needs."""
    name, project = f"{plan.name}-budget-stop", project_of(plan)
    workflow = workflows.Workflow(
        name,
        name=auto_name(name, "workflow"),
        description=f"Scales the groups of {plan.name} to zero when its budget is spent",
        source_contents=json.dumps(workflow_source([group_url(plan, pool) for pool in pools]), indent=1),
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
    account, leave = _trigger_account(plan, name, opts)
    trigger = f"{name}-trigger"
    eventarc.Trigger(
        trigger,
        name=auto_name(trigger, "trigger"),
        location=plan.region,
        matching_criterias=[eventarc.TriggerMatchingCriteriaArgs(attribute="type", value=_MESSAGE)],
        transport=eventarc.TriggerTransportArgs(pubsub=eventarc.TriggerTransportPubsubArgs(topic=topic.id)),
        destination=eventarc.TriggerDestinationArgs(workflow=workflow.id),
        service_account=account.email,
        project=project,
        labels=labels(plan),
        # Eventarc checks at creation that the account may start the workflow.
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=leave)),
    )


def workflow_source(groups: Sequence[str]) -> dict[str, Any]:
    """The workflow for these groups, each by its address in the API."""
    source: dict[str, Any] = yaml.safe_load(files(__package__ or "").joinpath(_SOURCE).read_text(encoding="utf-8"))
    first: dict[str, Any] = source["main"]["steps"][0]["read"]["assign"][0]
    first["groups"] = list(groups)
    return source


def _trigger_account(
    plan: ClusterPlan, name: str, opts: pulumi.ResourceOptions
) -> tuple[serviceaccount.Account, list[pulumi.Resource]]:
    """Who starts the workflow: another account than the workflow's own, which may do no more than that."""
    project = project_of(plan)
    account = serviceaccount.Account(
        f"{name}-trigger-account",
        account_id=account_id(f"{plan.name}-spent"),
        display_name=f"Starts the workflow that stops {plan.name}"[:100],
        project=project,
        opts=opts,
    )
    leave: list[pulumi.Resource] = [
        projects.IAMMember(
            f"{name}-trigger-{what}",
            project=project,
            role=role,
            member=late_text("serviceAccount:", account.email),
            opts=opts,
        )
        for what, role in _TRIGGER_ROLES.items()
    ]
    return account, leave
