"""What Google Cloud refuses when something is made or changed, in its own words (facts gcp a1 to a9, (c))."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from .... import catalog
from ....catalog import InstanceType, Limit, MachineParts
from ....vocabulary import Provider, StorageKind
from ...cloud import Refusal, Request
from ...values import as_list, as_map, lookup
from ...world import Thing, World
from . import machines
from .types import CONNECTION, FILESTORE, GROUP, LUSTRE, NETWORK, REGION_GROUP, REQUESTS, SUBNETWORK, TEMPLATES

INVALID = "400 invalid"
_ARGUMENT = "400 INVALID_ARGUMENT"
_LONGEST_RUN = 604_800
_MODELS_WITHOUT_RESTART = ("SPOT", "FLEX_START")


# At plan time: what the provider itself judges.

_NAMES = {
    NETWORK: "name.network",
    SUBNETWORK: "name.subnet",
    "gcp:compute/firewall:Firewall": "name.firewall",
    "gcp:compute/resourcePolicy:ResourcePolicy": "name.resource_policy",
    "gcp:compute/router:Router": "name.router",
    GROUP: "name.instance_group",
    REGION_GROUP: "name.instance_group",
}


def check(type_: str, inputs: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(property, reason) of what the provider refuses before anything is asked of Google."""
    found: list[tuple[str, str]] = []
    if type_ in REQUESTS and not re.fullmatch(r"\d+", str(lookup(inputs, "requestedRunDuration.seconds") or "0")):
        found.append(("requestedRunDuration.seconds", "expected a number of seconds"))
    name, account = inputs.get("name"), inputs.get("accountId")
    row = catalog.limit(Provider.GCP, _NAMES[type_]) if type_ in _NAMES else None
    if row is not None and isinstance(name, str) and re.fullmatch(r"[ -~]+", name) and not _fits(row, name):
        found.append(("name", f'"{name}" does not match regexp {row.pattern!r} (1 to {row.maximum} characters)'))
    if isinstance(account, str) and not re.fullmatch(r"[a-z]([-a-z0-9]{4,28}[a-z0-9])", account):
        found.append(("accountId", f'"{account}" must match 6 to 30 letters, digits and hyphens'))
    return found


def _fits(row: Limit, name: str) -> bool:
    return len(name) <= (row.maximum or len(name)) and bool(re.fullmatch(row.pattern or ".*", name))


# Templates.


def template(request: Request, id_: str) -> None:
    """What instanceTemplates.insert refuses, and what no machine of the template could ever be started with."""
    for message in faults_of_template(request.world, request.inputs):
        raise Refusal(INVALID, message)


def faults_of_node(machine: str, node: Mapping[str, Any]) -> Iterator[str]:
    """What no node of GKE could ever be started with."""
    attached = as_list(node.get("guestAccelerators"))
    yield from _accelerators(machine, catalog.instance_type(Provider.GCP, machine), attached)
    parts, disk = catalog.machine_parts(machine), str(node.get("diskType") or "")
    if parts is not None and disk:
        yield from _disks(machine, parts, [{"boot": True, "diskType": disk}])


def faults_of_template(world: World, inputs: Mapping[str, Any]) -> Iterator[str]:
    """What no machine of a template could ever be started with."""
    machine = str(inputs.get("machineType") or "")
    found = catalog.instance_type(Provider.GCP, machine)
    attached = as_list(inputs.get("guestAccelerators"))
    gpus = bool(attached) or (isinstance(found, InstanceType) and found.gpu_count > 0)
    yield from _scheduling(inputs, gpus)
    yield from _reservation(inputs)
    yield from _accelerators(machine, found, attached)
    parts = catalog.machine_parts(machine)
    if parts is not None:
        yield from _disks(machine, parts, as_list(inputs.get("disks")))
    yield from _interfaces(world, machine, as_list(inputs.get("networkInterfaces")))
    if len(as_list(inputs.get("resourcePolicies"))) > 1:
        yield "an instance takes one resource policy of placement"


def _scheduling(inputs: Mapping[str, Any], gpus: bool) -> Iterator[str]:
    asked = as_map(inputs.get("scheduling"))
    model, duration = asked.get("provisioningModel"), lookup(asked, "maxRunDuration.seconds")
    if gpus and asked.get("onHostMaintenance") != "TERMINATE":
        yield "Instances with guest accelerators do not support live migration."
    if model == "SPOT" and asked.get("automaticRestart") is not False:
        yield "Scheduling must have preemptible be false when AutomaticRestart is true."
    if model in _MODELS_WITHOUT_RESTART and asked.get("onHostMaintenance") == "MIGRATE":
        yield f"onHostMaintenance must be TERMINATE with the provisioning model {model}"
    if model == "FLEX_START":
        if not duration:
            yield "the provisioning model FLEX_START requires maxRunDuration"
        if asked.get("instanceTerminationAction") != "DELETE":
            yield "the provisioning model FLEX_START requires the termination action DELETE"
        if lookup(inputs, "reservationAffinity.type") != "NO_RESERVATION":
            yield "the provisioning model FLEX_START requires the reservation affinity NO_RESERVATION"
    if duration and int(duration) > _LONGEST_RUN and model == "FLEX_START":
        yield f"maxRunDuration must be at most {_LONGEST_RUN} seconds"
    if duration and asked.get("terminationTime"):
        yield "maxRunDuration and terminationTime exclude each other"
    if (
        asked.get("instanceTerminationAction")
        and not (duration or asked.get("terminationTime"))
        and model == "STANDARD"
    ):
        yield "instanceTerminationAction requires maxRunDuration or terminationTime with the model STANDARD"


def _reservation(inputs: Mapping[str, Any]) -> Iterator[str]:
    asked = as_map(inputs.get("reservationAffinity"))
    model, values = lookup(inputs, "scheduling.provisioningModel"), as_list(lookup(asked, "specificReservation.values"))
    specific = asked.get("type") == "SPECIFIC_RESERVATION"
    if specific and (
        lookup(asked, "specificReservation.key") != "compute.googleapis.com/reservation-name" or len(values) != 1
    ):
        yield "SPECIFIC_RESERVATION requires the key compute.googleapis.com/reservation-name and one value"
    if model == "RESERVATION_BOUND" and not specific:
        yield "the provisioning model RESERVATION_BOUND requires a specific reservation"
    if model == "SPOT" and asked.get("type") not in (None, "NO_RESERVATION"):
        yield "spot machines consume no reservation"


def _accelerators(machine: str, found: object, attached: list[Any]) -> Iterator[str]:
    if not attached:
        return
    if machine.startswith("n1-"):
        words = {a.accelerator_type: a for a in catalog.attached_accelerators()}
        for one in attached:
            fits = [a for a in catalog.attached_accelerators() if a.accelerator_type == one.get("type")]
            if not fits:
                yield f"acceleratorTypes/{one.get('type')} was not found; there are: {', '.join(sorted(words))}"
            elif int(one.get("count") or 0) not in {a.gpu_count for a in fits}:
                yield f"{one.get('count')} accelerators of the type {one.get('type')} cannot be attached to a machine"
        return
    parts = catalog.machine_parts(machine)
    implied = parts.accelerator_type if parts else ""
    for one in attached:
        if one.get("type") != implied or (isinstance(found, InstanceType) and one.get("count") != found.gpu_count):
            yield f"[{machine}, {one.get('type')}] features are not compatible for creating instance."


def _disks(machine: str, parts: MachineParts, disks: list[Any]) -> Iterator[str]:
    kind = next((str(d.get("diskType") or "pd-standard") for d in disks if d.get("boot")), "pd-standard")
    if parts.boot_types and kind not in parts.boot_types:
        yield f"{kind} disk type cannot be used by {machine} machine type."
    for disk in disks:
        other = str(disk.get("diskType") or "")
        if other.startswith("pd-") and not parts.persistent_disks and not disk.get("boot"):
            yield f"{other} disk type cannot be used by {machine} machine type."
    scratch = sum(1 for d in disks if d.get("type") == "SCRATCH")
    if scratch and parts.local_ssd_counts and scratch not in parts.local_ssd_counts:
        counts = ", ".join(map(str, parts.local_ssd_counts))
        yield f"{scratch} local SSDs cannot be attached to {machine}: one of {counts}"


def _interfaces(world: World, machine: str, nics: list[Any]) -> Iterator[str]:
    networks = [network_of(world, n) for n in nics]
    kinds = [str(n.get("nicType") or "GVNIC") for n in nics]
    regular = [n for n in networks if n and not _profile(world, n)]
    if len(set(regular)) < len(regular):
        yield "Networks must be distinct for NICs attached to a VM."
    rdma_subnets = [str(n.get("subnetwork") or "") for n, kind in zip(nics, kinds, strict=True) if kind == "MRDMA"]
    layout = catalog.nic_layout(machine)
    if layout.rdma_subnets and len(set(rdma_subnets)) < len(rdma_subnets):
        yield "Subnetworks must be distinct for RDMA NICs attached to a VM."
    wanted = [slot.nic_type for slot in layout.slots]
    if len(wanted) > 1 and kinds != wanted:
        yield f"{machine} requires {len(wanted)} network interfaces of the types {', '.join(wanted)}"
    for nic, kind, network in zip(nics, kinds, networks, strict=True):
        profile = _profile(world, network)
        if profile and kind not in ("MRDMA", "IRDMA"):
            yield f"only RDMA network interfaces attach to a network with the profile {profile}"
        if network and not profile and kind == "MRDMA":
            yield "network interfaces of the type MRDMA attach to a network with an RDMA profile alone"
        if kind == "MRDMA" and as_list(nic.get("accessConfigs")):
            yield "a network with an RDMA profile takes no external address"


def network_of(world: World, nic: Mapping[str, Any]) -> str:
    """The name of an interface's network; empty where the world does not have it."""
    if nic.get("network"):
        return str(nic["network"]).rsplit("/", 1)[-1]
    wanted = str(nic.get("subnetwork") or "")
    subnets = world.things(SUBNETWORK)
    found = next((s for s in subnets if wanted in (s.id, s.outputs.get("selfLink"), s.outputs.get("name"))), None)
    return str(found.inputs.get("network") or "").rsplit("/", 1)[-1] if found else ""


def _profile(world: World, name: str) -> str:
    """The profile of a network; empty for a regular one."""
    nets = [n for n in world.things(NETWORK) if n.id.endswith(f"/{name}")] if name else []
    return next((str(n.inputs.get("networkProfile") or "").rsplit("/", 1)[-1] for n in nets), "")


# Networks.


def network(request: Request, id_: str) -> None:
    """What networks.insert refuses."""
    profile = request.inputs.get("networkProfile")
    if profile and "networkProfiles/" not in str(profile):
        raise Refusal(INVALID, f"Invalid value for field 'resource.networkProfile': '{profile}'. The URL is malformed.")
    mtu = request.inputs.get("mtu")
    if mtu is not None and not 1300 <= int(mtu) <= 8896:
        raise Refusal(INVALID, f"Invalid value for field 'resource.mtu': '{mtu}'. Must be between 1300 and 8896.")


def subnetwork(request: Request, id_: str) -> None:
    """What subnetworks.insert refuses."""
    import ipaddress

    name = str(request.inputs.get("network") or "").rsplit("/", 1)[-1]
    profile, region = _profile(request.world, name), str(request.inputs.get("region") or "")
    if profile and region and not profile.startswith(f"{region}-"):
        raise Refusal(INVALID, f"the network profile {profile} does not allow subnetworks in {region}")
    given = request.inputs.get("ipCidrRange")
    if not isinstance(given, str):
        return
    mine = ipaddress.ip_network(given, strict=False)
    for other in request.world.things(SUBNETWORK):
        theirs, same = (
            other.inputs.get("ipCidrRange"),
            str(other.inputs.get("network") or "").rsplit("/", 1)[-1] == name,
        )
        if same and other.id != id_ and isinstance(theirs, str) and mine.overlaps(ipaddress.ip_network(theirs)):
            raise Refusal(INVALID, f"Invalid IPCidrRange: {given} conflicts with existing subnetwork '{other.name}'")


def firewall(request: Request, id_: str) -> None:
    """What firewalls.insert refuses."""
    name = str(request.inputs.get("network") or "").rsplit("/", 1)[-1]
    if _profile(request.world, name):
        raise Refusal(INVALID, "the network profile of this network does not allow VPC firewall rules")


def router(request: Request, id_: str) -> None:
    """What routers.insert refuses."""
    name = str(request.inputs.get("network") or "").rsplit("/", 1)[-1]
    if _profile(request.world, name):
        raise Refusal(INVALID, "the network profile of this network does not allow Cloud Routers")


# Groups.


def group(request: Request) -> None:
    """What instanceGroupManagers.insert refuses. What machines lack is no failure: the group's errors say it."""
    update = as_map(request.inputs.get("updatePolicy"))
    if update.get("maxSurgeFixed") == 0 and update.get("maxUnavailableFixed") == 0:
        raise Refusal(INVALID, "maxSurge and maxUnavailable must not both be 0")
    template_ = machines.template_of(request.world, request.inputs)
    if not template_ and as_list(request.inputs.get("versions")):
        raise Refusal("404 notFound", "the instance template of the group was not found")
    place = machines.place_of(request.inputs)
    for nic in as_list(template_.get("networkInterfaces")):
        profile = _profile(request.world, network_of(request.world, nic))
        if profile and request.type == GROUP and not profile.startswith(f"{place}-vpc-"):
            raise Refusal(
                INVALID, f"the network profile {profile} allows machines of its own zone alone, not of {place}"
            )
    workload = lookup(request.inputs, "resourcePolicies.workloadPolicy")
    model = lookup(template_, "scheduling.provisioningModel")
    if workload and model == "FLEX_START" and not str(template_.get("machineType")).startswith(("a4-", "a3-ultragpu-")):
        raise Refusal(INVALID, f"{template_.get('machineType')} with FLEX_START takes no workload policy")


def policy(request: Request, id_: str) -> None:
    """What resourcePolicies.insert refuses."""
    workload = as_map(request.inputs.get("workloadPolicy"))
    if workload.get("maxTopologyDistance") and workload.get("acceleratorTopology"):
        raise Refusal(INVALID, "maxTopologyDistance and acceleratorTopology exclude each other")
    if workload and request.inputs.get("groupPlacementPolicy"):
        raise Refusal(INVALID, "a resource policy is of one kind")


# Storage.


def lustre(request: Request, id_: str) -> None:
    """What Managed Lustre refuses."""
    inputs = request.inputs
    size, tier = int(inputs.get("capacityGib") or 0), str(inputs.get("perUnitStorageThroughput") or "dynamic")
    _sized(StorageKind.LUSTRE, tier, size, "capacity_gib")
    named = catalog.limit(Provider.GCP, "name.lustre_filesystem")
    if named is not None and not re.fullmatch(named.pattern or ".*", str(inputs.get("filesystem"))):
        raise Refusal(_ARGUMENT, f"filesystem '{inputs.get('filesystem')}' must match {named.pattern}")
    if len(str(inputs.get("filesystem"))) > 8:
        raise Refusal(_ARGUMENT, f"filesystem '{inputs.get('filesystem')}' has more than 8 characters")
    _peered(request, str(inputs.get("network") or ""))


def lustre_changed(request: Request, old: Thing) -> None:
    """What an update of Managed Lustre is refused for: a size between steps, and one of another band (facts gcp a8)."""
    inputs = request.inputs
    size, tier = int(inputs.get("capacityGib") or 0), str(inputs.get("perUnitStorageThroughput") or "dynamic")
    _sized(StorageKind.LUSTRE, tier, size, "capacity_gib")
    before = int(old.inputs.get("capacityGib") or 0)
    bands = [t for t in catalog.storage_tiers(Provider.GCP, StorageKind.LUSTRE) if t.tier == tier]
    mine = [t.step_gib for t in bands if t.min_gib <= size <= (t.max_gib or size)]
    theirs = [t.step_gib for t in bands if t.min_gib <= before <= (t.max_gib or before)]
    if mine and theirs and not {*mine} & {*theirs}:
        raise Refusal(_ARGUMENT, f"capacity_gib cannot go from {before} to {size}: the two are of different steps")


def filestore_changed(request: Request, old: Thing) -> None:
    """What an update of Filestore is refused for: BASIC never shrinks (facts gcp a8)."""
    filestore(request, old.id)
    size, before = (int(lookup(i, "fileShares.capacityGb") or 0) for i in (request.inputs, old.inputs))
    if size < before and str(request.inputs.get("tier")).startswith("BASIC"):
        raise Refusal(
            _ARGUMENT, f"capacity_gb cannot go from {before} to {size}: {request.inputs.get('tier')} does not shrink"
        )


def filestore(request: Request, id_: str) -> None:
    """What Filestore refuses."""
    inputs = request.inputs
    tier, size = str(inputs.get("tier") or ""), int(lookup(inputs, "fileShares.capacityGb") or 0)
    _sized(StorageKind.NFS, tier, size, "capacity_gb")
    if tier.startswith("BASIC") and inputs.get("protocol") == "NFS_V4_1":
        raise Refusal(_ARGUMENT, f"the tier {tier} does not support the protocol NFS_V4_1")
    if tier == "ZONAL" and not re.search(
        r"-[a-z]$|-ai\d[a-z]$", str(inputs.get("location") or inputs.get("zone") or "")
    ):
        raise Refusal(_ARGUMENT, f"the tier {tier} requires a zone as location")
    for one in as_list(inputs.get("networks")):
        if one.get("connectMode") == "PRIVATE_SERVICE_ACCESS":
            _peered(request, str(one.get("network") or ""))


def _sized(kind: StorageKind, tier: str, size: int, what: str) -> None:
    rows = [t for t in catalog.storage_tiers(Provider.GCP, kind) if t.tier == tier]
    known = {t.tier for t in catalog.storage_tiers(Provider.GCP, kind)}
    if not rows:
        if kind is StorageKind.LUSTRE:
            raise Refusal(_ARGUMENT, f"per_unit_storage_throughput {tier} is not one of {', '.join(sorted(known))}")
        return
    if not any(t.min_gib <= size <= (t.max_gib or size) and (size - t.min_gib) % t.step_gib == 0 for t in rows):
        bands = "; ".join(f"{t.min_gib} to {t.max_gib or 'more'} in steps of {t.step_gib}" for t in rows)
        raise Refusal(_ARGUMENT, f"{what} {size} is not valid for {tier}: {bands}")


def _peered(request: Request, network_: str) -> None:
    name = network_.rsplit("/", 1)[-1]
    if not any(n.id.endswith(f"/{name}") for n in request.world.things(NETWORK)):
        return
    peered = {str(c.inputs.get("network") or "").rsplit("/", 1)[-1] for c in request.world.things(CONNECTION)}
    if name not in peered:
        raise Refusal(
            "400 FAILED_PRECONDITION", f"the network '{name}' has no private services access: create a connection first"
        )


# Money.


def budget(request: Request, id_: str) -> None:
    """What Cloud Billing refuses: one answer for everything."""
    inputs = request.inputs
    projects = [str(p) for p in as_list(lookup(inputs, "budgetFilter.projects"))]
    units = lookup(inputs, "amount.specifiedAmount.units")
    if (
        any(not re.fullmatch(r"projects/\d+", p) for p in projects)
        or len(as_map(lookup(inputs, "budgetFilter.labels"))) > 1
        or lookup(inputs, "amount.specifiedAmount.currencyCode") not in (None, "USD")
        or (units is not None and not re.fullmatch(r"\d+", str(units)))
    ):
        raise Refusal("400", "Request contains an invalid argument.")
    told = as_map(inputs.get("allUpdatesRule"))
    if told.get("pubsubTopic") and told.get("schemaVersion", "1.0") != "1.0":
        raise Refusal("400", "Request contains an invalid argument.")
    channels = catalog.limit(Provider.GCP, "budget_channels")
    heard = as_list(told.get("monitoringNotificationChannels"))
    if channels is not None and channels.maximum and len(heard) > channels.maximum:
        raise Refusal("400", f"at most {channels.maximum} notification channels for a budget")


MADE = {
    **dict.fromkeys(TEMPLATES, template),
    NETWORK: network,
    SUBNETWORK: subnetwork,
    "gcp:compute/firewall:Firewall": firewall,
    "gcp:compute/router:Router": router,
    "gcp:compute/resourcePolicy:ResourcePolicy": policy,
    LUSTRE: lustre,
    FILESTORE: filestore,
    "gcp:billing/budget:Budget": budget,
}
"""What is refused of a new resource by its type; groups and requests are in `cloud`."""
