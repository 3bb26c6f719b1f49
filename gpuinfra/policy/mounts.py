"""Mounts as rules read them: the plain form, and the directories that a mount would hide."""

from __future__ import annotations

import re
from posixpath import normpath

from ..plan.models import ClusterPlan

PLAIN = re.compile(r"(?:/[A-Za-z0-9._-]+)+/?|/")
_EXACT = (
    "/",
    "/home",
    "/lost+found",
    "/media",
    "/opt",
    "/opt/parallelcluster",
    "/opt/dlami",
    "/opt/slurm",
    "/srv",
    "/tmp",
    "/var",
    "/var/lib",
    "/var/log",
    "/var/tmp",
    "/export",
    "/snap",
)
_TREES = (
    *(
        f"/{name}"
        for name in ["bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "proc", "root", "run", "sbin", "sys", "usr"]
    ),
    "/opt/amazon",
    "/opt/aws",
    "/opt/gpuinfra",
    "/opt/hpcx",
    "/opt/nvidia",
    "/opt/rocm",
    "/var/lib/cloud",
    "/var/lib/containerd",
    "/var/lib/docker",
    "/var/lib/gpuinfra",
)
"""Neither these nor anything below: the system, drivers, fabric, the container runtime, and what boots the node."""
_LOGIN_USERS = ("ubuntu", "ec2-user", "azureuser", "rocky", "almalinux", "debian", "centos")


def normal(path: str) -> str:
    """An absolute path without doubled slashes, `.` and `..`."""
    return "/" + normpath(path).lstrip("/")


def within(path: str, mount: str) -> bool:
    """Whether a path is a mount or lies under it."""
    root = normal(mount)
    return path == root or path.startswith(f"{root.rstrip('/')}/")


def is_plain(mount: str) -> bool:
    """Whether a mount is an absolute path that means the same wherever it is read."""
    return PLAIN.fullmatch(mount) is not None and not any(p in (".", "..") for p in mount.split("/"))


def over_system(plan: ClusterPlan, mount: str) -> bool:
    """Whether an absolute mount hides a directory that the system or the login user needs; a relative one hides none."""
    if not mount.startswith("/"):
        return False
    path = normal(mount)
    homes = {f"/home/{u}" for u in (*_LOGIN_USERS, *(p.node_image.user for p in plan.pools))}
    return path in _EXACT or path in homes or any(within(path, tree) for tree in _TREES)
