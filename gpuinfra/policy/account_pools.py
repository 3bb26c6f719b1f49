"""Pools, subnets and images of a plan beside what the account says of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..diagnostics import Code
from ..plan.models import PoolPlan
from .account_facts import Absent, Reservation, Reserved
from .rule import AccountContext, Passed, Unsure


def unsure(code: Code, path: str, absent: Absent) -> Unsure:
    """The verdict of a rule whose fact is missing."""
    return Unsure(code.code, path, absent.reason)


def passed(code: Code, path: str, said: str) -> Passed:
    """The verdict of a rule that looked and found it in order."""
    return Passed(code.code, path, said)


@dataclass(frozen=True)
class ReservedPool:
    """A pool that names reserved capacity, and what the account says of that."""

    pool: PoolPlan
    path: str
    """Of the id."""
    found: Reservation | Absent | None
    """None: it was looked for and is not there."""

    @property
    def id(self) -> str:
        return self.pool.capacity.id

    @property
    def members(self) -> tuple[Reserved, ...]:
        return self.found.members if isinstance(self.found, Reservation) else ()

    @property
    def fitting(self) -> tuple[Reserved, ...]:
        """What it holds of the pool's own machine, in the pool's own zone; what does not say is let be."""
        return tuple(m for m in self.members if same_type(m, self.pool) and same_zone(m, self.pool))


def same_type(held: Reserved, pool: PoolPlan) -> bool:
    """Whether a reserved machine is the pool's."""
    return not held.instance_type or held.instance_type.lower() == pool.instance.name.lower()


def same_zone(held: Reserved, pool: PoolPlan) -> bool:
    """Whether reserved machines stand where the pool stands. A pool without a zone stands in none."""
    return not held.zone or held.zone == pool.zone


def reserved_pools(ctx: AccountContext) -> Iterator[ReservedPool]:
    """Every pool that names a reservation or a block by its id."""
    for pool in ctx.plan.pools:
        if pool.capacity.type.names_capacity and pool.capacity.id and pool.count_max:
            found = ctx.facts.entry("reservations", pool.capacity.id)
            yield ReservedPool(pool, f"{pool.path}.capacity.id", found)


def own_nodes_of(ctx: AccountContext, pool: PoolPlan) -> int:
    """Nodes of this very cluster that already run on the pool's machine out of a reservation or a block."""
    return (ctx.facts.own_nodes or {}).get(f"reserved/{pool.instance.name}", 0)


def same_network(found: str, named: str) -> bool:
    """Whether two names mean one network: a name alone is the last part of a path."""
    a, b = found.lower(), named.lower()
    return (
        a == b
        or a.endswith(f"/{b}")
        or b.endswith(f"/{a}")
        or a.partition("projects/")[2] == b.partition("projects/")[2] != ""
    )
