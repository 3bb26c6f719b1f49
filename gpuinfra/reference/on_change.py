"""What the next `up` does when a field of the spec changes.

Said for the whole field, by the longest matching path. What forces a replacement is in the clouds' own schemas: a
network's range, a file system's subnet, type or deployment, a group's name (table a10 of the AWS facts).
"""

from __future__ import annotations

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


def on_change(path: str) -> str:
    """What a change of the field at `path` does, as `node_pools[].capacity.type`."""
    parts = path.split(".")
    for end in range(len(parts), 0, -1):
        known = ".".join(parts[:end])
        if found := ON_CHANGE.get(known) or ON_CHANGE.get(known.removesuffix("[]")):
            return found
    raise KeyError(path)
