"""Cost lines of the nodes: the instances, GPUs that are priced apart, root volumes and public addresses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .. import catalog
from ..catalog import Price
from ..plan.models import ClusterPlan, PoolPlan
from ..vocabulary import CapacityType
from .units import CostLine, Metered, service_line

_RESERVED = "a reservation bills whether its nodes run or not; shown at the on-demand list price, the upper bound"
_BLOCK = (
    "a capacity block is paid up front, at a price fixed when it is bought, which no table holds; "
    "the worst case is the on-demand list price"
)
_FLEX = "flex-start has a price of its own, which the tables lack; the worst case is the on-demand list price"


@dataclass(frozen=True)
class _UnitPrice:
    """The price of one instance for an hour, and the most it can be."""

    usd: float | None
    worst: float | None
    as_of: str
    note: str


def node_lines(plan: ClusterPlan, pool: PoolPlan) -> Iterator[CostLine]:
    """What the nodes of a pool cost: everything here ends when they are gone."""
    yield _instances(plan, pool)
    if pool.attached_accelerator:
        yield _attached_gpus(plan, pool)
    if not pool.root_on:
        yield _root_volumes(plan, pool)
    if pool.public_ip:
        yield _addresses(plan, pool)


def _instances(plan: ClusterPlan, pool: PoolPlan) -> CostLine:
    name = pool.instance.name
    price = catalog.price(plan.provider, plan.region, name)
    missing = f"the tables have no price for {name} in {plan.region}"
    return _compute_line(plan, pool, (f"{pool.name} nodes ({name})", "instance-hour", 1), price, missing)


def _attached_gpus(plan: ClusterPlan, pool: PoolPlan) -> CostLine:
    # Google sells the GPUs of N1 apart from the machine: two prices, two lines.
    kind = pool.attached_accelerator
    price = catalog.price(plan.provider, plan.region, f"accelerator:{kind}")
    missing = f"the tables have no price for {kind} in {plan.region}"
    return _compute_line(plan, pool, (f"{pool.name} GPUs ({kind})", "GPU-hour", pool.gpus_per_node), price, missing)


def _compute_line(
    plan: ClusterPlan, pool: PoolPlan, what: tuple[str, str, int], price: Price | None, missing: str
) -> CostLine:
    name, unit, per_node = what
    quantity, most = pool.wanted * per_node, pool.count_max * per_node
    window = _block_hours(plan, pool)
    one = _unit_price(price, pool.capacity.type) if price else _UnitPrice(None, None, "", missing)
    return CostLine(
        name=name,
        path=pool.path,
        quantity=quantity,
        unit=unit,
        unit_price_usd=one.usd,
        usd_per_hour=None if one.usd is None else quantity * one.usd,
        worst_usd_per_hour=None if one.worst is None else most * one.worst,
        as_of=one.as_of,
        source=price.source if price else "",
        estimate=bool(price and price.estimate),
        note="; ".join(n for n in (one.note, _derived(price), _range(pool)) if n),
        ends_with_nodes=pool.capacity.type is not CapacityType.RESERVATION,
        hours_at_most=window,
    )


def _block_hours(plan: ClusterPlan, pool: PoolPlan) -> float | None:
    """Hours of a capacity block that are still to come; None where the pool has no such window."""
    capacity = pool.capacity
    if capacity.type is not CapacityType.CAPACITY_BLOCK or capacity.starts is None or capacity.ends is None:
        return None
    return max(0.0, (capacity.ends - max(capacity.starts, plan.now)).total_seconds() / 3600)


def _unit_price(price: Price, capacity: CapacityType) -> _UnitPrice:
    on_demand = price.on_demand_usd_hour
    no_list_price = "" if on_demand is not None else "the tables have no on-demand price for it"
    match capacity:
        case CapacityType.ON_DEMAND:
            return _UnitPrice(on_demand, on_demand, price.as_of, no_list_price)
        case CapacityType.RESERVATION:
            return _UnitPrice(on_demand, on_demand, price.as_of, no_list_price or _RESERVED)
        case CapacityType.CAPACITY_BLOCK:
            return _UnitPrice(None, on_demand, price.as_of, _BLOCK)
        case CapacityType.FLEX_START:
            return _UnitPrice(None, on_demand, price.as_of, _FLEX)
        case CapacityType.SPOT:
            return _spot(price)


def _spot(price: Price) -> _UnitPrice:
    if price.spot_usd_hour is not None and not price.spot_weak:
        return _UnitPrice(price.spot_usd_hour, price.spot_usd_hour, price.spot_as_of or price.as_of, "")
    why = (
        "the spot figure of the source is a floor or ceiling and no market price"
        if price.spot_weak
        else "the tables have no spot price for it"
    )
    if price.on_demand_usd_hour is not None:
        why += "; the worst case is the on-demand list price"
    return _UnitPrice(None, price.on_demand_usd_hour, price.as_of, why)


def _derived(price: Price | None) -> str:
    return f"an estimate: {price.estimate_method or 'derived and not read'}" if price and price.estimate else ""


def _range(pool: PoolPlan) -> str:
    if pool.count_min == pool.count_max:
        return ""
    return f"from {pool.count_min} to {pool.count_max} nodes; the worst case counts {pool.count_max}"


def _root_volumes(plan: ClusterPlan, pool: PoolPlan) -> CostLine:
    size = pool.node_image.root_gib
    what = Metered(
        f"{pool.name} root volumes",
        pool.path,
        pool.wanted * size,
        pool.count_max * size,
        "GiB-month",
        ends_with_nodes=True,
        note=f"{size} GiB a node",
    )
    return service_line(what, catalog.service_price(plan.provider, "block", "root", plan.region))


def _addresses(plan: ClusterPlan, pool: PoolPlan) -> CostLine:
    what = Metered(
        f"{pool.name} public addresses", pool.path, pool.wanted, pool.count_max, "address-hour", ends_with_nodes=True
    )
    return service_line(what, catalog.service_price(plan.provider, "address", "ipv4", plan.region))
