"""A pool in another place: its machine, how many of them, and how they are bought."""

from __future__ import annotations

from datetime import timedelta

from .. import catalog
from ..catalog import InstanceType
from ..diagnostics import Collector
from ..plan.capacity import FLEX_MAX, FLEX_MIN, why_not_sold
from ..plan.instances import Machine, choose_machine
from ..spec.models import AcceleratorRequest, Capacity, ClusterSpec, CountRange, NodePool
from ..spec.pools import MAX_NODES
from ..spec.quantities import format_duration
from ..vocabulary import CapacityType, FabricWish, Provider
from .change import NOTHING, Change
from .clouds import CLOUDS
from .machines import machines_of, zones_in
from .need import memory_of, needs_fabric, nodes_of
from .purchase import sold_as
from .substitute import Original, Place, cpu_substitute, gpu_substitute, is_offered
from .target import Target, location_of

_FLEX_DEFAULT = timedelta(hours=24)


def move_pool(
    spec: ClusterSpec, n: int, place: Place, *, target_left: bool, region_left: bool, changes: list[Change]
) -> NodePool:
    """The pool there. `target_left`: zone or region is another, so that capacity bought before is out of reach."""
    pool, path = spec.node_pools[n], f"node_pools[{n}]"
    source = Provider(spec.location.provider)
    machine, _ = choose_machine(source, spec.location, pool, path, Collector())
    if machine is None:
        return pool
    has_id = not target_left
    found = _machine_there(spec, pool, machine, place, has_id)
    if found is None:
        changes.append(_no_twin(path, pool, machine, place))
        return pool
    if machine.gpus and (nodes := _nodes(nodes_of(pool)[1], machine, found)) > MAX_NODES:
        why = f"{_named(found)} is needed {nodes:,} times, and a pool has at most {MAX_NODES:,} nodes: part it"
        changes.append(Change(f"{path}.count", str(nodes_of(pool)[1]), "no twin", why))
        return pool
    update = _type(pool, path, machine, found, place, changes)
    if machine.gpus:
        update |= _count(pool, path, machine, found, changes)
        if pool.mig is not None and found.gpu_model != machine.gpu_model:
            update["mig"] = None
            changes.append(Change(f"{path}.mig", str(pool.mig), NOTHING, f"profiles are of {machine.gpu_model} alone"))
    update |= _capacity(spec, pool, path, found.instance, (source, place.provider), has_id, changes)
    if region_left and pool.proximity not in ("auto", "none"):
        update["proximity"] = "auto"
        changes.append(Change(f"{path}.proximity", pool.proximity, "auto", "the group is of the old place"))
    return pool.model_copy(update=update)


def _machine_there(spec: ClusterSpec, pool: NodePool, machine: Machine, place: Place, has_id: bool) -> Machine | None:
    source = Provider(spec.location.provider)
    if place.provider is source and (not machine.gpus or is_offered(place, machine)):
        return machine
    if not machine.gpus:
        twin = cpu_substitute(place.provider, machine.instance)
        return Machine(twin, "", 0) if twin else None
    nodes, most = nodes_of(pool)
    fabric = needs_fabric(spec.workload, source, machine, pool, machine.gpus, most)
    required = pool.fabric is FabricWish.REQUIRED
    original = Original(machine, source, max(nodes, 1), fabric, required, pool.capacity.type, has_id)
    return gpu_substitute(place, original)


def _no_twin(path: str, pool: NodePool, machine: Machine, place: Place) -> Change:
    field = "instance_type" if pool.instance_type else "accelerator"
    was = pool.instance_type or _request(machine)
    if not machine.gpus:
        why = f"the tables cannot say which machine of {place.provider} is as large: name one there"
    else:
        memory = memory_of(machine.gpu_model, machine.instance)
        each = f" with {memory:g} GiB a GPU" if memory else ""
        where = f"{place.region}{f' ({place.zone})' if place.zone else ''}"
        elsewhere = _regions_with(machine.gpu_model, place)
        has = (
            f"{place.provider} has {machine.gpu_model} in {elsewhere}"
            if elsewhere
            else "gpuinfra compare shows where one is"
        )
        why = f"the tables list no machine{each} in {where}: {has}"
    return Change(f"{path}.{field}", was, "no twin", why)


def _request(machine: Machine) -> str:
    return f"{machine.gpus} x {machine.gpu_model}"


def _type(
    pool: NodePool, path: str, had: Machine, has: Machine, place: Place, changes: list[Change]
) -> dict[str, object]:
    """What the pool says of its machine there. GPUs that are asked for stay asked for, where they lead to the machine."""
    if _is_same(had, has):
        return {}
    if pool.instance_type is None and pool.accelerator is not None:
        changes.append(Change(f"{path}.accelerator", _named(had), _named(has), _difference(had, has, place)))
        if _leads_to(pool, place, has):
            return {}
    else:
        changes.append(Change(f"{path}.instance_type", _named(had), _named(has), _difference(had, has, place)))
    request = AcceleratorRequest(model=has.gpu_model, count=has.gpus) if has.attached else None
    return {"instance_type": has.instance.name, "accelerator": request}


def _named(machine: Machine) -> str:
    return (
        f"{machine.instance.name} with {machine.gpus} x {machine.attached}"
        if machine.attached
        else machine.instance.name
    )


def _leads_to(pool: NodePool, place: Place, machine: Machine) -> bool:
    location = location_of(Target(place.provider, place.region, place.zone))
    found, _ = choose_machine(place.provider, location, pool, "", Collector())
    return found is not None and _is_same(found, machine)


def _is_same(one: Machine, other: Machine) -> bool:
    return (one.instance.name, one.attached, one.gpus) == (other.instance.name, other.attached, other.gpus)


def _difference(had: Machine, has: Machine, place: Place) -> str:
    parts: list[str] = []
    if had.gpus:
        parts.append(
            f"{_request(has)} a node" + (" as before" if _request(has) == _request(had) else f", not {_request(had)}")
        )
        mine, theirs = memory_of(had.gpu_model, had.instance), memory_of(has.gpu_model, has.instance)
        if mine and theirs and mine != theirs:
            parts.append(f"{theirs:g} GiB a GPU, not {mine:g}")
    for what, mine, theirs in (
        ("vCPUs", had.instance.vcpus, has.instance.vcpus),
        ("GiB of memory", had.instance.memory_gib, has.instance.memory_gib),
    ):
        if mine is not None and theirs is not None and mine != theirs:
            parts.append(f"{theirs:g} {what}, not {mine:g}")
    if had.instance.arch and has.instance.arch and had.instance.arch != has.instance.arch:
        parts.append(f"{has.instance.arch}, not {had.instance.arch}: programs must be built for it")
    if has.gpu_model != had.gpu_model and (elsewhere := _regions_with(had.gpu_model, place)):
        parts.append(f"{place.provider} has {had.gpu_model} in {elsewhere}")
    return "; ".join(parts) or "of the same size"


_REGIONS_NAMED = 3


def _regions_with(gpu_model: str, place: Place) -> str:
    """The other regions of a cloud that have a GPU, a few by name."""
    able = [m for m in machines_of(place.provider) if m.gpu_model == gpu_model]
    regions = [r for r in catalog.regions(place.provider) if r != place.region]
    found = [r for r in regions if any(zones_in(place.provider, r, m) is not None for m in able)]
    more = f" and {len(found) - _REGIONS_NAMED} more" if len(found) > _REGIONS_NAMED else ""
    return ", ".join(found[:_REGIONS_NAMED]) + more


def _nodes(nodes: int, had: Machine, has: Machine) -> int:
    """How many nodes of another machine have as many GPUs."""
    return -(-nodes * had.gpus // has.gpus)


def _count(pool: NodePool, path: str, had: Machine, has: Machine, changes: list[Change]) -> dict[str, object]:
    """As many GPUs in all, never fewer, where a node there has more or fewer."""
    if had.gpus == has.gpus:
        return {}

    def there(nodes: int) -> int:
        return _nodes(nodes, had, has)

    meaning = f"{has.gpus} GPUs a node, not {had.gpus}: as many GPUs in all, never fewer"
    if isinstance(pool.count, CountRange):
        old = pool.count
        initial = None if old.initial is None else there(old.initial)
        new = CountRange(min=there(old.min), max=there(old.max), initial=initial)
        changes.append(Change(f"{path}.count", f"{old.min} to {old.max}", f"{new.min} to {new.max}", meaning))
        return {"count": new}
    changes.append(Change(f"{path}.count", str(pool.count), str(there(pool.count)), meaning))
    return {"count": there(pool.count)}


def _capacity(
    spec: ClusterSpec,
    pool: NodePool,
    path: str,
    instance: InstanceType,
    clouds: tuple[Provider, Provider],
    has_id: bool,
    changes: list[Change],
) -> dict[str, object]:
    """How the nodes are bought there."""
    wish, (source, target) = pool.capacity, clouds
    way = sold_as(target, instance, wish.type, has_id=has_id)
    if way is None:
        return {}
    kept = way is wish.type and (has_id or not wish.type.names_capacity)
    if kept:
        if way is CapacityType.SPOT and CLOUDS[source].spot_notice != CLOUDS[target].spot_notice:
            notice = f"taken back after {CLOUDS[target].spot_notice}, not {CLOUDS[source].spot_notice}"
            changes.append(Change(f"{path}.capacity.type", "spot", "spot", notice))
        return {}
    new = Capacity(type=way)
    if way is CapacityType.FLEX_START:
        new = Capacity(type=way, duration=_flex_duration(spec, wish))
    was = f"{wish.type} {wish.id}" if wish.id else str(wish.type)
    now = f"{way} {format_duration(new.duration)}" if new.duration else str(way)
    changes.append(Change(f"{path}.capacity", was, now, _why_bought_so(target, instance, wish, way)))
    return {"capacity": new}


def _why_bought_so(target: Provider, instance: InstanceType, wish: Capacity, way: CapacityType) -> str:
    refusal = why_not_sold(target, instance, wish.type)
    why = f"'{wish.id}' is capacity of the old place" if wish.type.names_capacity and wish.id else ""
    if refusal is not None:
        why = refusal[0]
    means = {
        CapacityType.ON_DEMAND: "nothing is held for you: it may be sold out",
        CapacityType.SPOT: "it may be taken back at short notice",
        CapacityType.FLEX_START: "queued until all nodes are there, and ended after that time",
        CapacityType.RESERVATION: "reserve the nodes there, and give the id",
        CapacityType.CAPACITY_BLOCK: "buy a block there, and give its id and window",
    }[way]
    return "; ".join(part for part in (why, means) if part)


def _flex_duration(spec: ClusterSpec, wish: Capacity) -> timedelta:
    """As long as the window or the lease, and no longer than a flex start runs."""
    lease = spec.shutdown.lease if spec.shutdown else None
    length = wish.ends - wish.starts if wish.starts and wish.ends else lease
    if not isinstance(length, timedelta) or length <= timedelta(0):
        return _FLEX_DEFAULT
    return min(max(length, FLEX_MIN), FLEX_MAX)
