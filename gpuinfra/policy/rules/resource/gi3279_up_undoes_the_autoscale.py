"""A number of nodes that `up` and an autoscale setting both set.

What: An autoscale setting moves a scale set, or the cluster's autoscaler a pool, and `up` does not ignore its number of nodes.
Severity: warning for a pool of a managed cluster, whose autoscaler moves it again
Why: The next `up` sets the written number again and starts the whole set that was scaled away, or stops nodes at work.
Fix: Add ignoreChanges: ["sku.capacity"] (pools of a managed cluster: count).
References: hashicorp/terraform-provider-azurerm#1341; Azure/vm-scale-sets#70
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import AGENT_POOL
from ...last_inputs import covered
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, truth

CODE = described("GI3279", "up-undoes-the-autoscale", Severity.ERROR, __doc__, ("AZ SHUT-04",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each set, and for each pool that is a resource of its own."""
    for nodes in ctx.azure.sets:
        movers = ctx.azure.scalers(nodes)
        if nodes.resource.get("sku", "capacity") is None or not movers:
            continue
        if not covered(nodes.resource, "ignoreChanges", "sku.capacity"):
            yield CODE.at(
                f"{nodes.name}.sku.capacity",
                f"'{movers[0].name}' moves the number of nodes, and the next `up` sets it back",
                'add ignoreChanges: ["sku.capacity"]',
                resource=nodes.name,
            )
    for pool in ctx.azure.pools:
        moved = pool.value("enableAutoScaling")
        if (
            pool.source.type != AGENT_POOL
            or pool.value("count") is None
            or covered(pool.source, "ignoreChanges", "count")
        ):
            continue
        if late(moved):
            yield Undecided(CODE.code, pool.source.name, "whether the pool scales is not known yet")
        elif truth(moved):
            yield CODE.at(
                pool.at("count"),
                "the cluster's autoscaler moves the number of nodes, and the next `up` sets it back",
                "add ignoreChanges: [count]",
                resource=pool.source.name,
                severity=Severity.WARNING,
            )


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs: {{sku: {{name: Standard_ND96isr_H100_v5, capacity: 4}}}}
  options: {0}
- {{type: azure-native.monitor.AutoscaleSetting, name: lease, inputs: {{targetResourceUri: !ref nodes.id , enabled: true}}}}
"""
_POOL = """\
- {type: azure-native.containerservice.AgentPool, name: pool, inputs: {count: 2, enableAutoScaling: !unknown }}
"""

RULE = ResourceRule(
    CODE,
    ("cost", "drift"),
    check,
    Examples((_T.format("{ignoreChanges: [sku.capacity]}"),), (_T.format("{}"),), (_POOL,)),
    providers=(Provider.AZURE,),
)
