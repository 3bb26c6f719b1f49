"""The networks that a GKE node pool stands in: its cluster's, then the additional ones that it names.

To rules they are interfaces like those of a machine. GKE hands the networks out to the cards by what a network is, so
that the order of the additional ones is free.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from .resource_graph import Resource
from .wire_values import items, late, plain

_BLOCK = "networkConfig"


@dataclass(frozen=True)
class Written:
    """An interface as it is written, or as a pool's networks stand for one."""

    owner: Resource
    raw: Mapping[str, Any]
    network_key: str = "networkInterfaces"
    """The top-level input of the owner that the network stands under."""
    subnet_key: str = "networkInterfaces"


def pool_interfaces(pool: Resource, cluster: Resource | None) -> tuple[Written, ...] | None:
    """One for the cluster's own network, and one for each additional network; None where some are not known yet."""
    more = pool.get(_BLOCK, "additionalNodeNetworkConfigs")
    listed = [plain(v) for v in items(more)]
    if late(more) or late(pool.get(_BLOCK)) or any(not isinstance(v, Mapping) for v in listed):
        return None
    own = {k: cluster.get(k) for k in ("network", "subnetwork")} if cluster is not None else {}
    first = Written(cluster or pool, {k: v for k, v in own.items() if v is not None}, "network", "subnetwork")
    return (first, *(Written(pool, cast("Mapping[str, Any]", v), _BLOCK, _BLOCK) for v in listed))
