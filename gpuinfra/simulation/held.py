"""Machines that stand in resources which are no groups of ours: one alone, or the nodes of a Kubernetes pool.

They count against zones, quotas and reservations as any other. Who asks for one and cannot have it is told so at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .cloud import Groups, Refusal, Request
from .supply import Codes, Given, Wanted, launch, supply
from .world import Node, Thing, World


@dataclass(frozen=True)
class Holding:
    """How a cloud's resources hold machines."""

    alone: tuple[str, ...]
    """Types that are one machine: with it they are gone."""
    pools: tuple[str, ...]
    wanted: Callable[[World, str, str, Mapping[str, Any]], Wanted]
    """What a resource (type, id, inputs) asks for; its region is empty where nothing of the inputs says it."""
    codes: Callable[[Wanted], Codes]
    refusal: Callable[[str, Given], Refusal] = lambda type_, given: Refusal(given.code, given.why)
    clusters: tuple[str, ...] = ()
    """Types whose own properties hold pools."""
    inside: Callable[[World, str, str, Mapping[str, Any]], Sequence[Wanted]] = lambda world, type_, id_, inputs: ()
    """What the pools inside of a cluster (type, id, inputs) ask for."""

    @property
    def types(self) -> tuple[str, ...]:
        return (*self.alone, *self.pools, *self.clusters)

    def asked(self, world: World, type_: str, id_: str, inputs: Mapping[str, Any]) -> list[Wanted]:
        """All that a resource (type, id, inputs) asks for, by what can be told apart of its machines: its kind and market."""
        if type_ not in self.clusters:
            return [self.wanted(world, type_, id_, inputs)]
        found: dict[tuple[str, str], Wanted] = {}
        for one in self.inside(world, type_, id_, inputs):
            key = one.machine, one.market
            found[key] = replace(one, count=one.count + (found[key].count if key in found else 0))
        return list(found.values())


def adjust(world: World, how: Holding, thing: tuple[str, str, Mapping[str, Any]], region: str, *, refuse: bool) -> None:
    """Brings a resource (type, id, inputs) to the machines that it asks for. Raises Refusal where it cannot have them."""
    type_, id_, inputs = thing
    # A cluster's nodes are told apart by their kind; a pool has but one, and what it has keeps the kind it was made of.
    told_apart = type_ in how.clusters
    there: dict[tuple[str, str], list[Node]] = {}
    for node in world.running(type_, id_):
        there.setdefault((node.instance_type, node.market) if told_apart else ("", ""), []).append(node)
    for asked in how.asked(world, type_, id_, inputs):
        running = there.pop((asked.machine, asked.market) if told_apart else ("", ""), [])
        if len(running) > asked.count:
            world.end_nodes(running[asked.count :], "scaled in")
        more = replace(asked, count=asked.count - len(running), region=asked.region or region)
        if more.count <= 0:
            continue
        given = supply(world, more, how.codes(more))
        if given.count < more.count and refuse:
            raise how.refusal(type_, given)
        launch(world, more, given)
    for left in there.values():
        world.end_nodes(left, "scaled in")


def asked_for(how: Holding | None, request: Request, id_: str) -> None:
    """What a program asked for is there, or refused."""
    if how is not None and request.type in how.types:
        region = str(request.inputs.get("region") or request.config.get("region") or "")
        adjust(request.world, how, (request.type, id_, request.inputs), region, refuse=True)


def with_held(groups: Groups, how: Holding) -> Groups:
    """A cloud's groups, and what else holds machines there."""

    def said(group: Thing) -> Mapping[str, Any]:
        # A cluster's outputs name the pools that others made, too.
        return group.inputs if group.type in how.clusters else group.outputs

    def size(world: World, group: Thing) -> int:
        if group.type in how.types:
            return sum(one.count for one in how.asked(world, group.type, group.id, said(group)))
        return groups.size(world, group)

    def resize(world: World, group: Thing, wanted: int, why: str) -> None:
        if group.type not in how.types:
            groups.resize(world, group, wanted, why)
        elif not wanted:
            world.end_nodes(world.running(group.type, group.id), why)
        else:
            _again(world, group)

    def _again(world: World, group: Thing) -> None:
        if group.type not in how.alone:
            before = next((n.region for n in world.nodes() if n.group_id == group.id), "")
            adjust(world, how, (group.type, group.id, said(group)), before, refuse=False)

    def again(world: World, group: Thing) -> None:
        if group.type in how.types:
            _again(world, group)
        elif groups.again is not None:
            groups.again(world, group)

    def lost(world: World, group: Thing, count: int) -> None:
        if group.type in how.alone:
            world.forget(group.type, group.id)
        elif group.type in how.types:
            _again(world, group)
        elif groups.lost is not None:
            groups.lost(world, group, count)
        else:
            groups.resize(world, group, groups.size(world, group), "reclaimed")

    def pool(world: World, group: Thing) -> str:
        return "" if group.type in how.types else groups.pool(world, group)

    return replace(
        groups,
        types=(*groups.types, *how.types),
        size=size,
        resize=resize,
        pool=pool,
        again=again,
        lost=lost,
        quiet=how.clusters,
    )
