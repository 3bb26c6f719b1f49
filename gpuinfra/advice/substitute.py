"""The machine of another place that does what a pool's machine does."""

from __future__ import annotations

from dataclasses import dataclass

from .. import catalog
from ..catalog import Accelerator, InstanceType, Miss
from ..plan.fabric import fabric_of
from ..plan.instances import Machine
from ..vocabulary import CapacityType, FabricKind, Provider
from .machines import machines_of, node_price, zones_in
from .need import family_of, memory_of, serves, share_of
from .purchase import sold_as

# A card of four fifths of the speed is a like one; below that the work takes noticeably longer.
_LIKE_SPEED = 0.8
# A card of twice the memory is the next larger one; beyond that it is another class, at another price.
_LIKE_MEMORY = 2.5
# Whole boards in several nodes live by their fabric; smaller nodes that lose one are said, and not traded for boards.
_WHOLE_BOARD = 8

# General-purpose families that are sold nearly everywhere, the newest first (AWS EC2 User Guide; Compute Engine, machine
# families). A cloud that the tables have no machines without GPUs of has none here.
_GENERAL: dict[Provider, tuple[str, ...]] = {
    Provider.AWS: ("m7i", "m7g", "r7i", "r7g"),
    Provider.GCP: ("n1",),
    Provider.AZURE: ("D_v5",),
}


@dataclass(frozen=True)
class Place:
    """Where machines are looked for. `zone`: all stand in it, where it is named."""

    provider: Provider
    region: str
    zone: str | None


@dataclass(frozen=True)
class Original:
    """What a pool has now, and how much of it."""

    machine: Machine
    provider: Provider
    nodes: int
    fabric: bool
    """The nodes use a fabric."""
    required: bool
    """A fabric is required."""
    capacity: CapacityType
    has_id: bool
    """A reservation of the pool's own can still be used there."""

    @property
    def total_gpus(self) -> int:
        return self.nodes * self.machine.gpus


def is_offered(place: Place, machine: Machine) -> bool:
    """Whether a place has a machine, as far as the tables say."""
    zones = zones_in(place.provider, place.region, machine)
    return zones is not None and (not place.zone or not zones or place.zone in zones)


def gpu_substitute(place: Place, original: Original) -> Machine | None:
    """The machine that is nearest: the same GPU, else one with as much memory; then fabric, purchase, GPUs of a node,
    bandwidth and price. None where no GPU of the place has as much memory."""
    able = [m for m in machines_of(place.provider) if _does(m, original) and is_offered(place, m)]
    return min(able, key=lambda m: _distance(place, original, m), default=None)


def _does(machine: Machine, original: Original) -> bool:
    mine, share = share_of(original.machine), share_of(machine)
    if share is None or (mine is not None and share < mine):
        return machine.instance.name == original.machine.instance.name
    least = memory_of(original.machine.gpu_model, original.machine.instance)
    has = memory_of(machine.gpu_model, machine.instance)
    return machine.gpu_model == original.machine.gpu_model or (has is not None and has >= (least or 0))


def _distance(place: Place, original: Original, machine: Machine) -> tuple[object, ...]:
    had, has = original.machine, machine
    fabric = fabric_of(place.provider, has.instance) is not FabricKind.NONE
    way = sold_as(place.provider, has.instance, original.capacity, has_id=original.has_id)
    nodes = -(-original.total_gpus // has.gpus)
    price = node_price(place.provider, place.region, has, way or original.capacity)
    usd = price.usd if price.usd is not None else price.most
    return (
        original.required and not fabric,
        _kinship(had, has),
        _card_distance(had, has),
        original.fabric and had.gpus >= _WHOLE_BOARD and not fabric,
        way is None or way is not original.capacity,
        has.gpus != had.gpus,
        has.gpus < had.gpus,
        has.gpu_model != had.gpu_model,
        # Where nothing says in which zones it stands, somebody must find out before it can be deployed.
        not zones_in(place.provider, place.region, has),
        _shortfall(had.instance, has.instance) if original.fabric else 0.0,
        _fewer_cpus(had.instance, has.instance),
        usd is None,
        (usd or 0.0) * nodes,
        has.instance.vcpus or 0,
        has.instance.name,
    )


def _kinship(had: Machine, has: Machine) -> int:
    """0: the same GPU, in a form that does; 1: another form of it; 2: another GPU."""
    if has.gpu_model == had.gpu_model:
        return 0
    if family_of(has.gpu_model) != family_of(had.gpu_model):
        return 2
    return 0 if serves(has.gpu_model, (had.gpu_model,), min(had.gpus, has.gpus)) else 1


def _fewer_cpus(had: InstanceType, has: InstanceType) -> float:
    """The share of a node's vCPUs that is missing there, in quarters: clouds bundle other numbers with one GPU, and
    what feeds it needs some."""
    if not had.vcpus or has.vcpus is None:
        return 0.0
    return int(max(0.0, 1 - has.vcpus / had.vcpus) * 4) / 4


def _card_distance(had: Machine, has: Machine) -> tuple[bool, ...]:
    """How far another card is: of another vendor, older, markedly slower, of another class, beside another CPU."""
    one, other = catalog.accelerator(had.gpu_model), catalog.accelerator(has.gpu_model)
    foreign = bool(had.instance.arch and has.instance.arch and had.instance.arch != has.instance.arch)
    if isinstance(one, Miss) or isinstance(other, Miss):
        return (False, False, False, False, foreign)
    mine, theirs = one.memory_gib, other.memory_gib
    larger = mine is not None and theirs is not None and theirs > _LIKE_MEMORY * mine
    return (one.vendor != other.vendor, _is_older(one, other), _is_slower(one, other), larger, foreign)


def _is_older(one: Accelerator, other: Accelerator) -> bool:
    """Whether the other is generations back, so that a container may hold no code for it (compute capability 7 after 8)."""
    mine, theirs = (a.compute_capability.partition(".")[0] for a in (one, other))
    return mine.isdigit() and theirs.isdigit() and int(theirs) < int(mine)


def _is_slower(one: Accelerator, other: Accelerator) -> bool:
    """A speed that is unknown is taken for a like one."""
    mine, theirs = one.fp16_dense_tflops, other.fp16_dense_tflops
    return mine is not None and theirs is not None and theirs < _LIKE_SPEED * mine


def _shortfall(had: InstanceType, has: InstanceType) -> float:
    """The share of the fabric's bandwidth that is missing there, in tenths: small differences are none."""
    mine, theirs = had.fabric_gbps or had.network_gbps, has.fabric_gbps or has.network_gbps
    if not mine or not theirs:
        return 0.0
    return round(max(0.0, 1 - theirs / mine), 1)


def cpu_substitute(provider: Provider, had: InstanceType) -> InstanceType | None:
    """The smallest machine without GPUs that has as many vCPUs and as much memory; None where the tables cannot say."""
    if had.vcpus is None or had.memory_gib is None:
        return None
    for family in _GENERAL.get(provider, ()):
        sizes = [t for t in _sizes(provider, family) if t.arch == (had.arch or t.arch)]
        fits = [t for t in sizes if _holds(t, had.vcpus, had.memory_gib)]
        if fits:
            return min(fits, key=lambda t: (t.vcpus or 0, t.memory_gib or 0, t.name))
    return None


def _sizes(provider: Provider, family: str) -> list[InstanceType]:
    return [t for t in catalog.cpu_instance_types(provider) if t.family == family]


def _holds(t: InstanceType, vcpus: int, memory_gib: float) -> bool:
    # n1-standard has 3.75 GiB a vCPU where others have 4: that much less is the same size.
    return t.vcpus is not None and t.memory_gib is not None and t.vcpus >= vcpus and t.memory_gib >= 0.9 * memory_gib
