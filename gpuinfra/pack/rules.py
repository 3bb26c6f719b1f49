"""Which rules a pack holds: those of the house over resources, and an organisation's own that are installed beside it."""

from __future__ import annotations

from ..policy.organisation import own_rules
from ..policy.registry import resource_rules
from ..policy.rule import ResourceRule


def pack_rules() -> tuple[tuple[ResourceRule, ...], tuple[str, ...]]:
    """The rules by code, and what is wrong with packages of rules that cannot be used."""
    own = own_rules()
    return (*resource_rules(), *(r for r in own.rules if isinstance(r, ResourceRule))), own.faults
