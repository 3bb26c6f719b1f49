"""Google Cloud, simulated: self links, what replaces, what is refused, and machines in managed instance groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...cloud import Cloud, Groups, Refusal, Request, Spending, digest
from ...values import as_list, is_map
from ...world import World
from . import machines, refusals
from .replacement import DIFFS, OTHERS, UNORDERED
from .types import GROUP, JOB, LUSTRE, REGION_GROUP, REQUESTS, TEMPLATES

_API = "https://www.googleapis.com/compute/v1/"
_NUMBER = "123456789012"
_BILLING = "000000-000000-000000"

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
}
# Type to the form of its id, filled with the project p, the place l and the name n.
_OTHERS = {
    "gcp:serviceaccount/account:Account": "projects/{p}/serviceAccounts/{n}@{p}.iam.gserviceaccount.com",
    "gcp:projects/iAMCustomRole:IAMCustomRole": "projects/{p}/roles/{n}",
    "gcp:pubsub/topic:Topic": "projects/{p}/topics/{n}",
    "gcp:workflows/workflow:Workflow": "projects/{p}/locations/{l}/workflows/{n}",
    "gcp:eventarc/trigger:Trigger": "projects/{p}/locations/{l}/triggers/{n}",
    "gcp:filestore/instance:Instance": "projects/{p}/locations/{l}/instances/{n}",
    LUSTRE: "projects/{p}/locations/{l}/instances/{n}",
    JOB: "projects/{p}/locations/{l}/jobs/{n}",
    REQUESTS[0]: "projects/{p}/zones/{l}/instanceGroupManagers/{g}/resizeRequests/{n}",
    REQUESTS[1]: "projects/{p}/regions/{l}/instanceGroupManagers/{g}/resizeRequests/{n}",
    "gcp:compute/routerNat:RouterNat": "{p}/{l}/{n}",
    "gcp:storage/bucket:Bucket": "{n}",
    "gcp:billing/budget:Budget": "billingAccounts/{b}/budgets/{d}",
    "gcp:monitoring/notificationChannel:NotificationChannel": "projects/{p}/notificationChannels/{d}",
}
_OWN_NAMES = ("name", "accountId", "roleId", "instanceId")


def _project(request: Request) -> str:
    return str(request.inputs.get("project") or request.config.get("project") or "project")


def _name(request: Request) -> str:
    inputs = request.inputs
    own = next((inputs[k] for k in _OWN_NAMES if isinstance(inputs.get(k), str)), None)
    return str(own or f"{inputs.get('namePrefix') or request.name + '-'}{digest(request.seed, 7)}")


def _identify(request: Request) -> str:
    p, n, place = _project(request), _name(request), machines.place_of(request.inputs)
    if request.type in _COMPUTE:
        collection, scope = _COMPUTE[request.type]
        where = "global" if scope == "global" else f"{scope}s/{place}"
        return f"projects/{p}/{where}/{collection}/{n}"
    form = _OTHERS.get(request.type)
    if form is None:
        return f"{request.name}-{digest(request.seed, 7)}"
    group = str(request.inputs.get("instanceGroupManager") or "").rsplit("/", 1)[-1]
    return form.format(
        p=p, n=n, l=place, g=group, b=request.inputs.get("billingAccount", ""), d=digest(request.seed, 12)
    )


def _outputs(request: Request, id_: str) -> Mapping[str, Any]:
    own = next((k for k in _OWN_NAMES if isinstance(request.inputs.get(k), str)), "name")
    out: dict[str, Any] = {} if own != "name" else {"name": id_.rsplit("/", 1)[-1]}
    if request.type in _COMPUTE:
        out["selfLink"] = _API + id_
        out["selfLinkUnique"] = f"{_API}{id_}?uniqueId={int(digest(request.seed, 12), 16)}"
    labels = request.inputs.get("labels")
    if is_map(labels):
        out |= {"effectiveLabels": labels, "pulumiLabels": labels}
    special = _OUTPUTS.get(request.type)
    return {**out, **(special(request, id_) if special else {})}


_OUTPUTS: dict[str, Callable[[Request, str], Mapping[str, Any]]] = {
    "gcp:serviceaccount/account:Account": lambda r, i: {
        "name": i,
        "email": i.rsplit("/", 1)[-1],
        "member": f"serviceAccount:{i.rsplit('/', 1)[-1]}",
    },
    "gcp:projects/iAMCustomRole:IAMCustomRole": lambda r, i: {"name": i, "deleted": False},
    "gcp:monitoring/notificationChannel:NotificationChannel": lambda r, i: {"name": i},
    "gcp:billing/budget:Budget": lambda r, i: {"name": i},
    "gcp:filestore/instance:Instance": lambda r, i: {
        "networks": [{**n, "ipAddresses": [_address(r)]} for n in as_list(r.inputs.get("networks"))]
    },
    LUSTRE: lambda r, i: {
        "name": i,
        "mountPoint": f"{_address(r)}@tcp:/{r.inputs.get('filesystem')}",
        "state": "ACTIVE",
    },
    "gcp:storage/bucket:Bucket": lambda r, i: {
        "url": f"gs://{i}",
        "selfLink": f"https://www.googleapis.com/storage/v1/b/{i}",
    },
    GROUP: lambda r, i: {"instanceGroup": _API + i.replace("Managers", "s")},
    REGION_GROUP: lambda r, i: {"instanceGroup": _API + i.replace("Managers", "s")},
    **{t: (lambda r, i: {"state": "ACCEPTED"}) for t in REQUESTS},
}


def _address(request: Request) -> str:
    """An address in the range that is peered for services; one in the default range where none is."""
    ranges = request.world.things("gcp:compute/globalAddress:GlobalAddress")
    base = str(ranges[0].inputs.get("address") or "10.60.0.0") if ranges else "10.60.0.0"
    return f"{base.rsplit('.', 1)[0]}.{int(digest(request.seed, 4), 16) % 250 + 2}"


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
}


def _project_looked_up(args: Mapping[str, Any], world: World, config: Mapping[str, Any]) -> Mapping[str, Any]:
    project = args.get("projectId") or config.get("project") or "project"
    return {
        "projectId": project,
        "id": f"projects/{project}",
        "number": _NUMBER,
        "billingAccount": _BILLING,
        "name": project,
        "autoCreateNetwork": False,
        "deletionPolicy": "PREVENT",
        "folderId": "",
        "orgId": "",
        "labels": {},
        "effectiveLabels": {},
        "pulumiLabels": {},
        "tags": {},
    }


def _image_looked_up(args: Mapping[str, Any], world: World, config: Mapping[str, Any]) -> Mapping[str, Any]:
    name = args.get("name") or f"{args.get('family')}-v20261101"
    id_ = f"projects/{args.get('project') or 'project'}/global/images/{name}"
    return {**args, "id": id_, "name": name, "selfLink": _API + id_, "imageId": digest(id_, 16), "status": "READY"}


CLOUD = Cloud(
    "gcp",
    _identify,
    _outputs,
    check=refusals.check,
    create=_create,
    update=machines.update,
    delete=machines.delete,
    due=machines.due,
    groups=Groups(
        (GROUP, REGION_GROUP),
        lambda world, group: int(group.outputs.get("targetSize") or 0),
        machines.resize,
        machines.pool,
        again=machines.again,
    ),
    spending=Spending(machines.budgets, machines.stopped),
    diffs=DIFFS,
    others=lambda type_: OTHERS,
    unordered=UNORDERED,
    names_itself=lambda type_, inputs, required: "name" not in required and isinstance(inputs.get("name"), str),
    moves=("project",),
    invoke={
        "gcp:organizations/getProject:getProject": _project_looked_up,
        "gcp:compute/getImage:getImage": _image_looked_up,
    },
)
