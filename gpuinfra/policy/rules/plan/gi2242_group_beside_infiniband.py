"""A proximity group that InfiniBand nodes do not need.

What: Nodes with InfiniBand are put into an existing proximity placement group.
Why: They are one scale set in one placement group already, which is what joins them. A second condition on the same hosts adds nothing but refusals (OverconstrainedAllocationRequest).
Fix: Leave proximity at auto.
References: Azure docs, set up InfiniBand; hashicorp/terraform-provider-azurerm#20056
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import FabricKind, Provider
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2242", "group-beside-infiniband", Severity.WARNING, __doc__, ("AZ PLC-03",))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each pool that names a group."""
    for pool in ctx.plan.pools:
        if pool.placement.mode == "existing" and pool.fabric.kind is FabricKind.INFINIBAND:
            yield CODE.at(
                f"{pool.path}.proximity",
                f"group '{pool.placement.name}' for nodes of {pool.instance.name}, which stand together by InfiniBand already",
            )


_T = """\
location: {{provider: azure, region: eastus, zone: "1"}}
node_pools: [{{instance_type: {0}, count: 2, proximity: {1}}}]
storage: []
"""

RULE = PlanRule(
    CODE,
    ("placement", "fabric"),
    check,
    Examples(
        (_T.format("Standard_ND96isr_H100_v5", "auto"), _T.format("Standard_NC24ads_A100_v4", "acme-group")),
        (_T.format("Standard_ND96isr_H100_v5", "acme-group"),),
    ),
    providers=(Provider.AZURE,),
)
