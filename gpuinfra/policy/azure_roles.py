"""Role assignments of Azure: to whom, and which role."""

from __future__ import annotations

from .azure_graph import PREFIX, AzureGraph
from .resource_graph import Resource
from .wire_values import late

# Azure built-in roles, the same ids in every tenant.
OWNER = "8e3af657-a8ff-443c-a75c-2fe8c4bcb635"
CONTRIBUTOR = "b24988ac-6180-42a0-ab88-20f7382d24ac"
GIVES_RIGHTS = ("18d7d88d-d35e-4fb5-a5c3-7773c20a72d9", "f58310d9-a9f6-439a-9e8d-f62e7b41a168")
"""User Access Administrator, and Role Based Access Control Administrator."""
STORAGE_ACCOUNT_CONTRIBUTOR = "17d1049b-9a84-46fb-8f53-869881c3d3ab"
STORAGE_BLOB_DATA_CONTRIBUTOR = "ba92f5b4-2d11-453d-a403-e96b0029c9fe"


def is_managed(azure: AzureGraph, assignment: Resource) -> bool:
    """Whether the principal is a managed identity: one of this program's, its own or that of a resource."""
    return any(r.type.startswith(f"{PREFIX}:") for r in azure.linked(assignment, "principalId").resources)


def role_id(assignment: Resource) -> str:
    """The id of the role, without the path before it; empty where it is not known."""
    value = assignment.get("roleDefinitionId")
    return value.rpartition("/")[2].lower() if isinstance(value, str) and not late(value) else ""
