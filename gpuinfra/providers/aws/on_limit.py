"""What happens when the budget is spent: nodes to zero, and where asked for no new ones.

A budget's own action can stop instances by id alone, which a group replaces at once
(hashicorp/terraform-provider-aws#45115); so the budget tells a topic, and a function scales the groups.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files

import pulumi
import pulumi_aws as aws

from ...plan.models import ClusterPlan, PoolPlan
from ..late_text import late_text
from .auto_names import function_name, name_prefix
from .group_stops import failure_queue, stop_statements
from .iam_policy import Statement, document, topic_policy, trust
from .partitions import arn
from .tags import tags

_RUNTIME = "python3.13"
_TIMEOUT_S = 60
_KEEP_LOGS_DAYS = 30
_SOURCE = "scale_to_zero.py"
_DENIED = (
    "autoscaling:SetDesiredCapacity",
    "autoscaling:UpdateAutoScalingGroup",
    "ec2:CreateFleet",
    "ec2:RunInstances",
)


def limit_topic(plan: ClusterPlan, opts: pulumi.ResourceOptions) -> tuple[aws.sns.Topic, pulumi.Resource]:
    """The topic that the budget tells, and the policy that lets it."""
    name = f"{plan.name}-budget-spent"
    # No key of the account's own: AWS Budgets may not use the one that AWS manages for SNS.
    topic = aws.sns.Topic(name, region=plan.region, tags=tags(plan, name), opts=opts)
    policy = aws.sns.TopicPolicy(
        f"{name}-policy",
        arn=topic.arn,
        policy=topic_policy(topic.arn, "budgets.amazonaws.com", {"StringEquals": {"aws:SourceAccount": topic.owner}}),
        region=plan.region,
        opts=opts,
    )
    return topic, policy


def scale_to_zero(
    plan: ClusterPlan, pools: Sequence[PoolPlan], topic: aws.sns.Topic, opts: pulumi.ResourceOptions
) -> None:
    """Registers the function that the topic calls, and all it needs."""
    name = f"{plan.name}-budget-stop"
    groups = [p.cloud_name for p in pools]
    failures = failure_queue(name, plan, opts)
    logs = aws.cloudwatch.LogGroup(
        f"{name}-logs",
        retention_in_days=_KEEP_LOGS_DAYS,
        region=plan.region,
        tags=tags(plan, f"{name}-logs"),
        opts=opts,
    )
    role, policy = _role(name, plan, groups, logs, failures, opts)
    function = aws.lambda_.Function(
        name,
        name=function_name(name),
        description=f"Scales the groups of {plan.name} to zero when its budget is spent",
        runtime=_RUNTIME,
        handler="scale_to_zero.handler",
        code=pulumi.AssetArchive(
            {
                _SOURCE: pulumi.StringAsset(files(__package__ or "").joinpath(_SOURCE).read_text(encoding="utf-8")),
                "groups.json": pulumi.StringAsset(json.dumps(groups)),
            }
        ),
        role=role.arn,
        timeout=_TIMEOUT_S,
        logging_config=aws.lambda_.FunctionLoggingConfigArgs(log_format="Text", log_group=logs.name),
        dead_letter_config=aws.lambda_.FunctionDeadLetterConfigArgs(target_arn=failures.arn),
        region=plan.region,
        tags=tags(plan, name),
        # Lambda checks at creation that the role may send to the queue.
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[policy])),
    )
    allowed = aws.lambda_.Permission(
        f"{name}-permission",
        action="lambda:InvokeFunction",
        function=function.name,
        principal="sns.amazonaws.com",
        source_arn=topic.arn,
        region=plan.region,
        opts=opts,
    )
    aws.sns.TopicSubscription(
        f"{name}-subscription",
        topic=topic.arn,
        protocol="lambda",
        endpoint=function.arn,
        region=plan.region,
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[allowed])),
    )


def deny_starts(
    plan: ClusterPlan,
    roles: Sequence[str],
    budget: aws.budgets.Budget,
    subscribers: Sequence[tuple[str, pulumi.Input[str]]],
    opts: pulumi.ResourceOptions,
) -> None:
    """Registers the budget's action that forbids the deployers' roles to start nodes. `subscribers`: (EMAIL or SNS,
    address), at least one, as AWS demands."""
    name = f"{plan.name}-budget-deny"
    denial = aws.iam.Policy(
        f"{name}-policy",
        description=f"The budget of {plan.name} is spent: no new nodes",
        policy=document([Statement("BudgetIsSpent", _DENIED, ("*",), effect="Deny")]),
        tags=tags(plan, f"{name}-policy"),
        opts=opts,
    )
    executor = aws.iam.Role(
        f"{name}-role",
        name_prefix=name_prefix(f"{name}-role", "role"),
        description=f"Attaches the denial of {plan.name} to the deployers' roles",
        assume_role_policy=trust("budgets.amazonaws.com"),
        tags=tags(plan, f"{name}-role"),
        opts=opts,
    )
    attach = aws.iam.RolePolicy(
        f"{name}-role-policy",
        role=executor.id,
        policy=document(
            [
                Statement(
                    "AttachDenial",
                    ("iam:AttachRolePolicy", "iam:DetachRolePolicy"),
                    [arn(plan.region, "iam", f"role/{role}", account="*", regional=False) for role in roles],
                    {"ArnEquals": {"iam:PolicyARN": denial.arn}},
                )
            ]
        ),
        opts=opts,
    )
    definition = aws.budgets.BudgetActionDefinitionIamActionDefinitionArgs(policy_arn=denial.arn, roles=list(roles))
    aws.budgets.BudgetAction(
        name,
        budget_name=budget.name,
        action_type="APPLY_IAM_POLICY",
        approval_model="AUTOMATIC",
        notification_type="ACTUAL",
        action_threshold=aws.budgets.BudgetActionActionThresholdArgs(
            action_threshold_type="PERCENTAGE", action_threshold_value=100
        ),
        definition=aws.budgets.BudgetActionDefinitionArgs(iam_action_definition=definition),
        execution_role_arn=executor.arn,
        subscribers=[
            aws.budgets.BudgetActionSubscriberArgs(subscription_type=kind, address=address)
            for kind, address in subscribers
        ],
        tags=tags(plan, name),
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[attach])),
    )


def _role(
    name: str,
    plan: ClusterPlan,
    groups: Sequence[str],
    logs: aws.cloudwatch.LogGroup,
    failures: aws.sqs.Queue,
    opts: pulumi.ResourceOptions,
) -> tuple[aws.iam.Role, pulumi.Resource]:
    role = aws.iam.Role(
        f"{name}-role",
        name_prefix=name_prefix(f"{name}-role", "role"),
        description=f"Scales the groups of {plan.name} to zero when its budget is spent",
        assume_role_policy=trust("lambda.amazonaws.com"),
        tags=tags(plan, f"{name}-role"),
        opts=opts,
    )
    stop, keep = stop_statements(plan, groups, failures)
    logging = Statement("WriteLogs", ("logs:CreateLogStream", "logs:PutLogEvents"), [late_text("", logs.arn, ":*")])
    statements = [stop, logging, keep]
    policy = aws.iam.RolePolicy(f"{name}-policy", role=role.id, policy=document(statements), opts=opts)
    return role, policy
