"""Managed Lustre file systems of Azure as rules read them: size, tier and network."""

from __future__ import annotations

from ..catalog import StorageTier, storage_tiers
from ..vocabulary import Provider, StorageKind
from .azure_graph import SUBNET, AzureGraph
from .linked_graph import Links
from .resource_graph import Resource
from .wire_values import late, number

GIB = 1024


def tiers() -> tuple[StorageTier, ...]:
    """The tiers that are sold."""
    return storage_tiers(Provider.AZURE, StorageKind.LUSTRE)


def tier_of(fs: Resource) -> StorageTier | None:
    """The tier of a file system; None where it is not sold, or unknown."""
    name = fs.get("sku", "name")
    return next((t for t in tiers() if isinstance(name, str) and t.tier.lower() == name.lower()), None)


def capacity_tib(fs: Resource) -> float | None:
    """The capacity in TiB; None where it is absent or unknown."""
    value = fs.get("storageCapacityTiB")
    return None if late(value) else number(value)


def subnet_of(azure: AzureGraph, fs: Resource) -> Links:
    """The subnet that a file system stands in."""
    return azure.linked(fs, "filesystemSubnet", SUBNET)
