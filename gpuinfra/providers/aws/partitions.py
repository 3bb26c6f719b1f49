"""Which AWS partition a region belongs to, and ARNs and host names spelled for it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Partition:
    """A separate AWS: regions of one partition know nothing of another's ARNs."""

    region_prefix: str
    name: str
    dns_suffix: str


# Region prefixes, ARN partitions and DNS suffixes of botocore's endpoint data (botocore 1.44.8, partitions.json).
_PARTITIONS = (
    Partition("cn-", "aws-cn", "amazonaws.com.cn"),
    Partition("us-gov-", "aws-us-gov", "amazonaws.com"),
    Partition("us-isob-", "aws-iso-b", "sc2s.sgov.gov"),
    Partition("us-isof-", "aws-iso-f", "csp.hci.ic.gov"),
    Partition("us-iso-", "aws-iso", "c2s.ic.gov"),
    Partition("eu-isoe-", "aws-iso-e", "cloud.adc-e.uk"),
    Partition("eusc-", "aws-eusc", "amazonaws.eu"),
)
_COMMERCIAL = Partition("", "aws", "amazonaws.com")


def partition(region: str) -> Partition:
    """The partition of a region: the commercial one where no prefix of the table fits."""
    return next((p for p in _PARTITIONS if region.startswith(p.region_prefix)), _COMMERCIAL)


def arn(region: str, service: str, resource: str, *, account: str = "", regional: bool = True) -> str:
    """The ARN of a resource, as arn:aws:s3:::bucket (`regional` False, no account)."""
    where = region if regional else ""
    return f"arn:{partition(region).name}:{service}:{where}:{account}:{resource}"


def host(region: str, service: str, identifier: str) -> str:
    """The host name that a regional service gives to one of its things, as fs-0aa.efs.us-east-2.amazonaws.com."""
    return f"{identifier}.{service}.{region}.{partition(region).dns_suffix}"
