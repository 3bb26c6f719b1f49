"""Where nodes stand to each other: a group, an existing group, or none, by what the purchase allows."""

from __future__ import annotations

from dataclasses import dataclass

from ..catalog import InstanceType
from ..diagnostics import Collector
from ..spec.models import NodePool
from ..vocabulary import CapacityType, FabricKind, Provider
from . import findings as f
from .models import CapacityPlan, Decision, Fabric, Placement


@dataclass(frozen=True)
class _Habits:
    """What a cloud does by itself."""

    fabric_places: bool
    """Nodes with a fabric already stand together (one scale set with a single placement group)."""
    flex_kept_together: tuple[str, ...]
    """Families whose flex-start nodes may stand in a group."""


_HABITS: dict[Provider, _Habits] = {
    Provider.AWS: _Habits(False, ()),
    # Flex-start with a workload policy: A4 and A3 Ultra only (Google Cloud, workload policy overview).
    Provider.GCP: _Habits(False, ("a4-highgpu", "a3-ultragpu")),
    Provider.AZURE: _Habits(True, ()),
}
_CLOSE = {FabricKind.EFA, FabricKind.GPUDIRECT_TCPX, FabricKind.GPUDIRECT_TCPXO, FabricKind.ROCE}


def plan_placement(
    provider: Provider,
    pool: NodePool,
    instance: InstanceType,
    capacity: CapacityPlan,
    fabric: Fabric,
    most: int,
    path: str,
    out: Collector,
) -> tuple[Placement, Decision]:
    """The placement of a pool's nodes."""
    where = f"{path}.proximity"
    if pool.proximity == "none":
        placement = Placement("none", "", "none is asked for")
    elif pool.proximity != "auto":
        placement = _existing(pool, instance, capacity, where, out)
    else:
        placement = _auto(_HABITS[provider], instance, capacity, fabric, most)
    value = placement.mode if placement.mode != "existing" else f"existing group {placement.name}"
    return placement, Decision(where, value, placement.reason)


def _existing(pool: NodePool, instance: InstanceType, capacity: CapacityPlan, where: str, out: Collector) -> Placement:
    name = pool.proximity
    if capacity.type is CapacityType.CAPACITY_BLOCK:
        out.add(
            f.PROXIMITY_REFUSED.at(
                where,
                f"placement group '{name}' with a capacity block: the block is one place already, and the cloud "
                "refuses a group on top",
                "set proximity: none, or leave it out",
            )
        )
    elif instance.cluster_placement_supported is False:
        out.add(
            f.PROXIMITY_REFUSED.at(
                where, f"{instance.name} takes no placement group", "set proximity: none, or leave it out"
            )
        )
    return Placement("existing", name, "named in the spec; nothing is put on top of it")


def _auto(habits: _Habits, instance: InstanceType, capacity: CapacityPlan, fabric: Fabric, most: int) -> Placement:
    def none(reason: str) -> Placement:
        return Placement("none", "", reason)

    if capacity.type is CapacityType.CAPACITY_BLOCK:
        return none("a capacity block is one place already; the cloud refuses a group on top")
    if capacity.type is CapacityType.RESERVATION:
        return none(
            "a reservation made outside a group cannot be used inside one; name the group if it was made in one"
        )
    if most < 2:
        return none("one node has no neighbour")
    if habits.fabric_places and fabric.present:
        return none("the nodes' scale set already keeps them together")
    if fabric.kind not in _CLOSE:
        return none("independent nodes find capacity more easily apart")
    if instance.cluster_placement_supported is False:
        return none(f"{instance.name} takes no group")
    if capacity.type is CapacityType.FLEX_START and instance.family not in habits.flex_kept_together:
        return none(f"flex-start of {instance.name} takes no group")
    return Placement("new", "", f"{most} nodes that share a fabric stand close together")
