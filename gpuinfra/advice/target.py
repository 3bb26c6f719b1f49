"""Where a spec moves to, and the location that a spec there has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..spec.locations import AwsLocation, AzureLocation, GcpLocation
from ..vocabulary import Provider

Location = AwsLocation | GcpLocation | AzureLocation

NO_PROJECT = "your-project-id"
"""Stands for the project where none is named: everything but the deployment works with it."""


@dataclass(frozen=True)
class Target:
    """Where a spec moves to."""

    provider: Provider
    region: str
    zone: str | None = None
    project: str | None = None
    """Google Cloud."""


def location_of(target: Target) -> Location:
    """The location of a spec that stands there and nowhere before."""
    return _MAKE[target.provider](target)


_MAKE: dict[Provider, Callable[[Target], Location]] = {
    Provider.AWS: lambda t: AwsLocation(region=t.region, zone=t.zone),
    Provider.GCP: lambda t: GcpLocation(project=t.project or NO_PROJECT, region=t.region, zone=t.zone),
    Provider.AZURE: lambda t: AzureLocation(region=t.region, zone=t.zone),
}
