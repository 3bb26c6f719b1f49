"""Which nodes nothing ever stops: the subject of one rule, on which the rules about money leave the word to it."""

from __future__ import annotations

from datetime import UTC

from ..plan.models import ClusterPlan, PoolPlan
from ..vocabulary import CapacityType

CODE_OF_NO_END = "GI2201"


def open_ended(plan: ClusterPlan) -> tuple[PoolPlan, ...]:
    """The pools with GPUs that no lease, idle limit, schedule, block or flex-start ends."""
    end = plan.spec.shutdown
    if plan.lease.present or (end is not None and (end.idle_after is not None or end.stop_at is not None)):
        return ()
    return tuple(p for p in plan.gpu_pools if not _ends_itself(p))


def said_to_be_open_ended(plan: ClusterPlan, silenced: frozenset[str] = frozenset()) -> bool:
    """Whether the missing end is a finding already, with the amounts of the budget in it; a waived one says too little, and
    one of the `silenced` codes nothing."""
    today = plan.now.astimezone(UTC).date()
    waived = any(w.code == CODE_OF_NO_END and today <= w.expires for w in plan.spec.waivers)
    return bool(open_ended(plan)) and not waived and CODE_OF_NO_END not in silenced


def _ends_itself(pool: PoolPlan) -> bool:
    return pool.capacity.type is CapacityType.FLEX_START or (
        pool.capacity.type is CapacityType.CAPACITY_BLOCK and pool.capacity.ends is not None
    )
