"""Where nodes stand to each other: a group, an existing group, or none, by what the purchase allows."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ..catalog import InstanceType
from ..diagnostics import Collector
from ..vocabulary import CapacityType, FabricKind, Provider, Workload
from . import findings as f
from .models import CapacityPlan, Decision, Fabric, Placement


@dataclass(frozen=True)
class _Habits:
    """What a cloud does by itself, and what it allows."""

    reserved: str
    """Why nodes of a reservation get no group."""
    fabric_places: bool = False
    """Nodes with a fabric already stand together (one scale set with a single placement group)."""
    reserved_takes_group: bool = True
    """A reservation can be used inside a group of the user's own."""
    flex_kept_together: tuple[str, ...] = ()
    """Families whose flex-start nodes may stand in a group."""
    always_grouped: tuple[str, ...] = ()
    """Families that want a group whatever the purchase."""
    groups_collectives: bool = False
    """Nodes that exchange data stand together also where they have no fabric of their own."""
    most: dict[str, int] = field(default_factory=dict[str, int])
    """Most nodes of one new group, by family; the empty name is every other family."""


_HABITS: dict[Provider, _Habits] = {
    Provider.AWS: _Habits(
        "a reservation made outside a group cannot be used inside one; name the group if it was made in one"
    ),
    # Google Cloud, compact placement and workload policy overview: flex-start with a workload policy for A4 and A3 Ultra
    # only; A4X racks want topology 1x72, 18 machines a policy; at most 1500 machines at distance 3.
    Provider.GCP: _Habits(
        "blocks of a reservation are close together already",
        flex_kept_together=("a4-highgpu", "a3-ultragpu"),
        always_grouped=("a4x-highgpu", "a4x-maxgpu"),
        groups_collectives=True,
        most={"a4x-highgpu": 18, "a4x-maxgpu": 18, "": 1500},
    ),
    # Microsoft, capacity reservation overview (2026-02): not with a proximity placement group.
    Provider.AZURE: _Habits(
        "a capacity reservation takes no proximity group", fabric_places=True, reserved_takes_group=False
    ),
}
_GROUP = re.compile(r"(/subscriptions/)?[A-Za-z0-9][A-Za-z0-9 ._:/()-]*")
_NOT_NAMES = {"cluster", "collocated", "compact", "new", "partition", "required", "spread", "true", "yes"}
_CLOSE = {FabricKind.EFA, FabricKind.GPUDIRECT_TCPX, FabricKind.GPUDIRECT_TCPXO, FabricKind.ROCE}


@dataclass(frozen=True)
class Nodes:
    """The nodes to be placed."""

    instance: InstanceType
    capacity: CapacityPlan
    fabric: Fabric
    most: int
    workload: Workload


def plan_placement(
    provider: Provider, wish: str, nodes: Nodes, path: str, out: Collector
) -> tuple[Placement, Decision]:
    """The placement of a pool's nodes; `wish` is the spec's proximity."""
    where = f"{path}.proximity"
    habits = _HABITS[provider]
    if wish == "none":
        placement = Placement("none", "", "none is asked for")
    elif wish != "auto":
        placement = _existing(habits, wish, nodes, where, out)
    else:
        placement = _auto(habits, nodes)
    if placement.mode == "new":
        most = habits.most.get(nodes.instance.family, habits.most.get("", nodes.most))
        if nodes.most > most:
            out.add(
                f.PLACEMENT_LIMIT.at(
                    f"{path}.count",
                    f"{nodes.most} nodes of {nodes.instance.name} stand in one group, which holds {most}",
                    f"make several pools of at most {most} nodes, or set proximity: none",
                )
            )
    value = placement.mode if placement.mode != "existing" else f"existing group {placement.name}"
    return placement, Decision(where, value, placement.reason)


def _existing(habits: _Habits, name: str, nodes: Nodes, where: str, out: Collector) -> Placement:
    hint = "set proximity: none, or leave it out"
    if name.lower() in _NOT_NAMES or not _GROUP.fullmatch(name):
        out.add(
            f.PROXIMITY_REFUSED.at(
                where,
                f"'{name}' is read as the name of an existing group, and it looks like none",
                "write auto for a new group where one helps, none, or the name or id of your own group",
            )
        )
    elif nodes.capacity.type is CapacityType.CAPACITY_BLOCK:
        out.add(
            f.PROXIMITY_REFUSED.at(
                where,
                f"placement group '{name}' with a capacity block: the block is one place already, and the cloud "
                "refuses a group on top",
                hint,
            )
        )
    elif nodes.capacity.type is CapacityType.RESERVATION and not habits.reserved_takes_group:
        out.add(f.PROXIMITY_REFUSED.at(where, f"group '{name}' with a reservation: {habits.reserved}", hint))
    elif nodes.instance.cluster_placement_supported is False:
        out.add(f.PROXIMITY_REFUSED.at(where, f"{nodes.instance.name} takes no placement group", hint))
    return Placement("existing", name, "named in the spec; nothing is put on top of it")


def _auto(habits: _Habits, nodes: Nodes) -> Placement:
    def none(reason: str) -> Placement:
        return Placement("none", "", reason)

    name, family = nodes.instance.name, nodes.instance.family
    grouped = family in habits.always_grouped
    if nodes.capacity.type is CapacityType.CAPACITY_BLOCK:
        return none("a capacity block is one place already; the cloud refuses a group on top")
    if nodes.capacity.type is CapacityType.RESERVATION and not grouped:
        return none(habits.reserved)
    if nodes.most < 2:
        return none("one node has no neighbour")
    if habits.fabric_places and nodes.fabric.present:
        return none("the nodes' scale set already keeps them together")
    collective = nodes.workload.exchanges_data
    if nodes.fabric.kind not in _CLOSE and not (habits.groups_collectives and collective):
        why = (
            "without a fabric a group gains little"
            if collective
            else f"nodes of {nodes.workload.with_article} cluster work alone"
        )
        return none(f"{why}, and they find capacity more easily apart")
    if nodes.instance.cluster_placement_supported is False:
        return none(f"{name} takes no group")
    if nodes.capacity.type is CapacityType.FLEX_START and family not in habits.flex_kept_together:
        return none(f"flex-start of {name} takes no group")
    return Placement("new", "", f"{nodes.most} nodes that exchange data stand close together")
