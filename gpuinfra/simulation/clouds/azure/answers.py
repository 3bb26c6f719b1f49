"""What Azure's data sources say, where it is more than a resource's own properties."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from ...cloud import Answer, digest
from ...world import World
from .identity import SUBSCRIPTION
from .words import GROUP, guid

_Given = Mapping[str, Any]


def _subscription(config: _Given) -> str:
    return str(config.get("subscriptionId") or SUBSCRIPTION)


def _client(args: _Given, world: World, config: _Given) -> _Given:
    return {
        "clientId": guid("client"),
        "objectId": guid("object"),
        "subscriptionId": _subscription(config),
        "tenantId": guid("tenant"),
    }


def _group(args: _Given, world: World, config: _Given) -> _Given:
    id_ = f"/subscriptions/{_subscription(config)}/resourceGroups/{args.get('resourceGroupName')}"
    made = next((t for t in world.things(GROUP) if t.id.lower() == id_.lower()), None)
    return {
        "id": id_,
        "name": args.get("resourceGroupName"),
        "location": made.inputs.get("location") if made else config.get("location") or "eastus",
        "properties": {"provisioningState": "Succeeded"},
        "type": "Microsoft.Resources/resourceGroups",
    }


def _callback(args: _Given, world: World, config: _Given) -> _Given:
    named = "/".join(str(args.get(k)) for k in ("resourceGroupName", "workflowName", "triggerName"))
    path = f"/workflows/{digest(named, 32)}/triggers/{args.get('triggerName')}"
    url = f"https://prod-00.eastus.logic.azure.com:443{path}?sp=run&sv=1.0&sig={digest(named + 'sig', 43)}"
    return {"value": url, "basePath": url.split("?")[0], "method": "POST", "relativePath": ""}


def _keys(args: _Given, world: World, config: _Given) -> _Given:
    made = [base64.b64encode(digest(f"{args.get('accountName')}{n}", 64).encode()).decode() for n in (1, 2)]
    return {"keys": [{"keyName": f"key{n + 1}", "permissions": "FULL", "value": key} for n, key in enumerate(made)]}


def _kubeconfig(args: _Given, world: World, config: _Given) -> _Given:
    name = str(args.get("resourceName"))
    token = digest(f"{args.get('resourceGroupName')}/{name}", 64)
    text = (
        "apiVersion: v1\nkind: Config\n"
        f"clusters:\n- name: {name}\n  cluster: {{server: 'https://{name}.hcp.eastus.azmk8s.io:443'}}\n"
        f"contexts:\n- name: {name}\n  context: {{cluster: {name}, user: {name}}}\n"
        f"current-context: {name}\nusers:\n- name: {name}\n  user: {{token: {token}}}\n"
    )
    return {"kubeconfigs": [{"name": "clusterUser", "value": base64.b64encode(text.encode()).decode()}]}


INVOKE: Mapping[str, Answer] = {
    "azure-native:authorization:getClientConfig": _client,
    "azure-native:authorization:getClientToken": lambda a, w, c: {"token": f"eyJ{digest('token', 40)}"},
    "azure-native:resources:getResourceGroup": _group,
    "azure-native:logic:listWorkflowTriggerCallbackUrl": _callback,
    "azure-native:storage:listStorageAccountKeys": _keys,
    "azure-native:containerservice:listManagedClusterUserCredentials": _kubeconfig,
    "azure-native:containerservice:listManagedClusterAdminCredentials": _kubeconfig,
}
