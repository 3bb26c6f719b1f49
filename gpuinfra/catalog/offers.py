"""From rows to offers: what is sold, where, how, for how much, and within which limits."""

from __future__ import annotations

from ..vocabulary import CapacityType, Provider, StorageKind
from .models import Availability, Limit, PurchaseOption, Retired, ServicePrice, StorageTier
from .reading import Row


def purchase_option(row: Row) -> PurchaseOption:
    """Whether types of a pattern are sold in one way. A refusal must give its reason."""
    supported = row.needed_flag("supported")
    return PurchaseOption(
        provider=row.word("provider", Provider),
        pattern=row.needed_text("pattern"),
        capacity=row.word("capacity", CapacityType),
        supported=supported,
        reason=row.text("reason") if supported else row.needed_text("reason"),
        instead=row.text("instead"),
        source=row.text("source"),
        as_of=row.text("as_of"),
    )


def retired(row: Row) -> Retired:
    """A type that is no longer deployed."""
    return Retired(
        provider=row.word("provider", Provider),
        pattern=row.needed_text("pattern"),
        retired_on=row.text("retired_on"),
        instead=row.text("instead"),
        source=row.text("source"),
        as_of=row.text("as_of"),
    )


def availability(row: Row) -> Availability:
    """The zones of one region that offer one type."""
    return Availability(
        provider=row.word("provider", Provider),
        region=row.needed_text("region"),
        instance_type=row.needed_text("instance_type"),
        zones=row.items("zones"),
        source=row.text("source"),
        as_of=row.text("as_of"),
        as_of_basis=row.text("as_of_basis"),
        complete=row.flag("complete") is not False,
    )


def storage_tier(row: Row) -> StorageTier:
    """One band of a size ladder. Refused: a step or a maximum that the ladder never meets."""
    low, step, high = row.needed_integer("min_gib"), row.needed_integer("step_gib"), row.integer("max_gib")
    if step < 1 or (high is not None and (high < low or (high - low) % step)):
        raise row.refuse(f"a ladder from {low} in steps of {step} does not meet its maximum {high}")
    return StorageTier(
        provider=row.word("provider", Provider),
        kind=row.word("kind", StorageKind),
        tier=row.needed_text("tier"),
        throughput_mbps_per_tib=row.integer("throughput_mbps_per_tib"),
        min_gib=low,
        step_gib=step,
        max_gib=high,
        extra_sizes_gib=row.integers("extra_sizes_gib"),
        max_is_soft=row.needed_flag("max_is_soft"),
        default=row.needed_flag("default"),
        min_subnet_prefix=row.text("min_subnet_prefix"),
        notes=row.text("notes"),
        source=row.text("source"),
        as_of=row.text("as_of"),
    )


def service_price(row: Row) -> ServicePrice:
    """A price of something that is no instance. A row that is read in every region is an estimate."""
    region = row.needed_text("region")
    return ServicePrice(
        provider=row.word("provider", Provider),
        service=row.needed_text("service"),
        item=row.needed_text("item"),
        region=region,
        unit=row.needed_text("unit"),
        usd=row.number("usd"),
        as_of=row.text("as_of"),
        source=row.text("source"),
        estimate=region == "*",
        notes=row.text("notes"),
    )


def limit(row: Row) -> Limit:
    """A limit of a cloud."""
    return Limit(
        provider=row.word("provider", Provider),
        what=row.needed_text("what"),
        maximum=row.needed_integer("maximum"),
        pattern=row.text("pattern"),
        notes=row.text("notes"),
        source=row.text("source"),
        as_of=row.text("as_of"),
        weak=row.items("weak"),
    )
