"""Recorded Azure resources as rules read them: scale sets and machines in one shape, with the parts that hang on them.

Types are read whatever API version the program chose. A size is spelt as the tables spell it: Azure minds no case.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, cast

from ..catalog import InfiniBand, InstanceType, infiniband, instance_types, rows
from ..vocabulary import Provider
from .linked_graph import LinkedGraph, Links
from .machine_rows import row_of
from .resource_graph import Resource, ResourceGraph
from .wire_values import entries, items, late, number, plain, truth

SCALE_SET = "azure-native:compute:VirtualMachineScaleSet"
MACHINE = "azure-native:compute:VirtualMachine"
AVAILABILITY_SET = "azure-native:compute:AvailabilitySet"
PROXIMITY_GROUP = "azure-native:compute:ProximityPlacementGroup"
CAPACITY_GROUP = "azure-native:compute:CapacityReservationGroup"
CAPACITY = "azure-native:compute:CapacityReservation"
SET_EXTENSION = "azure-native:compute:VirtualMachineScaleSetExtension"
MACHINE_EXTENSION = "azure-native:compute:VirtualMachineExtension"
NETWORK = "azure-native:network:VirtualNetwork"
PEERING = "azure-native:network:VirtualNetworkPeering"
SUBNET = "azure-native:network:Subnet"
SECURITY_GROUP = "azure-native:network:NetworkSecurityGroup"
SECURITY_RULE = "azure-native:network:SecurityRule"
NAT_GATEWAY = "azure-native:network:NatGateway"
PUBLIC_IP = "azure-native:network:PublicIPAddress"
INTERFACE = "azure-native:network:NetworkInterface"
BASTION = "azure-native:network:BastionHost"
LUSTRE = "azure-native:storagecache:AmlFilesystem"
NETAPP_VOLUME = "azure-native:netapp:CapacityPoolVolume"
STORAGE_ACCOUNT = "azure-native:storage:StorageAccount"
BUDGET = "azure-native:consumption:Budget"
ACTION_GROUP = "azure-native:monitor:ActionGroup"
AUTOSCALE = "azure-native:monitor:AutoscaleSetting"
VM_SCHEDULE = "azure-native:devtestlab:GlobalSchedule"
SCHEDULED_ACTION = "azure-native:computeschedule:ScheduledAction"
ROLE_ASSIGNMENT = "azure-native:authorization:RoleAssignment"
IDENTITY = "azure-native:managedidentity:UserAssignedIdentity"
CLUSTER = "azure-native:containerservice:ManagedCluster"
AGENT_POOL = "azure-native:containerservice:AgentPool"
PREFIX = "azure-native"

# A version stands in the module of older SDKs, and in the package of SDKs that were made for one version.
_TOKEN = re.compile(r"azure-native(?:_\w+)?:(\w+)(?:/v\w+)?:(\w+)")
# Azure docs, naming conventions of sizes: N is the letter of accelerators, C, D, G and V their kinds.
_GPU_FAMILY = re.compile(r"(?i)standard_n[cdgv]\w*\d")
_RENAMED = {
    "insights:AutoscaleSetting": AUTOSCALE,
    "insights:ActionGroup": ACTION_GROUP,
    "netapp:Volume": NETAPP_VOLUME,
    "storagecache:amlFilesystem": LUSTRE,
    "costmanagement:Budget": BUDGET,
}


def canonical(token: str) -> str:
    """The type without its API version, under the name that the current SDK has for it."""
    match = _TOKEN.fullmatch(token)
    if not match:
        return token
    return _RENAMED.get(f"{match[1]}:{match[2]}", f"{PREFIX}:{match[1]}:{match[2]}")


@cache
def _spelling() -> dict[str, str]:
    gone = [row["pattern"] for row in rows("retired", Provider.AZURE)]
    return {name.lower(): name for name in (*gone, *(t.name for t in instance_types(Provider.AZURE)))}


def size_of(value: object) -> str:
    """A size as the tables spell it, or as it stands where they lack it; empty where it is none, or unknown."""
    if not isinstance(value, str) or late(value):
        return ""
    return _spelling().get(value.lower(), value)


def facts_of_size(size: str) -> InstanceType | None:
    """The catalog's row of a size; None where it has none."""
    return row_of(Provider.AZURE, size)


def is_gpu_size(size: str, facts: InstanceType | None) -> bool:
    """Whether a size has GPUs: as the tables say, else by its family's letter, for sizes that are long gone."""
    return facts.has_gpu if facts is not None else _GPU_FAMILY.match(size) is not None


def zones_of(resource: Resource, key: str = "zones") -> tuple[str, ...] | None:
    """The zones of a resource; empty where none is written, None where they are unknown."""
    return zone_names(resource.get(key))


def zone_names(value: Any) -> tuple[str, ...] | None:
    """The zones of a list; empty where there is none, None where they are unknown."""
    if value is None:
        return ()
    listed = [plain(v) for v in items(value)]
    if late(value) or any(late(v) for v in listed):
        return None
    return tuple(sorted({_zone(v) for v in listed if v is not None}))


def _zone(value: object) -> str:
    whole = number(value)
    return f"{whole:g}" if whole is not None else str(value)


@dataclass(frozen=True)
class AzureNodes:
    """A scale set, or a machine of its own. What both have is found at the same path."""

    resource: Resource
    size: str
    """Empty where it is not named, or unknown."""
    facts: InstanceType | None
    board: InfiniBand | None
    """What the size has of InfiniBand, and what it boots; None where the tables lack it."""

    @property
    def name(self) -> str:
        return self.resource.name

    @property
    def is_set(self) -> bool:
        return self.resource.type == SCALE_SET

    @property
    def root(self) -> str:
        """The top-level input that network, storage, system and capacity stand under; empty for a machine."""
        return "virtualMachineProfile" if self.is_set else ""

    def get(self, *path: str | int) -> Any:
        """A value of the profile, as get('osProfile', 'customData')."""
        return self.resource.get(self.root, *path) if self.root else self.resource.get(*path)

    def at(self, path: str) -> str:
        """The place of a value of the profile, for a finding."""
        return f"{self.name}.{self.root}.{path}" if self.root else f"{self.name}.{path}"

    def key(self, first: str) -> str:
        """The top-level input that a part of the profile stands under."""
        return self.root or first

    @property
    def size_path(self) -> str:
        return f"{self.name}.sku.name" if self.is_set else f"{self.name}.hardwareProfile.vmSize"

    @property
    def has_gpu(self) -> bool:
        return is_gpu_size(self.size, self.facts)

    @property
    def infiniband(self) -> bool:
        """Whether the size carries InfiniBand."""
        return self.board is not None and self.board.adapters > 0

    @property
    def count(self) -> float | None:
        """How many machines are written; None where that is unknown."""
        if not self.is_set:
            return 1
        value = self.resource.get("sku", "capacity")
        return 0 if value is None else number(value)

    @property
    def flexible(self) -> bool | None:
        """Whether the orchestration is Flexible; None where unknown. Absent, the API makes it Uniform."""
        value = self.resource.get("orchestrationMode")
        return None if late(value) else str(value).lower() == "flexible"

    @property
    def single_group(self) -> bool | None:
        """singlePlacementGroup as it is written; None where absent or unknown."""
        return truth(self.resource.get("singlePlacementGroup"))

    @property
    def spot(self) -> bool | None:
        """Whether the nodes are spot; None where that is unknown."""
        value = self.get("priority")
        return None if late(value) else str(value).lower() in ("spot", "low")

    @property
    def ephemeral(self) -> bool | None:
        """Whether the system's disk is ephemeral; None where unknown."""
        option = self.get("storageProfile", "osDisk", "diffDiskSettings")
        if late(option):
            return None
        return isinstance(option, Mapping) and plain(cast("Mapping[str, Any]", option).get("option")) is not None

    @property
    def linux(self) -> bool:
        """Whether the system is Linux, as far as can be seen."""
        image = str(self.get("storageProfile", "imageReference", "publisher")).lower()
        kind = str(self.get("storageProfile", "osDisk", "osType")).lower()
        return kind != "windows" and self.get("osProfile", "windowsConfiguration") is None and "windows" not in image


@dataclass(frozen=True)
class Extension:
    """An extension of nodes, written inline or as a resource of its own."""

    source: Resource
    path: str
    publisher: str
    kind: str
    block: Mapping[str, Any]


@dataclass(frozen=True)
class AgentPool:
    """A node pool of a managed cluster, written inline or as a resource of its own."""

    source: Resource
    path: str
    """Place of the pool, with a trailing dot where one is needed; empty for a resource of its own."""
    block: Mapping[str, Any]
    size: str
    facts: InstanceType | None
    board: InfiniBand | None

    def value(self, key: str) -> Any:
        return plain(self.block.get(key))

    def at(self, key: str) -> str:
        return f"{self.source.name}.{self.path}{key}"

    def key(self, first: str) -> str:
        """The top-level input that a value of the pool stands under."""
        return "agentPoolProfiles" if self.path else first

    @property
    def has_gpu(self) -> bool:
        return is_gpu_size(self.size, self.facts)


class AzureGraph(LinkedGraph):
    """A graph with the indexes that rules about Azure need. Nothing here changes the graph."""

    def __init__(self, graph: ResourceGraph) -> None:
        known = tuple(replace(r, type=t) if (t := canonical(r.type)) != r.type else r for r in graph)
        super().__init__(replace(graph, resources=known))

    @cached_property
    def nodes(self) -> tuple[AzureNodes, ...]:
        """Every scale set and every machine of its own."""
        return tuple(_nodes(r) for r in self.of_type(SCALE_SET, MACHINE))

    @cached_property
    def sets(self) -> tuple[AzureNodes, ...]:
        """The scale sets."""
        return tuple(n for n in self.nodes if n.is_set)

    @cached_property
    def pools(self) -> tuple[AgentPool, ...]:
        """Every node pool of a managed cluster."""
        found = [_pool(r, "", r.inputs) for r in self.of_type(AGENT_POOL)]
        for cluster in self.of_type(CLUSTER):
            for n, block in enumerate(items(cluster.get("agentPoolProfiles"))):
                if isinstance(block, Mapping):
                    found.append(_pool(cluster, f"agentPoolProfiles[{n}].", cast("Mapping[str, Any]", block)))
        return tuple(found)

    @cached_property
    def zonal(self) -> bool:
        """Whether something of the program names a zone, so that its region has some."""
        return any(zones_of(r) for r in self.graph) or any(items(p.value("availabilityZones")) for p in self.pools)

    def interfaces(self, nodes: AzureNodes) -> Links:
        """The network interfaces of a machine; none for a scale set, which writes them inline."""
        if nodes.is_set:
            return Links()
        listed = [b.get("id") for b in entries(nodes.get("networkProfile", "networkInterfaces"))]
        return self.link(nodes.resource, "networkProfile", listed, INTERFACE)

    def ip_configurations(self, nodes: AzureNodes) -> Iterator[tuple[Resource, str, str, Mapping[str, Any]]]:
        """(owner, its top-level input, place, block) for each address that nodes have."""
        if nodes.is_set:
            for n, nic in enumerate(entries(nodes.get("networkProfile", "networkInterfaceConfigurations"))):
                for m, block in enumerate(entries(plain(nic.get("ipConfigurations")))):
                    place = f"networkProfile.networkInterfaceConfigurations[{n}].ipConfigurations[{m}]"
                    yield nodes.resource, nodes.root, f"{nodes.root}.{place}", block
        for nic in self.interfaces(nodes).resources:
            for m, block in enumerate(entries(nic.get("ipConfigurations"))):
                yield nic, "ipConfigurations", f"ipConfigurations[{m}]", block

    def subnets(self, nodes: AzureNodes) -> Links:
        """The subnets that nodes stand in."""

        def build() -> Links:
            found = [self.to(o, key, b.get("subnet"), SUBNET) for o, key, _, b in self.ip_configurations(nodes)]
            return _joined(found, self.interfaces(nodes).unknown)

        return self.once(f"subnets of {nodes.resource.urn}", build)

    def security_groups(self, nodes: AzureNodes) -> Links:
        """The security groups that judge the nodes' traffic: of their interfaces and of their subnets."""
        found = [
            self.to(s, "networkSecurityGroup", s.get("networkSecurityGroup"), SECURITY_GROUP)
            for s in (*self.subnets(nodes).resources, *self.interfaces(nodes).resources)
        ]
        if nodes.is_set:
            for nic in entries(nodes.get("networkProfile", "networkInterfaceConfigurations")):
                found.append(self.to(nodes.resource, nodes.root, nic.get("networkSecurityGroup"), SECURITY_GROUP))
        return _joined(found)

    def to(self, owner: Resource, key: str, block: Any, *types: str) -> Links:
        """Where a block that names another resource by its `id` leads."""
        block = plain(block)
        if isinstance(block, Mapping):
            return self.link(owner, key, cast("Mapping[str, Any]", block).get("id"), *types)
        return self.link(owner, key, block, *types)

    def capacity_group(self, nodes: AzureNodes) -> Links:
        """The capacity reservation group that nodes are bought from."""
        block = nodes.get("capacityReservation", "capacityReservationGroup")
        return self.to(nodes.resource, nodes.key("capacityReservation"), block, CAPACITY_GROUP)

    def proximity_group(self, nodes: AzureNodes) -> Links:
        """The proximity placement group of nodes."""
        block = nodes.resource.get("proximityPlacementGroup")
        return self.to(nodes.resource, "proximityPlacementGroup", block, PROXIMITY_GROUP)

    def extensions(self, nodes: AzureNodes) -> tuple[Extension, ...]:
        """The extensions of nodes, in whichever form."""
        found: list[Extension] = []
        for n, block in enumerate(entries(nodes.get("extensionProfile", "extensions"))):
            found.append(_extension(nodes.resource, nodes.at(f"extensionProfile.extensions[{n}]"), block))
        key, kind = ("vmScaleSetName", SET_EXTENSION) if nodes.is_set else ("vmName", MACHINE_EXTENSION)
        for r in self.of_type(kind):
            named = r.get(key)
            linked = any(o.urn == nodes.resource.urn for o in self.linked(r, key, nodes.resource.type).resources)
            if linked or (isinstance(named, str) and named and named == nodes.resource.get(key)):
                found.append(_extension(r, r.name, r.inputs))
        return tuple(found)

    def scalers(self, nodes: AzureNodes) -> tuple[Resource, ...]:
        """The autoscale settings that move a scale set."""
        return tuple(self._scalers.get(nodes.resource.urn, ()))

    @cached_property
    def _scalers(self) -> dict[str, list[Resource]]:
        """The autoscale settings of each scale set, by the set's URN: by reference, or by the name at the id's end."""
        by_name: dict[str, list[str]] = {}
        for s in self.of_type(SCALE_SET):
            name = s.get("vmScaleSetName")
            if isinstance(name, str) and name:
                by_name.setdefault(name.lower(), []).append(s.urn)
        found: dict[str, list[Resource]] = {}
        for setting in self.of_type(AUTOSCALE):
            value = setting.get("targetResourceUri")
            urns = [t.urn for t in self.linked(setting, "targetResourceUri", SCALE_SET).resources]
            if isinstance(value, str) and "/" in value:
                urns += by_name.get(value.lower().rpartition("/")[2], ())
            for urn in dict.fromkeys(urns):
                found.setdefault(urn, []).append(setting)
        return found

    def aims_at(self, r: Resource, key: str, target: Resource) -> bool:
        """Whether an input of a resource holds another one's id: by reference, or by the name at the id's end."""
        if any(t.urn == target.urn for t in self.linked(r, key, target.type).resources):
            return True
        value, name = r.get(key), target.get("vmScaleSetName" if target.type == SCALE_SET else "vmName")
        return (
            isinstance(value, str)
            and isinstance(name, str)
            and bool(name)
            and value.lower().endswith(f"/{name.lower()}")
        )


def _nodes(r: Resource) -> AzureNodes:
    size = size_of(r.get("sku", "name") if r.type == SCALE_SET else r.get("hardwareProfile", "vmSize"))
    return AzureNodes(r, size, facts_of_size(size), infiniband(size) if size else None)


def _pool(source: Resource, path: str, block: Mapping[str, Any]) -> AgentPool:
    size = size_of(plain(block.get("vmSize")))
    return AgentPool(source, path, block, size, facts_of_size(size), infiniband(size) if size else None)


def _extension(source: Resource, path: str, block: Mapping[str, Any]) -> Extension:
    return Extension(source, path, str(plain(block.get("publisher"))), str(plain(block.get("type"))), block)


def _joined(found: list[Links], unknown: bool = False) -> Links:
    resources = {r.urn: r for links in found for r in links.resources}
    foreign = {f for links in found for f in links.foreign}
    return Links(tuple(resources.values()), tuple(sorted(foreign)), unknown or any(links.unknown for links in found))
