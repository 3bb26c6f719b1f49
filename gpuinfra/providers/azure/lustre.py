"""Azure Managed Lustre: the file system, and how nodes find it."""

from __future__ import annotations

import pulumi
from pulumi_azure_native import storagecache

from ...plan.models import ClusterPlan, StoragePlan
from .names import fixed_name
from .resource_group import ResourceGroup
from .tags import tags

MOUNT_NAME = "lustrefs"
"""What every file system of the service is called to its clients (Azure Managed Lustre, Connect clients)."""
_GIB_PER_TIB = 1024
# A server is gone for up to half an hour, in a week; this is where most of the world sleeps or has its weekend.
_QUIET_DAY = storagecache.MaintenanceDayOfWeekType.SUNDAY
_QUIET_TIME = "02:00"


def lustre_file_system(
    plan: ClusterPlan,
    storage: StoragePlan,
    group: ResourceGroup,
    subnet_id: pulumi.Input[str],
    opts: pulumi.ResourceOptions,
) -> storagecache.AmlFilesystem:
    """Registers a new file system of the planned tier and size, in a subnet that it has for itself.

    It shows no container: that wants rights for a principal whose id differs by tenant, a second container for its log,
    and shared keys (Azure Managed Lustre, Blob integration prerequisites). A rule says so of `import_from`.
    """
    return storagecache.AmlFilesystem(
        storage.resource_name,
        aml_filesystem_name=fixed_name(storage.resource_name, "lustre"),
        resource_group_name=group.name,
        location=plan.region,
        sku=storagecache.SkuNameArgs(name=storage.tier.tier) if storage.tier else None,
        storage_capacity_ti_b=storage.size_gib / _GIB_PER_TIB if storage.size_gib else None,
        filesystem_subnet=subnet_id,
        # Texts, and one alone: a file system stands in one zone (Azure/cyclecloud-slurm-workspace#288). Regions without
        # zones take none.
        zones=[storage.zone] if storage.zone else None,
        maintenance_window=storagecache.AmlFilesystemMaintenanceWindowArgs(
            day_of_week=_QUIET_DAY, time_of_day_utc=_QUIET_TIME
        ),
        tags=tags(plan),
        opts=pulumi.ResourceOptions.merge(
            opts,
            pulumi.ResourceOptions(
                # Size, tier, zone and subnet are the file system's for life: a replaced one is an empty one.
                protect=True,
                # ARM refuses both on one that stands, and the preview would show an update.
                replace_on_changes=["hsm", "identity"],
                # Two at once would need twice the quota, which is four of a subscription.
                delete_before_replace=True,
                custom_timeouts=pulumi.CustomTimeouts(create="2h", update="2h", delete="2h"),
            ),
        ),
    )


def address(system: storagecache.AmlFilesystem) -> pulumi.Output[str]:
    """The address of the management service, by which nodes mount."""
    # None under mocks that leave computed outputs out.
    return system.client_info.apply(lambda info: info.mgs_address if info else None)  # pyright: ignore
