"""Single machines, and the nodes of GKE."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....vocabulary import Provider
from ...cloud import Refusal, Request
from ...held import Holding
from ...supply import Wanted
from ...unknown_types import is_unknown
from ...values import as_list, as_map, lookup
from ...world import Thing, World
from . import machines, refusals
from .types import CLUSTER, INSTANCE, NODE_POOL

_DEFAULT_OF_GKE = "e2-medium"
_NEEDS_A_STOP = ("machineType", "minCpuPlatform", "serviceAccount", "shieldedInstanceConfig", "advancedMachineFeatures")


def _as_template(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """A machine in the words of a template."""
    boot = as_map(lookup(inputs, "bootDisk.initializeParams"))
    disks = [{"boot": True, "diskType": str(boot.get("type") or "pd-standard").rsplit("/", 1)[-1]}]
    disks += [{"type": "SCRATCH"} for _ in as_list(inputs.get("scratchDisks"))]
    policy = inputs.get("resourcePolicies")
    spoken = {**inputs, "disks": disks if boot else [], "resourcePolicies": [policy] if policy else []}
    return {**spoken, "machineType": str(inputs.get("machineType") or "").rsplit("/", 1)[-1]}


def _of_a_pool(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """A node in the words of a template."""
    node = as_map(inputs.get("nodeConfig"))
    model = "SPOT" if node.get("spot") or node.get("preemptible") else "FLEX_START" if node.get("flexStart") else None
    asked = as_map(node.get("reservationAffinity"))
    affinity = {"specificReservation": {"values": as_list(asked.get("values"))}} if asked.get("values") else {}
    return {
        "machineType": node.get("machineType") or _DEFAULT_OF_GKE,
        "scheduling": {"provisioningModel": model},
        "guestAccelerators": as_list(node.get("guestAccelerators")),
        "reservationAffinity": affinity,
    }


def _wanted(world: World, type_: str, id_: str, inputs: Mapping[str, Any]) -> Wanted:
    place = machines.place_of(inputs)
    if type_ == INSTANCE:
        return machines.wanted_of(_as_template(inputs), (type_, id_), place, 1)
    zones = as_list(inputs.get("nodeLocations"))
    # Without its own the nodes of a regional pool stand in three zones.
    regional = place.count("-") < 2
    template = _of_a_pool(inputs)
    count = int(inputs.get("nodeCount") or inputs.get("initialNodeCount") or 0) * (len(zones) or (3 if regional else 1))
    if lookup(template, "scheduling.provisioningModel") == "FLEX_START":
        count = 0
    return machines.wanted_of(
        template, (type_, id_), str(zones[0]) if zones else f"{place}-a" if regional else place, count
    )


def _inside(world: World, type_: str, id_: str, inputs: Mapping[str, Any]) -> list[Wanted]:
    if inputs.get("enableAutopilot"):
        return []
    place = {key: inputs[key] for key in ("location", "nodeLocations") if inputs.get(key)}
    pools = [as_map(pool) for pool in as_list(inputs.get("nodePools"))]
    # Without a list of them there is a pool of the cluster's own; one that is to go at once is not counted.
    if not pools and not inputs.get("removeDefaultNodePool"):
        pools = [{"nodeConfig": inputs.get("nodeConfig"), "initialNodeCount": inputs.get("initialNodeCount")}]
    return [_wanted(world, type_, id_, {**place, **{k: v for k, v in pool.items() if v}}) for pool in pools]


HOLDING = Holding((INSTANCE,), (NODE_POOL,), _wanted, lambda asked: machines.CODES, clusters=(CLUSTER,), inside=_inside)


def _is_there(machine: str, place: str) -> None:
    """Raises Refusal for a machine type that no zone has (facts gcp (c))."""
    if is_unknown(Provider.GCP, machine):
        raise Refusal(
            "400 invalid",
            f"Machine type with name '{machine}' does not exist in zone '{place}'. machineTypes/{machine} not found",
        )


def instance(request: Request, id_: str) -> None:
    """What instances.insert refuses."""
    template = _as_template(request.inputs)
    _is_there(template["machineType"], machines.place_of(request.inputs))
    for message in refusals.faults_of_template(request.world, template):
        raise Refusal(refusals.INVALID, message)


def node_pool(request: Request, id_: str) -> None:
    """What nodePools.create refuses (facts gcp a7)."""
    _pool(request.inputs, machines.place_of(request.inputs))


def cluster(request: Request, id_: str) -> None:
    """What clusters.create refuses: the pools inside of it are held to what those beside it are."""
    for pool in as_list(request.inputs.get("nodePools")):
        _pool(as_map(pool), machines.place_of(request.inputs))


def _pool(inputs: Mapping[str, Any], place: str) -> None:
    node = as_map(inputs.get("nodeConfig"))
    network = as_map(inputs.get("networkConfig"))
    if network.get("additionalNodeNetworkConfigs") and network.get("acceleratorNetworkProfile"):
        raise Refusal(
            "400 badRequest", "additional node networks and an accelerator network profile exclude each other"
        )
    upgrade = as_map(inputs.get("upgradeSettings"))
    if upgrade.get("maxSurge") == 0 and upgrade.get("maxUnavailable") == 0:
        raise Refusal("400 badRequest", "max_surge and max_unavailable must not both be 0")
    affinity = lookup(node, "reservationAffinity.consumeReservationType")
    waits = node.get("flexStart") or lookup(inputs, "queuedProvisioning.enabled")
    if waits and affinity not in ("NO_RESERVATION",):
        raise Refusal("400 badRequest", "queued and flex-start nodes require the reservation affinity NO_RESERVATION")
    if waits and lookup(inputs, "placementPolicy.type") == "COMPACT":
        raise Refusal("400 badRequest", "queued and flex-start nodes take no compact placement")
    if node.get("flexStart") and lookup(inputs, "management.autoRepair") is not False:
        raise Refusal("400 badRequest", "flex-start nodes require auto-repair to be off")
    _is_there(str(node.get("machineType") or _DEFAULT_OF_GKE), place)
    for message in refusals.faults_of_node(str(node.get("machineType") or _DEFAULT_OF_GKE), node):
        raise Refusal("400 badRequest", message)


def changed(request: Request, old: Thing) -> None:
    """A machine that runs is stopped for some changes, and only where the program allows it (facts gcp a11)."""
    if old.type != INSTANCE or request.inputs.get("allowStoppingForUpdate"):
        return
    for key in _NEEDS_A_STOP:
        if old.inputs.get(key) != request.inputs.get(key):
            raise Refusal(
                "the instance must be stopped",
                f"Changing the {key} on a started instance requires stopping it. To acknowledge this, please set "
                "allow_stopping_for_update = true in your config.",
            )
