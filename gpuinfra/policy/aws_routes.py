"""Which subnets of a program can reach the internet, and by which way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .aws_graph import SUBNET, AwsGraph
from .resource_graph import Resource
from .wire_values import entries, late

NAT_GATEWAY = "aws:ec2/natGateway:NatGateway"
INTERNET_GATEWAY = "aws:ec2/internetGateway:InternetGateway"
ROUTE_TABLE = "aws:ec2/routeTable:RouteTable"
_TABLES = (ROUTE_TABLE, "aws:ec2/defaultRouteTable:DefaultRouteTable")
_ROUTE = "aws:ec2/route:Route"
_ASSOCIATION = "aws:ec2/routeTableAssociation:RouteTableAssociation"
_MAIN = "aws:ec2/mainRouteTableAssociation:MainRouteTableAssociation"
_WORLD = ("0.0.0.0/0", "::/0")


def table_of(aws: AwsGraph, subnet: Resource) -> Resource | None:
    """The route table that is associated with a subnet; None where this program shows none."""
    for a in aws.of_type(_ASSOCIATION):
        if any(s.urn == subnet.urn for s in aws.linked(a, "subnetId", SUBNET).resources):
            tables = aws.linked(a, "routeTableId", *_TABLES).resources
            return tables[0] if tables else None
    return None


def has_internet_route(aws: AwsGraph, subnet: Resource) -> bool | None:
    """Whether a subnet has a route to an internet gateway. None where the program does not show its routes."""
    table = table_of(aws, subnet)
    if table is None:
        # Without an association the VPC's main table rules. It has no way out unless the program says so.
        main_is_touched = aws.has(_MAIN, _TABLES[1])
        associated = any(
            any(s.urn == subnet.urn for s in aws.linked(a, "subnetId", SUBNET).resources)
            for a in aws.of_type(_ASSOCIATION)
        )
        made_here = bool(aws.linked(subnet, "vpcId", "aws:ec2/vpc:Vpc").resources)
        return None if main_is_touched or associated or not made_here else False
    if late(table.get("routes")):
        return None
    if any(_to_internet(aws, owner, route, key) for owner, route, key in _routes(aws, table)):
        return True
    return None if any(late(r.get("routeTableId")) and not _of(aws, r) for r in aws.of_type(_ROUTE)) else False


def has_nat_route(aws: AwsGraph, subnet: Resource) -> bool:
    """Whether a subnet shows a default route to a NAT gateway."""
    table = table_of(aws, subnet)
    return table is not None and any(
        route.get("natGatewayId") is not None and _is_default(route) for _, route, _ in _routes(aws, table)
    )


def _of(aws: AwsGraph, route: Resource) -> tuple[Resource, ...]:
    return aws.linked(route, "routeTableId", *_TABLES).resources


def _routes(aws: AwsGraph, table: Resource) -> Iterator[tuple[Resource, Mapping[str, Any], str]]:
    for block in entries(table.get("routes")):
        yield table, block, "routes"
    for r in aws.of_type(_ROUTE):
        if any(t.urn == table.urn for t in _of(aws, r)):
            yield r, r.inputs, "gatewayId"


def _is_default(route: Mapping[str, Any]) -> bool:
    keys = ("cidrBlock", "ipv6CidrBlock", "destinationCidrBlock", "destinationIpv6CidrBlock")
    return any(route.get(k) in _WORLD for k in keys)


def _to_internet(aws: AwsGraph, owner: Resource, route: Mapping[str, Any], key: str) -> bool:
    gateway = route.get("gatewayId")
    if gateway is None or not _is_default(route):
        return False
    if isinstance(gateway, str) and gateway.startswith("igw-"):
        return True
    return bool(aws.link(owner, key, gateway, INTERNET_GATEWAY).resources)
