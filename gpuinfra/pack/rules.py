"""Which rules a pack holds: those of the house over resources, and an organisation's own that are installed beside it."""

from __future__ import annotations

from collections.abc import Iterable

from ..policy.organisation import own_rules
from ..policy.registry import resource_rules
from ..policy.rule import ResourceRule
from .settings import UNDECIDED


def pack_rules() -> tuple[tuple[ResourceRule, ...], tuple[str, ...]]:
    """The rules by code, and what is wrong with packages of rules that cannot be used."""
    own = own_rules()
    return (*resource_rules(), *(r for r in own.rules if isinstance(r, ResourceRule))), own.faults


def configurable(rules: Iterable[ResourceRule]) -> dict[str, bool]:
    """The policies of a pack, and whether a price can be set for each from which nodes need an end."""
    return {**{r.code.code: r.demands_end for r in rules}, UNDECIDED: False}
