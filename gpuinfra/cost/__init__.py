"""What a plan costs: lines with quantity, unit price, date and source; unknown where the tables have no price."""

from .estimate import CostEstimate, estimate, hours_until, lease_hours
from .nodes import UnitPrice, unit_price
from .units import HOURS_PER_MONTH, LAG_HOURS, CostLine

__all__ = [
    "HOURS_PER_MONTH",
    "LAG_HOURS",
    "CostEstimate",
    "CostLine",
    "UnitPrice",
    "estimate",
    "hours_until",
    "lease_hours",
    "unit_price",
]
