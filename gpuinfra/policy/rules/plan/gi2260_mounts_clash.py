"""Two mounts on one directory, or one inside another.

What: Two storages have the same mount, one mount lies inside another, or a mount lies on the nodes' local NVMe.
Why: The second mount hides the first: jobs read or write where they did not mean to, and no error says so.
Fix: Give each storage a directory of its own, beside the others.
References: aws/aws-parallelcluster, DuplicateMountDirValidator and OverlappingMountDirValidator
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ...mounts import is_plain, normal, over_system
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2260", "mounts-clash", Severity.ERROR, __doc__, ("AWS FSX-14",))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each storage that clashes with an earlier one, or with the NVMe. A mount that is refused for itself
    clashes with nothing."""
    nvme = {p.local_nvme.mount: p.name for p in ctx.plan.pools if p.local_nvme.mount}
    seen: list[tuple[str, str]] = []
    for n, storage in enumerate(ctx.plan.spec.storage):
        path, mount = f"storage[{n}].mount", normal(storage.mount)
        if not is_plain(storage.mount) or over_system(ctx.plan, storage.mount):
            continue
        for name, other in seen:
            if mount == other:
                yield CODE.at(path, f"'{storage.mount}' is the mount of storage '{name}' too")
                break
            if _inside(mount, other) or _inside(other, mount):
                inner, outer = (mount, other) if _inside(mount, other) else (other, mount)
                yield CODE.at(path, f"'{inner}' lies inside '{outer}' (storage '{name}')")
                break
        else:
            local = next((m for m in nvme if mount == m or _inside(mount, m) or _inside(m, mount)), None)
            if local is not None:
                yield CODE.at(path, f"'{storage.mount}' lies on '{local}', the local NVMe of pool '{nvme[local]}'")
        seen.append((storage.name, mount))


def _inside(inner: str, outer: str) -> bool:
    return inner != outer and outer != "/" and inner.startswith(f"{outer}/")


_T = "storage: [{{}}, {{name: data, kind: bucket, mount: {0}}}]"

RULE = PlanRule(
    CODE,
    ("storage",),
    check,
    Examples((_T.format("/data"),), (_T.format("/scratch"), _T.format("/scratch/"), _T.format("/scratch/data"))),
)
