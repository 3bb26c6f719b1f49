"""Checkpoints that go with the node.

What: `job.checkpoint.path` is on no shared storage: on the local NVMe, on the root disk, not an absolute path, or a URL.
Severity: info for a URL that the nodes see as a directory
Why: Nodes of a group are thrown away: at the end of the lease, when idle, at a reclaim, or when the hardware fails. What lies on them is gone, and other nodes never saw it.
Fix: Put the path under the mount of a storage.
References: EC2 User Guide, instance store data persistence; aws facts CMP-13
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....plan.models import ClusterPlan
from ....vocabulary import StorageKind
from ...mounts import is_plain, normal, over_system, within
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2266", "checkpoints-lost-with-node", Severity.WARNING, __doc__, ("AWS CMP-13", "AWS COST-10"))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the job."""
    plan, job = ctx.plan, ctx.plan.spec.job
    checkpoint = job.checkpoint if job else None
    if checkpoint is None:
        return
    if any(not is_plain(s.mount) or over_system(plan, s.mount) for s in plan.spec.storage):
        # A mount that is refused is the mistake, and the path may lie under the one that was meant.
        return
    path = "job.checkpoint.path"
    scheme, parted, _ = checkpoint.path.partition("://")
    if parted and scheme.lower() != "file":
        yield _url(plan, checkpoint.path)
        return
    if not checkpoint.path.startswith("/"):
        yield CODE.at(path, f"'{checkpoint.path[:60]}' is not an absolute path", _hint(plan))
        return
    where = normal(checkpoint.path)
    if any(within(where, s.mount) for s in plan.spec.storage):
        return
    local = next((p for p in plan.pools if p.local_nvme.mount and within(where, p.local_nvme.mount)), None)
    what = "the local NVMe" if local is not None else "the node's own disk: it is under no mount of `storage`"
    yield CODE.at(path, f"'{checkpoint.path[:60]}' is on {what}", _hint(plan))


def _url(plan: ClusterPlan, url: str) -> Diagnostic:
    """A program may write to an object store itself. Of a bucket of the spec the nodes may, and see it as a directory."""
    path, shown = "job.checkpoint.path", url[:60]
    home = next((s for s in plan.spec.storage if s.existing and _inside(url, s.existing)), None)
    if home is not None and home.existing:
        rest = url[len(home.existing.rstrip("/")) :].strip("/")
        directory = f"{home.mount.rstrip('/')}/{rest}".rstrip("/")
        return CODE.at(
            path,
            f"'{shown}' is a URL, for programs that write to object stores themselves; the nodes see the same place as "
            f"{directory[:80]}",
            f"write {directory[:80]}, unless the program wants the URL",
            severity=Severity.INFO,
        )
    buckets = [s.mount for s in plan.spec.storage if s.kind is StorageKind.BUCKET]
    other = f"write {buckets[0].rstrip('/')}/ckpt, or " if buckets else ""
    scheme, _, rest = url.partition("://")
    root = f"{scheme}://{rest.split('/')[0][:63]}"
    return CODE.at(
        path,
        f"'{shown}' is a URL and no directory, and no storage of this spec: nodes get no rights on it",
        f"{other}add the bucket to storage, as {{name: ckpt, kind: bucket, existing: '{root}', mount: /ckpt}}, and write "
        "the directory",
    )


def _inside(url: str, root: str) -> bool:
    return url.rstrip("/") == root.rstrip("/") or url.startswith(f"{root.rstrip('/')}/")


def _hint(plan: ClusterPlan) -> str:
    mounts = [s.mount.rstrip("/") for s in plan.spec.storage]
    return f"write {mounts[0]}/ckpt" if mounts else "add a storage, and put the path under its mount"


_T = "job: {{checkpoint: {{path: {0}}}}}"

RULE = PlanRule(
    CODE,
    ("storage", "job"),
    check,
    Examples(
        (_T.format("/scratch/ckpt"), _T.format("/scratch")),
        (
            _T.format("/local/ckpt"),
            _T.format("/ckpt"),
            _T.format("ckpt"),
            _T.format("/scratch2/ckpt"),
            _T.format('"s3://acme-ckpt/run1"'),
            _T.format('"file:///ckpt"'),
        ),
    ),
)
