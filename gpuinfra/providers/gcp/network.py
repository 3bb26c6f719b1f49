"""The network of a cluster: a new VPC with private nodes, or one that is there; and the networks that only GPUs use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pulumi
from pulumi_gcp import compute, servicenetworking

from ...diagnostics import Diagnostic, GpuInfraError
from ...plan.arguments import check_type
from ...plan.models import ClusterPlan, PoolPlan, Subnet
from ...plan.packet_sizes import network_mtu
from ...spec.models import ClusterSpec
from ...vocabulary import Provider
from ..findings import SHARED_NETWORK
from ..late_ids import given_id_finding
from ..planning import planned, warn
from .firewall import Rules, host_rules
from .gpu_networks import compute_subnet, gpu_networks, network_of, speaks_ipv6
from .names import auto_name, network_path, node_tag, owner_of, project_of, subnet_path

_AN_EXISTING = "gpuinfra.gcp.ExistingNetwork(network_id=…, subnet_id=…)"
_SERVICES = "servicenetworking.googleapis.com"
_NODES = "nodes"
_MOST_PORTS = 4096


@dataclass(frozen=True)
class ExistingNetwork:
    """A VPC and a subnet that are there already, by name, path or link: text, or an Output of another stack or resource.

    `firewall_rules`: make the rules by which nodes reach each other and people reach them. A network that another
    project shares keeps its own rules, since few may change them.
    """

    network_id: pulumi.Input[str]
    subnet_id: pulumi.Input[str]
    firewall_rules: bool = True

    def __post_init__(self) -> None:
        check_type("firewall_rules", self.firewall_rules, bool, "True or False")
        found = [_id_finding("network_id", self.network_id), _id_finding("subnet_id", self.subnet_id, subnet=True)]
        if wrong := [f for f in found if f]:
            raise GpuInfraError(wrong)


@dataclass(frozen=True)
class _Place:
    """Where nodes stand, new or existing. `project`: the network's own. `nodes_cidr` is None where it is not ours."""

    network_id: pulumi.Output[str]
    subnet_id: pulumi.Output[str]
    project: pulumi.Input[str]
    nodes_cidr: str | None
    has_rules: bool = True
    services: tuple[pulumi.Resource, ...] = ()
    ways_out: tuple[pulumi.Resource, ...] = ()
    subnet: pulumi.Resource | None = None
    """The nodes' subnet, where it is made here."""


class ClusterNetwork(pulumi.ComponentResource):
    """A VPC with private nodes and Cloud NAT, or an existing network; in both cases the networks that only GPUs use."""

    network_id: pulumi.Output[str]
    """Path of the nodes' network."""
    subnet_id: pulumi.Output[str]
    """Path of the nodes' subnet."""
    node_tag: str
    """The network tag that nodes carry."""
    services: tuple[pulumi.Resource, ...]
    """What Filestore and Lustre must wait for: the connection to Google's networks. Empty in an existing network, which
    must have its own."""
    ready: tuple[pulumi.Resource, ...]
    """What nodes must wait for, so that their first boot finds a way out and each other."""

    def __init__(
        self,
        name: str,
        spec: ClusterSpec | ClusterPlan,
        opts: pulumi.ResourceOptions | None = None,
        *,
        existing: ExistingNetwork | None = None,
    ) -> None:
        """The network of a spec. `existing` replaces the spec's own network, new or not."""
        plan = planned(spec, name, opts)
        check_type("existing", existing, ExistingNetwork, _AN_EXISTING)
        super().__init__("gpuinfra:gcp:ClusterNetwork", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        place = _place(plan, existing, child)
        rules: tuple[pulumi.Resource, ...] = ()
        if place.has_rules:
            rules = host_rules(Rules(plan, place.network_id, place.project, child), place.nodes_cidr)
        others = gpu_networks(plan, child)
        self.network_id = place.network_id
        self.subnet_id = place.subnet_id
        self.node_tag = node_tag(plan)
        self.services = place.services
        self.ready = (*place.ways_out, *rules, *others.ready)
        self._subnets = {"host": place.subnet_id, **others.subnets}
        self._made = {**({"host": place.subnet} if place.subnet else {}), **others.made}
        self.register_outputs({"networkId": self.network_id, "subnetId": self.subnet_id})

    def interface_subnet(self, role: str) -> pulumi.Output[str]:
        """The subnet of an interface: host, host1, gpu0 …, rdma0 … or rdma-metal.

        Raises ValueError where the network was made for machines of other interfaces.
        """
        if role not in self._subnets:
            raise ValueError(
                f"network: it has no subnet for interface {role}; its own: {', '.join(self._subnets)}. Make the "
                "ClusterNetwork of a spec that has the pool"
            )
        return self._subnets[role]

    def made_for(self, pool: PoolPlan) -> tuple[pulumi.Resource, ...]:
        """The subnets made here that a pool's nodes stand in: each can go only when those nodes are gone."""
        roles = ("host", *(nic.network for nic in pool.fabric.nics))
        return tuple(made for role, made in self._made.items() if network_of(role) in roles)


def cluster_network(
    name: str,
    plan: ClusterPlan,
    network: ClusterNetwork | ExistingNetwork | None,
    opts: pulumi.ResourceOptions,
) -> ClusterNetwork:
    """The network that was given, or one made for the plan (inside an existing one where that was given)."""
    check_network(network)
    if isinstance(network, ClusterNetwork):
        return network
    return ClusterNetwork(name, plan, opts, existing=network)


def check_network(network: object) -> None:
    """Raises TypeError unless the value is None or a network."""
    check_type(
        "network", network, (ClusterNetwork, ExistingNetwork), f"{_AN_EXISTING} or a gpuinfra.gcp.ClusterNetwork"
    )


def _id_finding(argument: str, value: object, *, subnet: bool = False) -> Diagnostic | None:
    return given_id_finding(
        Provider.GCP, argument, value, "the name or path as text, or an Output of it", subnet=subnet
    )


def _place(plan: ClusterPlan, existing: ExistingNetwork | None, opts: pulumi.ResourceOptions) -> _Place:
    if existing:
        return _existing_place(plan, existing.network_id, existing.subnet_id, existing.firewall_rules)
    if plan.network.is_new:
        return _new_place(plan, opts)
    # The spec's own ids are checked with the spec, where they may be waived.
    return _existing_place(plan, plan.network.existing_network, plan.network.existing_subnet, True)


def _existing_place(
    plan: ClusterPlan, network_id: pulumi.Input[str], subnet_id: pulumi.Input[str], has_rules: bool
) -> _Place:
    project = project_of(plan)
    if isinstance(network_id, str):
        owner = owner_of(network_path(project, network_id))
        if has_rules and owner != project:
            message = f"the network belongs to project {owner}, and no firewall rule is made in it"
            warn((SHARED_NETWORK.at("network.existing.network", message),))
            has_rules = False
    network = _known(network_id, lambda text: network_path(project, text))
    subnet = _known(subnet_id, lambda text: subnet_path(project, plan.region, text))
    return _Place(network, subnet, _known(network, owner_of), None, has_rules)


def _known(value: pulumi.Input[str], form: Callable[[str], str]) -> pulumi.Output[str]:
    """The value in another form; nothing where there is none yet."""

    def formed(text: str | None) -> str | None:
        return None if text is None else form(text)

    return pulumi.Output.from_input(value).apply(formed)  # pyright: ignore[reportReturnType]


def _new_place(plan: ClusterPlan, opts: pulumi.ResourceOptions) -> _Place:
    network = _vpc(plan, opts)
    (nodes,) = (s for s in plan.network.subnets if s.role == _NODES)
    subnet = compute_subnet(plan, nodes, network.id, opts)
    out = (_nat(plan, network, subnet, opts),) if plan.network.needs_nat else (subnet,)
    services = plan.network.subnet("services")
    connection = (_services(plan, services, network, opts),) if services else ()
    return _Place(
        network.id,
        subnet.id,
        project_of(plan),
        nodes.cidr,
        services=connection,
        ways_out=(*out, *connection),
        subnet=subnet,
    )


def _vpc(plan: ClusterPlan, opts: pulumi.ResourceOptions) -> compute.Network:
    name = f"{plan.name}-vpc"
    return compute.Network(
        name,
        name=auto_name(name, "network"),
        description=f"Network of {plan.name}",
        auto_create_subnetworks=False,
        mtu=network_mtu(plan.pools),
        routing_mode="REGIONAL",
        enable_ula_internal_ipv6=True if speaks_ipv6(plan) else None,
        project=project_of(plan),
        opts=opts,
    )


def _nat(
    plan: ClusterPlan, network: compute.Network, subnet: compute.Subnetwork, opts: pulumi.ResourceOptions
) -> compute.RouterNat:
    """The way out of private nodes, for the nodes' subnet alone: GPU networks lead nowhere."""
    router_name, name = f"{plan.name}-router", f"{plan.name}-nat"
    router = compute.Router(
        router_name,
        name=auto_name(router_name, "router"),
        network=network.id,
        region=plan.region,
        project=project_of(plan),
        opts=opts,
    )
    return compute.RouterNat(
        name,
        name=auto_name(name, "router"),
        router=router.name,
        nat_ip_allocate_option="AUTO_ONLY",
        source_subnetwork_ip_ranges_to_nat="LIST_OF_SUBNETWORKS",
        subnetworks=[
            compute.RouterNatSubnetworkArgs(name=subnet.id, source_ip_ranges_to_nats=["ALL_IP_RANGES"]),
        ],
        # 64 ports a node, the default, run out when many workers load data from one host. More ports need the mapping
        # that does not depend on the endpoint to be off.
        enable_dynamic_port_allocation=True,
        enable_endpoint_independent_mapping=False,
        max_ports_per_vm=_MOST_PORTS,
        log_config=compute.RouterNatLogConfigArgs(enable=True, filter="ERRORS_ONLY"),
        region=plan.region,
        project=project_of(plan),
        opts=opts,
    )


def _services(
    plan: ClusterPlan, services: Subnet, network: compute.Network, opts: pulumi.ResourceOptions
) -> servicenetworking.Connection:
    """The peering with Google's own networks, in which Filestore and Lustre stand."""
    name = f"{plan.name}-services"
    address, prefix = services.cidr.split("/")
    reserved = compute.GlobalAddress(
        name,
        name=auto_name(name, "address"),
        description=f"File systems of {plan.name}",
        purpose="VPC_PEERING",
        address_type="INTERNAL",
        address=address,
        prefix_length=int(prefix),
        network=network.id,
        project=project_of(plan),
        opts=opts,
    )
    return servicenetworking.Connection(
        f"{plan.name}-services-peering",
        network=network.id,
        service=_SERVICES,
        reserved_peering_ranges=[reserved.name],
        # Google holds the peering for days after the last file system is gone, and the network could not be deleted
        # (hashicorp/terraform-provider-google#18834). The file systems themselves are protected.
        deletion_policy="REMOVE_PEERING",
        opts=opts,
    )
