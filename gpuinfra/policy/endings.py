"""Which nodes nothing ever stops: the subject of one rule, on which the rules about money leave the word to it."""

from __future__ import annotations

from datetime import UTC

from ..cost import CostEstimate
from ..plan.models import ClusterPlan, PoolPlan
from ..vocabulary import CapacityType
from .money import unknown_gpu_nodes
from .rule import RuleOptions

CODE_OF_NO_END = "GI2201"
CODE_OF_NO_LEASE = "GI2351"


def open_ended(plan: ClusterPlan) -> tuple[PoolPlan, ...]:
    """The pools with GPUs that no lease, idle limit, schedule, block or flex-start ends."""
    end = plan.spec.shutdown
    if plan.lease.present or (end is not None and (end.idle_after is not None or end.stop_at is not None)):
        return ()
    return tuple(p for p in plan.gpu_pools if not _ends_itself(p))


def said_to_be_open_ended(plan: ClusterPlan, silenced: frozenset[str] = frozenset()) -> bool:
    """Whether the missing end is a finding already, with the amounts of the budget in it; a waived one says too little, and
    one of the `silenced` codes nothing."""
    return bool(open_ended(plan)) and _speaks(plan, CODE_OF_NO_END, silenced)


def without_lease(plan: ClusterPlan) -> tuple[PoolPlan, ...]:
    """The pools with GPUs that only an idle limit or a schedule ends, both of which a busy or hung node outlives."""
    if plan.lease.present or open_ended(plan):
        return ()
    return tuple(p for p in plan.gpu_pools if not _ends_itself(p))


def said_to_lack_a_lease(plan: ClusterPlan, cost: CostEstimate, options: RuleOptions) -> bool:
    """Whether the missing lease is a finding already, with the amount of a run in it."""
    demanded = bool(without_lease(plan)) and needs_lease(plan, cost, options)
    return demanded and _speaks(plan, CODE_OF_NO_LEASE, options.silenced)


def needs_lease(plan: ClusterPlan, cost: CostEstimate, options: RuleOptions) -> bool:
    """Whether nodes are so dear that a lease is demanded, or of no known price."""
    return cost.worst_usd_per_hour >= options.lease_above_usd_per_hour or bool(unknown_gpu_nodes(plan, cost))


def _speaks(plan: ClusterPlan, code: str, silenced: frozenset[str]) -> bool:
    """Whether a code is neither waived nor turned off."""
    today = plan.now.astimezone(UTC).date()
    waived = any(w.code == code and today <= w.expires for w in plan.spec.waivers)
    return not waived and code not in silenced


def _ends_itself(pool: PoolPlan) -> bool:
    return pool.capacity.type is CapacityType.FLEX_START or (
        pool.capacity.type is CapacityType.CAPACITY_BLOCK and pool.capacity.ends is not None
    )
