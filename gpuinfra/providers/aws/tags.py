"""Tags: every resource carries the plan's labels and a name that people recognise in the console."""

from __future__ import annotations

from ...plan.models import ClusterPlan, PoolPlan
from ...plan.resolve import CLUSTER_LABEL, POOL_LABEL


def tags(plan: ClusterPlan, name: str, pool: PoolPlan | None = None) -> dict[str, str]:
    """The plan's labels and `Name`, and the pool's own name on what belongs to a pool."""
    own = {POOL_LABEL: pool.name} if pool else {}
    return {**dict(plan.labels), **own, "Name": name}


def cluster_tag(plan: ClusterPlan) -> tuple[str, str]:
    """The tag that tells this cluster's resources from all others: permissions and the budget go by it."""
    return CLUSTER_LABEL, dict(plan.labels)[CLUSTER_LABEL]
