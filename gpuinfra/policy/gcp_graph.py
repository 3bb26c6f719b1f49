"""Recorded Google Cloud resources as rules read them: machines with their groups, and the networks of each interface.

A machine is an instance, an instance template with the groups that start from it, or a node pool of GKE.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..catalog import InstanceType, MachineParts, NicLayout, instance_type, machine_parts, nic_layout
from ..vocabulary import CapacityType, Provider
from .linked_graph import LinkedGraph, Links
from .resource_graph import UNKNOWN, OutputRef, Resource
from .wire_values import entries, items, late, number, plain, truth

INSTANCE = "gcp:compute/instance:Instance"
TEMPLATE = "gcp:compute/instanceTemplate:InstanceTemplate"
REGION_TEMPLATE = "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate"
GROUP = "gcp:compute/instanceGroupManager:InstanceGroupManager"
REGION_GROUP = "gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager"
REQUEST = "gcp:compute/resizeRequest:ResizeRequest"
REGION_REQUEST = "gcp:compute/regionResizeRequest:RegionResizeRequest"
AUTOSCALER = "gcp:compute/autoscaler:Autoscaler"
REGION_AUTOSCALER = "gcp:compute/regionAutoscaler:RegionAutoscaler"
NETWORK = "gcp:compute/network:Network"
SUBNET = "gcp:compute/subnetwork:Subnetwork"
FIREWALL = "gcp:compute/firewall:Firewall"
ROUTER = "gcp:compute/router:Router"
ROUTER_NAT = "gcp:compute/routerNat:RouterNat"
RESOURCE_POLICY = "gcp:compute/resourcePolicy:ResourcePolicy"
RESERVATION = "gcp:compute/reservation:Reservation"
FUTURE_RESERVATION = "gcp:compute/futureReservation:FutureReservation"
DISK = "gcp:compute/disk:Disk"
ATTACHED_DISK = "gcp:compute/attachedDisk:AttachedDisk"
NODE_POOL = "gcp:container/nodePool:NodePool"
CLUSTER = "gcp:container/cluster:Cluster"
LUSTRE = "gcp:lustre/instance:Instance"
FILESTORE = "gcp:filestore/instance:Instance"
PARALLELSTORE = "gcp:parallelstore/instance:Instance"
BUCKET = "gcp:storage/bucket:Bucket"
SERVICES = "gcp:servicenetworking/connection:Connection"
BUDGET = "gcp:billing/budget:Budget"
JOB = "gcp:cloudscheduler/job:Job"

TEMPLATES = (TEMPLATE, REGION_TEMPLATE)
GROUPS = (GROUP, REGION_GROUP)
REQUESTS = (REQUEST, REGION_REQUEST)
AUTOSCALERS = (AUTOSCALER, REGION_AUTOSCALER)
MACHINES = (INSTANCE, *TEMPLATES, NODE_POOL)

_PROFILE = re.compile(r"(?P<zone>[a-z0-9-]+?)-(?P<kind>vpc-[a-z-]+)")
_ZONE = re.compile(r"[a-z]+-[a-z]+\d+-[a-z0-9]+")


@dataclass(frozen=True)
class Machines:
    """An instance, a template with the groups that start from it, or a GKE node pool."""

    source: Resource
    groups: tuple[Resource, ...] = ()
    requests: tuple[Resource, ...] = ()
    """Resize requests at the groups."""

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def is_pool(self) -> bool:
        """Whether GKE runs the machines."""
        return self.source.type == NODE_POOL

    def get(self, *path: str | int) -> Any:
        """A value of the machine's own description, which a node pool keeps in nodeConfig."""
        return self.source.get("nodeConfig", *path) if self.is_pool else self.source.get(*path)

    def path(self, tail: str) -> str:
        """Where a value of the description stands, for a finding."""
        return f"{self.name}.nodeConfig.{tail}" if self.is_pool else f"{self.name}.{tail}"

    @property
    def machine_type(self) -> str:
        """The type's own name, without the path before it; empty where absent or unknown."""
        value = self.get("machineType")
        return "" if late(value) or not isinstance(value, str) else last_part(value)

    @property
    def type_unknown(self) -> bool:
        """Whether the type is named and not known yet."""
        return late(self.get("machineType"))

    @cached_property
    def facts(self) -> InstanceType | None:
        """The catalog's row of the type; None where it has none."""
        found = instance_type(Provider.GCP, self.machine_type) if self.machine_type else None
        return found if isinstance(found, InstanceType) else None

    @property
    def brings_gpus(self) -> bool:
        """Whether the type has GPUs of its own."""
        return self.facts is not None and self.facts.has_gpu

    @property
    def layout(self) -> NicLayout | None:
        """The interfaces of the type; None where the type brings no GPUs (or is unknown)."""
        return nic_layout(self.machine_type) if self.brings_gpus else None

    @property
    def parts(self) -> MachineParts | None:
        """What the catalog says of disks and accelerators of the type."""
        return machine_parts(self.machine_type) if self.machine_type else None

    @cached_property
    def attached(self) -> tuple[tuple[str, float | None], ...] | None:
        """(type, count) of the accelerators that are written out, without those of count 0; None where unknown."""
        value = self.get("guestAccelerators")
        if late(value):
            return None
        found: list[tuple[str, float | None]] = []
        for one in entries(value):
            kind, count = plain(one.get("type")), number(plain(one.get("count")))
            if late(one.get("type")) or late(one.get("count")):
                return None
            if count != 0:
                found.append((last_part(kind) if isinstance(kind, str) else "", count))
        return tuple(found)

    @property
    def has_gpus(self) -> bool | None:
        """Whether the machines have GPUs, brought or attached; None where that is not known yet."""
        if self.brings_gpus or self.attached:
            return True
        return None if self.type_unknown or self.attached is None else False

    @property
    def interfaces(self) -> tuple[Mapping[str, Any], ...] | None:
        """The network interfaces; None where unknown, or where some are. Empty where none is written."""
        value = self.source.get("networkInterfaces")
        listed = items(value)
        if late(value) or any(not isinstance(plain(v), Mapping) for v in listed):
            return None
        return tuple(entries([plain(v) for v in listed]))

    @property
    def has_local_ssd(self) -> bool | None:
        """Whether a Local SSD is there, bundled or asked for; None where unknown."""
        if self.layout is not None and self.layout.local_ssd_bundled:
            return True
        count = self.scratch_disks
        return None if count is None else bool(count)

    @property
    def sketched(self) -> bool:
        """Whether the description has no boot disk, which a machine cannot be without: then only what it says is
        judged, and no default is read into it."""
        return not self.is_pool and self.source.get("bootDisk") is None and self.source.get("disks") is None

    @property
    def scratch_disks(self) -> int | None:
        """How many Local SSDs are asked for; None where unknown."""
        if self.source.type == INSTANCE:
            value = self.source.get("scratchDisks")
            return None if late(value) else len(items(value))
        value = self.source.get("disks")
        return None if late(value) else sum(d.get("type") == "SCRATCH" for d in entries(value))

    @property
    def model(self) -> str | None:
        """SPOT, FLEX_START, RESERVATION_BOUND or STANDARD, as the machines are bought; None where not known yet."""
        if self.is_pool:
            flags = {k: self.get(k) for k in ("flexStart", "spot", "preemptible")}
            queued = self.source.get("queuedProvisioning", "enabled")
            if any(map(late, flags.values())) or late(queued):
                return None
            if truth(flags["flexStart"]) or truth(queued):
                return "FLEX_START"
            return "SPOT" if truth(flags["spot"]) or truth(flags["preemptible"]) else "STANDARD"
        said, preemptible = self.get("scheduling", "provisioningModel"), self.get("scheduling", "preemptible")
        if late(said) or (said is None and late(preemptible)):
            return None
        if isinstance(said, str):
            return said
        return "SPOT" if truth(preemptible) else "STANDARD"

    @property
    def affinity(self) -> str | None:
        """ANY_RESERVATION (also where absent), NO_RESERVATION or SPECIFIC_RESERVATION; None where not known yet."""
        key = "consumeReservationType" if self.is_pool else "type"
        value = self.get("reservationAffinity", key)
        return None if late(value) else str(value or "ANY_RESERVATION")

    @property
    def purchase(self) -> CapacityType | None:
        """How the machines are bought; None where not known yet."""
        model, affinity = self.model, self.affinity
        if model is None or affinity is None:
            return None
        if model == "SPOT":
            return CapacityType.SPOT
        if model == "FLEX_START" or (self.requests and model == "STANDARD"):
            return CapacityType.FLEX_START
        if model == "RESERVATION_BOUND" or affinity == "SPECIFIC_RESERVATION":
            return CapacityType.RESERVATION
        return CapacityType.ON_DEMAND


@dataclass(frozen=True)
class Attachment:
    """Where one interface of a machine leads."""

    index: int
    kind: str
    """GVNIC, MRDMA, IDPF or another word of the cloud; empty where absent or unknown."""
    kind_unknown: bool
    network: Resource | None
    """The network, where this program makes it."""
    subnet: Resource | None
    key: str
    """What two interfaces of one network have in common: a URN, or a name. Empty where it cannot be told."""
    raw: Mapping[str, Any]


def last_part(text: str) -> str:
    """The name at the end of a path or link."""
    return text.rstrip("/").rpartition("/")[2]


def region_of(zone: str) -> str:
    """The region of a zone: us-central1 of us-central1-b."""
    return zone.rpartition("-")[0]


def is_zone(text: Any) -> bool:
    """Whether a text is a zone's name, and no region's."""
    return isinstance(text, str) and _ZONE.fullmatch(text) is not None


def profile(network: Resource) -> tuple[str, str] | None:
    """(zone, kind) of a network's profile, as (us-central1-b, vpc-roce); None where it has none that can be read."""
    value = network.get("networkProfile")
    if not isinstance(value, str):
        return None
    match = _PROFILE.fullmatch(last_part(value))
    return (match["zone"], match["kind"]) if match else None


def profile_unknown(network: Resource) -> bool:
    """Whether a network has a profile whose name is not known yet."""
    value = network.get("networkProfile")
    return late(value) and (not isinstance(value, str) or late(last_part(value)))


def is_roce(network: Resource) -> bool:
    """Whether a network is one for RDMA over Ethernet."""
    found = profile(network)
    return found is not None and found[1].startswith("vpc-roce")


class GcpGraph(LinkedGraph):
    """A graph with the indexes that rules about Google Cloud need."""

    def _target(self, value: Any, types: tuple[str, ...]) -> Resource | None:
        found = super()._target(value, types)
        if found is not None or not isinstance(value, str) or late(value) or not types:
            return found
        # A link or a bare name that ends in the cloud name that a resource of this program was given.
        name = last_part(value)
        named = [r for r in self.of_type(*types) if name and own_name(r) == name]
        return named[0] if len(named) == 1 else None

    @cached_property
    def machines(self) -> tuple[Machines, ...]:
        """Every instance, every template with its groups, and every node pool."""
        users: dict[str, list[Resource]] = {}
        for group in self.of_type(*GROUPS):
            values = [v.get("instanceTemplate") for v in entries(group.get("versions"))]
            found = self.link(group, "versions", values or group.get("versions"), *TEMPLATES).resources
            for template in found:
                users.setdefault(template.urn, []).append(group)
        asked: dict[str, list[Resource]] = {}
        for request in self.of_type(*REQUESTS):
            for group in self.linked(request, "instanceGroupManager", *GROUPS).resources:
                asked.setdefault(group.urn, []).append(request)
        out = [Machines(i) for i in self.of_type(INSTANCE)]
        for template in self.of_type(*TEMPLATES):
            groups = tuple(users.get(template.urn, ()))
            out.append(Machines(template, groups, tuple(r for g in groups for r in asked.get(g.urn, ()))))
        out.extend(Machines(p) for p in self.of_type(NODE_POOL))
        return tuple(out)

    @property
    def vms(self) -> tuple[Machines, ...]:
        """The machines that GKE does not run."""
        return tuple(m for m in self.machines if not m.is_pool)

    @property
    def pools(self) -> tuple[Machines, ...]:
        """The node pools of GKE."""
        return tuple(m for m in self.machines if m.is_pool)

    def requests_at(self, group: Resource) -> tuple[Resource, ...]:
        """The resize requests at a group."""
        return tuple(r for m in self.vms for r in m.requests if group in m.groups and self._aims_at(r, group))

    def _aims_at(self, request: Resource, group: Resource) -> bool:
        return group in self.linked(request, "instanceGroupManager", *GROUPS).resources

    def cluster_of(self, pool: Resource) -> Resource | None:
        """The cluster of a node pool, where this program makes it."""
        found = self.linked(pool, "cluster", CLUSTER).resources
        return found[0] if len(found) == 1 else None

    def zones(self, machines: Machines) -> tuple[tuple[str, ...], bool]:
        """The zones that the machines may stand in, and whether some are not known yet."""
        owners = machines.groups or (machines.source,)
        values: list[Any] = []
        for owner in owners:
            if owner.type == NODE_POOL:
                values += self._pool_zones(owner)
            elif owner.type == REGION_GROUP:
                value = owner.get("distributionPolicyZones")
                values += items(value) if not late(value) else [UNKNOWN]
            else:
                values.append(owner.get("zone"))
        known = {last_part(v) for v in map(plain, values) if isinstance(v, str) and not late(v)}
        return tuple(sorted(z for z in known if is_zone(z))), any(late(plain(v)) for v in values)

    def _pool_zones(self, pool: Resource) -> list[Any]:
        cluster = self.cluster_of(pool)
        for value in (pool.get("nodeLocations"), cluster.get("nodeLocations") if cluster is not None else None):
            if value is not None:
                return [UNKNOWN] if late(value) else items(value)
        said = pool.get("location")
        return [said if said is not None else (cluster.get("location") if cluster is not None else None)]

    def most_machines(self, machines: Machines) -> float:
        """The most machines that the description may become, as far as can be told."""
        if machines.is_pool:
            pool = machines.source
            scaled = [number(pool.get("autoscaling", k)) for k in ("maxNodeCount", "totalMaxNodeCount")]
            fixed = [number(pool.get(k)) for k in ("nodeCount", "initialNodeCount")]
            return max((v for v in (*scaled, *fixed) if v is not None), default=1)
        if machines.source.type == INSTANCE:
            return 1
        sizes = [number(g.get("targetSize")) or 0 for g in machines.groups]
        scalers = [
            number(a.get("autoscalingPolicy", "maxReplicas")) or 0
            for a in self.of_type(*AUTOSCALERS)
            if set(self.linked(a, "target", *GROUPS).resources) & set(machines.groups)
        ]
        asked = sum(number(r.get("resizeBy")) or 0 for r in machines.requests)
        return max(sum(sizes) + asked, *scalers, 0)

    def attachments(self, machines: Machines) -> tuple[Attachment, ...] | None:
        """Where each interface of a machine leads; None where the interfaces are unknown."""
        listed = machines.interfaces
        if listed is None:
            return None
        return tuple(self._attachment(machines.source, i, raw) for i, raw in enumerate(listed))

    def _attachment(self, source: Resource, index: int, raw: Mapping[str, Any]) -> Attachment:
        kind = plain(raw.get("nicType"))
        subnets = self.link(source, "networkInterfaces", raw.get("subnetwork"), SUBNET)
        networks = self.link(source, "networkInterfaces", raw.get("network"), NETWORK)
        subnet = _only(subnets)
        network = _only(networks) or (_only(self.linked(subnet, "network", NETWORK)) if subnet is not None else None)
        key = network.urn if network is not None else ""
        if not key and len(networks.foreign) == 1 and not networks.unknown:
            key = last_part(networks.foreign[0])
        if not key and subnet is not None:
            foreign = self.linked(subnet, "network", NETWORK).foreign
            key = last_part(foreign[0]) if len(foreign) == 1 else ""
        return Attachment(index, "" if late(kind) or kind is None else str(kind), late(kind), network, subnet, key, raw)

    def subnets_of(self, network: Resource) -> tuple[Resource, ...]:
        """The subnets that this program makes in a network."""
        return tuple(s for s in self.of_type(SUBNET) if network in self.linked(s, "network", NETWORK).resources)

    def policies(self, machines: Machines) -> tuple[Resource, ...]:
        """The resource policies of this program that stand on the machines themselves."""
        if machines.is_pool:
            return self.link(
                machines.source,
                "placementPolicy",
                machines.source.get("placementPolicy", "policyName"),
                RESOURCE_POLICY,
            ).resources
        return self.linked(machines.source, "resourcePolicies", RESOURCE_POLICY).resources

    def group_policies(self, group: Resource) -> tuple[Resource, ...]:
        """The workload policy of a group, where this program makes it."""
        value = group.get("resourcePolicies", "workloadPolicy")
        return self.link(group, "resourcePolicies", value, RESOURCE_POLICY).resources

    def reservation(self, machines: Machines) -> Resource | None:
        """The reservation that the machines aim at, where this program makes it."""
        path = ("reservationAffinity", "values") if machines.is_pool else (
            "reservationAffinity", "specificReservation", "values")  # fmt: skip
        key = "nodeConfig" if machines.is_pool else "reservationAffinity"
        return _only(self.link(machines.source, key, machines.get(*path), RESERVATION))


def has_rdma(machines: Machines) -> bool:
    """Whether the machine type has RDMA cards (A3 Ultra and newer)."""
    return machines.layout is not None and bool(machines.layout.network_profile_suffix)


def own_name(resource: Resource) -> str:
    """The cloud name that a resource was given; empty where the name is made up later."""
    for key in ("name", "instanceId"):
        value = resource.get(key)
        if isinstance(value, str) and not late(value):
            return value
    return ""


def block(value: Any) -> Mapping[str, Any]:
    """A mapping, or the one mapping of a list; empty for anything else."""
    found = entries(plain(value))
    return found[0] if found else {}


def referred(value: Any) -> str:
    """The logical name that a value comes from; empty where it is plain."""
    return value.resource if isinstance(value, OutputRef) else ""


def _only(links: Links) -> Resource | None:
    return links.resources[0] if len(links.resources) == 1 and not links.unknown and not links.foreign else None
