"""Ranges of networks: which AWS's provider takes at plan time, and which EC2 takes."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping
from typing import Any

from ...cloud import Refusal, Request
from ...values import UNKNOWN
from .types import SUBNET, VPC

_LONGEST, _SHORTEST = 28, 16
_ASSOCIATION = "aws:ec2/vpcIpv4CidrBlockAssociation:VpcIpv4CidrBlockAssociation"


def checked(inputs: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What the provider says of a range before anything is asked of AWS."""
    cidr = inputs.get("cidrBlock")
    if not isinstance(cidr, str) or cidr == UNKNOWN:
        return
    try:
        found = ipaddress.IPv4Interface(cidr).network
    except ValueError:
        yield "cidrBlock", f"expected to contain a valid IPv4 Value, got: {cidr}"
        return
    if str(found) != cidr:
        yield "cidrBlock", f"expected to contain a valid network Value, expected {found}, got {cidr}"


def checked_of_vpc(inputs: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """A network has between 16 and 65536 addresses."""
    faults = list(checked(inputs))
    yield from faults
    cidr = inputs.get("cidrBlock")
    if faults or not isinstance(cidr, str) or cidr == UNKNOWN:
        return
    bits = ipaddress.IPv4Network(cidr).prefixlen
    if not _SHORTEST <= bits <= _LONGEST:
        yield (
            "cidrBlock",
            f"expected to contain a network Value with between {_SHORTEST} and {_LONGEST} significant bits, got: {bits}",
        )


def vpc(request: Request, id_: str) -> None:
    """What CreateVpc refuses."""
    if not any(request.inputs.get(key) for key in ("cidrBlock", "ipv4IpamPoolId")):
        raise Refusal("MissingParameter", "The request must contain the parameter cidrBlock or ipv4IpamPoolId")


def _alone(request: Request) -> None:
    """What CreateSubnet refuses of a range alone."""
    own = ("cidrBlock", "ipv4IpamPoolId", "ipv6CidrBlock", "ipv6IpamPoolId")
    if not any(request.inputs.get(key) for key in own):
        raise Refusal("MissingParameter", "Either 'cidrBlock' or 'ipv6CidrBlock' should be provided.")
    cidr = request.inputs.get("cidrBlock")
    if isinstance(cidr, str) and not _SHORTEST <= ipaddress.ip_network(cidr).prefixlen <= _LONGEST:
        raise Refusal("InvalidSubnet.Range", f"The CIDR '{cidr}' is invalid.")


def _more_ranges(request: Request, vpc: str) -> list[Any]:
    """The ranges that a network was given beside its first."""
    joined = request.world.things(_ASSOCIATION)
    return [t.inputs.get("cidrBlock") for t in joined if t.inputs.get("vpcId") == vpc]


def _holds(whole: Any, mine: Any) -> bool:
    return not isinstance(whole, str) or mine.subnet_of(ipaddress.ip_network(whole))


def subnet(request: Request, id_: str) -> None:
    """What CreateSubnet refuses."""
    _alone(request)
    vpc = request.world.thing(VPC, str(request.inputs.get("vpcId")))
    cidr = request.inputs.get("cidrBlock")
    if vpc is None or not isinstance(cidr, str):
        return
    mine = ipaddress.ip_network(cidr)
    ranges = [vpc.inputs.get("cidrBlock"), *_more_ranges(request, vpc.id)]
    # One that an address manager gives out is whatever it gave.
    if not any(_holds(whole, mine) for whole in ranges):
        raise Refusal("InvalidSubnet.Range", f"The CIDR '{cidr}' is invalid.")
    for other in request.world.things(SUBNET):
        theirs = other.inputs.get("cidrBlock")
        same = other.inputs.get("vpcId") == vpc.id and other.id != id_
        if same and isinstance(theirs, str) and mine.overlaps(ipaddress.ip_network(theirs)):
            raise Refusal("InvalidSubnet.Conflict", f"The CIDR '{cidr}' conflicts with another subnet")
