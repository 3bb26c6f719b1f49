"""A proximity group that InfiniBand nodes do not need.

What: A scale set of an InfiniBand size with a single placement group stands in a proximity placement group as well.
Why: The single group already puts the nodes on one cluster. A second condition on the same hosts adds nothing but refusals (OverconstrainedAllocationRequest).
Fix: Leave proximityPlacementGroup out.
References: Azure docs, set up InfiniBand on HPC VMs; hashicorp/terraform-provider-azurerm#20056
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3213", "proximity-beside-single-group", Severity.WARNING, __doc__, ("AZ PLC-03",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each scale set; what our own component made is judged by the plan rules."""
    for nodes in ctx.azure.sets:
        group = nodes.resource.get("proximityPlacementGroup")
        if not nodes.infiniband or group is None or ctx.azure.ours(nodes.resource):
            continue
        if late(nodes.resource.get("singlePlacementGroup")):
            yield Undecided(CODE.code, nodes.name, "singlePlacementGroup is not known yet")
        elif nodes.single_group is not False:
            yield CODE.at(
                f"{nodes.name}.proximityPlacementGroup",
                f"nodes of {nodes.size} stand together by their single placement group already",
                "leave proximityPlacementGroup out",
                resource=nodes.name,
            )


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs:
    sku: {{name: {0}, capacity: 4}}
    singlePlacementGroup: {1}
    proximityPlacementGroup: {{id: /subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/proximityPlacementGroups/near}}
"""
_IB = "Standard_ND96isr_H100_v5"

RULE = ResourceRule(
    CODE,
    ("placement", "fabric"),
    check,
    Examples(
        (_T.format("Standard_NC24ads_A100_v4", "true"),), (_T.format(_IB, "true"),), (_T.format(_IB, "!unknown "),)
    ),
    providers=(Provider.AZURE,),
)
