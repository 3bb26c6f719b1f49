"""A world as data: its time, its groups and their machines, what is left, and what happened."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from .clockwork import priced_as_of, spent, unpriced
from .cloud import Cloud, Groups
from .supply import EVERYWHERE, plain
from .world import Node, Reservation, Thing, World

EXPIRED, SPENT, TAKEN, SHORT, RUNNING, EMPTY = "expired", "budget spent", "taken back", "short", "running", "empty"
"""The states of a group. Expired: its lease ended it. Short: it wants more machines than it could have."""


def seen(world: World, clouds: Sequence[Cloud]) -> dict[str, Any]:
    """What `gpuinfra simulate show` says."""
    groups = [
        _group(world, cloud.groups, g)
        for cloud in clouds
        if cloud.groups
        for g in world.things(*cloud.groups.types)
        if g.type not in cloud.groups.quiet or _holds(world, cloud.groups, g)
    ]
    return {
        "now": _moment(world.now),
        "resources": len(world.things()),
        "groups": groups,
        "usd_this_month": round(sum(spent(world, cloud, world.now) for cloud in clouds), 2),
        "price_as_of": min((d for cloud in clouds for d in priced_as_of(world, cloud, world.now)), default=None),
        "without_price": [what for cloud in clouds for what in unpriced(world, cloud, world.now)],
        "stock": [_stock(world, *row) for row in world.stock()],
        "quotas": [_quota(world, name, limit) for name, limit in world.quotas().items()],
        "reservations": [_reservation(world, one) for one in world.reservations()],
        "guests": "none: no machine boots, so idle limits never fire",
        "events": [
            {"at": _moment(e.at), "what": e.what, "subject": e.subject, "detail": e.detail} for e in world.events()
        ],
    }


def _holds(world: World, how: Groups, group: Thing) -> bool:
    return bool(how.size(world, group)) or any((n.type, n.group_id) == (group.type, group.id) for n in world.nodes())


def _group(world: World, how: Groups, group: Thing) -> dict[str, Any]:
    nodes = [n for n in world.nodes() if (n.type, n.group_id) == (group.type, group.id)]
    wanted = how.size(world, group)
    short = [e.detail for e in world.events() if e.what == "shortage" and e.subject == group.id]
    state = EXPIRED if world.is_over(group.id) and not wanted else state_of(wanted, nodes)
    return {
        "pool": how.pool(world, group),
        "name": group.name,
        "group": group.id,
        "state": state,
        "wanted": wanted,
        "running": sum(1 for n in nodes if n.ended_at is None),
        "shortage": short[-1] if short and state == SHORT else None,
        "nodes": [
            {
                "instance_type": n.instance_type,
                "zone": n.zone or n.region,
                "market": n.market,
                "reservation": n.reservation or None,
                "launched_at": _moment(n.launched_at),
                "ended_at": _moment(n.ended_at) if n.ended_at else None,
                "why": n.why,
            }
            for n in nodes
        ],
    }


def state_of(wanted: int, nodes: Sequence[Node]) -> str:
    """The state of a group that wants so many machines and had these."""
    running = sum(1 for n in nodes if n.ended_at is None)
    if wanted:
        return RUNNING if running >= wanted else SHORT
    last = max((n for n in nodes if n.ended_at), key=lambda n: (n.ended_at or n.launched_at, n.id), default=None)
    if last is None or running:
        return RUNNING if running else EMPTY
    if "lease" in last.why or "run duration" in last.why:
        return EXPIRED
    if last.why.startswith("budget"):
        return SPENT
    return TAKEN if last.why.startswith(("reclaimed", "end of")) else EMPTY


def _stock(world: World, zone: str, type_: str, nodes: int) -> dict[str, Any]:
    left = world.left(zone, type_) if "*" not in (zone, type_) else None
    return {"zone": zone, "instance_type": type_, "nodes": nodes, "left": left}


def _quota(world: World, name: str, limit: float) -> dict[str, Any]:
    region, _, bare = name.rpartition(":")
    taken = sum(
        amount
        for node in world.nodes()
        if node.ended_at is None and region in ("", node.region)
        for drawn, amount in node.draws.items()
        if plain(drawn.removeprefix(EVERYWHERE)) == plain(bare)
    )
    return {"name": name, "limit": limit, "used": taken}


def _reservation(world: World, one: Reservation) -> dict[str, Any]:
    used = sum(1 for n in world.nodes() if n.ended_at is None and one.id in (n.reservation, *n.reservation.split("/")))
    return {
        "id": one.id,
        "instance_type": one.instance_type,
        "zone": one.zone,
        "nodes": one.nodes,
        "used": used,
        "kind": one.kind,
        "starts": _moment(one.starts) if one.starts else None,
        "ends": _moment(one.ends) if one.ends else None,
    }


def _moment(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
