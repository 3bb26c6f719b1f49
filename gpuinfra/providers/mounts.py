"""How nodes reach shared storage, and what of it a boot bundle is told late."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import pulumi


@dataclass(frozen=True)
class Mount:
    """One storage. `address`: an address, a host name, a bucket, or account/container; `path`: where in it, as the mount
    wants it."""

    address: pulumi.Output[str]
    path: pulumi.Output[str]
    late: Mapping[str, pulumi.Output[str]]
    """What the boot bundle must be told, by its own names below `storage.<name>`."""


def late_values(mounts: Mapping[str, Mount], wanted: Collection[str]) -> dict[str, pulumi.Output[str]]:
    """What a bundle asks for of the mounts, by its own names."""
    named = {f"storage.{name}.{key}": value for name, mount in mounts.items() for key, value in mount.late.items()}
    return {key: value for key, value in named.items() if key in wanted}
