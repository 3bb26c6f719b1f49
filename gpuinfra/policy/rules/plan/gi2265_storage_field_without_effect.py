"""A storage field that this kind does not have.

What: A bucket has a size or a throughput, an NFS share a throughput, or storage that is there already a size.
Why: What looks like a limit or a promise, and is none, misleads whoever reads the spec.
Fix: Remove the field.
References: none
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import StorageKind
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2265", "storage-field-without-effect", Severity.WARNING, __doc__)


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each field. A size that only tells how much is meant (NFS of AWS) is let be."""
    for n, storage in enumerate(ctx.plan.spec.storage):
        path = f"storage[{n}]"
        bucket = storage.kind is StorageKind.BUCKET
        idle = {
            "size_gib": storage.size_gib is not None and bucket,
            "throughput_mbps_per_tib": storage.throughput_mbps_per_tib is not None
            and (bucket or storage.existing is not None),
            "zone": storage.zone is not None and bucket,
        }
        for name, unused in idle.items():
            if unused:
                what = "storage that is there already" if storage.existing and not bucket else "a bucket"
                yield CODE.at(f"{path}.{name}", f"{name} has no effect on {what}", f"remove {name}")


_T = "storage: [{{}}, {{name: data, kind: bucket, mount: /data{0}}}]"

RULE = PlanRule(
    CODE,
    ("storage",),
    check,
    Examples((_T.format(""),), (_T.format(", size_gib: 100"), _T.format(", throughput_mbps_per_tib: 125"))),
)
