"""Managed Lustre: the file system in the nodes' zone, reached through the network's private services."""

from __future__ import annotations

import pulumi
from pulumi_gcp import lustre

from ...plan.models import ClusterPlan, StoragePlan
from .labels import labels
from .names import project_of
from .network import ClusterNetwork

_LONGEST = 8
_DIGEST = 4


def lustre_instance(
    plan: ClusterPlan, storage: StoragePlan, network: ClusterNetwork, opts: pulumi.ResourceOptions
) -> lustre.Instance:
    """Registers a new file system of the planned tier and size."""
    speed = storage.throughput_mbps_per_tib
    dynamic = lustre.InstanceDynamicTierOptionsArgs(mode="DEFAULT_CACHE") if speed is None else None
    return lustre.Instance(
        storage.resource_name,
        instance_id=storage.cloud_name,
        filesystem=file_system_name(storage.name),
        # Google wants both numbers as text.
        capacity_gib=str(storage.size_gib),
        per_unit_storage_throughput=None if speed is None else str(speed),
        dynamic_tier_options=dynamic,
        location=storage.zone,
        network=network.network_id,
        description=f"{storage.name} of {plan.name}",
        gke_support_enabled=False,
        project=project_of(plan),
        deletion_policy="PREVENT",
        labels=labels(plan),
        opts=pulumi.ResourceOptions.merge(
            opts,
            pulumi.ResourceOptions(
                # A replaced file system is an empty one.
                protect=True,
                # Its name is taken until the old one is gone.
                delete_before_replace=True,
                depends_on=list(network.services),
            ),
        ),
    )


def file_system_name(name: str) -> str:
    """The name that clients mount: at most eight letters and digits, and another for each storage of a spec."""
    plain = name.replace("-", "")
    if plain == name and len(name) <= _LONGEST:
        return name
    from hashlib import sha256  # loads OpenSSL, for the few names that do not fit

    return plain[: _LONGEST - _DIGEST] + sha256(name.encode()).hexdigest()[:_DIGEST]
