"""What a program sets for its whole AWS account and region, and machines and volumes take where they say nothing."""

from __future__ import annotations

from typing import Any

from .aws_graph import AwsGraph
from .resource_graph import UNKNOWN, Resource
from .wire_values import late

METADATA = "aws:ec2/instanceMetadataDefaults:InstanceMetadataDefaults"
ENCRYPTION = "aws:ebs/encryptionByDefault:EncryptionByDefault"
_PROVIDER = "pulumi:providers:aws"


def account_default(aws: AwsGraph, r: Resource, kind: str, key: str) -> tuple[bool, Any]:
    """(whether a resource of this kind holds where `r` stands, its value): (False, None) where none does. One that
    may stand in another region has the value UNKNOWN."""
    found = [(_same_place(aws, r, d), d.get(key)) for d in aws.of_type(kind)]
    for same, value in found:
        if same:
            return True, value
    return (True, UNKNOWN) if any(same is None for same, _ in found) else (False, None)


def _same_place(aws: AwsGraph, a: Resource, b: Resource) -> bool | None:
    """Whether two resources stand in one account and region; None where that cannot be told."""
    if a.provider == b.provider and a.get("region") == b.get("region") and not late(a.get("region")):
        return True
    here, there = _region(aws, a), _region(aws, b)
    return here == there if here and there else None


def _region(aws: AwsGraph, r: Resource) -> str:
    own = r.get("region")
    if own is None and r.provider:
        # A preview and a state write the provider's id behind its URN.
        own = next(
            (p.get("region") for p in aws.of_type(_PROVIDER) if f"{r.provider}::".startswith(f"{p.urn}::")), None
        )
    return own if isinstance(own, str) and not late(own) else ""
