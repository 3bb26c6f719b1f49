"""A Google machine as it is described: its type, its GPUs, its disks, and how it is bought."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..catalog import InstanceType, MachineParts, NicLayout, instance_type, machine_parts, nic_layout
from ..vocabulary import CapacityType, Provider
from .aws_user_data import is_late
from .gcp_types import INSTANCE, NODE_POOL, last_part
from .resource_graph import Resource
from .wire_values import entries, items, late, number, plain, truth


@dataclass(frozen=True)
class Machines:
    """An instance, a template with the groups that start from it, or a GKE node pool."""

    source: Resource
    groups: tuple[Resource, ...] = ()
    requests: tuple[Resource, ...] = ()
    """Resize requests at the groups."""
    within: str | None = None
    """Where a cluster writes the pool into itself, with a dot behind it; None for a resource of its own."""

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def is_pool(self) -> bool:
        """Whether GKE runs the machines."""
        return self.source.type == NODE_POOL

    def get(self, *path: str | int) -> Any:
        """A value of the machine's own description, which a node pool keeps in nodeConfig."""
        return self.source.get("nodeConfig", *path) if self.is_pool else self.source.get(*path)

    def path(self, tail: str) -> str:
        """Where a value of the description stands, for a finding."""
        return self.at(f"nodeConfig.{tail}" if self.is_pool else tail)

    def at(self, tail: str) -> str:
        """Where a value of the resource stands, for a finding. The pool that comes with a cluster has its number there."""
        if self.within == "" and tail == "nodeCount":
            return f"{self.name}.initialNodeCount"
        return f"{self.name}.{self.within or ''}{tail}"

    def interface(self, index: int | None = None) -> str:
        """Where an interface stands, or all of them, for a finding. The first of a node pool is its cluster's network."""
        key = "networkConfig.additionalNodeNetworkConfigs" if self.is_pool else "networkInterfaces"
        number = index if index is None or not self.is_pool else index - 1
        return self.at(key if number is None or number < 0 else f"{key}[{number}]")

    @property
    def machine_type(self) -> str:
        """The type's own name, without the path before it; empty where absent or unknown."""
        value = self.get("machineType")
        return "" if late(value) or not isinstance(value, str) else last_part(value)

    @property
    def type_unknown(self) -> bool:
        """Whether the type is named and not known yet."""
        return late(self.get("machineType"))

    @cached_property
    def facts(self) -> InstanceType | None:
        """The catalog's row of the type; None where it has none."""
        found = instance_type(Provider.GCP, self.machine_type) if self.machine_type else None
        return found if isinstance(found, InstanceType) else None

    @property
    def brings_gpus(self) -> bool:
        """Whether the type has GPUs of its own."""
        return self.facts is not None and self.facts.has_gpu

    @property
    def layout(self) -> NicLayout | None:
        """The interfaces of the type; None where the type brings no GPUs (or is unknown)."""
        return nic_layout(self.machine_type) if self.brings_gpus else None

    @property
    def parts(self) -> MachineParts | None:
        """What the catalog says of disks and accelerators of the type."""
        return machine_parts(self.machine_type) if self.machine_type else None

    @cached_property
    def attached(self) -> tuple[tuple[str, float | None], ...] | None:
        """(type, count) of the accelerators that are written out, without those of count 0; None where unknown."""
        value = self.get("guestAccelerators")
        if late(value) or any(map(late, items(value))):
            return None
        found: list[tuple[str, float | None]] = []
        for one in entries(value):
            kind, count = plain(one.get("type")), number(plain(one.get("count")))
            if late(one.get("type")) or late(one.get("count")):
                return None
            if count != 0:
                found.append((last_part(kind) if isinstance(kind, str) else "", count))
        return tuple(found)

    @property
    def has_gpus(self) -> bool | None:
        """Whether the machines have GPUs, brought or attached; None where that is not known yet."""
        if self.brings_gpus or self.attached:
            return True
        return None if self.type_unknown or self.attached is None else False

    @property
    def interfaces(self) -> tuple[Mapping[str, Any], ...] | None:
        """The network interfaces; None where unknown, or where some are. Empty where none is written."""
        value = self.source.get("networkInterfaces")
        listed = items(value)
        if late(value) or any(not isinstance(plain(v), Mapping) for v in listed):
            return None
        return tuple(entries([plain(v) for v in listed]))

    @property
    def has_local_ssd(self) -> bool | None:
        """Whether a Local SSD is there, bundled or asked for; None where unknown."""
        if self.layout is not None and self.layout.local_ssd_bundled:
            return True
        count = self.scratch_disks
        return None if count is None else bool(count)

    @property
    def boot_script(self) -> str | None:
        """What the machines run at boot; None where some of it is not known yet, or is fetched from elsewhere."""
        if late(self.get("metadata")) or self.get("metadata", "startup-script-url") is not None:
            return None
        scripts = [self.get("metadata", k) for k in ("startup-script", "user-data")]
        scripts.append(None if self.is_pool else self.source.get("metadataStartupScript"))
        if any(is_late(s) for s in scripts):
            return None
        return "\n".join(s for s in scripts if isinstance(s, str))

    @property
    def sketched(self) -> bool:
        """Whether the description has no boot disk, which a machine cannot be without: then only what it says is
        judged, and no default is read into it."""
        return not self.is_pool and self.source.get("bootDisk") is None and self.source.get("disks") is None

    @property
    def scratch_disks(self) -> int | None:
        """How many Local SSDs are asked for; None where unknown."""
        if self.source.type == INSTANCE:
            value = self.source.get("scratchDisks")
            return None if late(value) else len(items(value))
        value = self.source.get("disks")
        return None if late(value) else sum(d.get("type") == "SCRATCH" for d in entries(value))

    @property
    def model(self) -> str | None:
        """SPOT, FLEX_START, RESERVATION_BOUND or STANDARD, as the machines are bought; None where not known yet."""
        if self.is_pool:
            flags = {k: self.get(k) for k in ("flexStart", "spot", "preemptible")}
            queued = self.source.get("queuedProvisioning", "enabled")
            if any(map(late, flags.values())) or late(queued):
                return None
            if truth(flags["flexStart"]) or truth(queued):
                return "FLEX_START"
            return "SPOT" if truth(flags["spot"]) or truth(flags["preemptible"]) else "STANDARD"
        said, preemptible = self.get("scheduling", "provisioningModel"), self.get("scheduling", "preemptible")
        if late(said) or (said is None and late(preemptible)):
            return None
        if isinstance(said, str):
            return said
        return "SPOT" if truth(preemptible) else "STANDARD"

    @property
    def affinity(self) -> str | None:
        """ANY_RESERVATION (also where absent), NO_RESERVATION or SPECIFIC_RESERVATION; None where not known yet."""
        key = "consumeReservationType" if self.is_pool else "type"
        value = self.get("reservationAffinity", key)
        return None if late(value) else str(value or "ANY_RESERVATION")

    @property
    def purchase(self) -> CapacityType | None:
        """How the machines are bought; None where not known yet."""
        model, affinity = self.model, self.affinity
        if model is None or affinity is None:
            return None
        if model == "SPOT":
            return CapacityType.SPOT
        if model == "FLEX_START" or (self.requests and model == "STANDARD"):
            return CapacityType.FLEX_START
        if model == "RESERVATION_BOUND" or affinity == "SPECIFIC_RESERVATION":
            return CapacityType.RESERVATION
        return CapacityType.ON_DEMAND


def has_rdma(machines: Machines) -> bool:
    """Whether the machine type has RDMA cards (A3 Ultra and newer)."""
    return machines.layout is not None and bool(machines.layout.network_profile_suffix)
