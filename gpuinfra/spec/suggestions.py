"""What to do about a key that is unknown: the nearest key, the word this tool has for it, or where it belongs."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..diagnostics import nearest
from .fields import FieldDoc, documented
from .paths import Path
from .quantities import printable

# Words that other tools and the clouds' own consoles use for the same thing.
_OTHER_WORDS = {
    "machine_type": "instance_type",
    "vm_size": "instance_type",
    "sku": "instance_type",
    "machine": "instance_type",
    "gpu": "accelerator",
    "gpus": "accelerator",
    "accelerators": "accelerator",
    "gpu_type": "accelerator",
    "replicas": "count",
    "nodes": "count",
    "num_nodes": "count",
    "size": "size_gib",
    "capacity_gib": "size_gib",
    "min_size": "min",
    "max_size": "max",
    "node_groups": "node_pools",
    "nodegroups": "node_pools",
    "pools": "node_pools",
    "tags": "labels",
    "filesystems": "storage",
    "volumes": "storage",
    "availability_zone": "zone",
    "cloud": "provider",
    "placement": "proximity",
    "placement_group": "proximity",
    "interconnect": "fabric",
    "path": "mount",
    "mount_path": "mount",
    "mount_point": "mount",
    "ttl": "lease",
    "idle_timeout": "idle_after",
    "autostop": "idle_after",
    "emails": "contacts",
    "docker_image": "container",
    "ami": "node",
    "image_id": "node",
    "schedule": "stop_at",
}


def folded(key: str) -> str:
    """A key without case, hyphens and underscores: instanceType, instance-type and instance_type are one."""
    return re.sub(r"[^a-z0-9]", "", key.casefold())


def _other_word(key: str) -> str:
    return _OTHER_WORDS.get(key.casefold().replace("-", "_"), "")


def likely_key(key: str, known: Iterable[str]) -> str:
    """The key of the same mapping that was most likely meant; empty when none is near."""
    if len(key) > 100:
        return ""
    keys = list(known)
    for k in keys:
        if folded(k) == folded(key):
            return k
    word = _other_word(key)
    if word in keys:
        return word
    near = nearest(key, keys, n=1)
    return near[0] if near else ""


def unknown_key_hint(key: str, path: Path, known: tuple[str, ...]) -> str:
    """The next action for an unknown key of a mapping at `path` whose keys are `known`."""
    likely = likely_key(key, known)
    if likely and (folded(likely) == folded(key) or likely == _other_word(key)):
        return f"it is called {likely} here"
    elsewhere = _belongs(key, path) if len(key) <= 100 else ""
    nearest_here = f"did you mean {likely}?" if likely else ""
    if elsewhere or likely:
        return "; ".join(part for part in (elsewhere, nearest_here) if part)
    return f"keys here: {', '.join(known)}" if known else ""


def _belongs(key: str, path: Path) -> str:
    """Where a key of that name exists; empty where it does not."""
    here = ".".join("[]" if isinstance(step, int) else step for step in path).replace(".[]", "[]")
    names = {folded(key), folded(_other_word(key) or key)}
    found: list[FieldDoc] = [d for d in documented() if folded(d.name) in names]
    siblings = [d for d in found if d.where and d.path.rpartition(".")[0] == here]
    if siblings:
        return f"{siblings[0].name} is known only with {' or '.join(dict.fromkeys(d.where for d in siblings))}"
    places = list(dict.fromkeys(d.path for d in found))
    if not places:
        return ""
    first = places[:3]
    more = f" (and {len(places) - 3} more)" if len(places) > 3 else ""
    return f"{printable(key)} belongs at {' or '.join(first)}{more}"
