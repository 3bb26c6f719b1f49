"""The catalog's row of a machine type that a resource names."""

from __future__ import annotations

from typing import Any

from ..catalog import InstanceType, instance_type
from ..vocabulary import Provider
from .wire_values import late


def row_of(provider: Provider, name: Any) -> InstanceType | None:
    """The row; None where no type is named, where it is not known yet, and where the tables hold nothing of it."""
    if not isinstance(name, str) or not name or late(name):
        return None
    found = instance_type(provider, name)
    return found if isinstance(found, InstanceType) and found.known else None


def gpu_row_of(provider: Provider, name: Any) -> InstanceType | None:
    """The row of a type that is known to have GPUs."""
    found = row_of(provider, name)
    return found if found is not None and found.has_gpu else None
