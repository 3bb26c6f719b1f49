"""What a plan costs: lines with quantity, unit price, date and source; unknown where the tables have no price."""

from .estimate import CostEstimate, estimate, lease_hours
from .units import HOURS_PER_MONTH, CostLine

__all__ = ["HOURS_PER_MONTH", "CostEstimate", "CostLine", "estimate", "lease_hours"]
