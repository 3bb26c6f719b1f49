"""Machine types that no cloud has: of a family that the tables list whole, a name that they lack."""

from __future__ import annotations

import re
from functools import cache

from .. import catalog
from ..catalog import Miss
from ..vocabulary import Provider

_FAMILY = {
    Provider.AWS: re.compile(r"([a-z0-9-]+)\."),
    Provider.GCP: re.compile(r"([a-z][0-9]+[a-z]?)-"),
}
"""What stands before the size. Azure's names have no such part that its tables would know whole."""


@cache
def _families(provider: Provider) -> frozenset[str]:
    """The families of machines with GPUs, of which the tables have every size."""
    names = (one.name for one in catalog.instance_types(provider) if "+" not in one.name)
    return frozenset(found for name in names if (found := _family(provider, name)))


def _family(provider: Provider, name: str) -> str:
    pattern = _FAMILY.get(provider)
    found = pattern.match(name) if pattern else None
    return found[1] if found else ""


def is_unknown(provider: Provider, name: str) -> bool:
    """Whether a cloud surely has no such machine type. A size that the customer makes up (custom) is any."""
    family = _family(provider, name)
    if not family or family not in _families(provider) or "-custom-" in name:
        return False
    return isinstance(catalog.instance_type(provider, name), Miss)
