"""The network of a cluster: a new VPC with private nodes, or the ids of one that is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from ...diagnostics import Diagnostic, GpuInfraError
from ...plan.arguments import check_type, wrong_type
from ...plan.models import ClusterPlan, Subnet
from ...spec.models import ClusterSpec
from ...vocabulary import Provider
from ..late_ids import given_id_finding
from ..planning import planned
from .firewall import firewall
from .tags import tags

_ANYWHERE = "0.0.0.0/0"
_AN_EXISTING = "gpuinfra.aws.ExistingNetwork(vpc_id=…, subnet_id=…)"


@dataclass(frozen=True)
class ExistingNetwork:
    """A VPC and a subnet that are there already. Each id is text or an Output of another stack or resource.

    Groups in `security_group_ids` are put on every node beside the cluster's own, and may mount its shared storage.
    """

    vpc_id: pulumi.Input[str]
    subnet_id: pulumi.Input[str]
    security_group_ids: Sequence[pulumi.Input[str]] = ()

    def __post_init__(self) -> None:
        groups: object = self.security_group_ids
        # Text is a sequence of letters, and an Output has no length before the deployment.
        if isinstance(groups, (str, pulumi.Output)):
            raise wrong_type("security_group_ids", groups, "a list, whose elements may be Outputs")
        found = [_id_finding("vpc_id", self.vpc_id), _id_finding("subnet_id", self.subnet_id, subnet=True)]
        if wrong := [f for f in found if f]:
            raise GpuInfraError(wrong)


@dataclass(frozen=True)
class _Place:
    """Where things stand, new or existing."""

    vpc_id: pulumi.Output[str]
    subnet_id: pulumi.Output[str]
    public_subnet_id: pulumi.Output[str] | None
    subnets_by_zone: dict[str, pulumi.Output[str]]
    ways_out: tuple[pulumi.Resource, ...]


class ClusterNetwork(pulumi.ComponentResource):
    """A VPC with private nodes, a NAT gateway and an S3 endpoint, or an existing network; in both cases the cluster's
    own security groups."""

    vpc_id: pulumi.Output[str]
    subnet_id: pulumi.Output[str]
    """The nodes' subnet."""
    public_subnet_id: pulumi.Output[str] | None
    """The subnet of the NAT gateway and of nodes with public addresses; None where all stand in the nodes' subnet."""
    security_group_ids: tuple[pulumi.Input[str], ...]
    """What every node carries."""
    lustre_security_group_id: pulumi.Output[str] | None
    nfs_security_group_id: pulumi.Output[str] | None
    lustre_rules: tuple[pulumi.Resource, ...]
    """What a Lustre file system must wait for."""
    nfs_rules: tuple[pulumi.Resource, ...]
    """What a mount must wait for, or a node's first boot would find the door closed."""
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
        super().__init__("gpuinfra:aws:ClusterNetwork", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        place = _place(plan, existing, child)
        clients = tuple(existing.security_group_ids) if existing else ()
        walls = firewall(plan.name, plan, place.vpc_id, clients, child)
        self.vpc_id = place.vpc_id
        self.subnet_id = place.subnet_id
        self.public_subnet_id = place.public_subnet_id
        self._subnets_by_zone = place.subnets_by_zone
        self.security_group_ids = (walls.nodes.id, *clients)
        self.lustre_security_group_id = walls.lustre.id if walls.lustre else None
        self.nfs_security_group_id = walls.nfs.id if walls.nfs else None
        self.lustre_rules = walls.lustre_rules
        self.nfs_rules = walls.nfs_rules
        self.ready = (*place.ways_out, *walls.node_rules)
        self.register_outputs({"vpcId": self.vpc_id, "subnetId": self.subnet_id})

    def subnet_in(self, zone: str) -> pulumi.Output[str]:
        """The private subnet of a zone: the nodes' own where the network has no other there."""
        return self._subnets_by_zone.get(zone, self.subnet_id)


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
        "network", network, (ClusterNetwork, ExistingNetwork), f"{_AN_EXISTING} or a gpuinfra.aws.ClusterNetwork"
    )


def _id_finding(argument: str, value: object, *, subnet: bool = False) -> Diagnostic | None:
    return given_id_finding(Provider.AWS, argument, value, "the id as text, or an Output of it", subnet=subnet)


def _place(plan: ClusterPlan, existing: ExistingNetwork | None, opts: pulumi.ResourceOptions) -> _Place:
    if existing:
        return _existing_place(existing.vpc_id, existing.subnet_id)
    if plan.network.is_new:
        return _new_place(plan, opts)
    # The spec's own ids are checked with the spec, where they may be waived.
    return _existing_place(plan.network.existing_network, plan.network.existing_subnet)


def _existing_place(vpc_id: pulumi.Input[str], subnet_id: pulumi.Input[str]) -> _Place:
    return _Place(pulumi.Output.from_input(vpc_id), pulumi.Output.from_input(subnet_id), None, {}, ())


def _new_place(plan: ClusterPlan, opts: pulumi.ResourceOptions) -> _Place:
    make = _Wiring(plan, opts)
    subnets = {s.role: make.subnet(s) for s in plan.network.subnets}
    nodes, apart = subnets["nodes"], subnets.get("public")
    # Where every node is public there is no subnet apart: the nodes' own leads to the internet gateway.
    way_out, table = make.public_way(apart or nodes)
    if apart:
        private = [s for role, s in subnets.items() if role != "public"]
        way_out, table = make.private_way(private, apart, way_out)
    make.s3_endpoint(table)
    by_zone = {s.zone: subnets[s.role].id for s in plan.network.subnets if s.role not in ("public", "nodes")}
    return _Place(
        make.vpc.id,
        nodes.id,
        apart.id if apart else None,
        by_zone | {plan.zone: nodes.id},
        way_out,
    )


class _Wiring:
    """Makes the parts of one new VPC. Names begin with the plan's."""

    def __init__(self, plan: ClusterPlan, opts: pulumi.ResourceOptions) -> None:
        self.plan = plan
        self.prefix = plan.name
        self.opts = opts
        self.vpc = aws.ec2.Vpc(
            f"{self.prefix}-vpc",
            cidr_block=plan.network.cidr,
            # Without both, FSx, EFS and endpoints have no names inside the VPC.
            enable_dns_support=True,
            enable_dns_hostnames=True,
            region=plan.region,
            tags=tags(plan, f"{self.prefix}-vpc"),
            opts=opts,
        )

    def subnet(self, subnet: Subnet) -> aws.ec2.Subnet:
        name = f"{self.prefix}-{subnet.role}-subnet"
        return aws.ec2.Subnet(
            name,
            vpc_id=self.vpc.id,
            cidr_block=subnet.cidr,
            # The id, since the letter names another building in each account.
            availability_zone_id=subnet.zone or self.plan.zone,
            # Launch templates ask for public addresses themselves. A subnet that hands them out breaks every node with
            # more than one interface (terraform-aws-modules/terraform-aws-eks#3533).
            map_public_ip_on_launch=False,
            region=self.plan.region,
            tags=tags(self.plan, name),
            # Two subnets cannot have one range.
            opts=pulumi.ResourceOptions.merge(self.opts, pulumi.ResourceOptions(delete_before_replace=True)),
        )

    def public_way(self, subnet: aws.ec2.Subnet) -> tuple[tuple[pulumi.Resource, ...], aws.ec2.RouteTable]:
        """A way to the internet gateway; returns what must exist before the way can be used, and the route table."""
        name = f"{self.prefix}-igw"
        gateway = aws.ec2.InternetGateway(
            name, vpc_id=self.vpc.id, region=self.plan.region, tags=tags(self.plan, name), opts=self.opts
        )
        table = self._table("public")
        route = aws.ec2.Route(
            f"{self.prefix}-public-route",
            route_table_id=table.id,
            destination_cidr_block=_ANYWHERE,
            gateway_id=gateway.id,
            region=self.plan.region,
            opts=self.opts,
        )
        return (route, self._join("public", subnet, table)), table

    def private_way(
        self, subnets: Sequence[aws.ec2.Subnet], public: aws.ec2.Subnet, public_way: tuple[pulumi.Resource, ...]
    ) -> tuple[tuple[pulumi.Resource, ...], aws.ec2.RouteTable]:
        """A way out through a NAT gateway in the public subnet of the nodes' zone."""
        # A NAT gateway does not work before its subnet has a way to the internet (awslabs/awsome-distributed-ai#1143).
        after = pulumi.ResourceOptions.merge(self.opts, pulumi.ResourceOptions(depends_on=list(public_way)))
        region, name = self.plan.region, f"{self.prefix}-nat"
        address = aws.ec2.Eip(
            f"{name}-address", domain="vpc", region=region, tags=tags(self.plan, f"{name}-address"), opts=self.opts
        )
        gateway = aws.ec2.NatGateway(
            name,
            subnet_id=public.id,
            allocation_id=address.id,
            connectivity_type="public",
            region=region,
            tags=tags(self.plan, name),
            opts=after,
        )
        table = self._table("private")
        route = aws.ec2.Route(
            f"{self.prefix}-private-route",
            route_table_id=table.id,
            destination_cidr_block=_ANYWHERE,
            nat_gateway_id=gateway.id,
            region=region,
            opts=self.opts,
        )
        joins = [self._join(f"private-{i}" if i else "private", s, table) for i, s in enumerate(subnets)]
        return (route, *joins), table

    def s3_endpoint(self, table: aws.ec2.RouteTable) -> None:
        """Keeps data sets off the NAT gateway, which bills every GiB; the gateway endpoint itself is free."""
        name = f"{self.prefix}-s3"
        aws.ec2.VpcEndpoint(
            name,
            vpc_id=self.vpc.id,
            vpc_endpoint_type="Gateway",
            service_name=f"com.amazonaws.{self.plan.region}.s3",
            route_table_ids=[table.id],
            region=self.plan.region,
            tags=tags(self.plan, name),
            opts=self.opts,
        )

    def _table(self, role: str) -> aws.ec2.RouteTable:
        name = f"{self.prefix}-{role}-routes"
        return aws.ec2.RouteTable(
            name, vpc_id=self.vpc.id, region=self.plan.region, tags=tags(self.plan, name), opts=self.opts
        )

    def _join(self, role: str, subnet: aws.ec2.Subnet, table: aws.ec2.RouteTable) -> pulumi.Resource:
        return aws.ec2.RouteTableAssociation(
            f"{self.prefix}-{role}-routing",
            subnet_id=subnet.id,
            route_table_id=table.id,
            region=self.plan.region,
            opts=self.opts,
        )
