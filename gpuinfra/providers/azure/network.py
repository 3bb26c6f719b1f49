"""The network of a cluster: a new one with private nodes, or the ids of one that is there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pulumi

from ...diagnostics import Diagnostic, GpuInfraError
from ...plan.arguments import check_type, wrong_type
from ...plan.models import ClusterPlan, StoragePlan
from ...spec.models import ClusterSpec
from ...vocabulary import Provider
from ..late_ids import given_id_finding
from ..planning import planned
from .firewall import nodes_firewall
from .new_network import NewNetwork
from .resource_group import ResourceGroup, check_group, resource_group

_AN_EXISTING = "gpuinfra.azure.ExistingNetwork(network_id=…, subnet_id=…)"


def _no_subnets() -> dict[str, pulumi.Input[str]]:
    return {}


@dataclass(frozen=True)
class ExistingNetwork:
    """A virtual network and a subnet that are there already. Each id is text or an Output of another stack or resource.

    The nodes need a way out of the subnet: a NAT gateway, a firewall or a route. `storage_subnet_ids`: subnets of the
    new Lustre and NFS storage, by its name in the spec; each wants one of its own (NFS: delegated to
    Microsoft.NetApp/volumes).
    """

    network_id: pulumi.Input[str]
    subnet_id: pulumi.Input[str]
    storage_subnet_ids: Mapping[str, pulumi.Input[str]] = field(default_factory=_no_subnets)

    def __post_init__(self) -> None:
        subnets = self.storage_subnet_ids
        if not isinstance(subnets, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise wrong_type("storage_subnet_ids", subnets, "a mapping from names of storages to ids of subnets")
        found = [_id_finding("network_id", self.network_id), _id_finding("subnet_id", self.subnet_id, subnet=True)]
        found += [
            _id_finding(f"storage_subnet_ids[{name}]", subnet, subnet=True)
            for name, subnet in self.storage_subnet_ids.items()
        ]
        if wrong := [f for f in found if f]:
            raise GpuInfraError(wrong)


class ClusterNetwork(pulumi.ComponentResource):
    """A virtual network with private nodes and a NAT gateway, or an existing network; in both cases the cluster's own
    security group."""

    network_id: pulumi.Output[str]
    subnet_id: pulumi.Output[str]
    """The nodes' subnet."""
    security_group_id: pulumi.Output[str]
    """What every node's interface carries."""
    cidr: str
    """Range of a new network; empty where the network is there already."""
    bastion_name: pulumi.Output[str] | None
    """The Bastion that leads to the nodes; None without one."""
    group: ResourceGroup
    ready: tuple[pulumi.Resource, ...]
    """What nodes must wait for, so that their first boot finds a way out."""

    def __init__(
        self,
        name: str,
        spec: ClusterSpec | ClusterPlan,
        opts: pulumi.ResourceOptions | None = None,
        *,
        group: ResourceGroup | None = None,
        existing: ExistingNetwork | None = None,
    ) -> None:
        """The network of a spec. `existing` replaces the spec's own network, new or not."""
        plan = planned(spec, name, opts)
        check_group(group)
        check_type("existing", existing, ExistingNetwork, _AN_EXISTING)
        super().__init__("gpuinfra:azure:ClusterNetwork", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        self.group = resource_group(f"{name}-group", plan, group, child)
        wall = nodes_firewall(plan, self.group, child)
        self.security_group_id = wall.id
        self.cidr = plan.network.cidr if existing is None and plan.network.is_new else ""
        self.bastion_name = None
        self.ready = ()
        self._storage_subnets: Mapping[str, pulumi.Input[str]] = {}
        if existing is not None:
            self._take(existing.network_id, existing.subnet_id)
            self._storage_subnets = existing.storage_subnet_ids
        elif plan.network.is_new:
            made = NewNetwork(plan, self.group, wall, child)
            self._take(made.network.id, made.nodes.id)
            self._storage_subnets = {name: subnet.id for name, subnet in made.storage_subnets.items()}
            self.bastion_name = made.bastion.name if made.bastion else None
            self.ready = (made.nodes,)
        else:
            # The spec's own ids are checked with the spec, where they may be waived.
            self._take(plan.network.existing_network, plan.network.existing_subnet)
        self.register_outputs({"networkId": self.network_id, "subnetId": self.subnet_id})

    def _take(self, network_id: pulumi.Input[str], subnet_id: pulumi.Input[str]) -> None:
        self.network_id = pulumi.Output.from_input(network_id)
        self.subnet_id = pulumi.Output.from_input(subnet_id)

    def storage_subnet_id(self, storage: StoragePlan) -> pulumi.Output[str]:
        """The subnet of new Lustre or NFS storage, which has it for itself. Raises ValueError where there is none."""
        if storage.name not in self._storage_subnets:
            raise ValueError(
                f"network: new {storage.kind} storage {storage.name!r} wants a subnet of its own, and the network has "
                f"none for it; give ExistingNetwork(…, storage_subnet_ids={{{storage.name!r}: …}})"
            )
        return pulumi.Output.from_input(self._storage_subnets[storage.name])


def cluster_network(
    name: str,
    plan: ClusterPlan,
    network: ClusterNetwork | ExistingNetwork | None,
    opts: pulumi.ResourceOptions,
    group: ResourceGroup | None = None,
) -> ClusterNetwork:
    """The network that was given, or one made for the plan (inside an existing one where that was given)."""
    check_network(network)
    if isinstance(network, ClusterNetwork):
        return network
    return ClusterNetwork(name, plan, opts, group=group, existing=network)


def check_network(network: object) -> None:
    """Raises TypeError unless the value is None or a network."""
    check_type(
        "network", network, (ClusterNetwork, ExistingNetwork), f"{_AN_EXISTING} or a gpuinfra.azure.ClusterNetwork"
    )


def _id_finding(argument: str, value: object, *, subnet: bool = False) -> Diagnostic | None:
    return given_id_finding(Provider.AZURE, argument, value, "the id as text, or an Output of it", subnet=subnet)
