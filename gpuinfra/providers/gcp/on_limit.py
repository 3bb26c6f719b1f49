"""What happens when the budget is spent: nodes to zero.

A budget of Google does nothing but tell. It tells a topic, and Eventarc starts the workflow at each message; the workflow
compares the cost with the budget itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
from pulumi_gcp import eventarc, projects, pubsub

from ...plan.models import ClusterPlan
from .labels import labels
from .names import auto_name, project_of
from .roles import member_of
from .stop_workflow import StopWorkflow

# Cloud Billing publishes as this account for every customer (Cloud Billing, "Set up programmatic notifications").
_BILLING = "serviceAccount:billing-budget-alert@system.gserviceaccount.com"
_MESSAGE = "google.cloud.pubsub.topic.v1.messagePublished"


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


def start_at_news(plan: ClusterPlan, topic: LimitTopic, workflow: StopWorkflow, opts: pulumi.ResourceOptions) -> None:
    """Registers the trigger by which each message of the topic starts the workflow."""
    name, project = f"{plan.name}-budget-trigger", project_of(plan)
    # Beside the leave to start the workflow (Eventarc, "Route Pub/Sub events to Workflows").
    may_hear = projects.IAMMember(
        f"{name}-leave",
        project=project,
        role="roles/eventarc.eventReceiver",
        member=member_of(workflow.starter),
        opts=opts,
    )
    eventarc.Trigger(
        name,
        name=auto_name(name, "trigger"),
        location=plan.region,
        matching_criterias=[eventarc.TriggerMatchingCriteriaArgs(attribute="type", value=_MESSAGE)],
        transport=eventarc.TriggerTransportArgs(pubsub=eventarc.TriggerTransportPubsubArgs(topic=topic.id)),
        destination=eventarc.TriggerDestinationArgs(workflow=workflow.id),
        service_account=workflow.starter.email,
        project=project,
        labels=labels(plan),
        # Eventarc checks at creation that the account may start the workflow.
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[workflow.may_start, may_hear])),
    )
