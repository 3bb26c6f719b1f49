"""A GPU node with an address on the internet.

What: An address configuration of GPU nodes has a public address, or a node pool gives its nodes public ones.
Why: GPU nodes are found by scanners within minutes, and are worth stealing. They need a way out, not a way in.
Fix: Remove the public address; reach the nodes through Bastion, and give the subnet a NAT gateway.
References: Azure docs, network best practices: no direct internet connectivity; CIS Azure Foundations Benchmark 6
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, truth

CODE = described("GI3244", "node-with-public-address", Severity.ERROR, __doc__, ("AZ SEC-04",))
_FIELDS = ("publicIPAddressConfiguration", "publicIPAddress")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each address; what our own component made is judged by the plan rules."""
    azure = ctx.azure
    for nodes in azure.nodes:
        if not nodes.has_gpu or azure.ours(nodes.resource):
            continue
        if azure.interfaces(nodes).unknown:
            yield Undecided(CODE.code, nodes.name, "the network interfaces are not known yet")
        for owner, _, place, block in azure.ip_configurations(nodes):
            field = next((f for f in _FIELDS if block.get(f) is not None), "")
            if field:
                yield CODE.at(
                    f"{owner.name}.{place}.{field}",
                    f"nodes of {nodes.size} have a public address",
                    "remove it; reach them through Bastion",
                    resource=owner.name,
                )
    for pool in azure.pools:
        value = pool.value("enableNodePublicIP")
        if pool.has_gpu and late(value):
            yield Undecided(CODE.code, pool.source.name, "whether nodes have public addresses is not known yet")
        elif pool.has_gpu and truth(value):
            yield CODE.at(
                pool.at("enableNodePublicIP"),
                f"nodes of {pool.size} have public addresses",
                "remove it",
                resource=pool.source.name,
            )


_T = """\
- type: azure-native.network.NetworkInterface
  name: nic
  inputs: {{ipConfigurations: [{{name: ip, publicIPAddress: {0}}}]}}
- type: azure-native.compute.VirtualMachine
  name: box
  inputs:
    hardwareProfile: {{vmSize: Standard_ND96isr_H100_v5}}
    networkProfile: {{networkInterfaces: [{{id: {1}}}]}}
"""

RULE = ResourceRule(
    CODE,
    ("network", "security"),
    check,
    Examples(
        (_T.format("null", "!ref nic.id "),),
        (_T.format("{id: /subscriptions/s/publicIPAddresses/a}", "!ref nic.id "),),
        (_T.format("null", "!unknown "),),
    ),
    providers=(Provider.AZURE,),
)
