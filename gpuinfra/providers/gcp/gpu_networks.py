"""The networks that only GPUs use: one VPC for each further gVNIC, and one RDMA network for all RoCE interfaces."""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
from pulumi_gcp import compute

from ... import catalog
from ...diagnostics import GpuInfraError
from ...plan.fabric import BARE_METAL_RDMA
from ...plan.findings import UNKNOWN_ZONE
from ...plan.models import ClusterPlan, Subnet
from ...plan.packet_sizes import network_mtu
from ..late_text import late_text
from .firewall import Rules, inside_rule
from .names import auto_name, project_of

_RDMA = "rdma"


@dataclass(frozen=True)
class GpuNetworks:
    """`subnets`: path by role (host1, gpu0, rdma0 …; rdma-metal). `ready`: what nodes must wait for. `made`: by role, what
    cannot go while a node stands in it."""

    subnets: dict[str, pulumi.Output[str]]
    ready: tuple[pulumi.Resource, ...]
    made: dict[str, pulumi.Resource]


def gpu_networks(plan: ClusterPlan, opts: pulumi.ResourceOptions) -> GpuNetworks:
    """Registers the networks that the plan's machines want beside the nodes' own; none for machines of one interface."""
    subnets: dict[str, pulumi.Output[str]] = {}
    ready: list[pulumi.Resource] = []
    places: dict[str, pulumi.Resource] = {}
    apart = [s for s in plan.network.subnets if s.role.startswith(("host", "gpu"))]
    for subnet in apart:
        network = _regular(plan, subnet.role, opts)
        made = compute_subnet(plan, subnet, network.id, opts)
        rules = Rules(plan, network.id, project_of(plan), opts)
        ready += [made, inside_rule(rules, f"{plan.name}-{subnet.role}-inside", subnet.cidr)]
        subnets[subnet.role] = made.id
        places[subnet.role] = made
    rdma = [s for s in plan.network.subnets if s.role.startswith(_RDMA)]
    if rdma:
        network = _rdma(plan, _RDMA, opts)
        for subnet in rdma:
            made = compute_subnet(plan, subnet, network.id, opts)
            subnets[subnet.role] = made.id
            places[subnet.role] = made
            ready.append(made)
    if _profile(plan, BARE_METAL_RDMA):
        network = _rdma(plan, BARE_METAL_RDMA, opts)
        # The profile makes the subnet by itself and takes no other (facts gcp a2).
        place = f"projects/{project_of(plan)}/regions/{plan.region}/subnetworks/default-subnet-1-"
        subnets[BARE_METAL_RDMA] = late_text(place, network.name)
        places[BARE_METAL_RDMA] = network
        ready.append(network)
    return GpuNetworks(subnets, tuple(ready), places)


def network_of(role: str) -> str:
    """The network of a subnet, by the subnet's role. An RDMA network has a subnet for each interface (rdma0, rdma1 …);
    every other network has one, of its own name, be it numbered (host1, gpu0) or not."""
    return _RDMA if role.removeprefix(_RDMA).isdigit() else role


def speaks_ipv6(plan: ClusterPlan) -> bool:
    """Whether the plan has bare-metal machines, whose interfaces want internal IPv6 beside IPv4 (facts gcp a2)."""
    return bool(_profile(plan, BARE_METAL_RDMA))


def compute_subnet(
    plan: ClusterPlan, subnet: Subnet, network: pulumi.Input[str], opts: pulumi.ResourceOptions
) -> compute.Subnetwork:
    """A subnet of the plan. Google's own APIs are reached from it without a public address."""
    name = f"{plan.name}-{subnet.role}-subnet"
    dual = not subnet.role.startswith((_RDMA, "gpu")) and speaks_ipv6(plan)
    rdma = subnet.role.startswith(_RDMA)
    return compute.Subnetwork(
        name,
        name=auto_name(name, "subnet"),
        # What may never change: a new text would replace the subnet.
        description=f"{subnet.role} of {plan.name}",
        network=network,
        ip_cidr_range=subnet.cidr,
        # An RDMA network leads nowhere else.
        private_ip_google_access=None if rdma else True,
        stack_type="IPV4_IPV6" if dual else None,
        ipv6_access_type="INTERNAL" if dual else None,
        region=plan.region,
        project=project_of(plan),
        opts=opts,
    )


def _regular(plan: ClusterPlan, role: str, opts: pulumi.ResourceOptions) -> compute.Network:
    """A VPC of its own: two interfaces of a machine never share one (hashicorp/terraform-provider-google#8269)."""
    name = f"{plan.name}-{role}-vpc"
    return compute.Network(
        name,
        name=auto_name(name, "network"),
        description=f"Interface network {role} of {plan.name}",
        auto_create_subnetworks=False,
        mtu=network_mtu(plan.pools, role),
        routing_mode="REGIONAL",
        enable_ula_internal_ipv6=True if role.startswith("host") and speaks_ipv6(plan) else None,
        project=project_of(plan),
        opts=opts,
    )


def _rdma(plan: ClusterPlan, role: str, opts: pulumi.ResourceOptions) -> compute.Network:
    """The network of RoCE interfaces, which stands in one zone. It takes no firewall rule, router or NAT."""
    if not plan.zone:
        raise GpuInfraError([UNKNOWN_ZONE.at("location.zone", "an RDMA network stands in one zone, and none is known")])
    name = f"{plan.name}-{role}-vpc"
    project = project_of(plan)
    return compute.Network(
        name,
        name=auto_name(name, "network"),
        description=f"RDMA network of {plan.name}",
        auto_create_subnetworks=False,
        mtu=network_mtu(plan.pools, role),
        routing_mode="REGIONAL",
        # The path, for the bare name is refused (GoogleCloudPlatform/cloud-image-tests#537).
        network_profile=f"projects/{project}/global/networkProfiles/{plan.zone}-{_profile(plan, role)}",
        project=project,
        opts=opts,
    )


def _profile(plan: ClusterPlan, role: str) -> str:
    """The profile's name without its zone; empty where no machine uses the network."""
    users = [p for p in plan.pools if any(n.network == role for n in p.fabric.nics)]
    return catalog.nic_layout(users[0].instance.name).network_profile_suffix if users else ""
