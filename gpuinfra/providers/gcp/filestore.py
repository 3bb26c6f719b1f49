"""Filestore: an NFS share, reached through the network's private services."""

from __future__ import annotations

import pulumi
from pulumi_gcp import filestore

from ...plan.models import ClusterPlan, StoragePlan
from .labels import labels
from .names import project_of
from .network import ClusterNetwork

SHARE = "share"
"""The one share of an instance. Its name is short enough for every tier."""
_DEFAULT_TIER = "ZONAL"
_ONLY_VERSION_3 = "BASIC"


def filestore_instance(
    plan: ClusterPlan, storage: StoragePlan, network: ClusterNetwork, opts: pulumi.ResourceOptions
) -> filestore.Instance:
    """Registers a new instance of the planned tier and size."""
    tier = storage.tier.tier if storage.tier else _DEFAULT_TIER
    return filestore.Instance(
        storage.resource_name,
        name=storage.cloud_name,
        tier=tier,
        # Version 4.1 needs one port and holds locks in the protocol; the basic tiers do not speak it (Filestore,
        # "Service tiers").
        protocol="NFS_V3" if tier.startswith(_ONLY_VERSION_3) else "NFS_V4_1",
        file_shares=filestore.InstanceFileSharesArgs(name=SHARE, capacity_gb=storage.size_gib or 0),
        networks=[
            filestore.InstanceNetworkArgs(
                network=network.network_id,
                modes=["MODE_IPV4"],
                # Left out, Filestore peers with the network on its own, outside the range that the plan keeps for it.
                connect_mode="PRIVATE_SERVICE_ACCESS",
            )
        ],
        location=storage.zone or None,
        description=f"{storage.name} of {plan.name}",
        project=project_of(plan),
        deletion_policy="PREVENT",
        labels=labels(plan),
        opts=pulumi.ResourceOptions.merge(
            opts,
            pulumi.ResourceOptions(
                # A replaced share is an empty one.
                protect=True,
                # Its name is taken until the old one is gone.
                delete_before_replace=True,
                depends_on=list(network.services),
            ),
        ),
    )
