"""What a spec names that is there already on Azure: network, images, file systems and groups."""

from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import IPv4Network
from typing import Any

from ..plan.models import ClusterPlan
from ..vocabulary import StorageKind
from .gathering import Gathering, RefusedError
from .https import RestApi

_ARM = "https://management.azure.com"
_NETWORK_API, _COMPUTE_API, _AMLFS_API = "2024-05-01", "2024-07-01", "2024-03-01"
_KEPT = 5
"""Addresses of a subnet that Azure keeps for itself."""
_ARCH = {"x64": "x86_64", "arm64": "arm64"}
_NETWORK_OF = re.compile(r"(?i)(/subscriptions/.+/virtualNetworks/[^/]+)/subnets/")


def read_existing(plan: ClusterPlan, home: str, api: RestApi, gather: Gathering) -> None:
    """Reads every thing that the plan names, each for itself."""
    net = plan.network
    if net.existing_network:
        gather.entry("networks", net.existing_network, lambda: network(api, net.existing_network))
        gather.entry("subnets", net.existing_subnet, lambda: subnet(api, net.existing_subnet))
    for name in dict.fromkeys(p.node_image.selector for p in plan.pools if p.node_image.selector):
        gather.entry("images", name, lambda name=name: node_image(api, home, plan.region, name))
    for name in dict.fromkeys(p.placement.name for p in plan.pools if p.placement.mode == "existing"):
        if name.startswith("/"):
            gather.entry("placements", name, lambda name=name: placement(api, name))
        else:
            gather.unknown[f"placements/{name}"] = "a group that is named without its ARM id is not looked for"
    for store in plan.storage:
        if not store.existing or store.kind is StorageKind.BUCKET:
            continue
        if store.kind is StorageKind.LUSTRE and store.existing.startswith("/"):
            gather.entry("file_systems", store.existing, lambda s=store: lustre(api, s.existing))
        else:
            gather.unknown[f"file_systems/{store.existing}"] = "NFS volumes are not read on Azure"


def network(api: RestApi, name: str) -> dict[str, Any]:
    row = api.get(f"{_ARM}{name}", "Microsoft.Network/virtualNetworks/read", **{"api-version": _NETWORK_API})
    return {"region": str(row.get("location", "")).lower()}


def subnet(api: RestApi, name: str) -> dict[str, Any]:
    permission = "Microsoft.Network/virtualNetworks/subnets/read"
    more: Mapping[str, Any] = api.get(f"{_ARM}{name}", permission, **{"api-version": _NETWORK_API}).get(
        "properties", {}
    )
    cidr = str(more.get("addressPrefix") or next(iter(more.get("addressPrefixes") or ()), ""))
    named = _NETWORK_OF.match(name)
    found: dict[str, Any] = {"network": named[1] if named else "", "cidr": cidr, "way_out": _way_out(more)}
    try:
        size = IPv4Network(cidr).num_addresses
    except ValueError:
        return found
    taken = len(more.get("ipConfigurations") or ()) + len(more.get("privateEndpoints") or ())
    return {**found, "free_addresses": max(size - _KEPT - taken, 0)}


def _way_out(subnet: Mapping[str, Any]) -> str | None:
    """Where nodes of a subnet leave it: a gateway is sure, a route table leads where its routes say, and without either
    only the default way is left, which a private subnet has not."""
    if subnet.get("natGateway"):
        return "nat"
    if subnet.get("routeTable"):
        return "other"
    if subnet.get("defaultOutboundAccess") is False:
        return "none"
    return None


def node_image(api: RestApi, home: str, region: str, name: str) -> dict[str, Any]:
    if name.startswith("/"):
        if not name.lower().startswith("/subscriptions/"):
            raise RefusedError("images of a gallery that is shared are not read")
        row = api.get(f"{_ARM}{name}", "Microsoft.Compute/images/read", **{"api-version": _COMPUTE_API})
        state = str(row.get("properties", {}).get("provisioningState", ""))
        return {"state": "available" if state in ("Succeeded", "") else state}
    publisher, offer, sku, version = name.split(":")
    url = (
        f"{home}/providers/Microsoft.Compute/locations/{region}/publishers/{publisher}/artifacttypes/vmimage"
        f"/offers/{offer}/skus/{sku}/versions"
    )
    permission = "Microsoft.Compute/locations/publishers/artifacttypes/offers/skus/versions/read"
    if version == "latest":
        # A list at the top of the answer has no name of its own here: the newest one is asked for.
        raise RefusedError("the version latest is not looked up; give one to have it checked")
    row = api.get(f"{url}/{version}", permission, **{"api-version": _COMPUTE_API})
    more: Mapping[str, Any] = row.get("properties", {})
    disk: Mapping[str, Any] = more.get("osDiskImage") or {}
    size = disk.get("sizeInGb")
    return {
        "arch": _ARCH.get(str(more.get("architecture", "")).lower(), ""),
        "root_gib": int(size) if size is not None else None,
    }


def placement(api: RestApi, name: str) -> dict[str, Any]:
    row = api.get(f"{_ARM}{name}", "Microsoft.Compute/proximityPlacementGroups/read", **{"api-version": _COMPUTE_API})
    return {
        "strategy": "proximity",
        "zones": list(row.get("zones") or ()),
        "region": str(row.get("location", "")).lower(),
    }


def lustre(api: RestApi, name: str) -> dict[str, Any]:
    row = api.get(f"{_ARM}{name}", "Microsoft.StorageCache/amlFilesystems/read", **{"api-version": _AMLFS_API})
    more: Mapping[str, Any] = row.get("properties", {})
    named = _NETWORK_OF.match(str(more.get("filesystemSubnet", "")))
    return {
        "network": named[1] if named else "",
        "zones": list(row.get("zones") or ()),
        "state": str(more.get("provisioningState", "Succeeded")),
    }
