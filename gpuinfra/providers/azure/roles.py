"""Roles and their assignments: what, to whom, and exactly where."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
from pulumi_azure_native import authorization

from .names import guid

# Ids of built-in roles are the same in every tenant (Azure RBAC, built-in roles).
BLOB_CONTRIBUTOR = "ba92f5b4-2d11-453d-a403-e96b0029c9fe"
PULL_IMAGES = "7f951dda-4ed3-4680-a7ca-43fe172d538d"
_SUBSCRIPTION = re.compile(r"(?i)/subscriptions/[^/]+")
_GROUP = re.compile(r"(?i)/subscriptions/[^/]+/resourceGroups/[^/]+")


@dataclass(frozen=True)
class OwnRole:
    """A role of one's own. `actions` are the resource manager's, `data_actions` those of a service's own data."""

    title: str
    description: str
    actions: Sequence[str] = ()
    data_actions: Sequence[str] = ()


# The list deletes instances and lowers the capacity with them. `virtualMachineScaleSets/delete`, without the last word,
# would delete the set itself (Azure permissions reference, Microsoft.Compute).
LEAVE_SET = OwnRole(
    "leave own scale set",
    "Nodes read their scale set, and delete or deallocate instances of it",
    actions=(
        "Microsoft.Compute/virtualMachineScaleSets/read",
        "Microsoft.Compute/virtualMachineScaleSets/virtualMachines/read",
        "Microsoft.Compute/virtualMachineScaleSets/virtualMachines/delete",
        "Microsoft.Compute/virtualMachineScaleSets/virtualMachines/deallocate/action",
        "Microsoft.Compute/virtualMachineScaleSets/delete/action",
        "Microsoft.Compute/virtualMachineScaleSets/deallocate/action",
    ),
)
# The built-in contributor may delete too, and what is there already is not the cluster's to delete.
USE_BLOBS = OwnRole(
    "read and write blobs",
    "Nodes read and write blobs, and delete none",
    actions=("Microsoft.Storage/storageAccounts/blobServices/containers/read",),
    data_actions=(
        "Microsoft.Storage/storageAccounts/blobServices/containers/blobs/read",
        "Microsoft.Storage/storageAccounts/blobServices/containers/blobs/write",
        "Microsoft.Storage/storageAccounts/blobServices/containers/blobs/add/action",
    ),
)


def own_role(
    logical: str, role: OwnRole, group_id: pulumi.Input[str], opts: pulumi.ResourceOptions
) -> pulumi.Output[str]:
    """Registers a role that can be assigned inside one resource group, and nowhere else; returns its id."""
    name = guid(group_id, logical, role.title)
    made = authorization.RoleDefinition(
        logical,
        role_definition_id=name,
        # Roles of one's own have names that are unique in the tenant, as people see them.
        role_name=name.apply(lambda n: None if n is None else f"gpuinfra {role.title} {n[:8]}"),  # pyright: ignore
        role_type="CustomRole",
        description=role.description,
        scope=group_id,
        assignable_scopes=[group_id],
        permissions=[
            authorization.PermissionArgs(
                actions=list(role.actions), not_actions=[], data_actions=list(role.data_actions), not_data_actions=[]
            )
        ],
        opts=opts,
    )
    return pulumi.Output.all(made.name, group_id).apply(lambda both: _role_id(both[0], both[1]))


def assign(
    logical: str,
    *,
    principal_id: pulumi.Input[str],
    role_id: pulumi.Input[str],
    scope: pulumi.Input[str],
    description: str,
    opts: pulumi.ResourceOptions,
) -> authorization.RoleAssignment:
    """Registers the assignment of a role at a scope. Deployment needs the right to assign roles there."""
    return authorization.RoleAssignment(
        logical,
        role_assignment_name=guid(scope, logical),
        principal_id=principal_id,
        # Without it ARM looks the principal up, and a new one is not everywhere yet (Azure/avdaccelerator#99); the SDK
        # itself fills in `User`.
        principal_type="ServicePrincipal",
        role_definition_id=role_id,
        scope=scope,
        description=description,
        opts=pulumi.ResourceOptions.merge(
            opts,
            pulumi.ResourceOptions(
                # ARM changes neither of a standing assignment, whatever the preview says.
                replace_on_changes=["principalId", "principalType", "roleDefinitionId", "scope"],
                # The name is the same for the next principal, and one name is one assignment.
                delete_before_replace=True,
            ),
        ),
    )


def built_in(role: str, scope: pulumi.Input[str]) -> pulumi.Output[str]:
    """The id of a built-in role, for an assignment at the scope."""
    return pulumi.Output.from_input(scope).apply(lambda at: _role_id(role, at))


def _role_id(role: str | None, scope: str | None) -> str:
    """The form in which ARM gives a role's id back: below the subscription, wherever the role can be assigned."""
    found = _SUBSCRIPTION.match(scope or "")
    return f"{found[0] if found else ''}/providers/Microsoft.Authorization/roleDefinitions/{role or ''}"


def group_of(arm_id: str) -> str:
    """The id of the resource group that a thing stands in; empty where the text is no ARM id."""
    found = _GROUP.match(arm_id)
    return found[0] if found else ""
