"""An action at the spending limit that nothing calls.

What: An action group has a receiver that acts (a logic app, a runbook, a function, a webhook), the program has a budget, and no notification names the group.
Why: The stop is there to be seen, and never runs: a budget calls only the groups in contactGroups.
Fix: Add the group's id to contactGroups of a notification.
References: Azure docs, set up action groups for budgets; Azure Consumption API, Notification
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import ACTION_GROUP, BUDGET, AzureGraph
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, late, plain

CODE = described("GI3273", "spending-stop-never-called", Severity.WARNING, __doc__, ())
_ACTING = ("logicAppReceivers", "automationRunbookReceivers", "azureFunctionReceivers", "webhookReceivers")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each action group. One that an alert names too is let be: it may be that alert's."""
    azure = ctx.azure
    budgets = list(azure.of_type(BUDGET))
    for group in azure.of_type(ACTION_GROUP):
        acting = next((k for k in _ACTING if items(group.get(k))), "")
        if not acting or not budgets or _named_elsewhere(azure, group):
            continue
        if any(group.urn in b.property_dependencies.get("notifications", ()) for b in budgets):
            continue
        if any(_unknown(b) for b in budgets):
            yield Undecided(CODE.code, group.name, "which groups the budget calls is not known yet")
            continue
        yield CODE.at(
            f"{group.name}.{acting}",
            f"no notification of the budget '{budgets[0].name}' calls it: the stop never runs",
            "add the group's id to contactGroups of a notification",
            resource=group.name,
        )


def _unknown(budget: Resource) -> bool:
    told = budget.get("notifications")
    if late(told):
        return True
    blocks = tuple(cast("Mapping[str, Any]", told).values()) if isinstance(told, Mapping) else ()
    groups = [plain(cast("Mapping[str, Any]", b).get("contactGroups")) for b in blocks if isinstance(b, Mapping)]
    # An id that is text may be the group's own; only its name could tell, which the provider may choose.
    return any(late(g) or items(g) for g in groups) or any(map(late, blocks))


def _named_elsewhere(azure: AzureGraph, group: Resource) -> bool:
    return any(group.urn in r.dependencies and r.type != BUDGET and r.custom for r in azure.graph)


_T = """\
- type: azure-native.monitor.ActionGroup
  name: stop
  inputs: {{groupShortName: stop, logicAppReceivers: [{{name: stop, resourceId: /a, callbackUrl: x}}]}}
- type: azure-native.consumption.Budget
  name: money
  inputs: {{amount: 5, notifications: {{all: {{threshold: 100, contactEmails: [ml@example.com], contactGroups: {0}}}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("cost",),
    check,
    Examples((_T.format("[!ref stop.id ]"),), (_T.format("[]"),), (_T.format("!unknown "),)),
    providers=(Provider.AZURE,),
)
