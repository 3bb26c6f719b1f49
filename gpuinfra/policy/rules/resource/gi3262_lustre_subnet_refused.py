"""A Managed Lustre file system in a subnet that it does not take.

What: The subnet of a file system is delegated, is shared with nodes or another file system, or is too small for its capacity.
Why: The service wants a subnet of its own without a delegation, with an address for each of its servers: 16 TiB take a /27, 48 TiB a /25.
Fix: Give the file system a subnet of its own, of the size named.
References: Azure docs, Managed Lustre: network prerequisites
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....plan.network import lustre_prefix
from ....vocabulary import Provider
from ...azure_graph import LUSTRE, AzureGraph
from ...azure_lustre import capacity_tib, subnet_of
from ...azure_network import subnet_block
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3262", "lustre-subnet-refused", Severity.ERROR, __doc__, ("AZ AML-03",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each fault of a file system's subnet."""
    azure = ctx.azure
    homes: dict[str, Resource] = {}
    for fs in azure.of_type(LUSTRE):
        for subnet in subnet_of(azure, fs).resources:
            for fault, hint in _faults(azure, subnet, homes.get(subnet.urn)):
                yield CODE.at(f"{fs.name}.filesystemSubnet", fault, hint, resource=fs.name)
            yield from _size(fs, subnet)
            homes.setdefault(subnet.urn, fs)


def _faults(azure: AzureGraph, subnet: Resource, other: Resource | None) -> Iterator[tuple[str, str]]:
    delegated = subnet_block(subnet).delegations
    if delegated:
        yield f"'{subnet.name}' is delegated to {delegated[0]}", "take a subnet without a delegation"
    if other is not None:
        yield f"'{subnet.name}' is the subnet of '{other.name}' too", "give each file system a subnet of its own"
    nodes = next((n for n in azure.nodes if any(s.urn == subnet.urn for s in azure.subnets(n).resources)), None)
    if nodes is not None:
        yield (
            f"'{subnet.name}' is the subnet of the nodes '{nodes.name}' too",
            "give the file system a subnet of its own",
        )


def _size(fs: Resource, subnet: Resource) -> Iterator[Diagnostic | Undecided]:
    ranges, size = subnet_block(subnet).ranges, capacity_tib(fs)
    if late(subnet.get("addressPrefix")) or late(fs.get("storageCapacityTiB")):
        yield Undecided(CODE.code, fs.name, "the size of the file system or of its subnet is not known yet")
    elif ranges and size is not None and all(n.prefixlen > lustre_prefix(size) for n in ranges):
        yield CODE.at(
            f"{fs.name}.filesystemSubnet",
            f"{ranges[0]} is too small for {size:g} TiB",
            f"give '{subnet.name}' a /{lustre_prefix(size)} or larger",
            resource=fs.name,
        )


_T = """\
- {{type: azure-native.network.Subnet, name: files, inputs: {{addressPrefix: {0}, delegations: {1}}}}}
- type: azure-native.storagecache.AmlFilesystem
  name: scratch
  inputs: {{sku: {{name: AMLFS-Durable-Premium-125}}, storageCapacityTiB: {2}, filesystemSubnet: !ref files.id }}
"""
_NETAPP = "[{name: d, serviceName: Microsoft.NetApp/volumes}]"

RULE = ResourceRule(
    CODE,
    ("storage", "network"),
    check,
    Examples(
        (_T.format("10.50.2.0/27", "null", 16), _T.format("10.50.2.0/25", "[]", 48)),
        (
            _T.format("10.50.2.0/28", "null", 16),
            _T.format("10.50.2.0/26", "null", 48),
            _T.format("10.50.2.0/24", _NETAPP, 16),
        ),
        (_T.format("10.50.2.0/24", "null", "!unknown "),),
    ),
    providers=(Provider.AZURE,),
)
