"""A new bucket whose private names may be taken.

What: A bucket is made, and the network or the resource group is there already.
Why: Nodes reach a new account by private endpoints, whose names stand in the zones privatelink.blob and privatelink.dfs. A resource group holds one zone of a name, and Azure links one to a network: where another is there, the deployment fails. Where the network asks a DNS server of its own, nodes find the closed public address.
Fix: See that neither is there, or make the account apart and name its container in `existing`.
References: Azure Private Link, Private endpoint DNS; Azure DNS, Virtual network links
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider, StorageKind
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2307", "private-names-taken", Severity.WARNING, __doc__)


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the first bucket: all of a cluster share the zones."""
    group_is_there = getattr(ctx.plan.spec.location, "existing_resource_group", False)
    places = [p for p, there in (("network", not ctx.plan.network.is_new), ("resource group", group_is_there)) if there]
    new = [s for s in ctx.plan.storage if s.kind is StorageKind.BUCKET and not s.existing]
    if not places or not new:
        return
    names = ", ".join(f"'{s.name}'" for s in new)
    yield CODE.at(
        new[0].path,
        f"the zones privatelink.blob and privatelink.dfs, in which nodes find {names}, may be there already with the "
        f"existing {' and '.join(places)}",
        "see that they are not, and that the network asks Azure's own DNS; or name a container in existing",
    )


_AZURE = """\
location: {{provider: azure, region: eastus, resource_group: rg, existing_resource_group: {0}}}
node_pools: [{{instance_type: Standard_ND96isr_H100_v5}}]
network: {1}
storage: [{{name: out, kind: bucket, mount: /out, size_gib: null, throughput_mbps_per_tib: null{2}}}]
"""
_NET = "/subscriptions/s/resourceGroups/r/providers/Microsoft.Network/virtualNetworks/v"
_THERE = f"{{existing: {{network: {_NET}, subnet: {_NET}/subnets/nodes}}}}"

RULE = PlanRule(
    CODE,
    ("storage", "network"),
    check,
    Examples(
        (
            _AZURE.format("false", "{}", ""),
            _AZURE.format("true", _THERE, ', existing: "https://acme.blob.core.windows.net/data"'),
        ),
        (_AZURE.format("false", _THERE, ""), _AZURE.format("true", "{}", "")),
    ),
    providers=(Provider.AZURE,),
)
