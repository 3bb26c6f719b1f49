"""GPU nodes that nothing ever stops.

What: A program keeps GPU nodes, and has no autoscale setting, schedule, automation or boot script that takes them down.
Why: Nodes bill until somebody remembers them. A budget is an alarm that comes 8 to 24 hours late, never a cap.
Fix: Add an autoscale setting that goes to zero at an end, an idle watch that scales the set in, or minCount: 0 with the cluster's autoscaler.
References: Azure docs, budgets: cost data are refreshed every 8 to 24 hours
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....cost import LAG_HOURS
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_boot import boot_text
from ...azure_graph import BUDGET, PREFIX, SCHEDULED_ACTION, VM_SCHEDULE, AgentPool, AzureGraph, AzureNodes
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number, truth

CODE = described("GI3275", "azure-nodes-without-end", Severity.WARNING, __doc__, ("AZ BUD-05",))
_AUTOMATION = (f"{PREFIX}:automation:Runbook", f"{PREFIX}:logic:Workflow", SCHEDULED_ACTION)
"""What may take nodes down without naming them in a way that can be followed."""
_WATCH = re.compile(r"deallocate|virtualMachineScaleSets|az\s+vm(?:ss)?\s+(?:scale|delete|stop)", re.IGNORECASE)


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each set, machine and pool of GPU nodes; what our own component made is judged by the plan rules."""
    azure = ctx.azure
    if azure.has(*_AUTOMATION):
        return
    for nodes in azure.nodes:
        if not nodes.has_gpu or azure.ours(nodes.resource) or _ends(azure, nodes):
            continue
        if nodes.count is None or boot_text(azure, nodes) is None:
            yield Undecided(CODE.code, nodes.name, "the number of nodes or their boot script is not known yet")
        elif nodes.count:
            where = f"{nodes.name}.sku.capacity" if nodes.is_set else nodes.name
            yield _finding(azure, where, nodes.name, nodes.count, nodes.size)
    for pool in azure.pools:
        count = pool.value("count")
        if not pool.has_gpu or _shrinks(pool):
            continue
        if late(count) or late(pool.value("enableAutoScaling")) or late(pool.value("minCount")):
            yield Undecided(CODE.code, pool.source.name, "the number of nodes is not known yet")
        elif kept := number(pool.value("minCount") if truth(pool.value("enableAutoScaling")) else count):
            yield _finding(azure, pool.at("count"), pool.source.name, kept, pool.size)


def _finding(azure: AzureGraph, where: str, name: str, count: float, size: str) -> Diagnostic:
    budget = (
        f"; a budget alone is no cap, its data lag 8–{LAG_HOURS} h" if azure.has(BUDGET) else ", and there is no budget"
    )
    many = f"{count:g} node{'s' if count != 1 else ''} of {size} run{'' if count != 1 else 's'}"
    return CODE.at(
        where,
        f"{many} for ever: no schedule, lease or idle watch{budget}",
        "add an autoscale setting that goes to zero, or a watch that scales the nodes in",
        resource=name,
    )


def _ends(azure: AzureGraph, nodes: AzureNodes) -> bool:
    if any(truth(s.get("enabled")) for s in azure.scalers(nodes)):
        return True
    # A schedule that is switched off is none.
    schedules = [s for s in azure.of_type(VM_SCHEDULE) if str(s.get("status")).lower() != "disabled"]
    if any(azure.aims_at(s, "targetResourceId", nodes.resource) for s in schedules):
        return True
    return bool(_WATCH.search(boot_text(azure, nodes) or ""))


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

RULE = ResourceRule(
    CODE,
    ("cost", "time"),
    check,
    Examples((_T.format(0), _POOL.format("true")), (_T.format(2), _POOL.format("false")), (_T.format("!unknown "),)),
    providers=(Provider.AZURE,),
)
