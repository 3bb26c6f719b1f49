"""From a spec to a plan: everything is decided here, once."""

from .models import ClusterPlan, Decision, PoolPlan
from .resolve import Resolution, resolve

__all__ = ["ClusterPlan", "Decision", "PoolPlan", "Resolution", "resolve"]
