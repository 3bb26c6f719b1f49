"""Every place where a spec's need can be met, with its price, and why not where not. Pure: catalog alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from .. import catalog
from ..catalog import InstanceType
from ..cost import hours_until
from ..plan.fabric import fabric_of
from ..plan.instances import Machine
from ..spec.models import ClusterSpec
from ..vocabulary import CapacityType, FabricKind, Provider
from .machines import machines_of, node_price, zones_in
from .need import Need, family_of, memory_of, serves, share_of
from .purchase import sold_as

ANY_TYPE = "*"
"""Stands for every type of a cloud in a line that says why it has none."""


@dataclass(frozen=True)
class Offer:
    """One type in one region that meets the need of a pool. None where the tables do not say."""

    pool: str
    provider: Provider
    region: str
    zone: str | None
    """The first zone that offers it."""
    instance_type: str
    attached: str
    """The GPU that is attached to the machine; empty for a machine with GPUs of its own."""
    gpu_model: str
    gpus_per_node: int
    nodes: int
    fabric: FabricKind
    capacity: CapacityType
    """How it can be bought: as the spec wishes where it is sold so, else the nearest way."""
    usd_per_hour: float | None
    usd_per_hour_at_most: float | None
    """What bounds a price that is unknown."""
    usd_per_gpu_hour: float | None
    """For each GPU that the need asks for, so that GPUs that would stand idle count."""
    usd_per_lease: float | None
    as_of: str
    estimate: bool
    note: str


@dataclass(frozen=True)
class Excluded:
    """One type, or a cloud as a whole (ANY_TYPE), and why it does not meet the need of a pool."""

    pool: str
    provider: Provider
    instance_type: str
    reason: str


@dataclass(frozen=True)
class Comparison:
    """Offers in order: the cheapest for a GPU first, those without a price last."""

    offers: tuple[Offer, ...]
    excluded: tuple[Excluded, ...]


def compare(
    spec: ClusterSpec,
    needs: Sequence[Need],
    now: datetime,
    *,
    providers: Sequence[Provider] = tuple(Provider),
    region: str | None = None,
) -> Comparison:
    """The offers of clouds (in one region, where one is named) for each need."""
    lease = hours_until(spec.shutdown.lease if spec.shutdown else None, now)
    places = {p: [r for r in catalog.regions(p) if region in (None, r)] for p in providers}
    # Pools of one kind are compared once.
    known: dict[Need, Comparison] = {}
    offers: list[Offer] = []
    excluded: list[Excluded] = []
    for need in needs:
        alike = replace(need, path="", pool="")
        if alike not in known:
            known[alike] = _compare(places, alike, lease)
        offers += [replace(o, pool=need.pool) for o in known[alike].offers]
        excluded += [replace(e, pool=need.pool) for e in known[alike].excluded]
    return Comparison(tuple(offers), tuple(excluded))


def _compare(places: Mapping[Provider, Sequence[str]], need: Need, lease: float | None) -> Comparison:
    found = [x for provider, regions in places.items() for x in _of_cloud(provider, regions, need, lease)]
    offers = sorted((x for x in found if isinstance(x, Offer)), key=_order)
    return Comparison(tuple(offers), tuple(x for x in found if isinstance(x, Excluded)))


def _order(offer: Offer) -> tuple[bool, float, bool, float, str, str, str]:
    usd, most = offer.usd_per_gpu_hour, offer.usd_per_hour_at_most
    return (
        usd is None,
        usd or 0.0,
        most is None,
        most or 0.0,
        offer.provider,
        offer.region,
        offer.instance_type,
    )


def _of_cloud(
    provider: Provider, regions: Sequence[str], need: Need, lease: float | None
) -> Iterator[Offer | Excluded]:
    families = {family_of(model) for model in need.models}
    kin = [m for m in machines_of(provider) if family_of(m.gpu_model) in families]
    able: list[tuple[Machine, CapacityType]] = []
    for machine in kin:
        way = sold_as(provider, machine.instance, need.capacity)
        reason = why_unfit(need, provider, machine) or ("" if way else "it is sold in no way that a spec can name")
        if reason or way is None:
            yield Excluded(need.pool, provider, _named(machine), reason)
        else:
            able.append((machine, way))
    offers = [o for region in regions for o in _of_region(provider, region, able, need, lease)]
    yield from offers
    yield from _left_over(provider, regions, able, need, offers)
    gone = [
        t for t in catalog.instance_types(provider) if t.gpu_model in need.models and catalog.retired(provider, t.name)
    ]
    yield from (Excluded(need.pool, provider, t.name, _retired(provider, t)) for t in gone)
    if not kin and not gone:
        yield Excluded(need.pool, provider, ANY_TYPE, f"{provider} sells no machine with {' or '.join(need.models)}")


def _of_region(
    provider: Provider, region: str, able: Sequence[tuple[Machine, CapacityType]], need: Need, lease: float | None
) -> Iterator[Offer]:
    """The offers of a region: the machines with the fewest GPUs that are enough."""
    here = [(m, way, z) for m, way in able if (z := zones_in(provider, region, m)) is not None]
    least = min((m.gpus for m, _, _ in here), default=0)
    for machine, way, zones in here:
        if machine.gpus == least:
            yield _offer((provider, region, min(zones) if zones else None), machine, way, need, lease)


def _left_over(
    provider: Provider,
    regions: Sequence[str],
    able: Sequence[tuple[Machine, CapacityType]],
    need: Need,
    offers: Sequence[Offer],
) -> Iterator[Excluded]:
    """The machines that would do and are offered nowhere here, or only beside a smaller one."""
    taken = {(o.instance_type, o.attached, o.gpus_per_node) for o in offers}
    fewest = min((o.gpus_per_node for o in offers), default=0)
    for machine, _ in able:
        if (machine.instance.name, machine.attached, machine.gpus) in taken:
            continue
        reason = "the tables list it in no region"
        if len(regions) == 1:
            reason = f"not offered in {regions[0]}"
        if any(zones_in(provider, region, machine) is not None for region in regions):
            enough = (m.instance for m, _ in able if m.gpus == fewest)
            smaller = min(enough, key=lambda t: (t.vcpus or 0, t.name))
            reason = f"{_gpus(machine.gpus)} a node, and {smaller.name} with {fewest} is enough"
        yield Excluded(need.pool, provider, _named(machine), reason)


def _named(machine: Machine) -> str:
    return (
        f"{machine.instance.name} with {machine.gpus} x {machine.attached}"
        if machine.attached
        else machine.instance.name
    )


def why_unfit(need: Need, provider: Provider, machine: Machine) -> str | None:
    """Why a machine does not meet a need wherever it stands; None where it does."""
    memory = memory_of(machine.gpu_model, machine.instance)
    share = share_of(machine)
    least = need.memory_gib
    if machine.gpu_model not in need.models:
        known = [m for model in need.models if (m := memory_of(model)) is not None]
        least = max((min(known, default=0.0), least or 0.0))
    if least is not None and (memory or 0) < least:
        return f"{machine.gpu_model} has {memory or 0:g} GiB a GPU, and {least:g} are needed"
    if machine.gpus < need.gpus:
        return f"{_gpus(machine.gpus)} a node, and {need.gpus} are asked for"
    if not serves(machine.gpu_model, need.models, need.gpus):
        return f"{machine.gpu_model} has another link between its GPUs than {' or '.join(need.models)}"
    if share is None or (need.share is not None and share < need.share):
        return "what share of a GPU it has is unknown" if share is None else f"its GPU is {share:g} of a card"
    if need.fabric and fabric_of(provider, machine.instance) is FabricKind.NONE:
        return f"no fabric, and the {need.nodes} nodes need one" if need.nodes > 1 else "no fabric, and one is required"
    return None


def _offer(
    where: tuple[Provider, str, str | None], machine: Machine, way: CapacityType, need: Need, lease: float | None
) -> Offer:
    provider, region, zone = where
    nodes = -(-need.total_gpus // machine.gpus)
    price = node_price(provider, region, machine, way)
    hourly = None if price.usd is None else nodes * price.usd
    return Offer(
        pool=need.pool,
        provider=provider,
        region=region,
        zone=zone,
        instance_type=machine.instance.name,
        attached=machine.attached,
        gpu_model=machine.gpu_model,
        gpus_per_node=machine.gpus,
        nodes=nodes,
        fabric=fabric_of(provider, machine.instance),
        capacity=way,
        usd_per_hour=hourly,
        usd_per_hour_at_most=None if price.most is None else nodes * price.most,
        usd_per_gpu_hour=None if hourly is None else hourly / need.total_gpus,
        usd_per_lease=None if hourly is None or lease is None else hourly * lease,
        as_of="" if price.most is None else price.as_of,
        estimate=price.estimate,
        note=price.note,
    )


def _retired(provider: Provider, t: InstanceType) -> str:
    row = catalog.retired(provider, t.name)
    assert row is not None
    when = f" on {row.retired_on}" if row.retired_on else ""
    return f"retired{when}: no longer deployed"


def _gpus(n: int) -> str:
    return "1 GPU" if n == 1 else f"{n} GPUs"
