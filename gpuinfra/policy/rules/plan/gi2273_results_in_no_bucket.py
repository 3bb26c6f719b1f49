"""Results on a file system that is linked to S3.

What: New Lustre storage has `import_from`, and nodes write to it: checkpoints go there, or the cluster has no other storage.
Why: The link only reads: what nodes write is in no bucket. FSx takes no backups of a linked file system, so that the results end with it.
Fix: Copy results out before the stack is removed, or add a second storage for them, as {name: out, kind: bucket, mount: /out}.
References: FSx for Lustre User Guide, Working with backups; FSx for Lustre User Guide, data repositories
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider, StorageKind
from ...mounts import normal, within
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2273", "results-in-no-bucket", Severity.WARNING, __doc__, ("AWS FSX-13",))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each such storage."""
    spec = ctx.plan.spec
    checkpoint = spec.job.checkpoint if spec.job else None
    saves = normal(checkpoint.path) if checkpoint and checkpoint.path.startswith("/") else ""
    for n, storage in enumerate(spec.storage):
        if storage.kind is not StorageKind.LUSTRE or storage.existing or not storage.import_from:
            continue
        linked = f"'{storage.name}' only reads {storage.import_from[:80]}: what nodes write is in no bucket and has no backup"
        if saves and within(saves, storage.mount):
            yield CODE.at("job.checkpoint.path", f"checkpoints are kept on {storage.mount[:60]}, and {linked}")
        elif len(spec.storage) == 1:
            yield CODE.at(f"storage[{n}].import_from", f"{linked}, and the cluster has no other storage")


_T = "storage: [{{import_from: s3://acme-data/tokens}}{0}]"
_OUT = ", {name: out, kind: bucket, mount: /out}"

RULE = PlanRule(
    CODE,
    ("storage",),
    check,
    Examples(
        ("storage: [{}]", _T.format(_OUT), f"{{{_T.format(_OUT)}, job: {{checkpoint: {{path: /out/ckpt}}}}}}"),
        (_T.format(""), f"{{{_T.format(_OUT)}, job: {{checkpoint: {{path: /scratch/ckpt}}}}}}"),
    ),
    providers=(Provider.AWS,),
)
