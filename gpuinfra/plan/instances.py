"""Which machine a pool gets: the type that is named, or the one that has the GPUs asked for."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

from .. import catalog
from ..catalog import AttachedAccelerator, InstanceType, Miss
from ..diagnostics import Collector, did_you_mean, nearest
from ..spec.locations import AwsLocation, AzureLocation, GcpLocation
from ..spec.models import AcceleratorRequest, NodePool
from ..vocabulary import FabricKind, FabricWish, Provider
from . import findings as f
from .models import Decision

_FIRST_VCPUS_PER_ATTACHED_GPU = 8
_WHOLE_BOARD = 8

Location = AwsLocation | GcpLocation | AzureLocation


@dataclass(frozen=True)
class Machine:
    """A machine and its GPUs. `attached` is the accelerator type to attach, where the machine takes GPUs of choice."""

    instance: InstanceType
    gpu_model: str
    gpus: int
    attached: str = ""


def choose_machine(
    provider: Provider, location: Location, pool: NodePool, path: str, out: Collector
) -> tuple[Machine | None, Decision | None]:
    """The machine of a pool and the decision behind it; None where the findings say why not."""
    if pool.instance_type is None and pool.accelerator is None:
        out.add(f.NO_TYPE.at(path, f"pool '{pool.name}' says neither instance_type nor accelerator"))
        return None, None
    if pool.instance_type is not None:
        machine = _named(provider, location.zone, pool, path, out)
        return machine, _decision_of_named(machine, path) if machine else None
    assert pool.accelerator is not None
    return _by_accelerator(provider, location.region, pool, pool.accelerator, path, out)


def _decision_of_named(machine: Machine, path: str) -> Decision:
    i = machine.instance
    gpus = f"{machine.gpus} x {machine.gpu_model}" if machine.gpus else "no GPU"
    vcpus = "vCPUs unknown" if i.vcpus is None else f"{i.vcpus} vCPU"
    memory = "memory unknown" if i.memory_gib is None else f"{i.memory_gib:g} GiB"
    size = f"{vcpus}, {memory}"
    return Decision(f"{path}.instance_type", i.name, f"named in the spec: {gpus}, {size}")


def _named(provider: Provider, zone: str | None, pool: NodePool, path: str, out: Collector) -> Machine | None:
    name = pool.instance_type or ""
    where = f"{path}.instance_type"
    gone = catalog.retired(provider, name)
    if gone:
        out.add(
            f.RETIRED_TYPE.at(
                where,
                f"'{name}' was retired{f' on {gone.retired_on}' if gone.retired_on else ''} and is no longer deployed",
                f"take {gone.instead}" if gone.instead else "",
            )
        )
        return None
    row = catalog.instance_type(provider, name)
    if isinstance(row, Miss) or _is_pseudo(name):
        near = row.nearest if isinstance(row, Miss) else ()
        guess = f"did you mean {' or '.join(near)}? " if near else ""
        owner, other = _other_owner(provider, name), _other_accelerator(provider, name)
        if owner:
            guess = f"it is a type of {owner}. "
        if other:
            guess = f"its machines carry {other} and no GPU, and clusters of GPUs are what is made here. "
        out.add(
            f.UNKNOWN_TYPE.at(
                where,
                f"'{name}' is not a known instance type of {provider}",
                f"{guess}List the types: gpuinfra instances --provider {provider}",
            )
        )
        return None
    wanted = pool.accelerator
    if _takes_attached(row):
        return _attach(row, wanted, zone, path, out) if wanted else Machine(row, "", 0)
    if wanted and not _same_gpus(row, wanted):
        has = f"{row.gpu_count} x {row.gpu_model}" if row.has_gpu else "no GPU"
        out.add(
            f.ACCELERATOR_MISMATCH.at(
                f"{path}.accelerator", f"{name} has {has}, and the spec asks for {wanted.count} x {wanted.model}"
            )
        )
        return None
    return Machine(row, row.gpu_model, row.gpu_count)


def _other_owner(provider: Provider, name: str) -> Provider | None:
    """The other cloud that sells a type of that name, or that names its types so."""
    found = [
        (not row.known, other)
        for other in Provider
        if other is not provider and isinstance(row := catalog.instance_type(other, name), InstanceType)
    ]
    return min(found)[1] if found else None


def _other_accelerator(provider: Provider, name: str) -> str:
    rows = catalog.rows("other_accelerators", provider.value)
    return next((r["accelerator"] for r in rows if fnmatchcase(name, r["pattern"])), "")


def _is_pseudo(name: str) -> bool:
    # Price rows such as accelerator:nvidia-tesla-t4 and n1+nvidia-tesla-t4:1 are no machines that an API takes.
    return ":" in name or "+" in name


def _takes_attached(row: InstanceType) -> bool:
    return row.family == "n1" and bool(catalog.attached_accelerators())


def _same_gpus(row: InstanceType, wanted: AcceleratorRequest) -> bool:
    memory_fits = (
        wanted.memory_gib is None or row.gpu_memory_gib is None or row.gpu_memory_gib >= wanted.memory_gib * 0.9
    )
    return row.gpu_model in models_of(wanted.model) and row.gpu_count == wanted.count and memory_fits


def models_of(word: str) -> tuple[str, ...]:
    """GPU models that a word stands for: the model itself, or the whole family of a shorter word (H100)."""
    norm = word.strip().upper().replace("_", "-").replace(" ", "-").removeprefix("NVIDIA-").removeprefix("AMD-")
    known = [a.model for a in catalog.accelerators()]
    if norm in known:
        return (norm,)
    return tuple(m for m in known if m.startswith(norm + "-"))


def _attach(
    row: InstanceType, wanted: AcceleratorRequest, zone: str | None, path: str, out: Collector
) -> Machine | None:
    where = f"{path}.accelerator"
    models = models_of(wanted.model)
    rows = [a for a in catalog.attached_accelerators() if a.gpu_model in models]
    if not rows:
        takes = sorted({a.gpu_model for a in catalog.attached_accelerators()})
        out.add(
            f.ATTACHED_LIMIT.at(
                f"{where}.model",
                f"'{wanted.model}' cannot be attached to {row.name}",
                f"{did_you_mean(wanted.model, takes)} It takes {', '.join(takes)}.".strip(),
            )
        )
        return None
    fit = next((a for a in rows if a.gpu_count == wanted.count), None)
    if not fit:
        counts = ", ".join(str(a.gpu_count) for a in rows)
        out.add(
            f.ATTACHED_LIMIT.at(
                f"{where}.count", f"{wanted.count} x {wanted.model} is not sold", f"take one of: {counts}"
            )
        )
        return None
    most_vcpus, most_gb = fit.limits_in(zone) if zone else (fit.max_vcpus, fit.max_memory_gb)
    if row.vcpus is not None and row.vcpus > most_vcpus:
        out.add(
            f.ATTACHED_LIMIT.at(
                f"{path}.instance_type",
                f"{row.name} has {row.vcpus} vCPUs, and with {fit.gpu_count} x {fit.gpu_model} the limit is "
                f"{most_vcpus} vCPU",
                f"take a machine of at most {most_vcpus} vCPUs, or more GPUs",
            )
        )
        return None
    if row.memory_gib is not None and row.memory_gib > most_gb:
        out.add(
            f.ATTACHED_LIMIT.at(
                f"{path}.instance_type",
                f"{row.name} has {row.memory_gib:g} GB, and with {fit.gpu_count} x {fit.gpu_model} the limit is "
                f"{most_gb:g} GB",
                f"take a machine of at most {most_gb:g} GB, or more GPUs",
            )
        )
        return None
    return Machine(row, fit.gpu_model, fit.gpu_count, fit.accelerator_type)


def _by_accelerator(
    provider: Provider, region: str, pool: NodePool, wanted: AcceleratorRequest, path: str, out: Collector
) -> tuple[Machine | None, Decision | None]:
    where = f"{path}.accelerator"
    models = models_of(wanted.model)
    if not models:
        known = [a.model for a in catalog.accelerators()]
        near = nearest(wanted.model, sorted({m.split("-")[0] for m in known} | set(known)))
        guess = f"did you mean {' or '.join(near)}? " if near else ""
        out.add(
            f.UNKNOWN_GPU.at(
                f"{where}.model", f"'{wanted.model}' is not a known GPU model", f"{guess}List them: gpuinfra gpus"
            )
        )
        return None, None
    sold = [t for t in sold_types(provider) if t.gpu_model in models and t.gpu_fraction == 1]
    if not sold:
        machine = _n1_for(provider, models, wanted)
        if machine:
            reason = (
                f"{wanted.count} x {machine.gpu_model} is attached to an N1 machine of {machine.instance.vcpus} vCPU"
            )
            return machine, Decision(f"{path}.instance_type", machine.instance.name, reason)
        types = [t for t in catalog.instance_types(provider) if t.gpu_model]
        own = sorted({t.gpu_model for t in types if not catalog.retired(provider, t.name)})
        gone = sorted(t.name for t in types if t.gpu_model in models and catalog.retired(provider, t.name))
        near = nearest(wanted.model, own)
        out.add(
            f.GPU_NOT_SOLD.at(
                f"{where}.model",
                f"{provider} sells no machine with {wanted.model}"
                + (f" any more ({', '.join(gone[:3])} retired)" if gone else ""),
                f"nearest here: {', '.join(near)}" if near else f"it sells {', '.join(own)}",
            )
        )
        return None, None
    return _pick(provider, region, pool, wanted, sold, path, out)


def sold_types(provider: Provider) -> list[InstanceType]:
    """The machines with GPUs of their own that a cloud still deploys."""
    types = catalog.instance_types(provider)
    return [t for t in types if not _is_pseudo(t.name) and not catalog.retired(provider, t.name)]


def attaching_machines(provider: Provider) -> list[Machine]:
    """A machine for each number of each GPU that a cloud attaches to machines of choice."""
    found = [_attaching(provider, row) for row in catalog.attached_accelerators()]
    return [machine for machine in found if machine is not None]


def _n1_for(provider: Provider, models: tuple[str, ...], wanted: AcceleratorRequest) -> Machine | None:
    for row in catalog.attached_accelerators():
        machine = _attaching(provider, row) if row.gpu_model in models and row.gpu_count == wanted.count else None
        if machine:
            return machine
    return None


def _attaching(provider: Provider, row: AttachedAccelerator) -> Machine | None:
    vcpus = min(_FIRST_VCPUS_PER_ATTACHED_GPU * row.gpu_count, row.max_vcpus)
    machine = catalog.instance_type(provider, f"n1-standard-{vcpus}")
    if isinstance(machine, InstanceType) and machine.known:
        return Machine(machine, row.gpu_model, row.gpu_count, row.accelerator_type)
    return None


def _pick(
    provider: Provider,
    region: str,
    pool: NodePool,
    wanted: AcceleratorRequest,
    sold: list[InstanceType],
    path: str,
    out: Collector,
) -> tuple[Machine | None, Decision | None]:
    where = f"{path}.accelerator"
    fits = [t for t in sold if t.gpu_count == wanted.count]
    if not fits:
        counts = ", ".join(str(n) for n in sorted({t.gpu_count for t in sold}))
        out.add(
            f.GPU_NOT_SOLD.at(
                f"{where}.count",
                f"{provider} has no machine with {wanted.count} x {wanted.model}",
                f"it sells {wanted.model} in nodes of {counts}",
            )
        )
        return None, None
    if wanted.memory_gib is not None:
        with_memory = [t for t in fits if (card_memory(t) or 0) >= wanted.memory_gib]
        if not with_memory:
            have = ", ".join(sorted({f"{card_memory(t):g}" for t in fits if card_memory(t)}))
            out.add(
                f.GPU_NOT_SOLD.at(
                    f"{where}.memory_gib",
                    f"no {wanted.model} of {provider} has {wanted.memory_gib:g} GiB",
                    f"cards here have {have} GiB" if have else "",
                )
            )
            return None, None
        least = min(card_memory(t) or 0 for t in with_memory)
        fits = [t for t in with_memory if card_memory(t) == least]
    cards = sorted({t.gpu_model for t in fits})
    if len(cards) > 1:
        listed = "; ".join(f"{m} ({', '.join(t.name for t in fits if t.gpu_model == m)})" for m in cards)
        out.add(
            f.AMBIGUOUS_GPU.at(
                f"{where}.model",
                f"'{wanted.model}' stands for several cards here: {listed}",
                f"name the card, as model: {cards[0]}, or add memory_gib, or name the instance type",
            )
        )
        return None, None
    here = [t for t in fits if catalog.zones(provider, region, t.name) is not None] or fits
    bought = [t for t in here if _sold_so(provider, t, pool)] or here
    return _cheapest(provider, region, _with_fabric(pool, bought), path)


def _with_fabric(pool: NodePool, types: list[InstanceType]) -> list[InstanceType]:
    """The types that have a fabric, where one is required, or where whole boards in several nodes would want it."""
    several = pool.count != 1
    boards = all(t.gpu_count >= _WHOLE_BOARD for t in types)
    wanted = pool.fabric is FabricWish.REQUIRED or (pool.fabric is FabricWish.AUTO and several and boards)
    having = [t for t in types if t.fabric is not FabricKind.NONE]
    return having if wanted and having else types


def card_memory(t: InstanceType) -> float | None:
    """Memory of one of its GPUs, in GiB, as the card's own page says it."""
    card = catalog.accelerator(t.gpu_model)
    return t.gpu_memory_gib if isinstance(card, Miss) else card.memory_gib or t.gpu_memory_gib


def _sold_so(provider: Provider, t: InstanceType, pool: NodePool) -> bool:
    option = catalog.purchase_option(provider, t.name, pool.capacity.type)
    return option is None or option.supported


def _cheapest(provider: Provider, region: str, types: list[InstanceType], path: str) -> tuple[Machine, Decision]:
    def key(t: InstanceType) -> tuple[bool, float, int, str]:
        row = catalog.price(provider, region, t.name)
        usd = row.on_demand_usd_hour if row else None
        return (usd is None, usd or 0.0, t.vcpus or 0, t.name)

    ranked = sorted(types, key=key)
    best = ranked[0]
    row = catalog.price(provider, region, best.name)
    why = f"{best.gpu_count} x {best.gpu_model}"
    if len(ranked) > 1 and row and row.on_demand_usd_hour is not None:
        why += f"; cheapest of {len(ranked)} here at {row.on_demand_usd_hour:.2f} USD/h ({row.as_of or 'undated'})"
    elif len(ranked) > 1:
        why += f"; smallest of {len(ranked)} (no price known here)"
    others = [t.name for t in ranked[1:]]
    if others:
        why += f"; also: {', '.join(others[:6])}{' …' if len(others) > 6 else ''}"
    return Machine(best, best.gpu_model, best.gpu_count), Decision(f"{path}.instance_type", best.name, why)
