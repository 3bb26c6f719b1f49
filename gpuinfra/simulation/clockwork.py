"""The world's time moves: what was to happen by then happens, in its order, though no program and no guest runs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import partial
from zoneinfo import ZoneInfo

from .. import catalog
from ..plan.cron import CronLine, parse_cron
from ..vocabulary import Provider
from .cloud import Cloud, Due, Groups, digest
from .plugin import CLOUDS
from .supply import find
from .world import Node, Thing, World

SPEND_LAG = timedelta(hours=12)
"""How late spend data come: between the 8 and 24 hours that the clouds name."""
_STEP = timedelta(hours=1)


def firings(line: str, zone: ZoneInfo, after: datetime, until: datetime) -> Iterator[datetime]:
    """The moments at which a cron line fires in a time zone, after one moment and until another, in UTC."""
    times = parse_cron(line)
    day = after.astimezone(zone).date()
    while day <= until.astimezone(zone).date():
        if _fits(times, day):
            for hour in sorted(times.hours):
                for minute in sorted(times.minutes):
                    local = datetime(day.year, day.month, day.day, hour, minute, tzinfo=zone)
                    moment = local.astimezone(UTC)
                    if after < moment <= until:
                        yield moment
        day += timedelta(days=1)


def _fits(times: CronLine, day: date) -> bool:
    if day.month not in times.months:
        return False
    by_day, by_weekday = day.day in times.days, day.isoweekday() % 7 in times.weekdays
    return (by_day and by_weekday) if times.fits_both or times.any_day or times.any_weekday else (by_day or by_weekday)


def advance(world: World, clouds: Sequence[Cloud], by: timedelta) -> None:
    """Moves the world's time, hour by hour: schedules fire, windows end, budgets are seen to be spent."""
    began = world.now
    end = began + by
    at = began
    with world.step():
        world.note("advance", "clock", f"to {end.isoformat()}")
    while at < end:
        upto = min(at + _STEP, end)
        with world.step():
            _one_step(world, clouds, at, upto)
        at = upto


def _one_step(world: World, clouds: Sequence[Cloud], after: datetime, until: datetime) -> None:
    found = [d for cloud in clouds for d in (*cloud.due(world, after, until), *_taken(world, cloud, after, until))]
    due = sorted(found, key=lambda d: d.moment)
    for one in due:
        world.move_to(one.moment)
        one.act(world)
        world.note("fire", one.subject)
    world.move_to(until)
    for cloud in clouds:
        _watch_budgets(world, cloud)
        _try_again(world, cloud)


def _try_again(world: World, cloud: Cloud) -> None:
    how = cloud.groups
    if how is None or how.again is None:
        return
    for group in world.things(*how.types):
        how.again(world, group)


def _taken(world: World, cloud: Cloud, after: datetime, until: datetime) -> Iterator[Due]:
    """Machines that the cloud takes back: at the end of their reservation's window, and spot machines by chance."""
    how = cloud.groups
    if how is None:
        return
    known = world.reservations()
    mean = float(world.meta("spot_mean_hours") or 0)
    for node in world.nodes():
        if node.ended_at is not None or node.type not in how.types:
            continue
        kept = find(known, node.reservation) if node.reservation else None
        if kept is not None and kept.kind == "window" and kept.ends is not None:
            moment = kept.ends - how.margin(node)
            if after < moment <= until:
                yield Due(moment, f"end of {kept.id}", partial(_take, how=how, node=node, why=f"end of {kept.id}"))
        if mean and node.market == "spot":
            moment = node.launched_at + _lifetime(world, node, mean)
            if after < moment <= until:
                yield Due(moment, f"spot machine {node.id}", partial(_take, how=how, node=node, why="reclaimed"))


def _lifetime(world: World, node: Node, mean_hours: float) -> timedelta:
    """How long a spot machine lives: by chance, and by the world's seed the same each time."""
    draw = int(digest(f"{world.meta('seed') or 0}:{node.id}:{node.instance_type}", 12), 16) / 16**12
    return timedelta(hours=-mean_hours * math.log(1 - draw))


def _take(world: World, how: Groups, node: Node, why: str) -> None:
    world.end_nodes([node], why)
    group = world.thing(node.type, node.group_id)
    if group is not None:
        _without(world, how, group, 1)


def _without(world: World, how: Groups, group: Thing, count: int) -> None:
    """What a group does when the cloud took machines from it."""
    if how.lost is not None:
        how.lost(world, group, count)
    else:
        how.resize(world, group, how.size(world, group), "reclaimed")


def _watch_budgets(world: World, cloud: Cloud) -> None:
    if cloud.spending is None or cloud.groups is None:
        return
    for budget, limit in cloud.spending.budgets(world):
        key = f"spent:{budget.type}:{budget.id}:{world.now:%Y-%m}"
        if world.meta(key) or spent(world, cloud, world.now - SPEND_LAG) < limit:
            continue
        world.set_meta(key, "told")
        world.note(
            "budget", budget.name, f"{limit:g} USD of this month are spent, as seen {SPEND_LAG // _STEP} h later"
        )
        for group in cloud.spending.stopped(world, budget):
            cloud.groups.resize(world, group, 0, f"budget {budget.name}")


def spent(world: World, cloud: Cloud, until: datetime) -> float:
    """What the machines of a cloud cost in the month of a moment, until then. Unknown prices count nothing."""
    month = until.replace(day=1, hour=0, minute=0, second=0)
    types = cloud.groups.types if cloud.groups else ()
    return sum(_cost(cloud, n, month, until) for n in world.nodes() if n.type in types)


def unpriced(world: World, cloud: Cloud, until: datetime) -> list[str]:
    """What ran in the month of a moment and has no price in the tables."""
    return sorted({_bought(n) for n in _ran(world, cloud, until) if _per_hour(cloud, n) is None})


def priced_as_of(world: World, cloud: Cloud, until: datetime) -> list[str]:
    """The dates of the prices of what ran in the month of a moment."""
    found = ((n.market, _price(cloud, n)) for n in _ran(world, cloud, until) if _per_hour(cloud, n))
    dates = {(price.spot_as_of if market == "spot" else price.as_of) for market, price in found if price is not None}
    return sorted(dates - {""})


def _ran(world: World, cloud: Cloud, until: datetime) -> list[Node]:
    month = until.replace(day=1, hour=0, minute=0, second=0)
    types = cloud.groups.types if cloud.groups else ()
    return [n for n in world.nodes() if n.type in types and (n.ended_at is None or n.ended_at > month)]


def _bought(node: Node) -> str:
    market = node.market.replace("_", " ")
    return f"{node.instance_type} in {node.region or node.zone or 'no known region'}, {market}"


def _cost(cloud: Cloud, node: Node, since: datetime, until: datetime) -> float:
    began, ended = max(node.launched_at, since), min(node.ended_at or until, until)
    hours = max(0.0, (ended - began).total_seconds() / 3600)
    return hours * (_per_hour(cloud, node) or 0.0) if hours else 0.0


def _per_hour(cloud: Cloud, node: Node) -> float | None:
    """What a machine costs an hour; None where nobody knows."""
    if node.market == "capacity_block":
        return 0.0  # Paid as a whole, and before.
    price = _price(cloud, node)
    if price is None:
        return None
    return price.spot_usd_hour if node.market == "spot" else price.on_demand_usd_hour


def _price(cloud: Cloud, node: Node) -> catalog.Price | None:
    return catalog.price(Provider(CLOUDS[cloud.package]), node.region, node.instance_type)


def all_clouds(packages: Iterable[str]) -> list[Cloud]:
    """The clouds of these packages."""
    from importlib import import_module

    return [import_module(f".clouds.{CLOUDS[p]}", __package__).CLOUD for p in packages]


def reclaim(world: World, clouds: Sequence[Cloud], pool: str, count: int) -> int:
    """Ends spot machines of a pool, as a cloud does that wants them back; their group then does what that cloud's groups do:
    it asks for others, or is smaller by them. Returns how many were taken. Raises DeploymentError for a pool that is not there, or not spot."""
    from ..engine.deployment import DeploymentError

    groups = [(c.groups, g) for c in clouds if c.groups for g in world.things(*c.groups.types)]
    named = [(how, g) for how, g in groups if pool in (how.pool(world, g), g.name)]
    if not named:
        there = ", ".join(sorted({how.pool(world, g) or g.name for how, g in groups})) or "none"
        raise DeploymentError(f"there is no pool '{pool}' in the simulated clouds; there are: {there}")
    with world.step():
        taken: list[Node] = []
        for how, group in named:
            spot = [n for n in world.running(group.type, group.id) if n.market == "spot"][: count - len(taken)]
            world.end_nodes(spot, "reclaimed")
            taken += spot
            if spot:
                world.note("reclaim", pool, f"{len(spot)} machines")
                _without(world, how, group, len(spot))
        if not taken:
            others = Counter(n.market.replace("_", " ") for _, g in named for n in world.running(g.type, g.id))
            has = ", ".join(f"{count} {market}" for market, count in sorted(others.items())) or "none at all"
            raise DeploymentError(f"pool '{pool}' has no spot machine that runs; it has: {has}")
    return len(taken)
