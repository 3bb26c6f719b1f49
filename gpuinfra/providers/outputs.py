"""The outputs of a cluster, made of what a room made and of what the plan costs: the same on every cloud."""

from __future__ import annotations

from collections.abc import Mapping

import pulumi

from ..cost import estimate
from ..plan.models import ClusterPlan
from .mounts import Mount
from .protocol import ClusterOutputs


def cluster_outputs(
    plan: ClusterPlan,
    *,
    network_id: pulumi.Output[str],
    subnet_id: pulumi.Output[str],
    node_groups: dict[str, pulumi.Output[str]],
    mounts: Mapping[str, Mount],
    lease_end: pulumi.Output[str | None],
    connect: dict[str, pulumi.Output[str]],
) -> ClusterOutputs:
    """The outputs, with the price of the plan and its date."""
    cost = estimate(plan)
    dates = [line.as_of for line in cost.lines if line.usd_per_hour is not None and line.as_of]
    return ClusterOutputs(
        network_id=network_id,
        subnet_id=subnet_id,
        node_groups=node_groups,
        mounts={name: {"address": mount.address, "path": mount.path} for name, mount in mounts.items()},
        lease_end=lease_end,
        usd_per_hour=None if cost.unknown else round(cost.usd_per_hour, 4),
        usd_per_hour_at_least=round(cost.usd_per_hour, 4),
        price_as_of=min(dates, default=""),
        connect=connect,
    )
