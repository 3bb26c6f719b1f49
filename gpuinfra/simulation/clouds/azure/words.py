"""The forms of Azure's own texts."""

from __future__ import annotations

from typing import Any

from ...cloud import Request, digest
from ...values import UNKNOWN, holds_unknown

GROUP = "azure-native:resources:ResourceGroup"
_ELSEWHERE = "eastus"
"""Where a resource group stands that is not of this world."""


def placed(request: Request) -> dict[str, Any]:
    """azure-native puts a resource without a location where its own configuration says, else where its group stands."""
    group, location = request.inputs.get("resourceGroupName"), request.config.get("location")
    if location or not group:
        return {"location": location}
    if holds_unknown(group):
        return {"location": UNKNOWN}
    there = (t for t in request.world.things(GROUP) if t.id.lower().endswith(f"/resourcegroups/{group}".lower()))
    return {"location": next((t.inputs.get("location") for t in there), None) or _ELSEWHERE}


def guid(text: str) -> str:
    """A GUID that follows from a text."""
    d = digest(text, 32)
    return f"{d[:8]}-{d[8:12]}-{d[12:16]}-{d[16:20]}-{d[20:]}"


def word(request: Request, id_: str, name: str) -> Any:
    """The form of a computed text, by its name."""
    if name == "tenantId":
        return guid("tenant")
    if name.endswith(("Guid", "PrincipalId")) or name in (
        "etag",
        "vmId",
        "principalId",
        "clientId",
        "objectId",
        "uniqueId",
    ):
        return guid(f"{id_}{name}")
    if name == "addressPrefix":
        return "10.0.0.0/24"
    if name in ("ipAddress", "privateIPAddress"):
        return f"10.0.0.{int(digest(id_, 4), 16) % 250 + 4}"
    if name == "location":
        return request.inputs.get("location") or "eastus"
    if name in ("provisioningState", "state"):
        return "Succeeded"
    if name.endswith(("At", "Time", "Date")):
        return request.world.now.strftime("%Y-%m-%dT%H:%M:%SZ")
    return None
