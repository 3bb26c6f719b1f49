"""What happens when the budget is spent: no node is kept.

A budget of Azure tells people and action groups, and does nothing itself. So it tells an action group, which starts a
workflow (Logic App) that sets the capacity of every scale set to zero. Autoscale starts none again: no profile of the
room has a minimum.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import pulumi
from pulumi_azure_native import logic, managedidentity, monitor

from ...plan.models import ClusterPlan, PoolPlan
from ...plan.names import name_limit, shortened
from ...vocabulary import Provider
from ..late_text import late_text
from .names import fixed_name
from .resource_group import ResourceGroup
from .roles import OwnRole, assign, own_role
from .tags import tags

_DEFINITION = "no_nodes.json"
_TRIGGER = "budget-spent"
_MANAGEMENT = "https://management.azure.com"
_COMPUTE_API = "2024-11-01"
# Azure has no smaller right than `write` for the capacity of a scale set (Azure permissions reference,
# Microsoft.Compute). It gives no right to the identities, networks or images that a set would be changed to.
SCALE_TO_ZERO = OwnRole(
    "scale sets to zero",
    "Sets the capacity of scale sets when a budget is spent",
    actions=("Microsoft.Compute/virtualMachineScaleSets/read", "Microsoft.Compute/virtualMachineScaleSets/write"),
)


class LimitStop:
    """Makes the action group that a spent budget tells, and all that acts on it."""

    action_group_id: pulumi.Output[str]

    def __init__(
        self, plan: ClusterPlan, pools: Sequence[PoolPlan], group: ResourceGroup, opts: pulumi.ResourceOptions
    ) -> None:
        self._name = f"{plan.name}-budget-stop"
        self._identity = _identity(self._name, plan, group, opts)
        self._role_id = own_role(f"{self._name}-role", SCALE_TO_ZERO, group.id, opts)
        workflow = _workflow(self._name, plan, pools, group, self._identity, opts)
        self.action_group_id = _action_group(self._name, plan, group, workflow, opts).id

    def reach(self, pool: PoolPlan, scale_set_id: pulumi.Input[str], opts: pulumi.ResourceOptions) -> None:
        """Registers the workflow's leave to scale the set of a pool."""
        assign(
            f"{pool.resource_name}-budget-stop",
            principal_id=self._identity.principal_id,
            role_id=self._role_id,
            scope=scale_set_id,
            description=f"Scales pool {pool.name} to zero when the budget is spent",
            opts=opts,
        )


def _identity(
    name: str, plan: ClusterPlan, group: ResourceGroup, opts: pulumi.ResourceOptions
) -> managedidentity.UserAssignedIdentity:
    logical = f"{name}-identity"
    return managedidentity.UserAssignedIdentity(
        logical,
        resource_name_=fixed_name(logical, "identity"),
        resource_group_name=group.name,
        location=plan.region,
        tags=tags(plan),
        opts=opts,
    )


def _workflow(
    name: str,
    plan: ClusterPlan,
    pools: Sequence[PoolPlan],
    group: ResourceGroup,
    identity: managedidentity.UserAssignedIdentity,
    opts: pulumi.ResourceOptions,
) -> logic.Workflow:
    addresses = [
        late_text(
            _MANAGEMENT,
            group.id,
            f"/providers/Microsoft.Compute/virtualMachineScaleSets/{pool.cloud_name}?api-version={_COMPUTE_API}",
        )
        for pool in pools
    ]
    return logic.Workflow(
        name,
        workflow_name=fixed_name(name, "workflow", plan.region),
        resource_group_name=group.name,
        location=plan.region,
        state=logic.WorkflowState.ENABLED,
        identity=logic.ManagedServiceIdentityArgs(
            type=logic.ManagedServiceIdentityType.USER_ASSIGNED, user_assigned_identities=[identity.id]
        ),
        definition=_definition(identity.id),
        parameters={"scaleSets": logic.WorkflowParameterArgs(type=logic.ParameterType.ARRAY, value=addresses)},
        tags=tags(plan),
        opts=opts,
    )


def _definition(identity_id: pulumi.Output[str]) -> dict[str, Any]:
    """The workflow, with the identity that it acts as: the service wants that written out, and not as a parameter."""
    definition = json.loads(files(__package__ or "").joinpath(_DEFINITION).read_text(encoding="utf-8"))
    request = definition["actions"]["each-scale-set"]["actions"]["no-nodes"]["inputs"]
    request["authentication"]["identity"] = identity_id
    return definition


def _action_group(
    name: str, plan: ClusterPlan, group: ResourceGroup, workflow: logic.Workflow, opts: pulumi.ResourceOptions
) -> monitor.ActionGroup:
    logical = f"{plan.name}-budget-spent"
    found = logic.list_workflow_trigger_callback_url_output(
        resource_group_name=group.name,
        workflow_name=workflow.name,
        trigger_name=_TRIGGER,
        opts=pulumi.InvokeOutputOptions(parent=opts.parent),
    )
    return monitor.ActionGroup(
        logical,
        action_group_name=fixed_name(logical, "action_group"),
        group_short_name=shortened(plan.name, name_limit(Provider.AZURE, "action_group_short")),
        resource_group_name=group.name,
        location="Global",
        enabled=True,
        logic_app_receivers=[
            monitor.LogicAppReceiverArgs(
                name="no-nodes",
                resource_id=workflow.id,
                # Whoever has the address may start the workflow.
                callback_url=pulumi.Output.secret(found.apply(lambda answer: answer.value)),
                use_common_alert_schema=False,
            )
        ],
        tags=tags(plan),
        # What Azure gives back holds the address too.
        opts=pulumi.ResourceOptions.merge(
            opts, pulumi.ResourceOptions(additional_secret_outputs=["logicAppReceivers"])
        ),
    )
