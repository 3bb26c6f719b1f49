"""A system-assigned identity on a Flexible scale set.

What: A scale set of orchestrationMode Flexible has an identity of type SystemAssigned.
Why: Flexible sets take user-assigned identities only; the set is refused.
Fix: Make a user-assigned identity and name it.
References: Azure/azure-cli#27871; Azure/bicep-registry-modules#2671
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3247", "system-identity-on-flexible", Severity.ERROR, __doc__, ("AZ SEC-06",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each scale set."""
    for nodes in ctx.azure.sets:
        kind = nodes.resource.get("identity", "type")
        if kind is None or nodes.flexible is False:
            continue
        if late(kind) or nodes.flexible is None:
            yield Undecided(CODE.code, nodes.name, "the identity or the orchestration mode is not known yet")
        elif "systemassigned" in str(kind).lower():
            yield CODE.at(
                f"{nodes.name}.identity.type",
                f"identity {kind} on a Flexible set, which takes user-assigned identities only",
                "set type: UserAssigned and name an identity",
                resource=nodes.name,
            )


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs: {{orchestrationMode: {0}, identity: {{type: {1}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("security",),
    check,
    Examples(
        (_T.format("Flexible", "UserAssigned"), _T.format("Uniform", "SystemAssigned")),
        (_T.format("Flexible", "SystemAssigned"), _T.format("Flexible", '"SystemAssigned, UserAssigned"')),
        (_T.format("!unknown ", "SystemAssigned"),),
    ),
    providers=(Provider.AZURE,),
)
