"""Node pools that a GKE cluster writes into itself: under nodePools, or as the pool that comes with it.

To rules they are node pools like those of a resource of their own, which stand at another path.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

from .gcp_machines import Machines
from .gcp_types import NODE_POOL
from .resource_graph import OutputRef, Resource
from .wire_values import items, late, number, plain, truth

_MARK = "#"
_PLACES = ("location", "nodeLocations", "project")


def inline_pools(cluster: Resource) -> Iterator[Machines]:
    """The pools inside a cluster, where they are known. The pool that comes with it is one only where it has GPUs: of
    it nothing else is asked."""
    if truth(cluster.get("enableAutopilot")) or late(cluster.get("enableAutopilot")):
        return
    listed = cluster.get("nodePools")
    if listed is not None:
        for n, pool in enumerate(items(listed)):
            value = plain(pool)
            if isinstance(value, Mapping):
                yield _pool(cluster, "nodePools", f"nodePools[{n}].", cast("Mapping[str, Any]", value))
        return
    removed, config = cluster.get("removeDefaultNodePool"), plain(cluster.get("nodeConfig"))
    if late(removed) or truth(removed) or not isinstance(config, Mapping):
        return
    default = _pool(cluster, "nodeConfig", "", {"nodeConfig": config, "initialNodeCount": _first(cluster)})
    if default.has_gpus:
        yield default


def cluster_inside(pool: Resource) -> str:
    """The URN of the cluster that a pool is written into; empty for one of its own."""
    before, mark, _ = pool.urn.partition(_MARK)
    return before if mark and pool.type == NODE_POOL else ""


def _first(cluster: Resource) -> Any:
    value = cluster.get("initialNodeCount")
    return value if late(value) or number(value) is not None else 1


def _pool(cluster: Resource, key: str, within: str, inputs: Mapping[str, Any]) -> Machines:
    places = {k: cluster.get(k) for k in _PLACES if cluster.get(k) is not None}
    known = {k: v for k, v in inputs.items() if v is not None}
    urns = cluster.property_dependencies.get(key, ())
    pool = replace(
        cluster,
        urn=f"{cluster.urn}{_MARK}{within or key}",
        type=NODE_POOL,
        inputs={**places, **known, "cluster": OutputRef(cluster.name, "name")},
        property_dependencies=dict.fromkeys(known, urns) if urns else {},
    )
    return Machines(pool, within=within)
