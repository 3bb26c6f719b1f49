"""What the next `up` does when a field of the spec changes.

Said for the whole field, by the longest matching path. What forces a replacement is in the clouds' own schemas: a
network's range, a file system's subnet, type or deployment, a group's name (table a10 of the AWS facts, a11 of Google's, a1
and a17 of Azure's).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from ..vocabulary import Provider
from .machines import TITLES

_Said = TypeVar("_Said")

IN_PLACE = "In place."
NEW_NODES = "In place, for new nodes; running ones keep what they have."
ALL = "Replaces every resource; data on new storage is lost, so protected storage refuses it."
NETWORK = "Replaces the network and all that stands in it; protected storage refuses it."
POOL = "Replaces the pool's group and its nodes."
DATA = "Replaces the store: its data is lost, so it is protected and refuses."
NOTHING = "Changes no resource."

ON_CHANGE = {
    "api_version": NOTHING,
    "name": ALL,
    "workload": NOTHING,
    "location": ALL,
    "location.deployer_roles": IN_PLACE,
    "location.activate_cost_tag": IN_PLACE,
    "network": NETWORK,
    "network.public_nodes": NETWORK,
    "network.ssh_from": IN_PLACE,
    "network.ssh_keys": NEW_NODES,
    "node_pools": "Adds or removes pools; the others stay.",
    "node_pools[].name": POOL,
    "node_pools[].instance_type": NEW_NODES,
    "node_pools[].accelerator": NEW_NODES,
    "node_pools[].count": IN_PLACE,
    "node_pools[].capacity": NEW_NODES,
    "node_pools[].fabric": NEW_NODES,
    "node_pools[].proximity": POOL,
    "node_pools[].mig": NEW_NODES,
    "node_pools[].local_nvme": NEW_NODES,
    "node_pools[].public_ip": NEW_NODES,
    "storage": "Adds stores; one that is taken out is deleted, which its protection refuses.",
    "storage[].name": DATA,
    "storage[].kind": DATA,
    "storage[].size_gib": "Grows in place; a smaller size replaces the store, which its protection refuses.",
    "storage[].throughput_mbps_per_tib": IN_PLACE,
    "storage[].mount": NEW_NODES,
    "storage[].existing": NEW_NODES,
    "storage[].import_from": "Replaces the link to the bucket; the file system stays.",
    "storage[].zone": DATA,
    "image": NEW_NODES,
    "job": NOTHING,
    "scheduler": NOTHING,
    "budget": IN_PLACE,
    "shutdown": IN_PLACE,
    "shutdown.idle_after": NEW_NODES,
    "labels": "In place; running nodes keep their labels.",
    "waivers": NOTHING,
}


_SCALE_SET = "replaces the pool's scale set and its nodes."

ELSEWHERE = {
    "network.ssh_keys": {Provider.AZURE: _SCALE_SET},
    "node_pools[].instance_type": {Provider.AZURE: _SCALE_SET},
    "node_pools[].accelerator": {Provider.AZURE: _SCALE_SET},
    "node_pools[].capacity": {
        Provider.GCP: "a request of flex-start that was made stands as it is.",
        Provider.AZURE: _SCALE_SET,
    },
    "node_pools[].fabric": {Provider.AZURE: _SCALE_SET},
    "storage[].size_gib": {
        Provider.AZURE: "another size of Lustre, also a larger one, is another file system, which its protection refuses."
    },
    "image": {Provider.AZURE: "an image of another publisher or offer replaces the pool's scale set and its nodes."},
}
"""What is otherwise on one cloud, because its API changes there what others change in place, or the other way round."""


def on_change(path: str) -> str:
    """What a change of the field at `path` does, as `node_pools[].capacity.type`, and where it does something else."""
    others = _longest(ELSEWHERE, path) or {}
    return " ".join([_general(path), *(f"On {TITLES[provider]}: {text}" for provider, text in others.items())])


def _general(path: str) -> str:
    if found := _longest(ON_CHANGE, path):
        return found
    raise KeyError(path)


def _longest(known: Mapping[str, _Said], path: str) -> _Said | None:
    """What is said of the path, or of the nearest one that holds it."""
    parts = path.split(".")
    for end in range(len(parts), 0, -1):
        at = ".".join(parts[:end])
        if found := known.get(at) or known.get(at.removesuffix("[]")):
            return found
    return None
