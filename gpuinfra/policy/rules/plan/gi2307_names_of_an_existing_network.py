"""A new bucket in a network that may have its names already.

What: A bucket is made, and the network is there already.
Why: Nodes reach a new account by private endpoints, whose names stand in the zones privatelink.blob and privatelink.dfs. Azure links one zone of a name to a network: where another one is linked, the deployment fails, and where the network asks a DNS server of its own, nodes find the closed public address.
Fix: Make the account apart and name its container in `existing`, or see that the network has neither.
References: Azure Private Link, Private endpoint DNS; Azure DNS, Virtual network links
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider, StorageKind
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2307", "names-of-an-existing-network", Severity.WARNING, __doc__)


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each bucket."""
    if ctx.plan.network.is_new:
        return
    for storage in ctx.plan.storage:
        if storage.kind is StorageKind.BUCKET and not storage.existing:
            yield CODE.at(
                storage.path,
                f"'{storage.name}' is reached by names in the zones privatelink.blob and privatelink.dfs, which "
                "network.existing may have from elsewhere",
                "see that the network is linked to neither zone and asks Azure's own DNS, or name a container in existing",
            )


_AZURE = """\
location: {{provider: azure, region: eastus}}
node_pools: [{{instance_type: Standard_ND96isr_H100_v5}}]
network: {0}
storage: [{{name: out, kind: bucket, mount: /out, size_gib: null, throughput_mbps_per_tib: null{1}}}]
"""
_NET = "/subscriptions/s/resourceGroups/r/providers/Microsoft.Network/virtualNetworks/v"
_THERE = f"{{existing: {{network: {_NET}, subnet: {_NET}/subnets/nodes}}}}"

RULE = PlanRule(
    CODE,
    ("storage", "network"),
    check,
    Examples(
        (_AZURE.format("{}", ""), _AZURE.format(_THERE, ', existing: "https://acme.blob.core.windows.net/data"')),
        (_AZURE.format(_THERE, ""),),
    ),
    providers=(Provider.AZURE,),
)
