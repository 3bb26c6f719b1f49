"""Single machines, and the nodes of AKS."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...cloud import Refusal, Request
from ...held import Holding
from ...supply import Wanted
from ...values import as_list, as_map, lookup
from ...world import World
from . import machines, set_refusals
from .types import AGENT_POOL, CLUSTER, MACHINE


def _as_set(type_: str, inputs: Mapping[str, Any], place: str) -> dict[str, Any]:
    """One machine, or the nodes of a pool, in the words of a scale set."""
    if type_ == AGENT_POOL:
        spot = inputs.get("scaleSetPriority") == "Spot"
        group = inputs.get("capacityReservationGroupID")
        profile: dict[str, Any] = {
            "priority": "Spot" if spot else "Regular",
            "capacityReservation": {"capacityReservationGroup": {"id": group}} if group else {},
        }
        size, count, zones = (
            inputs.get("vmSize"),
            int(inputs.get("count") or 0),
            as_list(inputs.get("availabilityZones")),
        )
    else:
        keys = ("priority", "evictionPolicy", "billingProfile", "securityProfile", "storageProfile", "osProfile")
        profile = {key: inputs[key] for key in (*keys, "capacityReservation") if inputs.get(key) is not None}
        size, count, zones = lookup(inputs, "hardwareProfile.vmSize"), 1, as_list(inputs.get("zones"))
    sku = {"name": size or "Standard_DS1_v2", "capacity": count}
    return {"sku": sku, "location": place, "zones": zones or None, "virtualMachineProfile": profile}


def _place(world: World, type_: str, inputs: Mapping[str, Any]) -> str:
    if type_ != AGENT_POOL:
        return str(inputs.get("location") or "")
    name = str(inputs.get("resourceName"))
    return next((str(t.inputs.get("location") or "") for t in world.things(CLUSTER) if t.id.endswith(f"/{name}")), "")


def _wanted(world: World, type_: str, id_: str, inputs: Mapping[str, Any]) -> Wanted:
    spoken = _as_set(type_, inputs, _place(world, type_, inputs))
    return machines.wanted_of((type_, id_), spoken, int(spoken["sku"]["capacity"]))


def _inside(world: World, type_: str, id_: str, inputs: Mapping[str, Any]) -> list[Wanted]:
    place = str(inputs.get("location") or "")
    spoken = [_as_set(AGENT_POOL, as_map(profile), place) for profile in as_list(inputs.get("agentPoolProfiles"))]
    return [machines.wanted_of((type_, id_), one, int(one["sku"]["capacity"])) for one in spoken]


HOLDING = Holding(
    (MACHINE,),
    (AGENT_POOL,),
    _wanted,
    lambda asked: machines.codes_of(asked.zone != asked.region),
    clusters=(CLUSTER,),
    inside=_inside,
)


def machine(request: Request, id_: str) -> None:
    """What a PUT of a virtual machine is refused for."""
    for code, message in set_refusals.of_a_machine(_as_set(MACHINE, request.inputs, "")):
        raise Refusal(code, message)
    if request.inputs.get("availabilitySet") and lookup(request.inputs, "priority") == "Spot":
        raise Refusal("BadRequest", "spot machines stand in no availability set")
    if request.inputs.get("availabilitySet") and as_list(request.inputs.get("zones")):
        raise Refusal("BadRequest", "a machine stands in an availability set or in a zone")


def agent_pool(request: Request, id_: str) -> None:
    """What a PUT of a pool of nodes is refused for."""
    _pool(request.inputs)


def managed_cluster(request: Request, id_: str) -> None:
    """What a PUT of a cluster is refused for: the pools inside of it are held to what those beside it are."""
    for profile in as_list(request.inputs.get("agentPoolProfiles")):
        _pool(as_map(profile))


def _pool(inputs: Mapping[str, Any]) -> None:
    for code, message in set_refusals.of_a_machine(_as_set(AGENT_POOL, inputs, "")):
        raise Refusal(code, message)
    if inputs.get("scaleSetEvictionPolicy") and inputs.get("scaleSetPriority") != "Spot":
        raise Refusal("InvalidParameter", "scaleSetEvictionPolicy is for the priority Spot alone")
    if inputs.get("mode") == "System" and inputs.get("scaleSetPriority") == "Spot":
        raise Refusal("InvalidParameter", "a system pool takes no spot nodes")
