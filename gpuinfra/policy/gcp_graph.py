"""Recorded Google Cloud resources as rules read them: machines with their groups, and the networks of each interface.

A machine is an instance, an instance template with the groups that start from it, or a node pool of GKE.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from .gcp_inline_pools import cluster_inside, inline_pools
from .gcp_machines import Machines
from .gcp_pool_networks import Written, pool_interfaces
from .gcp_types import (
    AUTOSCALERS,
    CLUSTER,
    GROUPS,
    INSTANCE,
    NETWORK,
    NODE_POOL,
    REGION_GROUP,
    REQUESTS,
    RESERVATION,
    RESOURCE_POLICY,
    SUBNET,
    TEMPLATES,
    is_zone,
    last_part,
    own_name,
)
from .linked_graph import LinkedGraph, Links
from .resource_graph import UNKNOWN, Resource
from .wire_values import entries, items, late, number, plain

_INSIDE = re.compile(r"\$\{([^{}]+)\.[^.{}]+\}")
_PROFILE = re.compile(r"(?P<zone>[a-z0-9-]+?)-(?P<kind>vpc-[a-z-]+)")


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
    late: bool
    """Whether its network or subnet is not known yet, and no reference says which it is."""
    key: str
    """What two interfaces of one network have in common: a URN, or a name. Empty where it cannot be told."""
    raw: Mapping[str, Any]


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
        named = [r for r in self._by_own_name.get(last_part(value), ()) if r.type in types]
        return named[0] if len(named) == 1 else None

    @cached_property
    def _by_own_name(self) -> dict[str, list[Resource]]:
        found: dict[str, list[Resource]] = {}
        for r in self.graph:
            if name := own_name(r):
                found.setdefault(name, []).append(r)
        return found

    @cached_property
    def machines(self) -> tuple[Machines, ...]:
        """Every instance, every template with its groups, and every node pool, those that a cluster writes into itself
        too."""
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
        out.extend(p for cluster in self.of_type(CLUSTER) for p in inline_pools(cluster))
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
        if inside := cluster_inside(pool):
            return self._by_urn.get(inside)
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
            if any(g in machines.groups for g in self.linked(a, "target", *GROUPS).resources)
        ]
        asked = sum(number(r.get("resizeBy")) or 0 for r in machines.requests)
        return max(sum(sizes) + asked, *scalers, 0)

    def several(self, machines: Machines) -> bool | None:
        """Whether more than one machine may come of the description; None where a size is not known yet."""
        if self.most_machines(machines) > 1:
            return True
        pool = machines.source if machines.is_pool else None
        sizes = [g.get("targetSize") for g in machines.groups] + [r.get("resizeBy") for r in machines.requests]
        sizes += [pool.get(k) for k in ("nodeCount", "initialNodeCount", "autoscaling")] if pool is not None else []
        return None if any(map(late, sizes)) else False

    def attachments(self, machines: Machines) -> tuple[Attachment, ...] | None:
        """Where each interface of a machine leads, of a node pool each of its networks, the cluster's first; None where
        the interfaces are unknown."""
        source = machines.source
        if source.urn not in self._attached:
            listed = self._written(machines)
            found = None if listed is None else tuple(self._attachment(i, w) for i, w in enumerate(listed))
            if found is not None and machines.is_pool:
                found = tuple(_of_pool(a) for a in found)
            self._attached[source.urn] = found if found is None or self._traceable(source, found) else _exact(found)
        return self._attached[source.urn]

    def _written(self, machines: Machines) -> tuple[Written, ...] | None:
        if machines.is_pool:
            return pool_interfaces(machines.source, self.cluster_of(machines.source))
        listed = machines.interfaces
        return None if listed is None else tuple(Written(machines.source, raw) for raw in listed)

    @cached_property
    def _attached(self) -> dict[str, tuple[Attachment, ...] | None]:
        """What `attachments` found, by URN: a dozen rules ask."""
        return {}

    def _attachment(self, index: int, written: Written) -> Attachment:
        raw = written.raw
        kind = plain(raw.get("nicType"))
        subnets = self.link(written.owner, written.subnet_key, raw.get("subnetwork"), SUBNET)
        networks = self.link(written.owner, written.network_key, raw.get("network"), NETWORK)
        subnet = _only(subnets)
        network = (
            _only(networks)
            or self._named_inside(raw.get("subnetwork"))
            or (_only(self.linked(subnet, "network", NETWORK)) if subnet is not None else None)
        )
        key = network.urn if network is not None else ""
        if not key and len(networks.foreign) == 1 and not networks.unknown:
            key = last_part(networks.foreign[0])
        if not key and subnet is not None:
            foreign = self.linked(subnet, "network", NETWORK).foreign
            key = last_part(foreign[0]) if len(foreign) == 1 else ""
        places = [plain(raw.get(k)) for k in ("subnetwork", "network")]
        unseen = any(late(p) and self._target(p, (SUBNET, NETWORK)) is None for p in places)
        unseen = unseen and self._named_inside(places[0]) is None
        word = "" if late(kind) or kind is None else str(kind)
        return Attachment(index, word, late(kind), network, subnet, unseen, key, raw)

    def _traceable(self, source: Resource, attachments: tuple[Attachment, ...]) -> bool:
        """Whether every interface whose place is not known yet can lead to a network or subnet of its own."""
        unseen = sum(a.late for a in attachments)
        return unseen <= len(self._traced(source)) if unseen > 1 else True

    def _traced(self, source: Resource) -> list[Resource]:
        """The networks and subnets that a machine's interfaces come from, by the recorded dependencies."""
        key = "networkConfig" if source.type == NODE_POOL else "networkInterfaces"
        found = [self._by_urn.get(u) for u in source.property_dependencies.get(key, ())]
        return [r for r in found if r is not None and r.type in (SUBNET, NETWORK)]

    def homes(self, machines: Machines) -> tuple[Resource, ...] | None:
        """Every network that the interfaces stand in, also where preview cannot tell which stands where; None where one
        may stand elsewhere."""
        attachments = self.attachments(machines)
        if attachments is None or any(not a.late and a.network is None for a in attachments):
            return None
        traced = self._traced(machines.source)
        if sum(a.late for a in attachments) > len(traced):
            return None
        found = [a.network for a in attachments if a.network is not None]
        for r in traced:
            found += [r] if r.type == NETWORK else list(self.linked(r, "network", NETWORK).resources)
        return tuple({r.urn: r for r in found}.values())

    def _named_inside(self, value: Any) -> Resource | None:
        """The network of a subnet that the network makes itself, whose name is composed with the network's."""
        names = _INSIDE.findall(value) if isinstance(value, str) and not _INSIDE.fullmatch(value) else []
        found = [r for r in self.of_type(NETWORK) if r.name in names]
        return found[0] if len(found) == 1 else None

    def subnets_reached(self, machines: Machines) -> tuple[Resource, ...]:
        """The subnets of this program that the interfaces stand in, also where preview cannot tell which stands where."""
        found = [a.subnet for a in self.attachments(machines) or () if a.subnet is not None]
        found += [r for r in self._traced(machines.source) if r.type == SUBNET]
        return tuple({r.urn: r for r in found}.values())

    def reaches(self, machines: Machines, network: Resource) -> bool:
        """Whether an interface of the machines stands in a network, also where preview cannot tell which one."""
        if any(a.network is network for a in self.attachments(machines) or ()):
            return True
        return any(
            r is network or (r.type == SUBNET and network in self.linked(r, "network", NETWORK).resources)
            for r in self._traced(machines.source)
        )

    def subnets_of(self, network: Resource) -> tuple[Resource, ...]:
        """The subnets that this program makes in a network."""
        return self._subnets.get(network.urn, ())

    @cached_property
    def _subnets(self) -> dict[str, tuple[Resource, ...]]:
        found: dict[str, list[Resource]] = {}
        for subnet in self.of_type(SUBNET):
            for network in self.linked(subnet, "network", NETWORK).resources:
                found.setdefault(network.urn, []).append(subnet)
        return {urn: tuple(subnets) for urn, subnets in found.items()}

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


def block(value: Any) -> Mapping[str, Any]:
    """A mapping, or the one mapping of a list; empty for anything else."""
    found = entries(plain(value))
    return found[0] if found else {}


def _of_pool(a: Attachment) -> Attachment:
    """A pool's network as an interface: of which kind, its network says."""
    if a.network is None:
        return replace(a, kind_unknown=a.index > 0)
    return replace(a, kind="MRDMA" if is_roce(a.network) else "GVNIC", kind_unknown=profile_unknown(a.network))


def _exact(attachments: tuple[Attachment, ...]) -> tuple[Attachment, ...]:
    """The interfaces, those that were traced without being sure taken as unknown."""
    return tuple(replace(a, network=None, subnet=None, key="") if a.late else a for a in attachments)


def _only(links: Links) -> Resource | None:
    return links.resources[0] if len(links.resources) == 1 and not links.unknown and not links.foreign else None
