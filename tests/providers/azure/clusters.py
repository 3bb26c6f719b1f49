"""Specs and recordings that the tests of the Azure room share."""

from __future__ import annotations

import base64
import gzip
import json
from datetime import UTC, datetime
from typing import Any

import yaml

from gpuinfra.cluster import GpuCluster
from gpuinfra.policy.resource_graph import Resource, ResourceGraph
from gpuinfra.testing import record

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
SCALE_SET = "azure-native:compute:VirtualMachineScaleSet"
SUBNET = "azure-native:network:Subnet"
SECURITY_GROUP = "azure-native:network:NetworkSecurityGroup"
ROLE = "azure-native:authorization:RoleDefinition"
ASSIGNMENT = "azure-native:authorization:RoleAssignment"
AUTOSCALE = "azure-native:monitor:AutoscaleSetting"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGZvciB0ZXN0cyBvbmx5LCBub3QgYSByZWFsIGtleSBhdCBhbGw ml"
SUBSCRIPTION = "/subscriptions/11112222-3333-4444-5555-666677778888"
RESERVATION = f"{SUBSCRIPTION}/resourceGroups/r/providers/Microsoft.Compute/capacityReservationGroups/g"
VNET = f"{SUBSCRIPTION}/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/v"
CONTAINER = (
    f"{SUBSCRIPTION}/resourceGroups/data/providers/Microsoft.Storage/storageAccounts/acme/blobServices/default/"
    "containers/tokens"
)
BUDGET = {
    "per_month_usd": 400000,
    "alerts_percent": [50, 80, 100],
    "contacts": ["ml-platform@example.com"],
    "on_limit": "notify",
}


def pool(**changes: Any) -> dict[str, Any]:
    """Four H100 nodes with InfiniBand, changed."""
    return {"name": "gpu", "instance_type": "Standard_ND96isr_H100_v5", "count": 4, **changes}


def cluster(**changes: Any) -> dict[str, Any]:
    """A spec without errors, changed at its top level."""
    return {
        "name": "train",
        "location": location(),
        "network": {"cidr": "10.50.0.0/16", "ssh_keys": [KEY]},
        "node_pools": [pool()],
        "image": {"container": "nvcr.io/nvidia/pytorch:25.08-py3"},
        "shutdown": {"lease": "72h", "idle_after": "30m"},
        **changes,
    }


def location(**changes: Any) -> dict[str, Any]:
    """Zone 1 of eastus, changed."""
    return {"provider": "azure", "region": "eastus", "zone": "1", **changes}


def recorded(
    spec: Any, name: str = "train", *, preview: bool = False, now: datetime = NOW, **options: Any
) -> ResourceGraph:
    """What a GpuCluster of the spec registers."""
    return record(lambda: GpuCluster(name, spec, now=now, **options), preview=preview)


def only(graph: ResourceGraph, type_: str) -> Resource:
    """The one resource of a type."""
    (found,) = graph.of_type(type_)
    return found


def boot_document(scale_set: Resource) -> dict[str, Any]:
    """The cloud-init document of a scale set."""
    data = base64.b64decode(scale_set.get("virtualMachineProfile", "osProfile", "customData"), validate=True)
    assert len(data) <= 65535, "Azure takes 64 KiB of custom data"
    return yaml.safe_load(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)


def boot_facts(scale_set: Resource) -> dict[str, Any]:
    """cluster.json, as the nodes of a scale set get it."""
    files = {f["path"]: f["content"] for f in boot_document(scale_set)["write_files"]}
    return json.loads(files["/etc/gpuinfra/cluster.json"])
