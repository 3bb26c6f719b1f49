"""Azure, simulated: ARM ids, what preview calls an update and ARM refuses, and machines in scale sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...addressing import address
from ...cloud import Cloud, Diffs, Groups, Refusal, Request, Spending, digest
from ...held import with_held
from ...values import UNKNOWN, as_list, as_map, holds_unknown, is_list, lookup
from ...world import Thing
from . import answers, held, machines, networks, refusals, set_refusals
from .held import HOLDING
from .identity import arm_type, identify, names_itself, stands_at
from .replacement import DIFFS, OTHERS
from .types import (
    ADDRESS,
    AGENT_POOL,
    ASSIGNMENT,
    AUTOSCALE,
    BASTION,
    BUDGET,
    CLUSTER,
    LUSTRE,
    MACHINE,
    NAT,
    SET,
    STORAGE,
    SUBNET,
    VNET,
    VOLUME,
)
from .words import guid, placed, word


def _outputs(request: Request, id_: str) -> Mapping[str, Any]:
    # azure-native gives names and ids back as the API's own answer has them.
    out: dict[str, Any] = {
        "name": id_.rsplit("/", 1)[-1],
        "type": arm_type(id_),
        "provisioningState": "Succeeded",
    }
    special = _OUTPUTS.get(request.type)
    return {**out, **(special(request, id_) if special else {})}


def _kubernetes(request: Request, id_: str) -> Mapping[str, Any]:
    name, place = id_.rsplit("/", 1)[-1], str(request.inputs.get("location") or "eastus")
    group = str(request.inputs.get("resourceGroupName"))
    host = f"{request.inputs.get('dnsPrefix') or name}-{digest(id_, 8)}.hcp.{place}.azmk8s.io"
    own = f"{id_.split('/resourceGroups/')[0]}/resourceGroups/MC_{group}_{name}_{place}/providers/Microsoft.ManagedIdentity"
    kubelet = {
        "resourceId": f"{own}/userAssignedIdentities/{name}-agentpool",
        "clientId": guid(f"{id_}kubelet client"),
        "objectId": guid(f"{id_}kubelet"),
    }
    issuer = as_map(request.inputs.get("oidcIssuerProfile"))
    url = f"https://{place}.oic.prod-aks.azure.com/{guid('tenant')}/{guid(id_)}/"
    return {
        "fqdn": host,
        "nodeResourceGroup": request.inputs.get("nodeResourceGroup") or f"MC_{group}_{name}_{place}",
        "identityProfile": {"kubeletidentity": kubelet},
        "currentKubernetesVersion": request.inputs.get("kubernetesVersion") or "1.34.1",
        **({"oidcIssuerProfile": {**issuer, "issuerURL": url}} if issuer.get("enabled") else {}),
    }


_OUTPUTS: dict[str, Callable[[Request, str], Mapping[str, Any]]] = {
    "azure-native:managedidentity:UserAssignedIdentity": lambda r, i: {
        "principalId": guid(i + "principal"),
        "clientId": guid(i + "client"),
        "tenantId": guid("tenant"),
    },
    SET: lambda r, i: {"uniqueId": guid(i)},
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
                "fileSystemId": guid(i),
                "mountTargetId": guid(i + "m"),
            }
        ]
    },
    "azure-native:network:PublicIPAddress": lambda r, i: {"ipAddress": address(r.world, i, "198.18.0.0/15")},
    STORAGE: lambda r, i: {
        "primaryEndpoints": {
            word: f"https://{i.rsplit('/', 1)[-1]}.{word}.core.windows.net/"
            for word in ("blob", "dfs", "file", "queue", "table", "web")
        }
    },
    VNET: lambda r, i: _network(r, i),
    "azure-native:network:NetworkInterface": lambda r, i: {
        "ipConfigurations": [
            {**one, "privateIPAddress": _address(r, f"{i}{n}", str(lookup(one, "subnet.id")))}
            for n, one in enumerate(as_list(r.inputs.get("ipConfigurations")))
        ]
    },
    CLUSTER: _kubernetes,
    "azure-native:keyvault:Vault": lambda r, i: {
        "properties": {
            **as_map(r.inputs.get("properties")),
            "vaultUri": f"https://{i.rsplit('/', 1)[-1]}.vault.azure.net/",
            "provisioningState": "Succeeded",
        }
    },
    "azure-native:containerregistry:Registry": lambda r, i: {
        "loginServer": f"{i.rsplit('/', 1)[-1].lower()}.azurecr.io"
    },
}


def _shape(state: dict[str, Any]) -> dict[str, Any]:
    """Identities go in as a list of ids, and come back as a mapping from id to what the directory knows."""
    identity = as_map(state.get("identity"))
    given = identity.get("userAssignedIdentities")
    if not is_list(given):
        return state
    known = {one: {"clientId": guid(f"{one}client"), "principalId": guid(f"{one}principal")} for one in given}
    mapping = UNKNOWN if any(holds_unknown(one) for one in given) else known
    return {**state, "identity": {**identity, "userAssignedIdentities": mapping}}


def _address(request: Request, id_: str, subnet: str) -> str:
    thing = request.world.thing(SUBNET, subnet)
    range_ = thing.inputs.get("addressPrefix") if thing else networks.range_inside(request.world, subnet)
    return address(request.world, id_, str(range_ or ""))


def _network(request: Request, id_: str) -> Mapping[str, Any]:
    """The subnets that a network was written with are things of ARM too."""
    inside = [
        {
            "privateEndpointNetworkPolicies": "Disabled",
            "privateLinkServiceNetworkPolicies": "Enabled",
            **as_map(one),
            "id": f"{id_}/subnets/{as_map(one).get('name')}",
            "provisioningState": "Succeeded",
        }
        for one in as_list(request.inputs.get("subnets"))
    ]
    return {"subnets": inside} if inside else {}


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
    MACHINE: held.machine,
    AGENT_POOL: held.agent_pool,
    CLUSTER: held.managed_cluster,
}


def _update(request: Request, old: Thing) -> None:
    networks.network_changed(request, old)
    networks.subnet_changed(request, old)
    networks.near_changed(request, old)
    networks.set_moved(request, old)
    if old.type == SET:
        set_refusals.scale_set(request.world, request.inputs)
    if old.type == AGENT_POOL:
        held.agent_pool(request, old.id)
    if old.type == CLUSTER:
        held.managed_cluster(request, old.id)
    machines.update(request, old)


def _delete(request: Request, old: Thing) -> None:
    if old.type == SUBNET:
        networks.subnet_deleted(request.world, old)
    machines.delete(request, old)


CLOUD = Cloud(
    "azure-native",
    identify,
    _outputs,
    placed=placed,
    create=_create,
    update=_update,
    delete=_delete,
    shape=_shape,
    due=machines.due,
    groups=with_held(
        Groups(
            (SET,),
            lambda world, group: int(lookup(group.outputs, "sku.capacity") or 0),
            machines.resize,
            machines.pool,
            lost=machines.lost,
        ),
        HOLDING,
    ),
    holding=HOLDING,
    spending=Spending(machines.budgets, machines.stopped),
    diffs=DIFFS,
    others=lambda type_: Diffs(replace=(*OTHERS.replace, *stands_at(type_))),
    names_itself=names_itself,
    word=word,
    invoke=answers.INVOKE,
)
