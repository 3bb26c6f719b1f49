"""Google Cloud, simulated: self links, what replaces, what is refused, and machines in managed instance groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...addressing import address
from ...cloud import Cloud, Groups, Refusal, Request, Spending, digest
from ...held import with_held
from ...values import as_list, as_map, is_map
from ...world import Thing
from . import answers, held, machines, refusals
from .held import HOLDING
from .replacement import DIFFS, OTHERS, UNORDERED
from .types import (
    CLUSTER,
    FILESTORE,
    GROUP,
    INSTANCE,
    JOB,
    LUSTRE,
    NODE_POOL,
    REGION_GROUP,
    REQUESTS,
    SUBNETWORK,
    TEMPLATES,
)
from .words import API, DOCUMENT, placed, project, usual_id, word

# Type to the collection in which it stands, and whether that is global, regional or zonal.
_COMPUTE = {
    "gcp:compute/network:Network": ("networks", "global"),
    "gcp:compute/subnetwork:Subnetwork": ("subnetworks", "region"),
    "gcp:compute/firewall:Firewall": ("firewalls", "global"),
    "gcp:compute/globalAddress:GlobalAddress": ("addresses", "global"),
    "gcp:compute/router:Router": ("routers", "region"),
    "gcp:compute/resourcePolicy:ResourcePolicy": ("resourcePolicies", "region"),
    TEMPLATES[0]: ("instanceTemplates", "region"),
    TEMPLATES[1]: ("instanceTemplates", "global"),
    GROUP: ("instanceGroupManagers", "zone"),
    REGION_GROUP: ("instanceGroupManagers", "region"),
    INSTANCE: ("instances", "zone"),
    "gcp:compute/disk:Disk": ("disks", "zone"),
    "gcp:compute/address:Address": ("addresses", "region"),
    "gcp:compute/reservation:Reservation": ("reservations", "zone"),
    "gcp:compute/futureReservation:FutureReservation": ("futureReservations", "zone"),
}
# Type to the form of its id, filled with the project p, the place l and the name n.
_OTHERS = {
    "gcp:serviceaccount/account:Account": "projects/{p}/serviceAccounts/{n}@{p}.iam.gserviceaccount.com",
    "gcp:projects/iAMCustomRole:IAMCustomRole": "projects/{p}/roles/{n}",
    "gcp:pubsub/topic:Topic": "projects/{p}/topics/{n}",
    "gcp:workflows/workflow:Workflow": "projects/{p}/locations/{l}/workflows/{n}",
    "gcp:eventarc/trigger:Trigger": "projects/{p}/locations/{l}/triggers/{n}",
    FILESTORE: "projects/{p}/locations/{l}/instances/{n}",
    LUSTRE: "projects/{p}/locations/{l}/instances/{n}",
    JOB: "projects/{p}/locations/{l}/jobs/{n}",
    REQUESTS[0]: "projects/{p}/zones/{l}/instanceGroupManagers/{g}/resizeRequests/{n}",
    REQUESTS[1]: "projects/{p}/regions/{l}/instanceGroupManagers/{g}/resizeRequests/{n}",
    CLUSTER: "projects/{p}/locations/{l}/clusters/{n}",
    NODE_POOL: "projects/{p}/locations/{l}/clusters/{c}/nodePools/{n}",
    "gcp:compute/routerNat:RouterNat": "{p}/{l}/{n}",
    "gcp:storage/bucket:Bucket": "{n}",
    "gcp:billing/budget:Budget": "billingAccounts/{b}/budgets/{d}",
    "gcp:monitoring/notificationChannel:NotificationChannel": "projects/{p}/notificationChannels/{d}",
}
_OWN_NAMES = ("name", "accountId", "roleId", "instanceId")


def _name(request: Request) -> str:
    inputs = request.inputs
    own = next((inputs[k] for k in _OWN_NAMES if isinstance(inputs.get(k), str)), None)
    return str(own or f"{inputs.get('namePrefix') or request.name + '-'}{digest(request.seed, 7)}")


def _identify(request: Request) -> str:
    p, n, place = project(request), _name(request), machines.place_of(request.inputs)
    if request.type in _COMPUTE:
        collection, scope = _COMPUTE[request.type]
        where = "global" if scope == "global" else f"{scope}s/{place}"
        return f"projects/{p}/{where}/{collection}/{n}"
    form = _OTHERS.get(request.type)
    if form is None:
        return usual_id(request, n)
    group = str(request.inputs.get("instanceGroupManager") or "").rsplit("/", 1)[-1]
    cluster = str(request.inputs.get("cluster") or "").rsplit("/", 1)[-1]
    billing = request.inputs.get("billingAccount", "")
    return form.format(p=p, n=n, l=place, g=group, c=cluster, b=billing, d=digest(request.seed, 12))


def _outputs(request: Request, id_: str) -> Mapping[str, Any]:
    own = next((k for k in _OWN_NAMES if isinstance(request.inputs.get(k), str)), "name")
    out: dict[str, Any] = {} if own != "name" else {"name": id_.rsplit("/", 1)[-1]}
    if request.type in _COMPUTE:
        out["selfLink"] = API + id_
        out["selfLinkUnique"] = f"{API}{id_}?uniqueId={int(digest(request.seed, 12), 16)}"
    labels = request.inputs.get("labels")
    if is_map(labels):
        out |= {"effectiveLabels": labels, "pulumiLabels": labels}
    special = _OUTPUTS.get(request.type)
    return {**out, **(special(request, id_) if special else {})}


def _instance(request: Request, id_: str) -> Mapping[str, Any]:
    subnets = request.world.things(SUBNETWORK)
    nics: list[dict[str, Any]] = []
    for i, nic in enumerate(as_list(request.inputs.get("networkInterfaces"))):
        wanted = str(nic.get("subnetwork") or "")
        made = next(
            (s for s in subnets if wanted and wanted in (s.id, s.outputs.get("selfLink"), s.outputs.get("name"))), None
        )
        inside = nic.get("networkIp") or address(
            request.world, f"{id_}-{i}", str(made.inputs.get("ipCidrRange")) if made else "10.128.0.0/20"
        )
        outside = [
            {**a, "natIp": a.get("natIp") or address(request.world, f"{id_}-{i} outside", "198.18.0.0/15")}
            for a in as_list(nic.get("accessConfigs"))
        ]
        nics.append({**nic, "name": f"nic{i}", "networkIp": inside, "accessConfigs": outside})
    return {"networkInterfaces": nics, "currentStatus": "RUNNING"}


def _kubernetes(request: Request, id_: str) -> Mapping[str, Any]:
    given = as_map(request.inputs.get("masterAuth"))
    return {
        "endpoint": address(request.world, f"{id_} outside", "198.18.0.0/15"),
        "masterAuth": {"clientCertificate": "", "clientKey": "", **given, "clusterCaCertificate": DOCUMENT},
        "selfLink": f"https://container.googleapis.com/v1/{id_}",
        "masterVersion": request.inputs.get("minMasterVersion") or "1.34.3-gke.1318000",
    }


def _pool(request: Request, id_: str) -> Mapping[str, Any]:
    p, name, cluster = project(request), id_.rsplit("/", 1)[-1], id_.split("/")[-3]
    place = machines.place_of(request.inputs)
    zones = as_list(request.inputs.get("nodeLocations")) or [place]
    groups = [
        f"{API}projects/{p}/zones/{z}/instanceGroupManagers/gke-{cluster}-{name}-{digest(id_ + str(z), 8)}-grp"
        for z in zones
    ]
    return {
        "managedInstanceGroupUrls": groups,
        "instanceGroupUrls": [g.replace("Managers", "s") for g in groups],
    }


_OUTPUTS: dict[str, Callable[[Request, str], Mapping[str, Any]]] = {
    "gcp:serviceaccount/account:Account": lambda r, i: {
        "name": i,
        "email": i.rsplit("/", 1)[-1],
        "member": f"serviceAccount:{i.rsplit('/', 1)[-1]}",
    },
    "gcp:projects/iAMCustomRole:IAMCustomRole": lambda r, i: {"name": i, "deleted": False},
    "gcp:monitoring/notificationChannel:NotificationChannel": lambda r, i: {"name": i},
    "gcp:billing/budget:Budget": lambda r, i: {"name": i},
    FILESTORE: lambda r, i: {
        "networks": [{**n, "ipAddresses": [_address(r, i)]} for n in as_list(r.inputs.get("networks"))]
    },
    LUSTRE: lambda r, i: {
        "name": i,
        "mountPoint": f"{_address(r, i)}@tcp:/{r.inputs.get('filesystem')}",
        "state": "ACTIVE",
    },
    "gcp:storage/bucket:Bucket": lambda r, i: {
        "url": f"gs://{i}",
        "selfLink": f"https://www.googleapis.com/storage/v1/b/{i}",
    },
    INSTANCE: _instance,
    CLUSTER: _kubernetes,
    NODE_POOL: _pool,
    "gcp:compute/address:Address": lambda r, i: {
        "address": r.inputs.get("address")
        or address(r.world, i, "198.18.0.0/15" if r.inputs.get("addressType") != "INTERNAL" else "10.128.0.0/20")
    },
    GROUP: lambda r, i: {"instanceGroup": API + i.replace("Managers", "s")},
    REGION_GROUP: lambda r, i: {"instanceGroup": API + i.replace("Managers", "s")},
    **{t: (lambda r, i: {"state": "ACCEPTED"}) for t in REQUESTS},
}


def _address(request: Request, id_: str) -> str:
    """An address in the range that is peered for services; one in the default range where none is."""
    ranges = request.world.things("gcp:compute/globalAddress:GlobalAddress")
    inputs: Mapping[str, Any] = ranges[0].inputs if ranges else {}
    return address(request.world, id_, f"{inputs.get('address') or '10.60.0.0'}/{inputs.get('prefixLength') or 16}")


# What making something does.


def _create(request: Request, id_: str) -> None:
    if request.world.thing(request.type, id_) is not None:
        raise Refusal("409 alreadyExists", f"the resource '{id_}' already exists")
    made = _CREATED.get(request.type)
    if made:
        made(request, id_)


def _group_made(request: Request, id_: str) -> None:
    refusals.group(request)
    machines.scale(
        request.world, request.type, id_, request.inputs, int(request.inputs.get("targetSize") or 0), "scaled in"
    )


def _request_made(request: Request, id_: str) -> None:
    name = str(request.inputs.get("instanceGroupManager") or "").rsplit("/", 1)[-1]
    groups = [g for g in request.world.things(GROUP, REGION_GROUP) if g.id.endswith(f"/{name}")]
    if not groups:
        raise Refusal("404 notFound", f"the group '{name}' was not found")
    machines.request(request.world, groups[0], id_, int(request.inputs.get("resizeBy") or 0))


_CREATED: dict[str, Callable[[Request, str], None]] = {
    **refusals.MADE,
    GROUP: _group_made,
    REGION_GROUP: _group_made,
    **dict.fromkeys(REQUESTS, _request_made),
    INSTANCE: held.instance,
    NODE_POOL: held.node_pool,
    CLUSTER: held.cluster,
}
_CHANGED: dict[str, Callable[[Request, Thing], None]] = {
    INSTANCE: held.changed,
    NODE_POOL: lambda request, old: held.node_pool(request, old.id),
    CLUSTER: lambda request, old: held.cluster(request, old.id),
    LUSTRE: refusals.lustre_changed,
    FILESTORE: refusals.filestore_changed,
    "gcp:billing/budget:Budget": lambda request, old: refusals.budget(request, old.id),
}


def _update(request: Request, old: Thing) -> None:
    changed = _CHANGED.get(request.type)
    if changed:
        changed(request, old)
    machines.update(request, old)


CLOUD = Cloud(
    "gcp",
    _identify,
    _outputs,
    placed=placed,
    check=refusals.check,
    create=_create,
    update=_update,
    delete=machines.delete,
    due=machines.due,
    groups=with_held(
        Groups(
            (GROUP, REGION_GROUP),
            lambda world, group: int(group.outputs.get("targetSize") or 0),
            machines.resize,
            machines.pool,
            again=machines.again,
        ),
        HOLDING,
    ),
    holding=HOLDING,
    spending=Spending(machines.budgets, machines.stopped),
    diffs=DIFFS,
    others=lambda type_: OTHERS,
    unordered=UNORDERED,
    names_itself=lambda type_, inputs, required: "name" not in required and isinstance(inputs.get("name"), str),
    moves=("project",),
    word=word,
    invoke=answers.INVOKE,
)
