"""A Bastion in a subnet that it does not take.

What: The subnet of a Bastion is not named AzureBastionSubnet, or is smaller than /26.
Why: Azure refuses the host. The name is exact, and a name left to the provider gets letters added.
Fix: Set subnetName: AzureBastionSubnet and a range of /26 or larger.
References: Azure docs, Bastion configuration settings: subnet
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import BASTION, SUBNET, AzureGraph
from ...azure_network import SubnetBlock, all_subnets
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, late

CODE = described("GI3256", "bastion-subnet-refused", Severity.ERROR, __doc__, ("AZ NET-05",))
_NAME = "AzureBastionSubnet"
_SMALLEST = 26


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for the name and one for the size of each subnet that is a Bastion's."""
    azure = ctx.azure
    used = _used(azure)
    for subnet in all_subnets(azure):
        is_used = not subnet.path and subnet.source.urn in used
        if not is_used and subnet.name != _NAME:
            continue
        if late(subnet.value("subnetName")) or late(subnet.value("addressPrefix")):
            yield Undecided(CODE.code, subnet.source.name, "its name or its range is not known yet")
        else:
            yield from _check(subnet)


def _used(azure: AzureGraph) -> dict[str, Resource]:
    found: dict[str, Resource] = {}
    for host in azure.of_type(BASTION):
        for block in entries(host.get("ipConfigurations")):
            for r in azure.to(host, "ipConfigurations", block.get("subnet"), SUBNET).resources:
                found[r.urn] = r
    return found


def _check(subnet: SubnetBlock) -> Iterator[Diagnostic]:
    name = subnet.source.name
    if subnet.name != _NAME:
        said = f"named '{subnet.name}'" if subnet.name else "named by the provider, with letters added"
        yield CODE.at(subnet.at("subnetName"), f"the Bastion's subnet is {said}", f"name it {_NAME}", resource=name)
    small = next((n for n in subnet.ranges if n.prefixlen > _SMALLEST), None)
    if small is not None:
        yield CODE.at(
            subnet.at("addressPrefix"),
            f"{small} is smaller than the /{_SMALLEST} that a Bastion takes",
            f"give it a /{_SMALLEST} or larger",
            resource=name,
        )


_T = """\
- {{type: azure-native.network.Subnet, name: jump, inputs: {{subnetName: {0}, addressPrefix: {1}}}}}
- type: azure-native.network.BastionHost
  name: bastion
  inputs: {{ipConfigurations: [{{name: ip, subnet: {{id: !ref jump.id }}}}]}}
"""

RULE = ResourceRule(
    CODE,
    ("network",),
    check,
    Examples(
        (_T.format(_NAME, "10.50.1.0/26"),),
        (_T.format("bastion", "10.50.1.0/27"), _T.format("null", "10.50.1.0/26"), _T.format(_NAME, "10.50.1.0/27")),
        (_T.format(_NAME, "!unknown "),),
    ),
    providers=(Provider.AZURE,),
)
