"""A storage field that has no effect.

What: A field of a storage that its kind does not have, or that says how new storage is made where `existing` names storage that is there already.
Severity: info for the size of new storage that grows by itself
Why: What looks like a limit or a promise, and is none, misleads whoever reads the spec.
Fix: Remove the field.
References: none
"""

from __future__ import annotations

from collections.abc import Iterator

from ....catalog import storage_tiers
from ....diagnostics import Diagnostic, Severity
from ....plan.models import ClusterPlan
from ....spec.models import Storage
from ....vocabulary import StorageKind
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2265", "storage-field-without-effect", Severity.WARNING, __doc__)


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each field. What deciding refuses (a throughput that is not sold, an import into what is not
    Lustre) is its own."""
    for n, storage in enumerate(ctx.plan.spec.storage):
        for name, what in _idle(ctx.plan, storage).items():
            grows = name == "size_gib" and not storage.existing and storage.kind is not StorageKind.BUCKET
            yield CODE.at(
                f"storage[{n}].{name}",
                f"{name} has no effect on {what}",
                f"remove {name}",
                severity=Severity.INFO if grows else Severity.WARNING,
            )


def _idle(plan: ClusterPlan, storage: Storage) -> dict[str, str]:
    """The fields without effect, each with what has none of it. The zone of existing storage says where it stands."""
    bucket, lustre = storage.kind is StorageKind.BUCKET, storage.kind is StorageKind.LUSTRE
    tiers = storage_tiers(plan.provider, storage.kind)
    there = "storage that is there already"
    found: dict[str, str] = {}
    if storage.size_gib is not None and (storage.existing or not tiers):
        found["size_gib"] = (
            "a bucket" if bucket else there if storage.existing else f"{storage.kind} that grows by itself"
        )
    if storage.throughput_mbps_per_tib is not None and (storage.existing or not tiers):
        found["throughput_mbps_per_tib"] = "a bucket" if bucket else there if storage.existing else str(storage.kind)
    if storage.import_from is not None and storage.existing and lustre:
        found["import_from"] = there
    if storage.zone is not None and bucket:
        found["zone"] = "a bucket"
    return found


_T = "storage: [{{}}, {{name: data, kind: {0}, mount: /data{1}}}]"
_FS = "existing: fs-0a1b2c3d4e5f60718"

RULE = PlanRule(
    CODE,
    ("storage",),
    check,
    Examples(
        (_T.format("bucket", ""), _T.format("nfs", ""), _T.format("nfs", f", {_FS}"), _T.format("lustre", f", {_FS}")),
        (
            _T.format("bucket", ", size_gib: 100"),
            _T.format("bucket", ", throughput_mbps_per_tib: 125"),
            _T.format("nfs", ", throughput_mbps_per_tib: 125"),
            _T.format("nfs", ", size_gib: 1024"),
            _T.format("nfs", f", {_FS}, size_gib: 1024"),
            _T.format("lustre", f", {_FS}, size_gib: 9600"),
            _T.format("lustre", f", {_FS}, import_from: s3://acme-data"),
        ),
    ),
)
