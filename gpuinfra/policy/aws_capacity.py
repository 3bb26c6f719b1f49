"""How a launch template buys its nodes, from what the template, the program and look-ups in the account show."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, cast

from .aws_graph import BLOCK, RESERVATION
from .resource_graph import Resource
from .rule import GraphContext
from .wire_values import late, number, plain

BLOCK_MARKET = "capacity-block"
_TARGET = ("capacityReservationSpecification", "capacityReservationTarget")


def market(template: Resource) -> Any:
    """The market type: text, unknown, or None where none is named (on demand)."""
    return template.get("instanceMarketOptions", "marketType")


def target(template: Resource) -> Any:
    """The reservation that the template aims at: an id, unknown, or None."""
    return template.get(*_TARGET, "capacityReservationId")


def has_target(template: Resource) -> bool:
    """Whether the template aims at a reservation, a block, or a group of them, known or not."""
    return target(template) is not None or template.get(*_TARGET, "capacityReservationResourceGroupArn") is not None


def target_is_late(template: Resource) -> bool:
    """Whether it is not known yet if there is a target at all. One that comes out of a resource is a target."""
    return late(template.get(_TARGET[0])) or late(template.get(*_TARGET))


def reservation(ctx: GraphContext, template: Resource) -> Resource | None:
    """The reservation or block that the template aims at, where this program makes it."""
    links = ctx.aws.link(template, _TARGET[0], target(template), RESERVATION, BLOCK)
    return links.resources[0] if len(links.resources) == 1 else None


def reservation_facts(ctx: GraphContext, template: Resource) -> Mapping[str, Any]:
    """What a look-up found about the template's reservation; empty where nothing did."""
    value = target(template)
    found = ctx.facts.get(value) if isinstance(value, str) else None
    return cast(Mapping[str, Any], found) if isinstance(found, Mapping) else {}


def reservation_kind(ctx: GraphContext, template: Resource) -> str:
    """`capacity-block`, `default`, or empty where nothing shows what the target is."""
    made_here = reservation(ctx, template)
    if made_here is not None:
        return BLOCK_MARKET if made_here.type == BLOCK else "default"
    said = reservation_facts(ctx, template).get("type")
    if isinstance(said, str):
        return said
    if ctx.plan is not None:
        pool = next((p for p in ctx.plan.pools if p.capacity.id and p.capacity.id == target(template)), None)
        if pool is not None:
            return BLOCK_MARKET if pool.capacity.type.value == "capacity_block" else "default"
    return ""


def is_block(ctx: GraphContext, template: Resource) -> bool | None:
    """Whether the template buys from a capacity block, by its market type or by its target. None: not known yet."""
    said = market(template)
    if said == BLOCK_MARKET or reservation_kind(ctx, template) == BLOCK_MARKET:
        return True
    return None if late(said) else False


def reserved_count(ctx: GraphContext, template: Resource) -> float | None:
    """How many instances the target holds; None where nothing shows it."""
    made_here = reservation(ctx, template)
    count = number(made_here.get("instanceCount")) if made_here is not None else None
    return count if count is not None else number(reservation_facts(ctx, template).get("count"))


def market_refused(ctx: GraphContext, template: Resource) -> str:
    """What is wrong with the market type for the reservation that the template aims at; empty where nothing is, or where
    that is not known. Spot takes nothing from any reservation."""
    kind, said = reservation_kind(ctx, template), market(template)
    if said == "spot" and kind != BLOCK_MARKET and has_target(template) and not target_is_late(template):
        aim = target(template)
        whose = "a group of reservations" if aim is None else _shown(aim)
        return f"the market type is 'spot', and spot takes nothing from {whose}"
    if not kind or late(said):
        return ""
    if kind == BLOCK_MARKET and said != BLOCK_MARKET:
        return f"{_shown(target(template))} is a capacity block, and the market type is {_shown(said)}"
    if kind != BLOCK_MARKET and said == BLOCK_MARKET:
        return f"the market type is 'capacity-block', and {_shown(target(template))} is an on-demand reservation"
    return ""


def _shown(value: object) -> str:
    return "not set" if value is None else f"'{value}'" if isinstance(value, str) else "the reservation of this program"


def moment(value: Any) -> datetime | None:
    """An instant from text with an offset, or a datetime; None for anything else."""
    value = plain(value)
    if isinstance(value, str) and not late(value):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
    if not isinstance(value, datetime):
        return None
    return value if value.tzinfo is not None else value.replace(tzinfo=UTC)
