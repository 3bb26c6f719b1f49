"""Private nodes that cannot reach the internet.

What: Nodes without a public address run a boot script, or stand in a private subnet, and the subnet has no NAT gateway, route table or load balancer.
Why: Packages, images and drivers are fetched at boot: cloud-init hangs, and the nodes bill.
Fix: Give the subnet a NAT gateway with a static Standard address.
References: microsoft/AzureTRE#4706; Azure docs, default outbound access in Azure (retired)
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_boot import boot_text
from ...azure_graph import AzureGraph, AzureNodes
from ...azure_network import subnet_block
from ...azure_pools import cluster_of_pool, subnets_of_pool
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, truth

CODE = described("GI3253", "nodes-with-no-way-out", Severity.ERROR, __doc__, ("AZ NET-02",))
_WAYS_OUT = ("natGateway", "routeTable")
_WANTED = {"userassignednatgateway": "natGateway", "userdefinedrouting": "routeTable"}
_OWN_WAY = ("publicIPAddress", "publicIPAddressConfiguration", "loadBalancerBackendAddressPools")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each subnet of this program that nodes stand in."""
    azure = ctx.azure
    said: set[str] = set()
    for nodes in azure.nodes:
        if any(b.get(k) is not None for _, _, _, b in azure.ip_configurations(nodes) for k in _OWN_WAY):
            continue
        for r in azure.subnets(nodes).resources:
            subnet = subnet_block(r)
            private = subnet.value("defaultOutboundAccess")
            ways = [(azure.to(r, k, subnet.value(k)), subnet.value(k)) for k in _WAYS_OUT]
            if r.urn in said or any(links.count or links.unknown or late(v) for links, v in ways):
                continue
            if late(private):
                yield Undecided(CODE.code, r.name, "defaultOutboundAccess is not known yet")
            elif truth(private) is False or (private is None and _fetches(azure, nodes)):
                said.add(r.urn)
                yield CODE.at(
                    f"{r.name}.natGateway",
                    f"'{nodes.name}' has no public address, and its subnet no NAT gateway: nothing can be fetched at boot",
                    "give the subnet a NAT gateway",
                    resource=r.name,
                )
    yield from _pools(azure, said)


def _pools(azure: AzureGraph, said: set[str]) -> Iterator[Diagnostic]:
    """The subnets of pools whose cluster makes no way out by itself, and wants one on the subnet."""
    for pool in azure.pools:
        cluster = cluster_of_pool(azure, pool)
        wanted = (
            _WANTED.get(str(cluster.get("networkProfile", "outboundType")).lower()) if cluster is not None else None
        )
        links = subnets_of_pool(azure, pool)
        for r in links.resources if wanted is not None else ():
            if wanted is None or r.urn in said or subnet_block(r).value(wanted) is not None:
                continue
            said.add(r.urn)
            yield CODE.at(
                f"{r.name}.{wanted}",
                f"absent, and cluster '{cluster.name if cluster else ''}' takes its way out of the subnet "
                f"(outboundType): it is refused",
                "give the subnet one, or write outboundType: managedNATGateway",
                resource=r.name,
            )


def _fetches(azure: AzureGraph, nodes: AzureNodes) -> bool:
    """Whether nodes run something at boot, which as a rule fetches packages; a script that is unknown is one."""
    return boot_text(azure, nodes) != "" or bool(azure.extensions(nodes))


_T = """\
- {{type: azure-native.network.Subnet, name: sub, inputs: {{defaultOutboundAccess: {0}, natGateway: {1}}}}}
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs:
    virtualMachineProfile:
      osProfile: {{customData: IyEvYmluL2Jhc2gKYXB0IGluc3RhbGwK}}
      networkProfile:
        networkInterfaceConfigurations: [{{name: nic, ipConfigurations: [{{name: ip, subnet: {{id: !ref sub.id }}}}]}}]
"""

RULE = ResourceRule(
    CODE,
    ("network", "boot"),
    check,
    Examples(
        (_T.format("false", "{id: /subscriptions/s/natGateways/n}"), _T.format("true", "null")),
        (_T.format("false", "null"), _T.format("null", "null")),
        (_T.format("!unknown ", "null"),),
    ),
    providers=(Provider.AZURE,),
)
