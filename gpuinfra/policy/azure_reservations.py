"""Capacity reservations of Azure and the groups that they stand in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from .azure_graph import CAPACITY, CAPACITY_GROUP, AzureGraph, AzureNodes
from .resource_graph import Resource
from .wire_values import late


def reserved(nodes: AzureNodes) -> bool | None:
    """Whether nodes name a capacity reservation group, known or not; None where it cannot be told."""
    block = nodes.get("capacityReservation")
    if late(block):
        return None
    return isinstance(block, Mapping) and cast("Mapping[str, Any]", block).get("capacityReservationGroup") is not None


def group_of(azure: AzureGraph, kept: Resource) -> Resource | None:
    """The group that a reservation stands in, where it is of this program: by reference or by its name."""
    linked = azure.linked(kept, "capacityReservationGroupName", CAPACITY_GROUP).resources
    if linked:
        return linked[0]
    name = kept.get("capacityReservationGroupName")
    named = (g for g in azure.of_type(CAPACITY_GROUP) if g.get("capacityReservationGroupName") == name)
    return next(named, None) if isinstance(name, str) else None


def reservations_of(azure: AzureGraph, group: Resource) -> Iterator[Resource]:
    """The reservations of a group."""
    for kept in azure.of_type(CAPACITY):
        found = group_of(azure, kept)
        if found is not None and found.urn == group.urn:
            yield kept
