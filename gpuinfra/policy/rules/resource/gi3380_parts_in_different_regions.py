"""Parts of one machine in two Azure regions.

What: Nodes, or a file system, stand in another location than their network, or than an interface, a disk, a group or a gateway that they are bound to.
Why: Azure binds nothing across regions: the part is refused (InvalidResourceReference), after everything before it was made.
Fix: Write one location on all of them, or leave it out everywhere and let the resource group decide.
References: Azure docs, virtual networks and regions; Azure Resource Manager docs, set resource location
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import (
    AVAILABILITY_SET,
    BASTION,
    CLUSTER,
    INTERFACE,
    LUSTRE,
    MACHINE,
    NAT_GATEWAY,
    NETAPP_VOLUME,
    NETWORK,
    PREFIX,
    PUBLIC_IP,
    SECURITY_GROUP,
    SUBNET,
    AzureGraph,
)
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import differ, entries, late, plain

CODE = described("GI3380", "parts-in-different-regions", Severity.ERROR, __doc__)
_RESOURCE_GROUP, _DISK = f"{PREFIX}:resources:ResourceGroup", f"{PREFIX}:compute:Disk"
_ENDPOINT = f"{PREFIX}:network:PrivateEndpoint"
_SUBNET_OF = {LUSTRE: "filesystemSubnet", NETAPP_VOLUME: "subnetId"}


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each thing that others are bound to from elsewhere."""
    found: dict[str, tuple[Resource, Any, list[tuple[Resource, Any]]]] = {}
    unsure: dict[str, str] = {}
    for owner, other in _bound(ctx.azure):
        here, there = _location(ctx.azure, owner), _location(ctx.azure, other)
        if differ(here, there):
            found.setdefault(other.urn, (other, there, []))[2].append((owner, here))
        elif (late(here) and there is not None) or (late(there) and here is not None):
            unsure.setdefault(owner.urn, owner.name)
    for other, there, owners in found.values():
        owner, here = owners[0]
        names = " and ".join(dict.fromkeys(f"'{o.name}'" for o, _ in owners))
        yield CODE.at(
            f"{owner.name}.location",
            f"{names} {'stands' if len(owners) == 1 else 'stand'} in {here}, and '{other.name}', which it is bound to, in {there}",
            f"write location: {there} on both, or {here}",
            resource=owner.name,
        )
    for name in unsure.values():
        yield Undecided(CODE.code, name, "its location, or that of what it is bound to, is not known yet")


def _bound(azure: AzureGraph) -> Iterator[tuple[Resource, Resource]]:
    """What is bound to what, and must stand in one region with it."""
    for nodes in azure.nodes:
        r = nodes.resource
        if nodes.is_set:
            yield from ((r, n) for s in azure.subnets(nodes).resources for n in _networks(azure, s))
        near = (*azure.interfaces(nodes).resources, *azure.capacity_group(nodes).resources)
        yield from ((r, other) for other in (*near, *azure.proximity_group(nodes).resources))
        kept = [b.get("managedDisk") for b in entries(nodes.get("storageProfile", "dataDisks"))]
        for block in kept:
            yield from ((r, d) for d in azure.to(r, nodes.key("storageProfile"), block, _DISK).resources)
    for box in azure.of_type(MACHINE):
        block = box.get("availabilitySet")
        yield from ((box, a) for a in azure.to(box, "availabilitySet", block, AVAILABILITY_SET).resources)
    for nic in azure.of_type(INTERFACE, BASTION):
        for block in entries(nic.get("ipConfigurations")):
            for subnet in azure.to(nic, "ipConfigurations", block.get("subnet"), SUBNET).resources:
                yield from ((nic, n) for n in _networks(azure, subnet))
    for end in azure.of_type(_ENDPOINT):
        for subnet in azure.to(end, "subnet", end.get("subnet"), SUBNET).resources:
            yield from ((end, n) for n in _networks(azure, subnet))
    for kind, key in _SUBNET_OF.items():
        for fs in azure.of_type(kind):
            yield from ((fs, n) for s in azure.linked(fs, key, SUBNET).resources for n in _networks(azure, s))
    for pool in azure.pools:
        owner = pool.source if pool.source.type == CLUSTER else _cluster(azure, pool.source)
        links = azure.link(pool.source, pool.key("vnetSubnetID"), pool.value("vnetSubnetID"), SUBNET)
        if owner is not None:
            yield from ((owner, n) for s in links.resources for n in _networks(azure, s))
    for subnet in azure.of_type(SUBNET):
        for key, kind in (("natGateway", NAT_GATEWAY), ("networkSecurityGroup", SECURITY_GROUP)):
            for part in azure.to(subnet, key, subnet.get(key), kind).resources:
                yield from ((part, n) for n in _networks(azure, subnet))
    for nat in azure.of_type(NAT_GATEWAY):
        ids = [b.get("id") for b in entries(nat.get("publicIpAddresses"))]
        yield from ((nat, a) for a in azure.link(nat, "publicIpAddresses", ids, PUBLIC_IP).resources)


def _networks(azure: AzureGraph, subnet: Resource) -> tuple[Resource, ...]:
    return azure.linked(subnet, "virtualNetworkName", NETWORK).resources


def _cluster(azure: AzureGraph, pool: Resource) -> Resource | None:
    found = azure.linked(pool, "resourceName", CLUSTER).resources
    return found[0] if len(found) == 1 else None


def _location(azure: AzureGraph, r: Resource) -> Any:
    """Where a resource stands: as it says, else with its resource group; None where nothing says it."""
    own = plain(r.inputs.get("location"))
    # `location=group.location` is known where the group's is.
    named = azure.linked(r, "location").resources if late(own) else ()
    groups = azure.linked(r, "resourceGroupName", _RESOURCE_GROUP).resources
    whole = named or (groups if own is None else ())
    return whole[0].get("location") if len(whole) == 1 else own


_T = """\
- {{type: azure-native.resources.ResourceGroup, name: rg, inputs: {{location: eastus}}}}
- {{type: azure-native.network.VirtualNetwork, name: net, inputs: {{resourceGroupName: !ref rg.name , location: {0}}}}}
- {{type: azure-native.network.Subnet, name: sub, inputs: {{resourceGroupName: !ref rg.name , virtualNetworkName: !ref net.name }}}}
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs:
    resourceGroupName: !ref rg.name
    location: {1}
    virtualMachineProfile:
      networkProfile:
        networkInterfaceConfigurations: [{{name: nic, ipConfigurations: [{{name: ip, subnet: {{id: !ref sub.id }}}}]}}]
"""
_LUSTRE = """\
- {{type: azure-native.network.VirtualNetwork, name: net, inputs: {{location: eastus}}}}
- {{type: azure-native.network.Subnet, name: sub, inputs: {{virtualNetworkName: !ref net.name }}}}
- {{type: azure-native.storagecache.AmlFilesystem, name: scratch, inputs: {{location: {0}, filesystemSubnet: !ref sub.id }}}}
"""
_DISK_OF = """\
- {{type: azure-native.compute.Disk, name: data, inputs: {{location: eastus}}}}
- type: azure-native.compute.VirtualMachine
  name: box
  inputs: {{location: {0}, storageProfile: {{dataDisks: [{{lun: 0, managedDisk: {{id: !ref data.id }}}}]}}}}
"""

RULE = ResourceRule(
    CODE,
    ("network", "storage"),
    check,
    Examples(
        (
            _T.format("eastus", "East US"),
            _T.format("null", "null"),
            _T.format("null", "eastus"),
            _T.format("!ref rg.location ", "eastus"),
            _LUSTRE.format("eastus"),
            _DISK_OF.format("eastus"),
        ),
        (
            _T.format("eastus", "westeurope"),
            _T.format("null", "westeurope"),
            _T.format("!ref rg.location ", "westeurope"),
            _LUSTRE.format("westus2"),
            _DISK_OF.format("westus2"),
        ),
        (_T.format("eastus", "!unknown "), _LUSTRE.format("!unknown ")),
    ),
    providers=(Provider.AZURE,),
)
