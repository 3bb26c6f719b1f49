"""GPU nodes that nothing ever stops.

What: A program keeps GPU nodes, and no autoscale setting, schedule, automation or boot script takes them down: none is there, or one that is switched off or over, keeps some, only starts them, or that nothing calls.
Severity: error where an organisation names a price per hour, and the nodes cost as much
Why: Nodes bill until somebody remembers them. A budget is an alarm that comes 8 to 24 hours late, never a cap.
Fix: Add an autoscale setting that goes to zero at an end, an idle watch that scales the set in, or minCount: 0 with the cluster's autoscaler.
References: Azure docs, budgets: cost data are refreshed every 8 to 24 hours
"""

from __future__ import annotations

from collections.abc import Iterator

from ....cost import LAG_HOURS
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_boot import boot_text
from ...azure_budgets import tells_somebody
from ...azure_endings import by_automation, end_of
from ...azure_graph import BUDGET, AgentPool, AzureGraph
from ...dear_nodes import demand
from ...found_ends import End, Kind, best_of
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number, truth

CODE = described("GI3275", "azure-nodes-without-end", Severity.WARNING, __doc__, ("AZ BUD-05",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each set, machine and pool of GPU nodes; what our own component made is judged by the plan rules."""
    azure = ctx.azure
    for nodes in azure.nodes:
        if not nodes.has_gpu or azure.ours(nodes.resource):
            continue
        unknown = nodes.count is None or boot_text(azure, nodes) is None
        where = f"{nodes.name}.sku.capacity" if nodes.is_set else nodes.name
        end = end_of(azure, nodes, ctx.now)
        if unknown and end.kind in (Kind.UNSEEN, Kind.NONE):
            yield Undecided(CODE.code, nodes.name, "the number of nodes or their boot script is not known yet")
        elif nodes.count:
            yield from _judged(ctx, end, where, nodes.name, nodes.count, nodes.size)
    for pool in azure.pools:
        count = pool.value("count")
        if not pool.has_gpu or _shrinks(pool):
            continue
        end = best_of(by_automation(azure, ctx.now))
        if late(count) or late(pool.value("enableAutoScaling")) or late(pool.value("minCount")):
            if end.kind in (Kind.UNSEEN, Kind.NONE):
                yield Undecided(CODE.code, pool.source.name, "the number of nodes is not known yet")
        elif kept := number(pool.value("minCount") if truth(pool.value("enableAutoScaling")) else count):
            yield from _judged(ctx, end, pool.at("count"), pool.source.name, kept, pool.size)


def _judged(
    ctx: GraphContext, end: End, where: str, name: str, count: float, size: str
) -> Iterator[Diagnostic | Undecided]:
    if end.kind is Kind.UNSEEN:
        yield Undecided(CODE.code, name, end.text)
    if end.kind is not Kind.NONE:
        return
    azure = ctx.azure
    told = any(tells_somebody(b) for b in azure.of_type(BUDGET))
    budget = f"; a budget alone is no cap, its data lag 8–{LAG_HOURS} h" if told else ", and there is no budget"
    if not told and azure.has(BUDGET):
        budget = ", and the budget tells nobody"
    many = f"{count:g} node{'s' if count != 1 else ''} of {size} run{'' if count != 1 else 's'}"
    dear = demand(ctx.options, CODE.code, Provider.AZURE, ((size, count),), _place(azure, name))
    yield CODE.at(
        end.path or where,
        f"{many} for ever: {end.text or 'no schedule, lease or idle watch'}{budget}{dear.text}",
        "add an autoscale setting that goes to zero, or a watch that scales the nodes in",
        resource=end.source or name,
        severity=dear.severity,
    )


def _place(azure: AzureGraph, name: str) -> str:
    """The region that a resource of this name says; empty where none does."""
    said = next((r.get("location") for r in azure.graph if r.name == name and r.custom), None)
    return "".join(said.split()).lower() if isinstance(said, str) and not late(said) else ""


def _shrinks(pool: AgentPool) -> bool:
    least = pool.value("minCount")
    return truth(pool.value("enableAutoScaling")) is True and not late(least) and not number(least)


_T = """\
- {{type: azure-native.compute.VirtualMachineScaleSet, name: nodes, inputs: {{sku: {{name: Standard_ND96isr_H100_v5, capacity: {0}}}}}}}
"""
_POOL = """\
- type: azure-native.containerservice.ManagedCluster
  name: plane
  inputs: {{agentPoolProfiles: [{{name: h100, vmSize: Standard_ND96isr_H100_v5, count: 2, enableAutoScaling: {0}, minCount: 0}}]}}
"""
_SCALED = """\
- type: azure-native.monitor.AutoscaleSetting
  name: lease
  inputs: {{enabled: true, targetResourceUri: !ref nodes.id , profiles: [{{name: end, capacity: {{minimum: "{0}", default: "{0}", maximum: "{0}"}}}}]}}
"""
_NIGHT = """\
- {type: azure-native.automation.Runbook, name: down, inputs: {name: down}}
- {type: azure-native.automation.Schedule, name: night, inputs: {name: night, frequency: Day}}
"""
_JOIN = "- {type: azure-native.automation.JobSchedule, name: join, inputs: {runbook: {name: down}, schedule: {name: night}}}\n"
_FLOW = "- {{type: azure-native.logic.Workflow, name: flow, inputs: {{state: {0}}}}}\n"

RULE = ResourceRule(
    CODE,
    ("cost", "time"),
    check,
    Examples(
        (
            _T.format(0),
            _POOL.format("true"),
            _T.format(2) + _SCALED.format(0),
            _T.format(2) + _NIGHT + _JOIN,
            _T.format(2) + _FLOW.format("Enabled"),
        ),
        (
            _T.format(2),
            _POOL.format("false"),
            _T.format(2) + _SCALED.format(1),
            _T.format(2) + _NIGHT,
            _T.format(2) + _FLOW.format("Disabled"),
        ),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AZURE,),
    demands_end=True,
)
