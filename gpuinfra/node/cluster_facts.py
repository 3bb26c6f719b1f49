"""The facts of cluster.json: every value that a user gave reaches a node here, as data, and nowhere else."""

from __future__ import annotations

import json
import re
from typing import Any

from ..plan.models import ClusterPlan, PoolPlan, StoragePlan
from ..vocabulary import FabricKind, StorageKind
from .clouds import CLOUDS, LUSTRE_OPTIONS, CloudBoot

Facts = dict[str, Any]


def facts_of(plan: ClusterPlan, pool: PoolPlan) -> tuple[Facts, dict[str, tuple[str | int, ...]]]:
    """The facts, and where each late value belongs in them. Neither the lease's end nor the moment of planning is there.

    Late names: `storage.<name>.address` and `.mount_name` (Lustre), `.address` and `.export` (NFS), `.bucket` (a new
    bucket; account/container on Azure); `identity.client_id` where nodes ask for tokens by it.
    """
    cloud = CLOUDS[plan.provider]
    late: dict[str, tuple[str | int, ...]] = {}
    storage: list[Facts] = []
    for n, entry in enumerate(plan.storage):
        facts = _STORAGE[entry.kind](cloud, entry)
        storage.append({"name": entry.name, "kind": str(entry.kind), "mount": entry.mount, **facts})
        late |= {f"storage.{entry.name}.{key}": ("storage", n, key) for key, value in facts.items() if value is None}
    job = plan.spec.job
    vendor = pool.accelerator.vendor.lower() if pool.accelerator else ""
    facts: Facts = {
        "version": 1,
        "cluster": plan.name,
        "pool": pool.name,
        "group": pool.cloud_name,
        "provider": str(plan.provider),
        "region": plan.region,
        "zone": pool.zone,
        "count": pool.wanted,
        "gpus_per_node": pool.gpus_per_node,
        "gpu": {"model": pool.accelerator.model if pool.accelerator else "", "vendor": vendor},
        "fabric": {"kind": str(pool.fabric.kind), "gbps": pool.fabric.gbps, "devices": fabric_devices(pool)},
        "peers": {"how": "the other nodes of this group, by the cloud's API", "group": pool.cloud_name},
        "storage": storage,
        "job": {"command": list(job.command) if job else []},
        "local_nvme": {"mode": str(pool.local_nvme.mode), "mount": pool.local_nvme.mount},
    }
    if pool.container:
        facts["container"] = {"reference": pool.container.reference}
    if pool.mig:
        facts["mig"] = {"profiles": list(pool.mig.profiles)}
    if cloud.asks_by_client:
        facts["identity"] = {"client_id": None}
        late["identity.client_id"] = ("identity", "client_id")
    if plan.idle_after is not None:
        facts["idle"] = {"after_s": int(plan.idle_after.total_seconds())}
    return facts, late


def fabric_devices(pool: PoolPlan) -> int:
    """How many devices of the fabric a node must show; for GPUDirect-TCPX the host's interface counts too."""
    if pool.fabric.kind is FabricKind.NONE:
        return 0
    kinds = _FABRIC_NICS.get(pool.fabric.kind)
    counted = sum(1 for nic in pool.fabric.nics if kinds and nic.kind in kinds)
    return counted or pool.instance.fabric_interfaces or 1


# Which interfaces of the plan are devices of the fabric. InfiniBand shows none of its own (facts azure a4).
_FABRIC_NICS = {
    FabricKind.EFA: ("efa", "efa-only"),
    FabricKind.ROCE: ("mrdma",),
    FabricKind.GPUDIRECT_TCPX: ("gvnic",),
    FabricKind.GPUDIRECT_TCPXO: ("gvnic",),
}


def _lustre(cloud: CloudBoot, entry: StoragePlan) -> Facts:
    return {"address": None, "mount_name": None, "options": list(LUSTRE_OPTIONS)}


def _nfs(cloud: CloudBoot, entry: StoragePlan) -> Facts:
    return {"address": None, "export": None, "options": list(cloud.nfs_options)}


def _bucket(cloud: CloudBoot, entry: StoragePlan) -> Facts:
    parts = bucket_parts(cloud, entry.existing)
    if parts is None:
        return {"bucket": None, "prefix": "", "existing": bool(entry.existing)}
    return {"bucket": parts[0], "prefix": parts[1], "existing": True}


_STORAGE = {StorageKind.LUSTRE: _lustre, StorageKind.NFS: _nfs, StorageKind.BUCKET: _bucket}


def bucket_parts(cloud: CloudBoot, address: str) -> tuple[str, str] | None:
    """Bucket (account/container on Azure) and prefix of an existing bucket; None where the address is not readable."""
    match = re.fullmatch(cloud.bucket_pattern, address.strip()) if address else None
    if match is None:
        return None
    groups = match.groupdict()
    bucket = next(v for k, v in groups.items() if k.startswith("bucket") and v)
    account = next((v for k, v in groups.items() if k.startswith("account") and v), "")
    prefix = (groups.get("prefix") or "").strip("/")
    # Every mounter takes the prefix as a folder; Mountpoint for S3 wants the slash at its end.
    return (f"{account}/{bucket}" if account else bucket), (f"{prefix}/" if prefix else "")


_DEEPEST_LINE = 8
"""A line's end and its spaces, at the depth of the facts."""


def longest_json(facts: Facts) -> int:
    """At least the length of `as_json`, found without laying it out, which takes many times as long."""
    compact = json.dumps(facts)
    lines = compact.count(",") + 2 * (compact.count("{") + compact.count("[")) + 1
    # DEL is written as six characters.
    return len(compact) + _DEEPEST_LINE * lines + 5 * compact.count("\x7f")


def as_json(facts: Facts) -> str:
    """Facts as text: ASCII, keys in order, the same bytes for the same facts."""
    # DEL is the one ASCII character that JSON leaves as it is and YAML refuses.
    return json.dumps(facts, indent=1, sort_keys=True, ensure_ascii=True).replace("\x7f", "\\u007f") + "\n"
