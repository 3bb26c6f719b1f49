"""Where AWS resources stand: the zone of a subnet or an instance, and whether two zones can be compared."""

from __future__ import annotations

import re

from .aws_graph import SUBNET, AwsGraph
from .resource_graph import Resource
from .wire_values import late


def zone_of(subnet: Resource) -> str:
    """The zone of a subnet, by id or by letter; empty where it names none, or it is not known yet."""
    value = subnet.get("availabilityZoneId") or subnet.get("availabilityZone")
    return value if isinstance(value, str) and not late(value) else ""


def zone_unknown(subnet: Resource) -> bool:
    """Whether the zone of a subnet is named and not known yet."""
    return late(subnet.get("availabilityZoneId")) or late(subnet.get("availabilityZone"))


def by_id(zone: str) -> bool:
    """Whether a zone is an id (use1-az4) and not a letter (us-east-1a): the two cannot be compared."""
    return "-az" in zone


def zones_of_instance(aws: AwsGraph, instance: Resource) -> tuple[str, ...]:
    """The zone of an instance, by id and by letter, from its own words and its subnet's; empty where neither says it."""
    own = instance.get("availabilityZone")
    found = [own] if isinstance(own, str) and not late(own) else []
    for subnet in aws.linked(instance, "subnetId", SUBNET).resources:
        words = (subnet.get("availabilityZone"), subnet.get("availabilityZoneId"))
        found += [w for w in words if isinstance(w, str) and not late(w)]
    return tuple(dict.fromkeys(found))


_ZONE_LETTER = re.compile(r"([a-z]{2}(?:-[a-z]+)+-\d)[a-z]")


def region_of(r: Resource, *subnets: Resource) -> str:
    """The region that a resource names, or else that of the zone of a subnet beside it; empty where neither says it."""
    own = r.get("region")
    if own is not None:
        return own if isinstance(own, str) and not late(own) else ""
    for subnet in subnets:
        match = _ZONE_LETTER.fullmatch(zone_of(subnet))
        if match:
            return match[1]
    return ""
