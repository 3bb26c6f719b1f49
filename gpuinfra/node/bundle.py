"""The boot bundle: cloud-init with one readable file per task, made from a plan. Pure and deterministic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..plan.models import ClusterPlan, PoolPlan


@dataclass(frozen=True, slots=True)
class BootFile:
    """A file that the node gets."""

    path: str
    mode: str
    """As 0755."""
    content: str


@dataclass(frozen=True, slots=True)
class BootBundle:
    """What one pool's nodes get at boot.

    Late values (a file system's address, the group's name) are not known to the plan; `late` names them, as
    `storage.scratch.address` or `group.name`, and `user_data` takes them. They land in /etc/gpuinfra/cluster.json as
    data, and scripts read them from there: no value is ever pasted into a command.
    """

    files: tuple[BootFile, ...]
    late: tuple[str, ...]

    def user_data(self, late: Mapping[str, str]) -> bytes:
        """The cloud-init document, gzipped where it passes the cloud's limit. Raises KeyError for a missing late value."""
        raise NotImplementedError


def boot_bundle(plan: ClusterPlan, pool: PoolPlan) -> BootBundle:
    """The bundle of a pool."""
    raise NotImplementedError
