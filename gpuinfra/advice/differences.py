"""What two plans of one spec mean differently: fabric, local drives, storage service and price."""

from __future__ import annotations

from collections.abc import Iterator

from ..cost import CostEstimate
from ..plan.models import ClusterPlan, Fabric, PoolPlan, StoragePlan
from .change import NOTHING, Change

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
    if new.existing:
        return
    was, now = _service(old), _service(new)
    if was != now:
        notes = new.tier.notes if new.tier else "it grows by itself, and has no size to set"
        yield Change(f"{new.path}.kind", was, now, notes)


def _service(store: StoragePlan) -> str:
    """Kind, tier, size and the speed of the whole."""
    if store.existing:
        return f"{store.kind}, existing"
    speed = store.throughput_mbps_per_tib
    size = f", {store.size_gib:,} GiB" if store.size_gib is not None else ""
    whole = f", {store.size_gib * speed / 1024:,.0f} MB/s in all" if store.size_gib is not None and speed else ""
    return f"{store.kind}{f' {store.tier.tier}' if store.tier else ''}{size}{whole}"


def _price(before: ClusterPlan, after: ClusterPlan, costs: tuple[CostEstimate, CostEstimate]) -> Iterator[Change]:
    old, new = costs
    if {p.name for p in before.pools} != {p.name for p in after.pools}:
        yield Change(COST_PATH, _hourly(old), "unknown", "a pool has no machine there")
        return
    if (_hourly(old), _lease(old)) == (_hourly(new), _lease(new)):
        return
    parts = [_dates(old, new)]
    gpus = [sum(p.wanted * p.gpus_per_node for p in plan.gpu_pools) for plan in (before, after)]
    if all(gpus) and not any(cost.usd_per_hour == 0 or _nodes_unknown(cost) for cost in costs):
        was, now = (f"{cost.usd_per_hour / n:,.2f}" for cost, n in zip(costs, gpus, strict=True))
        parts.insert(0, f"{now} USD a GPU hour{' as before' if was == now else f', not {was}'}")
    missing = [name for name in new.unknown if name not in old.unknown]
    if missing:
        parts.append(f"unknown there: {', '.join(missing)}")
    yield Change(COST_PATH, _hourly(old), _hourly(new), "; ".join(parts))
    if old.usd_per_lease is not None and new.usd_per_lease is not None:
        yield Change(f"{COST_PATH}.lease", _lease(old), _lease(new), f"{new.lease_hours:g} h")


def _nodes_unknown(cost: CostEstimate) -> bool:
    return any(line.usd_per_hour is None and line.unit in ("instance-hour", "GPU-hour") for line in cost.lines)


def _hourly(cost: CostEstimate) -> str:
    if not _nodes_unknown(cost):
        return f"{'at least ' if cost.unknown else ''}{cost.usd_per_hour:,.2f} USD/h"
    nodes = [line for line in cost.lines if line.unit in ("instance-hour", "GPU-hour")]
    if any(line.worst_usd_per_hour is None for line in nodes):
        return "unknown"
    return f"unknown, at most {cost.worst_usd_per_hour:,.2f} USD/h"


def _lease(cost: CostEstimate) -> str:
    if _nodes_unknown(cost) or cost.usd_per_lease is None:
        return "unknown"
    return f"{'at least ' if cost.unknown else ''}{cost.usd_per_lease:,.0f} USD"


def _dates(old: CostEstimate, new: CostEstimate) -> str:
    """The dates of the prices that make most of the two sums."""
    was, now = (cost.main_as_of or "no date" for cost in (old, new))
    return f"prices of {now}" if was == now else f"prices of {was} here, of {now} there"
