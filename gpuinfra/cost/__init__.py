"""What a plan costs: lines with quantity, unit price, date and source; unknown where the tables have no price."""

from .estimate import CostEstimate, CostLine, estimate

__all__ = ["CostEstimate", "CostLine", "estimate"]
