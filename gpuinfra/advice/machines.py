"""The machines with GPUs of a cloud, where each is offered, and what one costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .. import catalog
from ..cost import unit_price
from ..plan.instances import Machine, attaching_machines, sold_types
from ..plan.zones import offered_in
from ..vocabulary import CapacityType, Provider

_ATTACHING = frozenset({Provider.GCP})


def machines_of(provider: Provider) -> Iterator[Machine]:
    """Every machine with GPUs that a cloud still deploys; of GPUs that are attached, one for each number of them."""
    for t in sold_types(provider):
        yield Machine(t, t.gpu_model, t.gpu_count)
    if provider in _ATTACHING:
        yield from attaching_machines(provider)


def listed_as(machine: Machine) -> str:
    """The name by which zones and regions list a machine: its type's, or that of what is attached to it."""
    return f"accelerator:{machine.attached}" if machine.attached else machine.instance.name


def zones_in(provider: Provider, region: str, machine: Machine) -> tuple[str, ...] | None:
    """The zones of a region that offer a machine; empty where they are unknown, None where the region has it not."""
    return offered_in(provider, region, listed_as(machine))


@dataclass(frozen=True)
class NodePrice:
    """What one node costs an hour, with the GPUs that are attached to it. `most` bounds a price that is unknown."""

    usd: float | None
    most: float | None
    as_of: str
    estimate: bool
    note: str


def node_price(provider: Provider, region: str, machine: Machine, capacity: CapacityType) -> NodePrice:
    """The price of a node bought in one way."""
    found = _price(provider, region, machine.instance.name, capacity)
    if not machine.attached:
        return found
    each = _price(provider, region, f"accelerator:{machine.attached}", capacity)
    return NodePrice(
        None if found.usd is None or each.usd is None else found.usd + machine.gpus * each.usd,
        None if found.most is None or each.most is None else found.most + machine.gpus * each.most,
        # Of two dates the older: the sum is no newer than that.
        min(found.as_of, each.as_of),
        found.estimate or each.estimate,
        found.note or each.note,
    )


def _price(provider: Provider, region: str, name: str, capacity: CapacityType) -> NodePrice:
    price = catalog.price(provider, region, name)
    if price is None:
        return NodePrice(None, None, "", False, f"the tables have no price for {name} in {region}")
    one = unit_price(price, capacity)
    return NodePrice(one.usd, one.worst, one.as_of, price.estimate, one.note)
