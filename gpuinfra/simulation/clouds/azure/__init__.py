"""Azure, simulated: ARM ids, what preview calls an update and ARM refuses, and machines in scale sets."""

from .cloud import CLOUD

__all__ = ["CLOUD"]
