"""From recorded Azure nodes back to the pool of the plan that they were made from."""

from __future__ import annotations

from ..plan.models import PoolPlan
from .azure_graph import AzureNodes
from .rule import GraphContext


def pool_of(ctx: GraphContext, nodes: AzureNodes) -> PoolPlan | None:
    """The pool that nodes were made from; None without a plan, or where none has their name."""
    if ctx.plan is None:
        return None
    own = nodes.resource.get("vmScaleSetName")
    named = [p for p in ctx.plan.pools if nodes.name == p.resource_name or nodes.name.startswith(f"{p.resource_name}-")]
    named += [p for p in ctx.plan.pools if p.cloud_name == own]
    return max(named, key=lambda p: len(p.resource_name), default=None)
