"""How a machine can be bought where it is not sold as the spec wishes."""

from __future__ import annotations

from ..catalog import InstanceType
from ..plan.capacity import why_not_sold
from ..vocabulary import CapacityType, Provider

_WITHOUT_ID: dict[CapacityType, tuple[CapacityType, ...]] = {
    CapacityType.ON_DEMAND: (CapacityType.ON_DEMAND, CapacityType.FLEX_START, CapacityType.SPOT),
    CapacityType.SPOT: (CapacityType.SPOT, CapacityType.FLEX_START, CapacityType.ON_DEMAND),
    CapacityType.RESERVATION: (CapacityType.ON_DEMAND, CapacityType.FLEX_START, CapacityType.SPOT),
    # A block is a window that is waited for, and so is a flex start.
    CapacityType.CAPACITY_BLOCK: (CapacityType.FLEX_START, CapacityType.ON_DEMAND, CapacityType.SPOT),
    CapacityType.FLEX_START: (CapacityType.FLEX_START, CapacityType.ON_DEMAND, CapacityType.SPOT),
}
"""By the wish: ways to buy that need nothing bought before, the nearest in meaning first."""
_WITH_ID = (CapacityType.RESERVATION, CapacityType.CAPACITY_BLOCK)


def sold_as(
    provider: Provider, instance: InstanceType, wish: CapacityType, *, has_id: bool = True
) -> CapacityType | None:
    """The way to buy a type that is nearest to the wish; None where it is sold in no way.

    `has_id` False: a reservation or block of the wish is of another place, so that one here is the last resort.
    """
    first = (wish,) if has_id or not wish.names_capacity else ()
    for way in (*first, *_WITHOUT_ID[wish], *_WITH_ID):
        if why_not_sold(provider, instance, way) is None:
            return way
    return None
