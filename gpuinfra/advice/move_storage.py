"""Shared storage in another place: the cloud's own tiers and sizes, and new where the old one stays behind."""

from __future__ import annotations

from dataclasses import dataclass

from .. import catalog
from ..catalog import StorageTier
from ..plan.storage import fitting_size
from ..spec.models import Storage
from ..spec.quantities import MAX_SIZE_GIB, parse_size_gib
from ..vocabulary import Provider, StorageKind
from .change import NOTHING, Change


def move_storage(
    store: Storage,
    path: str,
    clouds: tuple[Provider, Provider],
    region: str,
    left: tuple[bool, bool],
    changes: list[Change],
) -> Storage:
    """The storage there. `left`: whether the region, and whether the zone, is another."""
    source, target = clouds
    abroad, (region_left, zone_left) = source is not target, left
    update: dict[str, object] = {}
    # Objects are read from another region of the same cloud, slowly and at a price; a file system is not.
    stays = store.kind is StorageKind.BUCKET and not abroad
    if store.existing and (abroad or (region_left and not stays)):
        update["existing"] = None
        changes.append(
            Change(
                f"{path}.existing", store.existing, NOTHING, "it stays in the old place: new and empty; copy the data"
            )
        )
    elif store.existing and region_left:
        meaning = "read from another region: slower, and the traffic is billed; the bucket may stand elsewhere already"
        changes.append(Change(f"{path}.existing", store.existing, store.existing, meaning))
    if store.import_from and region_left:
        update["import_from"] = None
        where = "a bucket of another cloud" if abroad else "a bucket that may stand in another region"
        changes.append(
            Change(
                f"{path}.import_from",
                store.import_from,
                NOTHING,
                f"{where}: copy the files to one there, and name that",
            )
        )
    if store.zone and zone_left:
        update["zone"] = None
        changes.append(Change(f"{path}.zone", store.zone, NOTHING, "the nodes' zone is taken"))
    made = update.get("existing", store.existing) is None
    if made and (abroad or store.existing):
        update |= _fitted(store, path, target, region, changes)
    return store.model_copy(update=update)


@dataclass(frozen=True)
class _Choice:
    """A tier with the size that holds what is wanted."""

    tier: StorageTier
    size: int

    @property
    def throughput(self) -> float:
        """MB/s of the whole, as its size and class give it."""
        return self.size / 1024 * (self.tier.throughput_mbps_per_tib or 0)


def _fitted(store: Storage, path: str, target: Provider, region: str, changes: list[Change]) -> dict[str, object]:
    """Size and throughput in the steps of the target, never less than before."""
    tiers = catalog.storage_tiers(target, store.kind)
    if not tiers:
        if store.size_gib is not None and store.kind is not StorageKind.BUCKET:
            changes.append(
                Change(
                    f"{path}.size_gib", f"{store.size_gib:g}", "grows by itself", "the service there has no size to set"
                )
            )
        return {}
    best = _best(tiers, store, target, region)
    if best is None:
        return {}
    update: dict[str, object] = {}
    speed = best.tier.throughput_mbps_per_tib
    if speed is not None and store.throughput_mbps_per_tib not in (None, speed):
        update["throughput_mbps_per_tib"] = speed
        slower = speed < (store.throughput_mbps_per_tib or 0)
        why = "the fastest class there" if slower else "the class there that holds size and speed at the least cost"
        meaning = f"{why}: {best.throughput:,.0f} MB/s in all"
        changes.append(
            Change(f"{path}.throughput_mbps_per_tib", str(store.throughput_mbps_per_tib), str(speed), meaning)
        )
    if best.size != store.size_gib:
        update["size_gib"] = parse_size_gib(best.size)
        if store.size_gib is None:
            was, meaning = "not named", f"storage of {target} has a size, and none is named: the smallest"
        else:
            step = f"from {best.tier.min_gib} in steps of {best.tier.step_gib}"
            was, meaning = f"{store.size_gib:g}", f"the sizes there go {step}"
        changes.append(Change(f"{path}.size_gib", was, str(best.size), meaning))
    return update


def _best(tiers: tuple[StorageTier, ...], store: Storage, target: Provider, region: str) -> _Choice | None:
    size, speed = store.size_gib or 0, store.throughput_mbps_per_tib
    if speed is None:
        # Without a class the plan takes the default tier.
        first = next((t for t in tiers if t.default), tiers[0])
        able = [t for t in tiers if t.tier == first.tier]
    else:
        fast = [t for t in tiers if (t.throughput_mbps_per_tib or 0) >= speed]
        fastest = max((t.throughput_mbps_per_tib or 0) for t in tiers)
        able = fast or [t for t in tiers if t.throughput_mbps_per_tib == fastest]
    choices = [_Choice(t, s) for t in able if (s := fitting_size(t, size)) is not None and s <= MAX_SIZE_GIB]
    prices = [_gib_price(c.tier, target, region) for c in choices]
    # Where a price is unknown, size and speed stand for it: the clouds price by both.
    known = all(p is not None for p in prices)
    costs = [(c.size * (p or 0) if known else c.throughput, c.size) for c, p in zip(choices, prices, strict=True)]
    return choices[costs.index(min(costs))] if choices else None


def _gib_price(tier: StorageTier, target: Provider, region: str) -> float | None:
    items = (f"{tier.tier}-{tier.throughput_mbps_per_tib}", tier.tier)
    prices = (catalog.service_price(target, tier.kind, item, region) for item in items)
    return next((p.usd for p in prices if p is not None and p.usd is not None), None)
