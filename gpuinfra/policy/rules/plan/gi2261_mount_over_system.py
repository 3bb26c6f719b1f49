"""A mount over a directory that the system needs.

What: A storage is mounted over a directory of the system, such as /, /home, /etc or /usr; or over one that the cloud mounts itself.
Severity: warning for the place of the temporary disk
Why: The mount hides what is there: the login user's keys, the driver, the service manager. The node does not come up, or locks everybody out.
Fix: Take a directory of its own, as /data or /scratch.
References: aws/aws-parallelcluster, SharedStorageMountDirValidator; Filesystem Hierarchy Standard 3.0
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....plan.models import ClusterPlan
from ....vocabulary import Provider
from ...mounts import is_plain, normal, over_system, within
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2261", "mount-over-system", Severity.ERROR, __doc__, ("AWS FSX-14",))
_TEMPORARY = {Provider.AZURE: ("/mnt", "/mnt/resource", "/mnt/resource_nvme")}
"""Where a cloud's images mount the temporary disk and the local NVMe, and do so again at each boot (Azure docs, temporary
disk; azhpc-images)."""


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each storage; any other mount that is not plain is another rule's."""
    temporary = _TEMPORARY.get(ctx.plan.provider, ())
    for n, storage in enumerate(ctx.plan.spec.storage):
        path, shown = f"storage[{n}].mount", storage.mount.encode("unicode_escape").decode()[:60]
        own = f"take a directory of its own, as {_own(ctx.plan, n, temporary)}"
        if over_system(ctx.plan, storage.mount):
            real = normal(storage.mount)
            where = (
                f"'{shown}'" if real == storage.mount.rstrip("/") or real == "/" else f"'{shown}', that is {real[:60]},"
            )
            yield CODE.at(path, f"{where} hides a directory of the system", own)
        elif is_plain(storage.mount) and _on_temporary(storage.mount, temporary):
            yield CODE.at(
                path,
                f"'{shown}' is where the cloud's images mount the temporary disk, anew at each boot",
                own,
                severity=Severity.WARNING,
            )


def _on_temporary(mount: str, temporary: tuple[str, ...]) -> bool:
    return any(normal(mount) == t or (t != "/mnt" and within(normal(mount), t)) for t in temporary)


def _own(plan: ClusterPlan, n: int, temporary: tuple[str, ...]) -> str:
    """A directory named after the storage that is refused neither for itself nor beside the other mounts."""
    name = plan.spec.storage[n].name
    others = [normal(s.mount) for i, s in enumerate(plan.spec.storage) if i != n and s.mount.startswith("/")]
    others = [m for m in others if m != "/"] + [p.local_nvme.mount for p in plan.pools if p.local_nvme.mount]
    for mount in (f"/{name}", f"/data/{name}", f"/shared/{name}"):
        clash = any(within(mount, o) or within(o, mount) for o in others)
        if not (clash or over_system(plan, mount) or _on_temporary(mount, temporary)):
            return mount
    return f"/storage-{name}"


_T = "storage: [{{mount: {0}}}]"
_AZURE = """\
location: {{provider: azure, region: eastus, zone: "1"}}
node_pools: [{{instance_type: Standard_ND96isr_H100_v5}}]
storage: [{{kind: bucket, size_gib: null, throughput_mbps_per_tib: null, mount: {0}}}]
"""

RULE = PlanRule(
    CODE,
    ("storage",),
    check,
    Examples(
        (_T.format("/scratch"), _T.format("/home/shared"), _T.format("/mnt"), _AZURE.format("/mnt/data")),
        (
            _T.format("/"),
            _T.format("/home"),
            _T.format("/usr/local/data"),
            _T.format("/opt/slurm"),
            _T.format("//etc"),
            _T.format("/scratch/../etc"),
            _T.format("/lost+found"),
            _T.format("/opt/gpuinfra/bin"),
            _T.format("/opt/amazon/efa"),
            _T.format("/var/lib/docker/volumes"),
            _AZURE.format("/mnt"),
            _AZURE.format("/mnt/resource_nvme/x"),
        ),
    ),
)
