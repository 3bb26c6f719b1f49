"""FSx for Lustre: the file system, and what it shows of S3."""

from __future__ import annotations

import pulumi
import pulumi_aws as aws

from ...plan.models import ClusterPlan, StoragePlan
from .network import ClusterNetwork
from .tags import tags

_PERSISTENT = "PERSISTENT"
_LATEST = "PERSISTENT_2"
_EVENTS = ["NEW", "CHANGED", "DELETED"]


def lustre_file_system(
    plan: ClusterPlan, storage: StoragePlan, network: ClusterNetwork, opts: pulumi.ResourceOptions
) -> aws.fsx.LustreFileSystem:
    """Registers a new file system of the planned tier and size, and the S3 folder that it shows."""
    tier = storage.tier.tier if storage.tier else _LATEST
    persistent = tier.startswith(_PERSISTENT)
    metadata = aws.fsx.LustreFileSystemMetadataConfigurationArgs(mode="AUTOMATIC") if tier == _LATEST else None
    group = network.lustre_security_group_id
    system = aws.fsx.LustreFileSystem(
        storage.resource_name,
        # Left out, this is SCRATCH_1, whose data dies with a server.
        deployment_type=tier,
        storage_type="SSD",
        storage_capacity=storage.size_gib,
        per_unit_storage_throughput=storage.throughput_mbps_per_tib if persistent else None,
        # One text and not a list: a file system stands in one zone.
        subnet_ids=network.subnet_in(storage.zone),
        security_group_ids=[group] if group else None,
        # PERSISTENT_2 refuses 2.10, which is the provider's default for older types.
        file_system_type_version="2.15",
        data_compression_type="LZ4",
        # It cannot be added to a file system later (aws/aws-parallelcluster#7616).
        metadata_configuration=metadata,
        automatic_backup_retention_days=0 if persistent else None,
        # A file system that is linked to S3 takes no backups (FSx for Lustre User Guide, "Working with backups"), and
        # what nodes write to it is in no bucket. Any other one keeps a last backup when it is deleted.
        skip_final_backup=bool(storage.import_from) or not persistent,
        copy_tags_to_backups=True if persistent else None,
        region=plan.region,
        tags=tags(plan, storage.cloud_name),
        opts=pulumi.ResourceOptions.merge(
            opts,
            pulumi.ResourceOptions(
                # A replaced file system is an empty one.
                protect=True,
                # Two at once would need twice the account's quota.
                delete_before_replace=True,
                # FSx probes the ports at creation, so the rules must be there and not just their group.
                depends_on=list(network.lustre_rules),
            ),
        ),
    )
    if storage.import_from:
        _show_bucket(plan, storage, system, tier, opts)
    return system


def _show_bucket(
    plan: ClusterPlan,
    storage: StoragePlan,
    system: aws.fsx.LustreFileSystem,
    tier: str,
    opts: pulumi.ResourceOptions,
) -> None:
    aws.fsx.DataRepositoryAssociation(
        f"{storage.resource_name}-import",
        file_system_id=system.id,
        file_system_path=storage.import_mount,
        data_repository_path=storage.import_from,
        batch_import_meta_data_on_create=True,
        delete_data_in_filesystem=False,
        s3=aws.fsx.DataRepositoryAssociationS3Args(
            auto_import_policy=aws.fsx.DataRepositoryAssociationS3AutoImportPolicyArgs(events=_EVENTS)
        ),
        region=plan.region,
        tags=tags(plan, f"{storage.cloud_name}-import"),
        # AWS knows one association a path, so a second cannot stand beside the first.
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(delete_before_replace=True)),
    )
