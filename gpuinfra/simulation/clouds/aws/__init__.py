"""AWS, simulated: identifiers, what replaces, what is refused, and machines in Auto Scaling groups."""

from .cloud import CLOUD

__all__ = ["CLOUD"]
