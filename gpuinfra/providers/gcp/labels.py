"""Labels: every resource that takes them carries the plan's, in the form that Google takes."""

from __future__ import annotations

import re

from ...plan.models import ClusterPlan, PoolPlan
from ...plan.resolve import CLUSTER_LABEL, POOL_LABEL

_LONGEST = 63


def labels(plan: ClusterPlan, pool: PoolPlan | None = None) -> dict[str, str]:
    """The plan's labels, and the pool's own name on what belongs to a pool."""
    own = {POOL_LABEL: pool.name} if pool else {}
    return {_fit(key): _fit(value) for key, value in {**dict(plan.labels), **own}.items()}


def cluster_label(plan: ClusterPlan) -> tuple[str, str]:
    """The label that tells this cluster's resources from all others: the budget goes by it."""
    return CLUSTER_LABEL, _fit(dict(plan.labels)[CLUSTER_LABEL])


def _fit(text: str) -> str:
    # GI2270 refuses what does not fit; this is for a spec that waives it.
    return re.sub(r"[^a-z0-9_-]", "-", text.lower())[:_LONGEST]
