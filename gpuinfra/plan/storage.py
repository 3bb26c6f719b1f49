"""Shared storage: in the nodes' zone, in the cloud's steps, never rounded."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .. import catalog
from ..catalog import StorageTier
from ..diagnostics import Collector
from ..spec.models import Storage
from ..vocabulary import Provider, StorageKind
from . import findings as f
from .models import Decision, StoragePlan
from .names import cloud_name, storage_resource_name
from .zones import check_zone

_EXISTING_FORMS: dict[tuple[Provider, StorageKind], tuple[str, str]] = {
    (Provider.AWS, StorageKind.LUSTRE): (r"fs-[0-9a-z]{6,}", "fs-0123456789abcdef0"),
    (Provider.AWS, StorageKind.NFS): (r"fs-[0-9a-z]{6,}", "fs-0123456789abcdef0"),
    (Provider.AWS, StorageKind.BUCKET): (
        r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/.*)?",
        "s3://bucket or s3://bucket/prefix",
    ),
    (Provider.GCP, StorageKind.LUSTRE): (
        r"(projects/[^/]+/locations/[^/]+/instances/)?[a-z][-a-z0-9]*",
        "an instance's name",
    ),
    (Provider.GCP, StorageKind.NFS): (
        r"(projects/[^/]+/locations/[^/]+/instances/)?[a-z][-a-z0-9]*",
        "an instance's name",
    ),
    (Provider.GCP, StorageKind.BUCKET): (
        r"gs://[a-z0-9][a-z0-9._-]{1,61}[a-z0-9](/.*)?",
        "gs://bucket or gs://bucket/prefix",
    ),
    (Provider.AZURE, StorageKind.LUSTRE): (
        r"(?i)/subscriptions/.+/providers/Microsoft\.StorageCache/amlFilesystems/[^/]+",
        "an ARM id",
    ),
    (Provider.AZURE, StorageKind.NFS): (
        r"(?i)/subscriptions/.+/providers/Microsoft\.("
        r"NetApp/netAppAccounts/[^/]+/capacityPools/[^/]+/volumes/[^/]+"
        r"|Storage/storageAccounts/[a-z0-9]{3,24}/fileServices/default/shares/[^/]+)",
        "the ARM id of a NetApp volume, …/capacityPools/P/volumes/V, or of a file share, …/fileServices/default/shares/S",
    ),
    (Provider.AZURE, StorageKind.BUCKET): (
        r"https://[a-z0-9]{3,24}\.blob\.core\.[a-z.]+/[a-z0-9-]+(/.*)?|(?i:/subscriptions/.+/providers/Microsoft\.Storage/.+)",
        "https://ACCOUNT.blob.core.windows.net/CONTAINER",
    ),
}


def plan_storage(
    provider: Provider,
    region: str,
    zone: str,
    prefix: str,
    wishes: Sequence[Storage],
    out: Collector,
) -> tuple[tuple[StoragePlan, ...], tuple[Decision, ...]]:
    """Every storage of a cluster. One whose size cannot be had is left out of the plan and is a finding."""
    plans: list[StoragePlan] = []
    decisions: list[Decision] = []
    seen: dict[str, int] = {}
    for n, wish in enumerate(wishes):
        path = f"storage[{n}]"
        if wish.name in seen:
            out.add(
                f.NAME_TWICE.at(
                    f"{path}.name", f"'{wish.name}' is the name of storage[{seen[wish.name]}] too", "rename one of them"
                )
            )
            continue
        seen[wish.name] = n
        plan = _one(provider, region, zone, prefix, wish, path, out)
        if plan:
            plans.append(plan)
            decisions += _decisions(plan, wish)
    return tuple(plans), tuple(decisions)


def _decisions(plan: StoragePlan, wish: Storage) -> list[Decision]:
    found: list[Decision] = []
    if plan.existing:
        return [Decision(f"{plan.path}.existing", plan.existing, "existing, mounted and not managed")]
    if plan.tier:
        named = wish.throughput_mbps_per_tib is not None
        reason = "throughput named in the spec" if named else "the default for new storage"
        if not named and not plan.tier.default:
            reason = "the tier that sells this size"
        found.append(Decision(f"{plan.path}.tier", plan.tier.tier, reason))
    if wish.size_gib is not None and plan.size_gib is None:
        found.append(Decision(f"{plan.path}.size_gib", "grows by itself", "the service has no size to set"))
    if plan.zone:
        reason = "named in the spec" if wish.zone else "the nodes' zone: reading across zones is slow and billed"
        found.append(Decision(f"{plan.path}.zone", plan.zone, reason))
    return found


def _one(
    provider: Provider, region: str, zone: str, prefix: str, wish: Storage, path: str, out: Collector
) -> StoragePlan | None:
    if wish.existing:
        form = _EXISTING_FORMS[provider, wish.kind]
        if not re.fullmatch(form[0], wish.existing):
            out.add(
                f.STORAGE_ID.at(
                    f"{path}.existing",
                    f"'{wish.existing}' is not {wish.kind} storage of this cloud",
                    f"the form is {form[1]}",
                )
            )
    import_mount = _import(provider, wish, path, out)
    tier, size, usable = _size(provider, wish, path, out)
    where = wish.zone or zone
    if wish.zone and wish.zone != zone:
        check_zone(provider, region, wish.zone, f"{path}.zone", out)
    if not usable:
        return None
    return StoragePlan(
        path,
        wish.name,
        storage_resource_name(prefix, wish.name),
        cloud_name(provider, wish.kind.value, prefix, wish.name),
        wish.kind,
        tier,
        size,
        tier.throughput_mbps_per_tib if tier else None,
        wish.mount,
        wish.existing or "",
        wish.import_from or "",
        import_mount,
        "" if wish.kind is StorageKind.BUCKET else where,
        bool(wish.zone and zone and wish.zone != zone),
    )


def _import(provider: Provider, wish: Storage, path: str, out: Collector) -> str:
    if wish.import_from is None:
        return ""
    where = f"{path}.import_from"
    if wish.kind is not StorageKind.LUSTRE:
        out.add(
            f.IMPORT_REFUSED.at(
                where,
                f"only lustre shows the files of an object store, not {wish.kind}",
                "mount the bucket itself: kind: bucket, existing: " + wish.import_from,
            )
        )
        return ""
    form = _EXISTING_FORMS[provider, StorageKind.BUCKET]
    if not re.fullmatch(form[0], wish.import_from):
        out.add(
            f.IMPORT_REFUSED.at(
                where, f"'{wish.import_from}' is no object store of this cloud", f"the form is {form[1]}"
            )
        )
        return ""
    last = [p for p in wish.import_from.split("://", 1)[-1].split("/")[1:] if p]
    return "/" + re.sub(r"[^A-Za-z0-9._-]", "-", last[-1]) if last else "/import"


def _size(provider: Provider, wish: Storage, path: str, out: Collector) -> tuple[StorageTier | None, int | None, bool]:
    """The tier, the size in GiB, and whether the storage can be planned."""
    tiers = catalog.storage_tiers(provider, wish.kind)
    if wish.existing or not tiers:
        return None, None, True
    if wish.throughput_mbps_per_tib is not None:
        classes = sorted({t.throughput_mbps_per_tib for t in tiers if t.throughput_mbps_per_tib is not None})
        tiers = tuple(t for t in tiers if t.throughput_mbps_per_tib == wish.throughput_mbps_per_tib)
        if not tiers:
            out.add(
                f.THROUGHPUT_CLASS.at(
                    f"{path}.throughput_mbps_per_tib",
                    f"{wish.throughput_mbps_per_tib} MB/s per TiB is not offered for new {wish.kind} storage",
                    f"take one of: {', '.join(str(c) for c in classes)}" if classes else "remove it",
                )
            )
            return None, None, False
    else:
        first = next((t for t in tiers if t.default), tiers[0])
        same = [t for t in tiers if t.tier == first.tier]
        # A ladder without a throughput to choose (Google's dynamic tier) is taken by its sizes alone.
        other = [t for t in tiers if t.tier != first.tier and t.throughput_mbps_per_tib is None]
        tiers = tuple(same + [t for t in other if wish.kind is StorageKind.LUSTRE])
    if wish.size_gib is None:
        least = min(min((t.min_gib, *t.extra_sizes_gib)) for t in tiers if t.tier == tiers[0].tier)
        out.add(
            f.SIZE_MISSING.at(
                path, f"new {wish.kind} storage '{wish.name}' needs a size", f"give size_gib; the smallest is {least}"
            )
        )
        return None, None, False
    return _fit(wish, tiers, wish.size_gib, path, out)


def _fit(
    wish: Storage, tiers: Sequence[StorageTier], size: float, path: str, out: Collector
) -> tuple[StorageTier | None, int | None, bool]:
    for tier in tiers:
        if _on_ladder(tier, size):
            return tier, int(size), True
        if tier.max_is_soft and tier.max_gib and size > tier.max_gib and _on_step(tier, size):
            out.add(
                f.SIZE_SOFT_MAX.at(
                    f"{path}.size_gib",
                    f"{size} is above the {tier.max_gib} GiB that {tier.tier} gives without a request",
                    "ask the cloud's support to raise the limit before you deploy",
                )
            )
            return tier, int(size), True
    ladder = [t for t in tiers if t.tier == tiers[0].tier]
    below = max((s for t in ladder if (s := _below(t, size)) is not None), default=None)
    above = min((s for t in ladder if (s := _above(t, size)) is not None), default=None)
    named = tiers[0].tier.isdigit()  # Google's tiers have no name but their speed
    speed = f"{tiers[0].throughput_mbps_per_tib} MB/s per TiB" if tiers[0].throughput_mbps_per_tib else ""
    tier = f"the {speed} tier" if named else f"{tiers[0].tier}{f' at {speed}' if speed else ''}"
    choices = [str(s) for s in (below, above) if s is not None]
    least = min(min((t.min_gib, *t.extra_sizes_gib)) for t in ladder)
    kind = (
        "below the smallest size"
        if below is None
        else "above the largest size"
        if above is None
        else "between the sizes"
    )
    out.add(
        f.SIZE_STEP.at(
            f"{path}.size_gib",
            f"{size} is {kind} of {tier}: it starts at {least} GiB and grows by {ladder[0].step_gib} GiB",
            f"take {' or '.join(choices)} GiB",
        )
    )
    return None, None, False


def _on_step(tier: StorageTier, size: float) -> bool:
    return float(size).is_integer() and (int(size) - tier.min_gib) % tier.step_gib == 0


def _on_ladder(tier: StorageTier, size: float) -> bool:
    if size in tier.extra_sizes_gib:
        return True
    inside = size >= tier.min_gib and (tier.max_gib is None or size <= tier.max_gib)
    return inside and _on_step(tier, size)


def _below(tier: StorageTier, size: float) -> int | None:
    """The largest size of a tier under the one given."""
    top = size if tier.max_gib is None else min(size, tier.max_gib)
    sizes = [s for s in tier.extra_sizes_gib if s < size]
    if top >= tier.min_gib:
        sizes.append(tier.min_gib + int((top - tier.min_gib) // tier.step_gib) * tier.step_gib)
    return max(sizes, default=None)


def _above(tier: StorageTier, size: float) -> int | None:
    """The smallest size of a tier over the one given."""
    sizes = [s for s in tier.extra_sizes_gib if s > size]
    if size < tier.min_gib:
        sizes.append(tier.min_gib)
    else:
        over = tier.min_gib + (int((size - tier.min_gib) // tier.step_gib) + 1) * tier.step_gib
        if tier.max_gib is None or over <= tier.max_gib:
            sizes.append(over)
    return min(sizes, default=None)
