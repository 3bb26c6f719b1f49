"""What the node pools of a managed cluster name: their zones, their cluster, and the groups that they stand in."""

from __future__ import annotations

from .azure_graph import CAPACITY_GROUP, CLUSTER, PROXIMITY_GROUP, SUBNET, AgentPool, AzureGraph, zone_names
from .linked_graph import Links
from .resource_graph import Resource
from .wire_values import late, number


def zones_of_pool(pool: AgentPool) -> tuple[str, ...] | None:
    """The zones of a pool; empty where none is written, None where they are unknown."""
    return zone_names(pool.value("availabilityZones"))


def most_of_pool(pool: AgentPool) -> float | None:
    """The most nodes that a pool may have: as written, or as its autoscaler lets it grow. None where unknown."""
    counts = [pool.value(k) for k in ("count", "maxCount")]
    return None if any(map(late, counts)) else max(number(c) or 0 for c in counts)


def cluster_of_pool(azure: AzureGraph, pool: AgentPool) -> Resource | None:
    """The cluster of a pool, where this program makes it."""
    if pool.source.type == CLUSTER:
        return pool.source
    found = azure.linked(pool.source, "resourceName", CLUSTER).resources
    return found[0] if len(found) == 1 else None


def capacity_group_of_pool(azure: AzureGraph, pool: AgentPool) -> Links:
    """The capacity reservation group that a pool is bought from."""
    return _links(azure, pool, "capacityReservationGroupID", CAPACITY_GROUP)


def proximity_group_of_pool(azure: AzureGraph, pool: AgentPool) -> Links:
    """The proximity placement group of a pool."""
    return _links(azure, pool, "proximityPlacementGroupID", PROXIMITY_GROUP)


def subnets_of_pool(azure: AzureGraph, pool: AgentPool) -> Links:
    """The subnet that a pool's nodes stand in."""
    return _links(azure, pool, "vnetSubnetID", SUBNET)


def _links(azure: AzureGraph, pool: AgentPool, key: str, type_: str) -> Links:
    return azure.link(pool.source, pool.key(key), pool.value(key), type_)
