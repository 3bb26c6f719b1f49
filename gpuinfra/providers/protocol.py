"""What every room offers: the same names in each cloud's folder. The parity test walks it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from ..plan.models import ClusterPlan

if TYPE_CHECKING:
    import pulumi

MODULES = ("identity", "network", "storage", "node_pool", "spend", "cluster")
"""The files of a room."""


@dataclass(frozen=True)
class ClusterOutputs:
    """What a cluster offers to others: the same on every cloud."""

    network_id: pulumi.Output[str]
    subnet_id: pulumi.Output[str]
    node_groups: dict[str, pulumi.Output[str]]
    """Name of the group in the cloud, by pool."""
    mounts: dict[str, dict[str, pulumi.Output[str]]]
    """By storage name: `address` and `path`."""
    lease_end: pulumi.Output[str | None]
    """The end, UTC, or None without a lease."""
    usd_per_hour: float | None
    """None where a price is unknown; then `usd_per_hour_at_least` holds what is known."""
    usd_per_hour_at_least: float
    price_as_of: str
    """The oldest date among the prices in the sum."""
    connect: dict[str, pulumi.Output[str]]
    """By pool: the command that opens a shell on a node."""


class Room(Protocol):
    """A cloud's room, as `providers.get` returns it."""

    def render(self, plan: ClusterPlan, *, parent: pulumi.Resource, network: Any = None) -> ClusterOutputs:
        """Registers every resource of a plan as children of `parent`. `network` replaces the plan's own: the room's
        ExistingNetwork or ClusterNetwork, which may hold Outputs."""
        ...
