"""A program on Azure spelled as an ARM template, for checkov: azure-native's properties are those of ARM."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from gpuinfra.policy.examples import graph_of
from gpuinfra.policy.resource_graph import OutputRef, Resource

_NAMESPACES = {
    "compute": "Microsoft.Compute",
    "network": "Microsoft.Network",
    "containerservice": "Microsoft.ContainerService",
    "storagecache": "Microsoft.StorageCache",
    "consumption": "Microsoft.Consumption",
    "monitor": "Microsoft.Insights",
    "devtestlab": "Microsoft.DevTestLab",
    "authorization": "Microsoft.Authorization",
    "managedidentity": "Microsoft.ManagedIdentity",
    "resources": "Microsoft.Resources",
}
_TYPES = {
    "Subnet": "virtualNetworks/subnets",
    "PublicIPAddress": "publicIPAddresses",
    "AgentPool": "managedClusters/agentPools",
    "GlobalSchedule": "schedules",
    "UserAssignedIdentity": "userAssignedIdentities",
    "NetworkSecurityGroup": "networkSecurityGroups",
}
_OUTER = {"location", "sku", "zones", "identity", "tags", "plan"}


def arm(program: str) -> dict[str, Any]:
    """The template as a JSON value."""
    return {
        "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0",
        "resources": [_resource(r) for r in graph_of(program)],
    }


def _resource(r: Resource) -> dict[str, Any]:
    _, module, cls = r.type.split(":")
    kind = _TYPES.get(cls) or cls[:1].lower() + cls[1:] + "s"
    outer = {k: _plain(v) for k, v in r.inputs.items() if k in _OUTER}
    return {
        "type": f"{_NAMESPACES[module]}/{kind}",
        "apiVersion": "2024-11-01",
        "name": r.name,
        **outer,
        "properties": {k: _plain(v) for k, v in r.inputs.items() if k not in _OUTER},
    }


def _plain(value: Any) -> Any:
    if isinstance(value, OutputRef):
        return f"[resourceId('x', '{value.resource}')]"
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in cast("list[Any]", value)]
    return re.sub(r"\$\{([\w-]+)\.\w+\}", r"\1", value) if isinstance(value, str) else value
