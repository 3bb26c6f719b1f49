"""A mount over a directory that the system needs.

What: A storage is mounted over a directory of the system, such as /, /home, /etc or /usr.
Why: The mount hides what is there: the login user's keys, the driver, the service manager. The node does not come up, or locks everybody out.
Fix: Take a directory of its own, as /data or /scratch.
References: aws/aws-parallelcluster, SharedStorageMountDirValidator; Filesystem Hierarchy Standard 3.0
"""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import normpath

from ....diagnostics import Diagnostic, Severity
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2261", "mount-over-system", Severity.ERROR, __doc__, ("AWS FSX-14",))
_WHOLE = ("bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "proc", "root", "run", "sbin", "sys", "usr")
"""Neither these nor anything below."""
_EXACT = (
    "/",
    "/home",
    "/lost+found",
    "/media",
    "/opt",
    "/opt/aws",
    "/opt/parallelcluster",
    "/opt/dlami",
    "/opt/slurm",
    "/srv",
    "/tmp",
    "/var",
    "/var/lib",
    "/var/log",
    "/var/lib/containerd",
    "/var/lib/docker",
    "/var/tmp",
    "/export",
    "/snap",
    "/opt/nvidia",
    "/opt/amazon",
)
_LOGIN_USERS = ("ubuntu", "ec2-user", "azureuser", "rocky", "almalinux", "debian", "centos")


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each storage; a relative mount is another rule's."""
    for n, storage in enumerate(ctx.plan.spec.storage):
        if not storage.mount.startswith("/"):
            continue
        mount = "/" + normpath(storage.mount).lstrip("/")
        top = mount.split("/")[1]
        homes = {f"/home/{u}" for u in (*_LOGIN_USERS, *(p.node_image.user for p in ctx.plan.pools))}
        if mount in _EXACT or top in _WHOLE or mount in homes:
            yield CODE.at(
                f"storage[{n}].mount",
                f"'{storage.mount[:60]}' hides a directory of the system",
                f"take a directory of its own, as /{storage.name}",
            )


_T = "storage: [{{mount: {0}}}]"

RULE = PlanRule(
    CODE,
    ("storage",),
    check,
    Examples(
        (_T.format("/scratch"), _T.format("/home/shared")),
        (_T.format("/"), _T.format("/home"), _T.format("/usr/local/data"), _T.format("/opt/slurm"), _T.format("//etc")),
    ),
)
