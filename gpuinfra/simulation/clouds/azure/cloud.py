"""Azure, simulated: ARM ids, what preview calls an update and ARM refuses, and machines in scale sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...cloud import Cloud, Diffs, Groups, Refusal, Request, Spending, digest
from ...values import UNKNOWN, as_map, holds_unknown, is_list, lookup
from ...world import Thing, World
from . import machines, networks, refusals, set_refusals
from .identity import SUBSCRIPTION, arm_type, identify, names_itself, stands_at
from .replacement import DIFFS, OTHERS
from .types import (
    ADDRESS,
    ASSIGNMENT,
    AUTOSCALE,
    BASTION,
    BUDGET,
    LUSTRE,
    NAT,
    SET,
    STORAGE,
    SUBNET,
    VOLUME,
)


def _outputs(request: Request, id_: str) -> Mapping[str, Any]:
    # azure-native gives names and ids back as the API's own answer has them.
    out: dict[str, Any] = {
        "name": id_.rsplit("/", 1)[-1],
        "type": arm_type(id_),
        "provisioningState": "Succeeded",
    }
    special = _OUTPUTS.get(request.type)
    return {**out, **(special(request, id_) if special else {})}


def _guid(text: str) -> str:
    d = digest(text, 32)
    return f"{d[:8]}-{d[8:12]}-{d[12:16]}-{d[16:20]}-{d[20:]}"


_OUTPUTS: dict[str, Callable[[Request, str], Mapping[str, Any]]] = {
    "azure-native:managedidentity:UserAssignedIdentity": lambda r, i: {
        "principalId": _guid(i + "principal"),
        "clientId": _guid(i + "client"),
        "tenantId": _guid("tenant"),
    },
    SET: lambda r, i: {"uniqueId": _guid(i)},
    LUSTRE: lambda r, i: {
        "clientInfo": {
            "mgsAddress": _address(r, i, str(r.inputs.get("filesystemSubnet"))),
            "mountCommand": "",
            "lustreVersion": "2.15",
        }
    },
    "azure-native:netapp:CapacityPoolVolume": lambda r, i: {
        "mountTargets": [
            {
                "ipAddress": _address(r, i, str(r.inputs.get("subnetId"))),
                "fileSystemId": _guid(i),
                "mountTargetId": _guid(i + "m"),
            }
        ]
    },
    "azure-native:network:PublicIPAddress": lambda r, i: {
        "ipAddress": f"203.0.113.{int(digest(r.urn, 4), 16) % 254 + 1}"
    },
    "azure-native:storage:StorageAccount": lambda r, i: {
        "primaryEndpoints": {"blob": f"https://{i.rsplit('/', 1)[-1]}.blob.core.windows.net/"}
    },
}


def _shape(state: dict[str, Any]) -> dict[str, Any]:
    """Identities go in as a list of ids, and come back as a mapping from id to what the directory knows."""
    identity = as_map(state.get("identity"))
    given = identity.get("userAssignedIdentities")
    if not is_list(given):
        return state
    known = {one: {"clientId": _guid(f"{one}client"), "principalId": _guid(f"{one}principal")} for one in given}
    mapping = UNKNOWN if any(holds_unknown(one) for one in given) else known
    return {**state, "identity": {**identity, "userAssignedIdentities": mapping}}


def _address(request: Request, id_: str, subnet: str) -> str:
    thing = request.world.thing(SUBNET, subnet)
    cidr = str(thing.inputs.get("addressPrefix") or "10.0.0.0/24") if thing else "10.0.0.0/24"
    return f"{cidr.split('/')[0].rsplit('.', 1)[0]}.{int(digest(id_, 4), 16) % 250 + 4}"


# What making something does.


def _create(request: Request, id_: str) -> None:
    if request.world.thing(request.type, id_):
        # The provider looks before it makes one, and takes over nothing.
        raise Refusal("Conflict", f"cannot create already existing resource '{id_}'")
    refusals.name(request, id_)
    made = _CREATED.get(request.type)
    if made:
        made(request, id_)
    # azure-native asks before it puts, so that nothing of somebody else's is taken over.
    if request.world.thing(request.type, id_) is not None:
        raise Refusal("cannot create already existing resource", f"'{id_}'")


def _set_made(request: Request, id_: str) -> None:
    set_refusals.scale_set(request.world, request.inputs)
    wanted = int(lookup(request.inputs, "sku.capacity") or 0)
    machines.scale(request.world, id_, request.inputs, wanted, "scaled in", refuse=True)


_CREATED: dict[str, Callable[[Request, str], None]] = {
    SET: _set_made,
    SUBNET: refusals.subnet,
    ADDRESS: refusals.public_address,
    NAT: refusals.nat,
    BASTION: refusals.bastion,
    LUSTRE: refusals.lustre,
    VOLUME: refusals.volume,
    STORAGE: refusals.account,
    ASSIGNMENT: refusals.assignment,
    AUTOSCALE: refusals.autoscale,
    BUDGET: refusals.budget,
}


def _update(request: Request, old: Thing) -> None:
    networks.network_changed(request, old)
    networks.subnet_changed(request, old)
    networks.near_changed(request, old)
    networks.set_moved(request, old)
    if old.type == SET:
        set_refusals.scale_set(request.world, request.inputs)
    machines.update(request, old)


def _delete(request: Request, old: Thing) -> None:
    if old.type == SUBNET:
        networks.subnet_deleted(request.world, old)
    machines.delete(request, old)


def _callback(args: Mapping[str, Any], world: World, config: Mapping[str, Any]) -> Mapping[str, Any]:
    named = "/".join(str(args.get(k)) for k in ("resourceGroupName", "workflowName", "triggerName"))
    path = f"/workflows/{digest(named, 32)}/triggers/{args.get('triggerName')}"
    url = f"https://prod-00.eastus.logic.azure.com:443{path}?sp=run&sv=1.0&sig={digest(named + 'sig', 43)}"
    return {"value": url, "basePath": url.split("?")[0], "method": "POST", "relativePath": ""}


CLOUD = Cloud(
    "azure-native",
    identify,
    _outputs,
    create=_create,
    update=_update,
    delete=_delete,
    shape=_shape,
    due=machines.due,
    groups=Groups(
        (SET,),
        lambda world, group: int(lookup(group.outputs, "sku.capacity") or 0),
        machines.resize,
        machines.pool,
        lost=machines.lost,
    ),
    spending=Spending(machines.budgets, machines.stopped),
    diffs=DIFFS,
    others=lambda type_: Diffs(replace=(*OTHERS.replace, *stands_at(type_))),
    names_itself=names_itself,
    invoke={
        "azure-native:authorization:getClientConfig": lambda a, w, c: {
            "clientId": _guid("client"),
            "objectId": _guid("object"),
            "subscriptionId": SUBSCRIPTION,
            "tenantId": _guid("tenant"),
        },
        "azure-native:resources:getResourceGroup": lambda a, w, c: {
            "id": f"/subscriptions/{SUBSCRIPTION}/resourceGroups/{a.get('resourceGroupName')}",
            "name": a.get("resourceGroupName"),
            "location": "eastus",
            "properties": {"provisioningState": "Succeeded"},
            "type": "Microsoft.Resources/resourceGroups",
        },
        "azure-native:logic:listWorkflowTriggerCallbackUrl": _callback,
    },
)
