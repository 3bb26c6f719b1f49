"""Google Cloud, simulated: self links, what replaces, what is refused, and machines in managed instance groups."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from ...plan.resolve import POOL_LABEL
from ..clockwork import firings
from ..cloud import Cloud, Diffs, Due, Groups, Refusal, Request, Spending, digest
from ..values import as_list, as_map, is_map, lookup
from ..world import Node, Thing, World

_API = "https://www.googleapis.com/compute/v1/"
_NUMBER = "123456789012"
_BILLING = "000000-000000-000000"
_GROUP = "gcp:compute/instanceGroupManager:InstanceGroupManager"
_REGION_GROUP = "gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager"
_TEMPLATES = (
    "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate",
    "gcp:compute/instanceTemplate:InstanceTemplate",
)
_REQUESTS = ("gcp:compute/resizeRequest:ResizeRequest", "gcp:compute/regionResizeRequest:RegionResizeRequest")
_LUSTRE = "gcp:lustre/instance:Instance"
_JOB = "gcp:cloudscheduler/job:Job"

# Type to the collection in which it stands, and whether that is global, regional or zonal.
_COMPUTE = {
    "gcp:compute/network:Network": ("networks", "global"),
    "gcp:compute/subnetwork:Subnetwork": ("subnetworks", "region"),
    "gcp:compute/firewall:Firewall": ("firewalls", "global"),
    "gcp:compute/globalAddress:GlobalAddress": ("addresses", "global"),
    "gcp:compute/router:Router": ("routers", "region"),
    "gcp:compute/resourcePolicy:ResourcePolicy": ("resourcePolicies", "region"),
    _TEMPLATES[0]: ("instanceTemplates", "region"),
    _TEMPLATES[1]: ("instanceTemplates", "global"),
    _GROUP: ("instanceGroupManagers", "zone"),
    _REGION_GROUP: ("instanceGroupManagers", "region"),
}
# Type to the form of its id, filled with the project p, the place l and the name n.
_OTHERS = {
    "gcp:serviceaccount/account:Account": "projects/{p}/serviceAccounts/{n}@{p}.iam.gserviceaccount.com",
    "gcp:projects/iAMCustomRole:IAMCustomRole": "projects/{p}/roles/{n}",
    "gcp:pubsub/topic:Topic": "projects/{p}/topics/{n}",
    "gcp:workflows/workflow:Workflow": "projects/{p}/locations/{l}/workflows/{n}",
    "gcp:eventarc/trigger:Trigger": "projects/{p}/locations/{l}/triggers/{n}",
    "gcp:filestore/instance:Instance": "projects/{p}/locations/{l}/instances/{n}",
    _LUSTRE: "projects/{p}/locations/{l}/instances/{n}",
    _JOB: "projects/{p}/locations/{l}/jobs/{n}",
    _REQUESTS[0]: "projects/{p}/zones/{l}/instanceGroupManagers/{g}/resizeRequests/{n}",
    _REQUESTS[1]: "projects/{p}/regions/{l}/instanceGroupManagers/{g}/resizeRequests/{n}",
    "gcp:compute/routerNat:RouterNat": "{p}/{l}/{n}",
    "gcp:storage/bucket:Bucket": "{n}",
    "gcp:billing/budget:Budget": "billingAccounts/{b}/budgets/{d}",
    "gcp:monitoring/notificationChannel:NotificationChannel": "projects/{p}/notificationChannels/{d}",
}
_OWN_NAMES = ("name", "accountId", "roleId", "instanceId")


def _project(request: Request) -> str:
    return str(request.inputs.get("project") or request.config.get("project") or "project")


def _place(inputs: Mapping[str, Any]) -> str:
    """The zone, region or location that the inputs name."""
    return str(next((inputs[k] for k in ("zone", "region", "location") if inputs.get(k)), "global"))


def _name(request: Request) -> str:
    inputs = request.inputs
    own = next((inputs[k] for k in _OWN_NAMES if isinstance(inputs.get(k), str)), None)
    return str(own or f"{inputs.get('namePrefix') or request.name + '-'}{digest(request.urn, 7)}")


def _identify(request: Request) -> str:
    p, n, place = _project(request), _name(request), _place(request.inputs)
    if request.type in _COMPUTE:
        collection, scope = _COMPUTE[request.type]
        where = "global" if scope == "global" else f"{scope}s/{place}"
        return f"projects/{p}/{where}/{collection}/{n}"
    form = _OTHERS.get(request.type)
    if form is None:
        return f"{request.name}-{digest(request.urn, 7)}"
    group = str(request.inputs.get("instanceGroupManager") or "").rsplit("/", 1)[-1]
    return form.format(
        p=p, n=n, l=place, g=group, b=request.inputs.get("billingAccount", ""), d=digest(request.urn, 12)
    )


def _outputs(request: Request, id_: str) -> Mapping[str, Any]:
    own = next((k for k in _OWN_NAMES if isinstance(request.inputs.get(k), str)), "name")
    out: dict[str, Any] = {} if own != "name" else {"name": id_.rsplit("/", 1)[-1]}
    if request.type in _COMPUTE:
        out["selfLink"] = _API + id_
        out["selfLinkUnique"] = f"{_API}{id_}?uniqueId={int(digest(request.urn, 12), 16)}"
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
    _LUSTRE: lambda r, i: {
        "name": i,
        "mountPoint": f"{_address(r)}@tcp:/{r.inputs.get('filesystem')}",
        "state": "ACTIVE",
    },
    "gcp:storage/bucket:Bucket": lambda r, i: {
        "url": f"gs://{i}",
        "selfLink": f"https://www.googleapis.com/storage/v1/b/{i}",
    },
    _GROUP: lambda r, i: {"instanceGroup": _API + i.replace("Managers", "s")},
    _REGION_GROUP: lambda r, i: {"instanceGroup": _API + i.replace("Managers", "s")},
    **{t: (lambda r, i: {"state": "ACCEPTED"}) for t in _REQUESTS},
}


def _address(request: Request) -> str:
    """An address in the range that is peered for services; one in the default range where none is."""
    ranges = request.world.things("gcp:compute/globalAddress:GlobalAddress")
    base = str(ranges[0].inputs.get("address") or "10.60.0.0") if ranges else "10.60.0.0"
    return f"{base.rsplit('.', 1)[0]}.{int(digest(request.urn, 4), 16) % 250 + 2}"


# What is refused.


def _check(type_: str, inputs: Mapping[str, Any]) -> list[tuple[str, str]]:
    if type_ in _REQUESTS and not re.fullmatch(r"\d+", str(lookup(inputs, "requestedRunDuration.seconds") or "0")):
        return [("requestedRunDuration.seconds", "expected a number of seconds")]
    return []


def _create(request: Request, id_: str) -> None:
    if request.world.thing(request.type, id_) is not None:
        raise Refusal("409 alreadyExists", f"the resource '{id_}' already exists")
    made = _CREATED.get(request.type)
    if made:
        made(request, id_)


def _template_made(request: Request, id_: str) -> None:
    inputs = request.inputs
    machine, schedule = str(inputs.get("machineType") or ""), as_map(inputs.get("scheduling"))
    gpus = machine.startswith(("a2-", "a3-", "a4", "g2-", "g4-")) or bool(inputs.get("guestAccelerators"))
    if gpus and schedule.get("onHostMaintenance") != "TERMINATE":
        raise Refusal("400 invalid", "Instances with guest accelerators do not support live migration.")
    if schedule.get("provisioningModel") == "SPOT" and schedule.get("automaticRestart") is not False:
        raise Refusal("400 invalid", "Scheduling must have preemptible be false when AutomaticRestart is true.")
    networks = [_network_of(request.world, n) for n in as_list(inputs.get("networkInterfaces"))]
    regular = [n for n in networks if n and not _is_rdma(request.world, n)]
    if len(set(regular)) < len(regular):
        raise Refusal("400 invalid", "Networks must be distinct for NICs attached to a VM.")


def _network_of(world: World, nic: Mapping[str, Any]) -> str:
    if nic.get("network"):
        return str(nic["network"]).rsplit("/", 1)[-1]
    wanted = str(nic.get("subnetwork") or "")
    subnets = world.things("gcp:compute/subnetwork:Subnetwork")
    found = next((s for s in subnets if wanted in (s.id, s.outputs.get("selfLink"), s.outputs.get("name"))), None)
    return str(found.inputs.get("network") or "").rsplit("/", 1)[-1] if found else ""


def _is_rdma(world: World, name: str) -> bool:
    nets = world.things("gcp:compute/network:Network")
    return any("-vpc-" in str(n.inputs.get("networkProfile") or "") for n in nets if n.id.endswith(f"/{name}"))


def _firewall_made(request: Request, id_: str) -> None:
    name = str(request.inputs.get("network") or "").rsplit("/", 1)[-1]
    if _is_rdma(request.world, name):
        raise Refusal("400 invalid", "the network profile of this network does not allow VPC firewall rules")


_LUSTRE_STEPS = {"1000": 9000, "500": 18000, "250": 36000, "125": 72000}


def _lustre_made(request: Request, id_: str) -> None:
    size, tier = int(request.inputs.get("capacityGib") or 0), str(request.inputs.get("perUnitStorageThroughput") or "")
    step = _LUSTRE_STEPS.get(tier)
    if step is None or size % step or not size:
        raise Refusal("400 INVALID_ARGUMENT", f"capacity_gib {size} is not valid for {tier} MB/s per TiB")


def _group_made(request: Request, id_: str) -> None:
    update = as_map(request.inputs.get("updatePolicy"))
    if update.get("maxSurgeFixed") == 0 and update.get("maxUnavailableFixed") == 0:
        raise Refusal("400 invalid", "maxSurge and maxUnavailable must not both be 0")
    _scale(request.world, request.type, id_, request.inputs, int(request.inputs.get("targetSize") or 0), "scaled in")


def _request_made(request: Request, id_: str) -> None:
    name = str(request.inputs.get("instanceGroupManager") or "").rsplit("/", 1)[-1]
    groups = [g for g in request.world.things(_GROUP, _REGION_GROUP) if g.id.endswith(f"/{name}")]
    if not groups:
        raise Refusal("404 notFound", f"the group '{name}' was not found")
    # Accepted now, given when there is room: here at once, where the zone has machines.
    _resize(request.world, groups[0], int(request.inputs.get("resizeBy") or 0), "resize request")


_CREATED: dict[str, Callable[[Request, str], None]] = {
    **dict.fromkeys(_TEMPLATES, _template_made),
    "gcp:compute/firewall:Firewall": _firewall_made,
    _LUSTRE: _lustre_made,
    _GROUP: _group_made,
    _REGION_GROUP: _group_made,
    **dict.fromkeys(_REQUESTS, _request_made),
}


# Machines.


def _template_of(world: World, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    link = next((str(v.get("instanceTemplate") or "") for v in as_list(inputs.get("versions"))), "")
    found = next((t for t in world.things(*_TEMPLATES) if t.id and (link.endswith(t.id) or t.id in link)), None)
    return found.inputs if found else {}


def _scale(world: World, type_: str, id_: str, inputs: Mapping[str, Any], wanted: int, why: str) -> None:
    running = world.running(type_, id_)
    if len(running) > wanted:
        world.end_nodes(running[wanted:], why)
    missing = wanted - len(running)
    if missing <= 0:
        return
    template = _template_of(world, inputs)
    place = _place(inputs)
    region = place if type_ == _REGION_GROUP else place.rsplit("-", 1)[0]
    machine = str(template.get("machineType") or "unknown")
    market = "spot" if lookup(template, "scheduling.provisioningModel") == "SPOT" else "on_demand"
    left = world.left(place, machine)
    can = missing if left is None else min(missing, left)
    world.launch((type_, id_), (region, place), machine, market, can)
    if can < missing:
        world.note("shortage", id_, f"ZONE_RESOURCE_POOL_EXHAUSTED: {missing - can} of {machine} in {place}")


def _resize(world: World, group: Thing, wanted: int, why: str) -> None:
    world.keep(replace(group, outputs={**group.outputs, "targetSize": wanted}))
    _scale(world, group.type, group.id, group.inputs, wanted, why)


def _pool(world: World, group: Thing) -> str:
    return str(as_map(_template_of(world, group.inputs).get("labels")).get(POOL_LABEL) or "")


def _update(request: Request, old: Thing) -> None:
    if old.type in (_GROUP, _REGION_GROUP):
        _scale(request.world, old.type, old.id, request.inputs, int(old.outputs.get("targetSize") or 0), "scaled in")


def _delete(request: Request, old: Thing) -> None:
    if old.inputs.get("deletionPolicy") == "PREVENT" and request.inputs.get("deletionPolicy") == "PREVENT":
        raise Refusal("deletion prevented", f"{old.name} has deletion_policy PREVENT")
    if old.type in (_GROUP, _REGION_GROUP):
        request.world.end_nodes(request.world.running(old.type, old.id), "group deleted")


# What the cloud does by itself.


def _due(world: World, after: datetime, until: datetime) -> list[Due]:
    found = [
        Due(
            moment,
            job.name,
            partial(_post, uri=str(lookup(job.inputs, "httpTarget.uri") or ""), why=f"schedule {job.name}"),
        )
        for job in world.things(_JOB)
        if not job.inputs.get("paused")
        for moment in _moments(job, after, until)
    ]
    for group in world.things(_GROUP, _REGION_GROUP):
        duration = lookup(_template_of(world, group.inputs), "scheduling.maxRunDuration.seconds")
        if duration:
            found += _run_out(world, group, timedelta(seconds=int(duration)), after, until)
    return found


def _moments(job: Thing, after: datetime, until: datetime) -> Iterator[datetime]:
    zone = ZoneInfo(str(job.inputs.get("timeZone") or "UTC"))
    yield from firings(str(job.inputs.get("schedule") or ""), zone, after, until)


def _post(world: World, uri: str, why: str) -> None:
    """The compute API's own `resize`, as a scheduler or a workflow calls it."""
    match = re.search(r"(projects/[^?]*/instanceGroupManagers/[^/?]+)/resize\?size=(\d+)", uri)
    group = next((g for g in world.things(_GROUP, _REGION_GROUP) if match and g.id == match[1]), None)
    if match and group is not None:
        _resize(world, group, int(match[2]), why)


def _run_out(world: World, group: Thing, most: timedelta, after: datetime, until: datetime) -> Iterator[Due]:
    for node in world.running(group.type, group.id):
        end = node.launched_at + most
        if after < end <= until:
            yield Due(
                end,
                f"{group.name} machine {node.id}",
                partial(_end, group_type=group.type, group_id=group.id, node=node),
            )


def _end(world: World, group_type: str, group_id: str, node: Node) -> None:
    world.end_nodes([node], "run duration over", world.now)
    group = world.thing(group_type, group_id)
    if group is not None:
        size = max(0, int(group.outputs.get("targetSize") or 0) - 1)
        world.keep(replace(group, outputs={**group.outputs, "targetSize": size}))


def _budgets(world: World) -> list[tuple[Thing, float]]:
    found = world.things("gcp:billing/budget:Budget")
    amounts = [(t, lookup(t.inputs, "amount.specifiedAmount.units")) for t in found]
    return [(t, float(amount)) for t, amount in amounts if amount]


def _stopped(world: World, budget: Thing) -> list[Thing]:
    """The groups that the workflow behind the budget's topic names."""
    topic = lookup(budget.inputs, "allUpdatesRule.pubsubTopic")
    triggers = [
        t for t in world.things("gcp:eventarc/trigger:Trigger") if lookup(t.inputs, "transport.pubsub.topic") == topic
    ]
    started = {lookup(t.inputs, "destination.workflow") for t in triggers}
    names: set[str] = set()
    for workflow in world.things("gcp:workflows/workflow:Workflow"):
        if workflow.id in started:
            names |= set(
                re.findall(
                    r"projects/[^\"?]*/instanceGroupManagers/[^\"/?]+", str(workflow.inputs.get("sourceContents"))
                )
            )
    return [g for g in world.things(_GROUP, _REGION_GROUP) if g.id in names]


_DIFFS = {
    **{
        t: Diffs(
            replace=(
                "name",
                "namePrefix",
                "project",
                "region",
                "description",
                "machineType",
                "disks",
                "networkInterfaces",
                "scheduling",
                "guestAccelerators",
                "metadata",
                "labels",
                "tags",
                "serviceAccount",
                "reservationAffinity",
                "resourcePolicies",
                "shieldedInstanceConfig",
                "canIpForward",
                "confidentialInstanceConfig",
            )
        )
        for t in _TEMPLATES
    },
    **{
        t: Diffs(
            replace=(
                "instanceGroupManager",
                "resizeBy",
                "requestedRunDuration",
                "zone",
                "region",
                "name",
                "description",
            )
        )
        for t in _REQUESTS
    },
    "gcp:compute/network:Network": Diffs(
        replace=("name", "networkProfile", "autoCreateSubnetworks", "internalIpv6Range", "project", "description")
    ),
    "gcp:compute/subnetwork:Subnetwork": Diffs(
        replace=("name", "network", "region", "project", "ipCidrRange", "description")
    ),
    "gcp:compute/firewall:Firewall": Diffs(replace=("name", "network", "project", "direction")),
    "gcp:compute/resourcePolicy:ResourcePolicy": Diffs(
        replace=("name", "region", "workloadPolicy", "groupPlacementPolicy.gpuTopology", "project")
    ),
    "gcp:compute/router:Router": Diffs(replace=("name", "network", "region", "project")),
    "gcp:compute/routerNat:RouterNat": Diffs(replace=("name", "router", "region", "project")),
    "gcp:compute/globalAddress:GlobalAddress": Diffs(
        replace=("name", "address", "addressType", "network", "prefixLength", "purpose", "project", "description")
    ),
    _GROUP: Diffs(replace=("name", "zone", "baseInstanceName", "targetSizePolicies.mode", "project", "description")),
    _REGION_GROUP: Diffs(replace=("name", "region", "baseInstanceName", "project", "description")),
    _LUSTRE: Diffs(
        replace=("filesystem", "location", "network", "perUnitStorageThroughput", "kmsKey", "instanceId", "project"),
        shrink=("capacityGib",),
    ),
    "gcp:filestore/instance:Instance": Diffs(
        replace=("location", "tier", "networks", "protocol", "kmsKeyName", "name", "project")
    ),
    "gcp:storage/bucket:Bucket": Diffs(replace=("name", "location", "project", "hierarchicalNamespace")),
    "gcp:billing/budget:Budget": Diffs(replace=("billingAccount",)),
    "gcp:serviceaccount/account:Account": Diffs(replace=("accountId", "project")),
    "gcp:projects/iAMCustomRole:IAMCustomRole": Diffs(replace=("roleId", "project")),
    "gcp:projects/iAMMember:IAMMember": Diffs(replace=("project", "role", "member", "condition")),
    "gcp:storage/bucketIAMMember:BucketIAMMember": Diffs(replace=("bucket", "role", "member", "condition")),
    "gcp:pubsub/topicIAMMember:TopicIAMMember": Diffs(replace=("topic", "project", "role", "member", "condition")),
    "gcp:pubsub/topic:Topic": Diffs(replace=("name", "project", "kmsKeyName")),
    "gcp:workflows/workflow:Workflow": Diffs(replace=("name", "namePrefix", "region", "project")),
    "gcp:eventarc/trigger:Trigger": Diffs(replace=("name", "location", "project", "transport", "matchingCriterias")),
    _JOB: Diffs(replace=("name", "region", "project")),
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
    check=_check,
    create=_create,
    update=_update,
    delete=_delete,
    due=_due,
    groups=Groups(
        (_GROUP, _REGION_GROUP), lambda world, group: int(group.outputs.get("targetSize") or 0), _resize, _pool
    ),
    spending=Spending(_budgets, _stopped),
    diffs=_DIFFS,
    invoke={
        "gcp:organizations/getProject:getProject": _project_looked_up,
        "gcp:compute/getImage:getImage": _image_looked_up,
    },
)
