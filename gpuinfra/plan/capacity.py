"""How a pool is bought: what the purchase needs, what the type is sold as, and how many nodes start."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from .. import catalog
from ..catalog import InstanceType
from ..diagnostics import Collector
from ..spec.models import Capacity, CountRange, NodePool
from ..spec.quantities import format_duration
from ..vocabulary import CapacityType, Provider
from . import findings as f
from .models import CapacityPlan, Decision

FLEX_MIN = timedelta(seconds=600)
FLEX_MAX = timedelta(seconds=604_800)

# EC2 ends a block's instances from 30 minutes before its end, and an UltraServer's from 60; the warning event comes
# 40 minutes before (EC2 User Guide, Capacity Blocks). Going down a little earlier leaves the choice to us.
_BLOCK_MARGIN = timedelta(minutes=40)
_ULTRASERVER_MARGIN = timedelta(minutes=70)
_ULTRASERVER_FAMILY = re.compile(r"p\d+e-gb\d+")

# Google Cloud, calendar mode of future reservations.
_CALENDAR_DAYS = {Provider.GCP: (1, 90)}

_ID_FORMS: dict[tuple[Provider, CapacityType], tuple[re.Pattern[str], str]] = {
    (Provider.AWS, CapacityType.RESERVATION): (
        re.compile(r"cr-[0-9a-z]{6,}|arn:aws[a-z-]*:resource-groups:[a-z0-9-]+:\d{12}:group/.+"),
        "cr-0123456789abcdef0, or the ARN of a resource group of reservations",
    ),
    (Provider.AWS, CapacityType.CAPACITY_BLOCK): (re.compile(r"cr-[0-9a-z]{6,}"), "cr-0123456789abcdef0"),
    (Provider.GCP, CapacityType.RESERVATION): (
        re.compile(
            r"(projects/[^/]+/reservations/)?[a-z]([-a-z0-9]*[a-z0-9])?(/reservationBlocks/[^/]+(/reservationSubBlocks/[^/]+)?)?"
        ),
        "a name, or projects/P/reservations/R with /reservationBlocks/B behind it",
    ),
    (Provider.AZURE, CapacityType.RESERVATION): (
        re.compile(
            r"/subscriptions/[^/]+/resourceGroups/[^/]+/providers/Microsoft\.Compute/capacityReservationGroups/[^/]+",
            re.IGNORECASE,
        ),
        "the ARM id of a capacity reservation group",
    ),
}


@dataclass(frozen=True)
class Counts:
    """How many nodes: fewest, at the first `up`, most, and as the user asked."""

    least: int
    initial: int
    most: int
    wanted: int
    moves: bool


def plan_capacity(
    provider: Provider, pool: NodePool, instance: InstanceType, now: datetime, path: str, out: Collector
) -> tuple[CapacityPlan, Decision]:
    """The purchase of a pool; what is wrong with it is a finding."""
    wish = pool.capacity
    where = f"{path}.capacity"
    # What a purchase needs is of no use where there is none.
    if _is_sold(provider, wish, instance, where, out):
        _check_parts(provider, wish, where, out)
        if wish.type is CapacityType.FLEX_START:
            _check_asked(pool, path, out)
    margin = _ULTRASERVER_MARGIN if _ULTRASERVER_FAMILY.fullmatch(instance.family) else _BLOCK_MARGIN
    block = wish.type is CapacityType.CAPACITY_BLOCK
    dated = _is_dated(provider, wish.type)
    reason = "named in the spec" if "capacity" in pool.model_fields_set else "the default"
    if wish.starts and dated and now < wish.starts:
        reason = f"the {'block' if block else 'reservation'} has not begun: no node until then"
    elif block and not wish.starts:
        reason = "starts and ends are not given: no node until you scale the group yourself"
    plan = CapacityPlan(
        wish.type,
        wish.id or "",
        wish.starts if dated else None,
        wish.ends if dated else None,
        wish.duration,
        reason,
        scale_down=wish.ends - margin if block and wish.ends else None,
    )
    text = f"{wish.type} {wish.id}" if wish.id else str(wish.type)
    return plan, Decision(f"{where}.type", text, reason)


def _is_dated(provider: Provider, capacity: CapacityType) -> bool:
    """Whether a purchase begins and ends at moments that the cloud knows; other reservations hold from the day they
    are made until somebody gives them back."""
    calendar = capacity is CapacityType.RESERVATION and provider in _CALENDAR_DAYS
    return calendar or capacity is CapacityType.CAPACITY_BLOCK


def _is_sold(provider: Provider, wish: Capacity, instance: InstanceType, where: str, out: Collector) -> bool:
    refusal = why_not_sold(provider, instance, wish.type)
    if refusal is not None:
        reason, instead = refusal
        hint = f"take {instead}" if instead else ""
        out.add(f.NOT_SOLD_SO.at(f"{where}.type", reason, hint))
    return refusal is None


def why_not_sold(provider: Provider, instance: InstanceType, capacity: CapacityType) -> tuple[str, str] | None:
    """Why a type is not sold in one way, and what would work instead (or nothing); None where it is sold so."""
    option = catalog.purchase_option(provider, instance.name, capacity)
    if option and not option.supported:
        return f"{instance.name} is not sold {bought_as(capacity)}: {option.reason}", option.instead
    if capacity is CapacityType.SPOT and instance.spot_supported is False and not (option and option.supported):
        return f"{instance.name} is not sold as spot", "capacity: {type: on_demand}"
    return None


def bought_as(capacity: CapacityType) -> str:
    """A way of buying as it stands in a sentence: 'sold as spot'."""
    words = {
        CapacityType.ON_DEMAND: "on demand (on_demand)",
        CapacityType.SPOT: "as spot",
        CapacityType.RESERVATION: "through a reservation",
        CapacityType.CAPACITY_BLOCK: "through a capacity block (capacity_block)",
        CapacityType.FLEX_START: "as flex-start (flex_start)",
    }
    return words[capacity]


def _check_parts(provider: Provider, wish: Capacity, where: str, out: Collector) -> None:
    reserved = wish.type.names_capacity
    if reserved and not wish.id:
        form = _ID_FORMS.get((provider, wish.type))
        out.add(
            f.CAPACITY_NEEDS.at(
                where,
                f"a {wish.type} is used by its id, and none is given",
                f"give id: {form[1]}" if form else "give id",
            )
        )
    elif reserved and wish.id:
        form = _ID_FORMS.get((provider, wish.type))
        if form and not form[0].fullmatch(wish.id):
            out.add(
                f.CAPACITY_ID.at(f"{where}.id", f"'{wish.id}' is not an id of a {wish.type}", f"the form is {form[1]}")
            )
    if wish.type is CapacityType.FLEX_START:
        _check_flex(wish, where, out)
    _check_calendar(provider, wish, where, out)
    dated = _is_dated(provider, wish.type)
    unused = {
        "id": wish.id is not None and not reserved,
        "duration": wish.duration is not None and wish.type is not CapacityType.FLEX_START,
        "starts": wish.starts is not None and not dated,
        "ends": wish.ends is not None and not dated,
    }
    for name, idle in unused.items():
        if idle:
            out.add(
                f.CAPACITY_IDLE_FIELD.at(
                    f"{where}.{name}",
                    f"'{name}' has no effect with capacity type {wish.type} on {provider}",
                    f"remove {name}",
                )
            )


def _check_calendar(provider: Provider, wish: Capacity, where: str, out: Collector) -> None:
    days = _CALENDAR_DAYS.get(provider)
    if days is None or wish.type is not CapacityType.RESERVATION or wish.starts is None or wish.ends is None:
        return
    length = wish.ends - wish.starts
    if not timedelta(days=days[0]) <= length <= timedelta(days=days[1]):
        out.add(
            f.CALENDAR_WINDOW.at(
                f"{where}.ends",
                f"the reservation runs for {length.total_seconds() / 86400:g} days",
                f"calendar reservations run from {days[0]} to {days[1]} days: copy the window of yours",
            )
        )


def _check_flex(wish: Capacity, where: str, out: Collector) -> None:
    if wish.duration is None:
        out.add(
            f.CAPACITY_NEEDS.at(where, "flex_start runs for a fixed time, and none is given", "give duration, as 24h")
        )
    elif wish.duration > FLEX_MAX:
        out.add(
            f.FLEX_DURATION.at(
                f"{where}.duration",
                f"{format_duration(wish.duration)} is longer than flex-start runs",
                f"give at most {format_duration(FLEX_MAX)}",
            )
        )
    elif wish.duration < FLEX_MIN:
        out.add(
            f.FLEX_DURATION.at(
                f"{where}.duration",
                f"{format_duration(wish.duration)} is shorter than flex-start is documented for",
                f"give at least {format_duration(FLEX_MIN)}",
                severity=f.W,
            )
        )


def _check_asked(pool: NodePool, path: str, out: Collector) -> None:
    """Flex-start asks once, for the nodes of the beginning: nothing adds the others of a range."""
    count = pool.count
    if isinstance(count, CountRange) and count.max and not (count.min if count.initial is None else count.initial):
        out.add(
            f.CAPACITY_NEEDS.at(
                f"{path}.count",
                "flex_start asks once, for the nodes that the pool begins with, and it begins with none",
                f"add initial: {count.max}",
                severity=f.W,
            )
        )


def plan_counts(
    pool: NodePool, capacity: CapacityPlan, now: datetime, moves: bool, path: str
) -> tuple[Counts, Decision]:
    """How many nodes a pool has. `moves`: something outside `up` changes the number (idle timer, lease, schedule)."""
    ranged = isinstance(pool.count, CountRange)
    if isinstance(pool.count, CountRange):
        least, most = pool.count.min, pool.count.max
        wanted = least if pool.count.initial is None else pool.count.initial
    else:
        least = most = wanted = pool.count
    block = capacity.type is CapacityType.CAPACITY_BLOCK
    # A request brings flex-start nodes and their own clock takes them: the group's size is never ours.
    moves = moves or ranged or block or capacity.type is CapacityType.FLEX_START
    waits = capacity.starts is not None and now < capacity.starts
    initial = 0 if waits or (block and not _block_runs(capacity, now)) else wanted
    reason = "named in the spec" if "count" in pool.model_fields_set else "the default"
    if moves:
        # What scales to zero may not be held up by a minimum, or the next `up` would buy the nodes again.
        least = 0
        reason += "; the group may shrink to 0 and a later `up` leaves its size alone"
    text = f"{wanted}" if not ranged else f"{initial} of at most {most}"
    if initial != wanted:
        text = f"{wanted} (0 at first)"
    return Counts(least, initial, most, wanted, moves), Decision(f"{path}.count", text, reason)


def _block_runs(capacity: CapacityPlan, now: datetime) -> bool:
    starts, down = capacity.starts, capacity.scale_down
    return starts is not None and down is not None and starts <= now < down
