"""GpuCluster: one spec as one Pulumi component, on whatever cloud the spec names."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pulumi

from .plan.models import ClusterPlan
from .providers import get
from .providers.planning import SpecLike, planned
from .providers.protocol import ClusterOutputs
from .spec.quantities import format_duration


class GpuCluster(pulumi.ComponentResource):
    """A GPU cluster. Its outputs are the same on every cloud."""

    network_id: pulumi.Output[str]
    subnet_id: pulumi.Output[str]
    node_groups: dict[str, pulumi.Output[str]]
    """Name of each pool's group in the cloud, by pool."""
    mounts: dict[str, dict[str, pulumi.Output[str]]]
    """By storage name: `address` and `path`."""
    lease_end: pulumi.Output[str | None]
    """The end, UTC; None without a lease."""
    usd_per_hour: float | None
    """Price of the whole cluster; None where a part of it has no known price."""
    usd_per_hour_at_least: float
    """The sum of the prices that are known."""
    price_as_of: str
    """The oldest date among the prices in the sum."""
    connect: dict[str, pulumi.Output[str]]
    """By pool: the command that opens a shell on a node."""
    plan: ClusterPlan
    """What was decided, and why."""

    def __init__(
        self,
        name: str,
        spec: SpecLike,
        opts: pulumi.ResourceOptions | None = None,
        *,
        network: Any = None,
        now: datetime | None = None,
    ) -> None:
        """Registers the cluster of a spec: a ClusterSpec, a mapping, or the path of a YAML file.

        Names of all resources begin with `name`. `network` replaces the spec's own: the cloud's ExistingNetwork, whose
        ids may be Outputs, or its ClusterNetwork. `now` is the moment that leases and capacity blocks are judged by;
        left out, the current one.

        Raises GpuInfraError with every finding when the spec has errors; then nothing is registered. A mapping or a file
        with mistakes gives findings with codes and hints; `ClusterSpec(...)` raises pydantic's own error before it gets
        here.
        """
        plan = planned(spec, name, opts, now)
        room = get(plan.provider)
        super().__init__("gpuinfra:index:GpuCluster", name, None, opts)
        self.plan = plan
        self._take(room.render(plan, parent=self, network=network))

    def _take(self, outputs: ClusterOutputs) -> None:
        self.network_id = outputs.network_id
        self.subnet_id = outputs.subnet_id
        self.node_groups = outputs.node_groups
        self.mounts = outputs.mounts
        self.lease_end = outputs.lease_end
        self.usd_per_hour = outputs.usd_per_hour
        self.usd_per_hour_at_least = outputs.usd_per_hour_at_least
        self.price_as_of = outputs.price_as_of
        self.connect = outputs.connect
        self.register_outputs(
            {
                "networkId": outputs.network_id,
                "subnetId": outputs.subnet_id,
                "nodeGroups": outputs.node_groups,
                "mounts": outputs.mounts,
                "leaseEnd": outputs.lease_end,
                "usdPerHour": outputs.usd_per_hour,
                "usdPerHourAtLeast": outputs.usd_per_hour_at_least,
                "priceAsOf": outputs.price_as_of,
                # For who reads a preview: the end itself is known to `up` alone.
                "lease": format_duration(lease) if (lease := self.plan.lease.duration) else "",
                "connect": outputs.connect,
            }
        )
