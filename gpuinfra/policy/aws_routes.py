"""Which subnets of a program can reach the internet, and by which way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

from .aws_graph import SUBNET, AwsGraph
from .resource_graph import Resource
from .wire_values import entries, late

VPC = "aws:ec2/vpc:Vpc"
NAT_GATEWAY = "aws:ec2/natGateway:NatGateway"
INTERNET_GATEWAY = "aws:ec2/internetGateway:InternetGateway"
ROUTE_TABLE = "aws:ec2/routeTable:RouteTable"
ENDPOINT = "aws:ec2/vpcEndpoint:VpcEndpoint"
_TABLES = (ROUTE_TABLE, "aws:ec2/defaultRouteTable:DefaultRouteTable")
_ROUTE = "aws:ec2/route:Route"
_ASSOCIATION = "aws:ec2/routeTableAssociation:RouteTableAssociation"
_MAIN = "aws:ec2/mainRouteTableAssociation:MainRouteTableAssociation"
_PROPAGATION = "aws:ec2/vpnGatewayRoutePropagation:VpnGatewayRoutePropagation"
_WORLD = ("0.0.0.0/0", "::/0", "0.0.0.0/1", "128.0.0.0/1")
"""What a default route is for. In two halves it goes before one that is there already, as VPNs write it."""
_DESTINATIONS = ("cidrBlock", "ipv6CidrBlock", "destinationCidrBlock", "destinationIpv6CidrBlock")
_Route = tuple[Resource, Mapping[str, Any], str]


class Way(StrEnum):
    """How traffic leaves a subnet."""

    INTERNET = "internet"
    """Through an internet gateway: only what has a public address gets out."""
    NAT = "nat"
    OTHER = "other"
    """Through something else: a transit gateway, an appliance, a peering."""
    NONE = "none"
    UNKNOWN = "unknown"


def table_of(aws: AwsGraph, subnet: Resource) -> Resource | None:
    """The route table that is associated with a subnet; None where this program shows none."""
    return _tables(aws).get(subnet.urn)


def has_internet_route(aws: AwsGraph, subnet: Resource) -> bool | None:
    """Whether a subnet has a route to an internet gateway. None where the program does not show its routes."""
    table = table_of(aws, subnet)
    if table is None:
        # Without an association the VPC's main table rules. It has no way out unless the program says so.
        main_is_touched = aws.has(_MAIN, _TABLES[1])
        associated = subnet.urn in _tables(aws)
        made_here = bool(aws.linked(subnet, "vpcId", VPC).resources)
        return None if main_is_touched or associated or not made_here else False
    if late(table.get("routes")):
        return None
    found = list(_routes(aws, table))
    if any(_to_internet(aws, owner, route, key) for owner, route, key in found):
        return True
    return None if _stray_route(aws) or any(_may_lead_out(r) for _, r, _ in found) else False


def has_nat_route(aws: AwsGraph, subnet: Resource) -> bool:
    """Whether a subnet shows a default route to a NAT gateway."""
    return way_out(aws, subnet) is Way.NAT


def nat_gateways(aws: AwsGraph, subnet: Resource) -> tuple[Resource, ...]:
    """The NAT gateways of this program that a subnet's default routes name."""
    table = table_of(aws, subnet)
    found: dict[str, Resource] = {}
    for owner, route, key in _routes(aws, table) if table is not None else ():
        if _is_default(route) and route.get("natGatewayId") is not None:
            place = "routes" if key == "routes" else "natGatewayId"
            found.update({n.urn: n for n in aws.link(owner, place, route.get("natGatewayId"), NAT_GATEWAY).resources})
    return tuple(found.values())


def way_out(aws: AwsGraph, subnet: Resource) -> Way:
    """How traffic leaves a subnet, as far as the program shows it."""
    table = table_of(aws, subnet)
    if table is None:
        return Way.UNKNOWN if has_internet_route(aws, subnet) is None else Way.NONE
    found = list(_routes(aws, table))
    defaults = [(o, r, k) for o, r, k in found if _is_default(r)]
    if any(r.get("natGatewayId") is not None for _, r, _ in defaults):
        return Way.NAT
    if any(_to_internet(aws, o, r, k) for o, r, k in defaults):
        return Way.INTERNET
    if late(table.get("routes")) or _stray_route(aws) or any(_may_lead_out(r) for _, r, _ in found):
        return Way.UNKNOWN
    return Way.OTHER if found or _propagated(aws, table) else Way.NONE


def speaks_ipv6(aws: AwsGraph, subnet: Resource) -> bool:
    """Whether a subnet shows a default route for IPv6: then an address of that kind, which is always public, suffices."""
    table = table_of(aws, subnet)
    keys = ("ipv6CidrBlock", "destinationIpv6CidrBlock")
    return table is not None and any(r.get(k) == "::/0" for _, r, _ in _routes(aws, table) for k in keys)


def _propagated(aws: AwsGraph, table: Resource) -> bool:
    """Whether a VPN gateway adds routes to a table, which the program does not show."""
    return table.get("propagatingVgws") not in (None, [], ()) or any(
        t.urn == table.urn for p in aws.of_type(_PROPAGATION) for t in aws.linked(p, "routeTableId", *_TABLES).resources
    )


def endpoints(aws: AwsGraph, subnet: Resource) -> tuple[Resource, ...]:
    """The VPC endpoints of this program in the subnet's VPC."""
    homes = {v.urn for v in aws.linked(subnet, "vpcId", VPC).resources}
    return tuple(e for e in aws.of_type(ENDPOINT) if homes.intersection(_vpcs_of(aws, e)))


def _vpcs_of(aws: AwsGraph, endpoint: Resource) -> set[str]:
    return {v.urn for v in aws.linked(endpoint, "vpcId", VPC).resources}


def _tables(aws: AwsGraph) -> dict[str, Resource | None]:
    """The route table of each subnet that is associated with one; None where it is not of this program."""

    def build() -> dict[str, Resource | None]:
        found: dict[str, Resource | None] = {}
        for a in aws.of_type(_ASSOCIATION):
            tables = aws.linked(a, "routeTableId", *_TABLES).resources
            for s in aws.linked(a, "subnetId", SUBNET).resources:
                found.setdefault(s.urn, tables[0] if tables else None)
        return found

    return aws.once("route tables", build)


def _routes(aws: AwsGraph, table: Resource) -> Iterator[_Route]:
    for block in entries(table.get("routes")):
        yield table, block, "routes"
    yield from _route_resources(aws).get(table.urn, ())


def _route_resources(aws: AwsGraph) -> dict[str, list[_Route]]:
    """The routes that are resources of their own, by the URN of their table; '' holds those of a table not known yet."""

    def build() -> dict[str, list[_Route]]:
        found: dict[str, list[_Route]] = {}
        for r in aws.of_type(_ROUTE):
            tables = aws.linked(r, "routeTableId", *_TABLES).resources
            for urn in [t.urn for t in tables] or ([""] if late(r.get("routeTableId")) else []):
                found.setdefault(urn, []).append((r, r.inputs, "gatewayId"))
        return found

    return aws.once("routes", build)


def _stray_route(aws: AwsGraph) -> bool:
    """Whether a route exists of which it is not known yet to which table it belongs."""
    return "" in _route_resources(aws)


def _is_default(route: Mapping[str, Any]) -> bool:
    return any(route.get(k) in _WORLD for k in _DESTINATIONS)


def _may_lead_out(route: Mapping[str, Any]) -> bool:
    """Whether a route to a gateway may be a default one to the internet: what it is for, or the gateway, is not known yet."""
    gateways = [route.get(k) for k in ("gatewayId", "natGatewayId")]
    if not any(g is not None for g in gateways):
        return False
    return (_is_default(route) and late(gateways[0])) or any(late(route.get(k)) for k in _DESTINATIONS)


def _to_internet(aws: AwsGraph, owner: Resource, route: Mapping[str, Any], key: str) -> bool:
    gateway = route.get("gatewayId")
    if gateway is None or not _is_default(route):
        return False
    if isinstance(gateway, str) and gateway.startswith("igw-"):
        return True
    return bool(aws.link(owner, key, gateway, INTERNET_GATEWAY).resources)
