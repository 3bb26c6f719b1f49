"""Checkpoints that go with the node.

What: `job.checkpoint.path` is on no shared storage: on the local NVMe, on the root disk, or not an absolute path.
Why: Nodes of a group are thrown away: at the end of the lease, when idle, at a reclaim, or when the hardware fails. What lies on them is gone, and other nodes never saw it.
Fix: Put the path under the mount of a storage.
References: EC2 User Guide, instance store data persistence; aws facts CMP-13
"""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import normpath

from ....diagnostics import Diagnostic, Severity
from ....plan.models import ClusterPlan
from ....vocabulary import CapacityType
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2266", "checkpoints-lost-with-node", Severity.ERROR, __doc__, ("AWS CMP-13", "AWS COST-10"))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the job. On one node that is bought on demand it is a warning. A URL is the program's own affair."""
    plan, job = ctx.plan, ctx.plan.spec.job
    checkpoint = job.checkpoint if job else None
    if checkpoint is None or "://" in checkpoint.path:
        return
    path = "job.checkpoint.path"
    if not checkpoint.path.startswith("/"):
        yield CODE.at(path, f"'{checkpoint.path[:60]}' is not an absolute path", _hint(plan))
        return
    where = "/" + normpath(checkpoint.path).lstrip("/")
    if any(_under(where, s.mount) for s in plan.spec.storage):
        return
    local = next((p for p in plan.pools if p.local_nvme.mount and _under(where, p.local_nvme.mount)), None)
    named = [p for p in plan.pools if (p.name in job.pools if job and job.pools else p.gpus_per_node)]
    risky = any(p.multi_node or p.capacity.type is not CapacityType.ON_DEMAND for p in named)
    what = "the local NVMe" if local is not None else "the node's own disk: it is under no mount of `storage`"
    yield CODE.at(
        path,
        f"'{checkpoint.path[:60]}' is on {what}",
        _hint(plan),
        severity=Severity.ERROR if risky else Severity.WARNING,
    )


def _under(path: str, mount: str) -> bool:
    root = "/" + normpath(mount).lstrip("/")
    return path == root or path.startswith(f"{root.rstrip('/')}/")


def _hint(plan: ClusterPlan) -> str:
    mounts = [s.mount.rstrip("/") for s in plan.spec.storage]
    return f"write {mounts[0]}/ckpt" if mounts else "add a storage, and put the path under its mount"


_T = "job: {{checkpoint: {{path: {0}}}}}"

RULE = PlanRule(
    CODE,
    ("storage", "job"),
    check,
    Examples(
        (_T.format("/scratch/ckpt"), _T.format('"s3://acme-ckpt/run1"')),
        (_T.format("/local/ckpt"), _T.format("/ckpt"), _T.format("ckpt"), _T.format("/scratch2/ckpt")),
    ),
)
