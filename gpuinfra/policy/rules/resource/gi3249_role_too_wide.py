"""A role for the nodes that reaches further than their cluster.

What: A managed identity has a role on a subscription or a management group, or Owner, Contributor or the right to give rights on a whole resource group; or a role of the program's own allows every action.
Why: Whoever gets onto a node has the identity. It should be able to scale its own set in, and no more.
Fix: Scope the role to the scale set or the storage account, and take a role with the few actions that are needed.
References: Azure docs, best practices for Azure RBAC
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import PREFIX, ROLE_ASSIGNMENT, AzureGraph
from ...azure_roles import CONTRIBUTOR, GIVES_RIGHTS, OWNER, is_managed, role_id
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, items, late, plain

CODE = described("GI3249", "role-too-wide", Severity.WARNING, __doc__, ("AZ SEC-08",))
_WIDE = re.compile(r"(?i)/|/subscriptions/[^/]+/?|/providers/Microsoft\.Management/managementGroups/.+")
_GROUP = re.compile(r"(?i)/subscriptions/[^/]+/resourceGroups/[^/]+/?")
_RESOURCE_GROUP, _DEFINITION = f"{PREFIX}:resources:ResourceGroup", f"{PREFIX}:authorization:RoleDefinition"
_STRONG = {OWNER: "Owner", CONTRIBUTOR: "Contributor", **dict.fromkeys(GIVES_RIGHTS, "a role that gives rights")}


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each role assignment of a managed identity, and for each role definition."""
    for r in ctx.azure.of_type(ROLE_ASSIGNMENT):
        if is_managed(ctx.azure, r):
            yield from _assignment(ctx.azure, r)
    for r in ctx.azure.of_type(_DEFINITION):
        for n, permission in enumerate(entries(r.get("permissions"))):
            if "*" in [plain(a) for a in items(plain(permission.get("actions")))]:
                yield CODE.at(
                    f"{r.name}.permissions[{n}].actions",
                    "the role allows every action",
                    "name the actions",
                    resource=r.name,
                )


def _assignment(azure: AzureGraph, r: Resource) -> Iterator[Diagnostic | Undecided]:
    scope = r.get("scope")
    groups = azure.linked(r, "scope", _RESOURCE_GROUP).resources
    text = scope if isinstance(scope, str) and not late(scope) else ""
    strong = _STRONG.get(role_id(r), "")
    if late(scope) and not r.property_dependencies.get("scope"):
        yield Undecided(CODE.code, r.name, "the scope is not known yet")
    elif _WIDE.fullmatch(text):
        yield CODE.at(
            f"{r.name}.scope", f"a managed identity has a role on {text}", "scope it to the cluster", resource=r.name
        )
    elif strong and (_GROUP.fullmatch(text) or (groups and not text)):
        yield CODE.at(
            f"{r.name}.roleDefinitionId",
            f"a managed identity is {strong} of a whole resource group"
            if strong[0].isupper()
            else f"a managed identity has {strong}",
            "take a role with the few actions that are needed, on one resource",
            resource=r.name,
        )


_T = """\
- {{type: azure-native.managedidentity.UserAssignedIdentity, name: who, inputs: {{}}}}
- type: azure-native.authorization.RoleAssignment
  name: role
  inputs:
    principalId: !ref who.principalId
    principalType: ServicePrincipal
    roleDefinitionId: /providers/Microsoft.Authorization/roleDefinitions/{1}
    scope: {0}
"""
_SET = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachineScaleSets/acme"
_READER = "acdd72a7-3385-48ef-bd42-f606fba81ae7"

RULE = ResourceRule(
    CODE,
    ("security",),
    check,
    Examples(
        (_T.format(_SET, _READER), _T.format("/subscriptions/s/resourceGroups/g", _READER)),
        (_T.format("/subscriptions/s", _READER), _T.format("/subscriptions/s/resourceGroups/g", CONTRIBUTOR)),
        (_T.format("!unknown ", _READER),),
    ),
    providers=(Provider.AZURE,),
)
