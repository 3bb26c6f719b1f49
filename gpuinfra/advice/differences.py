"""What two plans of one spec mean differently: fabric, local drives, storage service and price."""

from __future__ import annotations

from collections.abc import Iterator

from ..cost import CostEstimate
from ..plan.models import ClusterPlan, Fabric, PoolPlan, StoragePlan
from .change import NOTHING, Change

_ALIKE = 0.05

COST_PATH = "cost"
"""The path of a change in what the cluster costs, which is no field of the spec."""


def differences(before: ClusterPlan, after: ClusterPlan, costs: tuple[CostEstimate, CostEstimate]) -> Iterator[Change]:
    """What follows from a move beside the fields that it changed."""
    for pool in after.pools:
        old = before.pool(pool.name)
        if old is not None:
            yield from _pool(old, pool)
    stores = {s.name: s for s in before.storage}
    for store in after.storage:
        if store.name in stores:
            yield from _storage(stores[store.name], store)
    if (before.provider, before.region) != (after.provider, after.region):
        yield from _price(before, after, costs)


def _pool(old: PoolPlan, new: PoolPlan) -> Iterator[Change]:
    if (old.fabric.kind, old.fabric.gbps) != (new.fabric.kind, new.fabric.gbps):
        yield Change(f"{new.path}.fabric", _fabric(old.fabric), _fabric(new.fabric), _bandwidth(old, new))
    mine, theirs = old.local_nvme, new.local_nvme
    if (mine.mode, mine.total_gb) != (theirs.mode, theirs.total_gb) and (mine.mount or theirs.mount):
        was, now = (f"{n.mode} {n.total_gb:,.0f} GB" if n.mount and n.total_gb else NOTHING for n in (mine, theirs))
        yield Change(f"{new.path}.local_nvme", was, now, "the drives of a node")


def _fabric(fabric: Fabric) -> str:
    if not fabric.present:
        return NOTHING
    return f"{fabric.kind}{f' {fabric.gbps:g} Gbps' if fabric.gbps else ''}"


def _bandwidth(old: PoolPlan, new: PoolPlan) -> str:
    if not new.fabric.present:
        return "collectives go over the ordinary network"
    mine, theirs = _each(old), _each(new)
    if mine is None or theirs is None:
        return "another class of fabric: other libraries and settings, which the image must hold"
    return f"{theirs:g} Gbps a GPU, not {mine:g}" if mine != theirs else f"{theirs:g} Gbps a GPU as before"


def _each(pool: PoolPlan) -> float | None:
    """Gbps of the fabric for each GPU."""
    return pool.fabric.gbps / pool.gpus_per_node if pool.fabric.gbps and pool.gpus_per_node else None


def _storage(old: StoragePlan, new: StoragePlan) -> Iterator[Change]:
    was, now = _service(old), _service(new)
    if was == now or not (old.tier or new.tier):
        return
    if new.tier is None:
        meaning = "it grows by itself, and has no size to set"
    elif old.tier is None and not old.existing:
        meaning = "its size is paid for whether it is used or not"
    else:
        mine, theirs = _speed(old), _speed(new)
        ratio = theirs / mine if mine and theirs else None
        meaning = "another service" if ratio is None else f"{ratio:.2g} times the speed"
        if ratio is not None and abs(ratio - 1) < _ALIKE:
            meaning = "as fast as before"
    yield Change(f"{new.path}.kind", was, now, meaning)


def _speed(store: StoragePlan) -> float | None:
    """MB/s of the whole, where size and class say it."""
    speed = store.throughput_mbps_per_tib
    return store.size_gib * speed / 1024 if store.size_gib is not None and speed else None


def _service(store: StoragePlan) -> str:
    """Kind, tier, size and the speed of the whole."""
    if store.existing:
        return f"{store.kind}, existing"
    speed = _speed(store)
    size = f", {store.size_gib:,} GiB" if store.size_gib is not None else ""
    whole = f", {speed:,.0f} MB/s in all" if speed else ""
    return f"{store.kind}{f' {store.tier.tier}' if store.tier else ''}{size}{whole}"


def _price(before: ClusterPlan, after: ClusterPlan, costs: tuple[CostEstimate, CostEstimate]) -> Iterator[Change]:
    old, new = costs
    here, there = ({p.name for p in plan.pools} for plan in (before, after))
    if here != there:
        whole_here, whole_there = here >= there, there >= here
        yield Change(
            COST_PATH,
            _hourly(old) if whole_here else "unknown",
            _hourly(new) if whole_there else "unknown",
            f"a pool has no machine {'there' if whole_here else 'here'}",
        )
        return
    parts = [_dates(old, new)]
    gpus = [sum(p.wanted * p.gpus_per_node for p in plan.gpu_pools) for plan in (before, after)]
    if all(gpus) and not old.unknown_nodes and not new.unknown_nodes:
        was, now = (f"{cost.usd_per_hour / n:,.2f}" for cost, n in zip(costs, gpus, strict=True))
        parts.insert(0, f"{now} USD a GPU hour{' as before' if was == now else f', not {was}'}")
    for where, cost in (("here", old), ("there", new)):
        if cost.unknown:
            parts.append(f"unknown {where}: {', '.join(cost.unknown)}")
    yield Change(COST_PATH, _hourly(old), _hourly(new), "; ".join(parts))
    if old.usd_per_lease is not None and new.usd_per_lease is not None:
        yield Change(f"{COST_PATH}.lease", _lease(old), _lease(new), f"{new.lease_hours:g} h")


def _hourly(cost: CostEstimate) -> str:
    if _nodes_are_known(cost):
        return f"{_at_least(cost)}{cost.usd_per_hour:,.2f} USD/h"
    return "unknown" if cost.unbounded else f"unknown, at most {cost.worst_usd_per_hour:,.2f} USD/h"


def _lease(cost: CostEstimate) -> str:
    known = _nodes_are_known(cost) and cost.usd_per_lease is not None
    return f"{_at_least(cost)}{cost.usd_per_lease:,.0f} USD" if known else "unknown"


def _nodes_are_known(cost: CostEstimate) -> bool:
    """Whether the price of some nodes is known: without one the sum says nothing of the cluster."""
    return any(line.of_nodes and line.usd_per_hour is not None for line in cost.lines)


def _at_least(cost: CostEstimate) -> str:
    return "at least " if cost.unknown or cost.left_out else ""


def _dates(old: CostEstimate, new: CostEstimate) -> str:
    """The dates of the prices that make most of the two sums."""
    was, now = (cost.main_as_of or "no date" for cost in (old, new))
    return f"prices of {now}" if was == now else f"prices of {was} here, of {now} there"
