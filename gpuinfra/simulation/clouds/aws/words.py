"""The forms of AWS's own texts, and the ids of what stands in it, by the type where no table has more."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from ....plan.zones import region_zones
from ....vocabulary import Provider
from ...cloud import Request, digest

ACCOUNT = "123456789012"
"""The account of examples in AWS's documentation."""
# Service of an ARN where it is not the module of the type's token.
_SERVICES = {
    "alb": "elasticloadbalancing",
    "autoscaling": "autoscaling",
    "cfg": "config",
    "cloudwatch": "cloudwatch",
    "ebs": "ec2",
    "efs": "elasticfilesystem",
    "ec2transitgateway": "ec2",
    "lb": "elasticloadbalancing",
    "msk": "kafka",
    "sfn": "states",
    "vpc": "ec2",
}
# Ids inside of answers and states, by the property's name.
_IDS = {
    "vpcId": "vpc-",
    "subnetId": "subnet-",
    "securityGroupId": "sg-",
    "clusterSecurityGroupId": "sg-",
    "imageId": "ami-",
    "instanceId": "i-",
    "networkInterfaceId": "eni-",
    "primaryNetworkInterfaceId": "eni-",
    "volumeId": "vol-",
    "snapshotId": "snap-",
    "rootSnapshotId": "snap-",
    "defaultNetworkAclId": "acl-",
    "defaultSecurityGroupId": "sg-",
    "defaultRouteTableId": "rtb-",
    "mainRouteTableId": "rtb-",
    "routeTableId": "rtb-",
    "internetGatewayId": "igw-",
    "dhcpOptionsId": "dopt-",
    "capacityReservationId": "cr-",
    "ruleId": "sgr-",
    "securityGroupRuleId": "sgr-",
}
DOCUMENT = base64.b64encode(b"-----BEGIN CERTIFICATE-----\nc2ltdWxhdGVk\n-----END CERTIFICATE-----\n").decode()


def region(request: Request) -> str:
    """Where a resource stands."""
    return str(request.inputs.get("region") or request.config.get("region") or "us-east-1")


def arn(request: Request, service: str, resource: str) -> str:
    """An ARN; those of identities and of buckets name no region."""
    if service == "s3":
        return f"arn:aws:s3:::{resource}"
    where = "" if service in ("iam", "budgets", "route53", "cloudfront") else region(request)
    return f"arn:aws:{service}:{where}:{ACCOUNT}:{resource}"


def word(request: Request, id_: str, name: str) -> Any:
    """The form of a computed text, by its name."""
    plain = {
        "region": region(request),
        "ownerId": ACCOUNT,
        "accountId": ACCOUNT,
        "registryId": ACCOUNT,
        "certificateAuthorityData": DOCUMENT,
        "status": "ACTIVE",
        "state": "available",
        "instanceState": "running",
        "partition": "aws",
        "dnsSuffix": "amazonaws.com",
    }
    if name in ("cidr", "cidrBlock"):
        return "10.0.0.0/16"
    if name in ("ip", "ipAddress") or name.endswith("Ip"):
        return f"10.0.0.{int(digest(id_, 4), 16) % 250 + 4}"
    if name in plain:
        return plain[name]
    if name in _IDS:
        return _IDS[name] + digest(f"{id_}{name}")
    if name == "arn" or name.endswith("Arn"):
        parts = request.type.split(":")
        module, _, what = parts[1].partition("/") if len(parts) > 1 else ("", "", "")
        own = id_ if name == "arn" else f"{id_}-{name}"
        return own if own.startswith("arn:") else arn(request, _SERVICES.get(module, module), f"{_dashed(what)}/{own}")
    if name.endswith(("At", "Date", "Time")):
        return request.world.now.strftime("%Y-%m-%dT%H:%M:%SZ")
    return None


def _dashed(name: str) -> str:
    return "".join(f"-{c.lower()}" if c.isupper() else c for c in name)


def zones(where: str) -> list[tuple[str, str]]:
    """(name, id) of the zones of a region. Which letter is which id differs by account; here they go side by side."""
    known = [z for z in region_zones(Provider.AWS, where) if "-az" in z]
    stem = next((z.rsplit("-az", 1)[0] for z in known), "")
    row = stem or _short(where)
    most = max(
        [3, *(int(z.rsplit("-az", 1)[1]) for z in known if z.rsplit("-az", 1)[1].isdigit() and z.startswith(f"{row}-"))]
    )
    return [(f"{where}{chr(ord('a') + i)}", f"{row}-az{i + 1}") for i in range(most)]


def _short(where: str) -> str:
    """The stem of a region's zone ids: us-east-2 is use2."""
    parts = where.split("-")
    short = {"northeast": "ne", "southeast": "se"}
    return f"{parts[0]}{''.join(short.get(p, p[:1]) for p in parts[1:-1])}{parts[-1]}"


def zone_id(name: str) -> str:
    """The id of a zone that is named by its letter; other words as they are."""
    if name[-1:].isalpha() and name[-2:-1].isdigit() and name.count("-") == 2:
        return dict(zones(name[:-1])).get(name, name)
    return name


def subnet_of_zone(seed: str, place: int) -> str:
    """The id of a subnet that stands outside of a world: its last digit says in which zone of the region."""
    return f"subnet-{digest(seed, 16)}{place:x}"


def zone_of_subnet(id_: str, where: str) -> tuple[str, str]:
    """(name, id) of the zone in which a subnet stands that is not of the world."""
    there = zones(where) if where else []
    last = id_[-1:].lower()
    return there[int(last, 16) % len(there)] if there and id_ and last in "0123456789abcdef" else ("", "")


def zone_name(id_: str, where: str) -> str:
    """The letter's name of a zone id."""
    return next((name for name, one in zones(where) if one == id_), f"{where}a")


def outputs_of_zone(inputs: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Both names of the zone in which a subnet stands."""
    id_, name = inputs.get("availabilityZoneId"), inputs.get("availabilityZone")
    if id_:
        return {"availabilityZoneId": id_, "availabilityZone": zone_name(str(id_), where)}
    chosen = str(name or zones(where)[0][0])
    return {"availabilityZone": chosen, "availabilityZoneId": zone_id(chosen)}
