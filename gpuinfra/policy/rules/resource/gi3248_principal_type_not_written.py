"""A role for a managed identity that may be refused as unknown.

What: A role assignment's principal is a managed identity of the program, and principalType is not ServicePrincipal.
Why: A new identity is not known everywhere at once. Only with its type written does Azure wait for it; else `up` ends with PrincipalNotFound. Some SDKs write User where it is left out.
Fix: Set principalType: ServicePrincipal.
References: Azure/avdaccelerator#99; Azure docs, add a role assignment: new service principal
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import ROLE_ASSIGNMENT
from ...azure_roles import is_managed
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3248", "principal-type-not-written", Severity.ERROR, __doc__, ("AZ SEC-07",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each role assignment."""
    for r in ctx.azure.of_type(ROLE_ASSIGNMENT):
        if not is_managed(ctx.azure, r):
            continue
        kind = r.get("principalType")
        if late(kind):
            yield Undecided(CODE.code, r.name, "the principal's type is not known yet")
        elif str(kind).lower() != "serviceprincipal":
            yield CODE.at(
                f"{r.name}.principalType",
                f"the principal is a managed identity, and its type is {kind or 'not written'}",
                "set principalType: ServicePrincipal",
                resource=r.name,
            )


_T = """\
- {{type: azure-native.managedidentity.UserAssignedIdentity, name: who, inputs: {{}}}}
- type: azure-native.authorization.RoleAssignment
  name: role
  inputs: {{principalId: !ref who.principalId , principalType: {0}, scope: /subscriptions/s/resourceGroups/g}}
"""

RULE = ResourceRule(
    CODE,
    ("security",),
    check,
    Examples((_T.format("ServicePrincipal"),), (_T.format("User"), _T.format("null")), (_T.format("!unknown "),)),
    providers=(Provider.AZURE,),
)
