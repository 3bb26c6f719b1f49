"""Google Cloud, simulated: self links, what replaces, what is refused, and machines in managed instance groups."""

from .cloud import CLOUD

__all__ = ["CLOUD"]
