"""Tags: every resource carries the plan's labels. Azure shows a resource by its own name, so there is no tag for that."""

from __future__ import annotations

from ...plan.models import ClusterPlan, PoolPlan
from ...plan.resolve import CLUSTER_LABEL, POOL_LABEL


def tags(plan: ClusterPlan, pool: PoolPlan | None = None) -> dict[str, str]:
    """The plan's labels, and the pool's own name on what belongs to a pool."""
    own = {POOL_LABEL: pool.name} if pool else {}
    return {**dict(plan.labels), **own}


def cluster_tag(plan: ClusterPlan) -> tuple[str, str]:
    """The tag that tells this cluster's resources from all others: a budget in a shared resource group goes by it."""
    return CLUSTER_LABEL, dict(plan.labels)[CLUSTER_LABEL]
