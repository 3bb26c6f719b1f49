"""Whom an Azure budget tells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from .resource_graph import Resource
from .wire_values import items, late, plain, truth

CONTACTS = ("contactEmails", "contactGroups", "contactRoles")


def tells_somebody(budget: Resource) -> bool:
    """Whether a notification that is switched on reaches somebody, as far as can be seen."""
    told = budget.get("notifications")
    if late(told):
        return True
    blocks = cast("Mapping[str, Any]", told).values() if isinstance(told, Mapping) else ()
    return any(_speaks(cast("Mapping[str, Any]", b)) for b in map(plain, blocks) if isinstance(b, Mapping))


def has_contact(notification: Mapping[str, Any]) -> bool:
    """Whether a notification names anybody, or may."""
    contacts = [plain(notification.get(k)) for k in CONTACTS]
    return any(late(c) or items(c) for c in contacts)


def _speaks(notification: Mapping[str, Any]) -> bool:
    return truth(plain(notification.get("enabled"))) is not False and has_contact(notification)
