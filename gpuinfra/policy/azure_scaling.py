"""How many nodes an Azure scale set may have, and what moves the number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .azure_graph import AzureGraph, AzureNodes
from .resource_graph import Resource
from .wire_values import entries, late, number, plain


def profiles(setting: Resource) -> Iterator[tuple[int, Mapping[str, Any], Mapping[str, Any]]]:
    """(index, profile, its capacity) of an autoscale setting."""
    for n, profile in enumerate(entries(setting.get("profiles"))):
        capacity = plain(profile.get("capacity"))
        yield n, profile, capacity if isinstance(capacity, Mapping) else {}


def most_nodes(azure: AzureGraph, nodes: AzureNodes) -> float | None:
    """The most nodes that a set may have: as written, or as its autoscale setting lets it grow. None where unknown."""
    if late(nodes.resource.get("sku", "capacity")):
        return None
    most = nodes.count or 0.0
    for setting in azure.scalers(nodes):
        for _, _, capacity in profiles(setting):
            value = plain(capacity.get("maximum"))
            if late(value):
                return None
            most = max(most, number(value) or 0)
    return most
