"""A subnet whose way out is left to a default that changes.

What: A subnet does not set defaultOutboundAccess to false.
Why: With the network API that this SDK uses, machines without a public address get a way out by themselves; from API 2025-07-01 on they get none. The same program then hangs at boot, and the setting counts at creation only.
Fix: Set defaultOutboundAccess: false, and give the subnet a NAT gateway.
References: Azure docs, default outbound access in Azure; microsoft/AzureTRE#4706
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_network import all_subnets
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, truth

CODE = described("GI3252", "default-outbound-not-written", Severity.ERROR, __doc__, ("AZ NET-01",))
# Subnets of Azure's own services, and delegated ones, are not open to it.
_OWN = (
    "azurebastionsubnet",
    "gatewaysubnet",
    "azurefirewallsubnet",
    "azurefirewallmanagementsubnet",
    "routeserversubnet",
)


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each subnet of a program that has GPU nodes."""
    azure = ctx.azure
    if not any(n.has_gpu for n in azure.nodes) and not any(p.has_gpu for p in azure.pools):
        return
    for subnet in all_subnets(azure):
        value = subnet.value("defaultOutboundAccess")
        if subnet.name.lower() in _OWN or subnet.delegations:
            continue
        if late(value) or (truth(value) is not False and late(subnet.value("subnetName"))):
            yield Undecided(CODE.code, subnet.source.name, "defaultOutboundAccess or the name is not known yet")
        elif truth(value) is not False:
            said = "is not written" if value is None else "is on"
            yield CODE.at(
                subnet.at("defaultOutboundAccess"),
                f"the default way out {said}: whether nodes reach the internet depends on the version of the API",
                "set defaultOutboundAccess: false, and give the subnet a NAT gateway",
                resource=subnet.source.name,
            )


_T = """\
- {{type: azure-native.compute.VirtualMachineScaleSet, name: nodes, inputs: {{sku: {{name: Standard_NC4as_T4_v3}}}}}}
- {{type: azure-native.network.Subnet, name: sub, inputs: {{subnetName: {0}, defaultOutboundAccess: {1}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("network",),
    check,
    Examples(
        (_T.format("nodes", "false"), _T.format("AzureBastionSubnet", "null")),
        (_T.format("nodes", "null"), _T.format("nodes", "true")),
        (_T.format("nodes", "!unknown "),),
    ),
    providers=(Provider.AZURE,),
)
