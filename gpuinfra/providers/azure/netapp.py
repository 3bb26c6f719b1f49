"""Azure NetApp Files: one account for a cluster, and for each NFS storage a capacity pool that one volume fills."""

from __future__ import annotations

import pulumi
from pulumi_azure_native import netapp

from ...plan.models import ClusterPlan, StoragePlan
from .names import fixed_name
from .resource_group import ResourceGroup
from .tags import tags

_TIER_PREFIX = "NetApp-"
_BYTES_PER_GIB = 1024**3
# Where the range of an existing network is not known. A volume is reached from its own network and its peers alone.
_PRIVATE = "10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10"


def netapp_account(plan: ClusterPlan, group: ResourceGroup, opts: pulumi.ResourceOptions) -> netapp.Account:
    """Registers the account that holds the cluster's volumes."""
    logical = f"{plan.name}-netapp"
    return netapp.Account(
        logical,
        account_name=fixed_name(logical, "netapp_account"),
        resource_group_name=group.name,
        location=plan.region,
        tags=tags(plan),
        opts=opts,
    )


def netapp_volume(
    plan: ClusterPlan,
    storage: StoragePlan,
    account: netapp.Account,
    group: ResourceGroup,
    subnet_id: pulumi.Input[str],
    clients: str,
    opts: pulumi.ResourceOptions,
) -> netapp.CapacityPoolVolume:
    """Registers a new volume of the planned tier and size. `clients`: the range that may mount it; empty where the
    network's range is not known."""
    level = storage.tier.tier.removeprefix(_TIER_PREFIX) if storage.tier else None
    size = storage.size_gib * _BYTES_PER_GIB if storage.size_gib else None
    kept = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(protect=True, delete_before_replace=True))
    capacity = netapp.CapacityPool(
        f"{storage.resource_name}-capacity",
        # Written out: the names that ARM gives back for both hold the account's too, as account/capacity/volume.
        pool_name=storage.cloud_name,
        account_name=account.name,
        resource_group_name=group.name,
        location=plan.region,
        service_level=level,
        size=size,
        qos_type=netapp.QosType.AUTO,
        tags=tags(plan),
        opts=kept,
    )
    return netapp.CapacityPoolVolume(
        storage.resource_name,
        volume_name=storage.cloud_name,
        pool_name=storage.cloud_name,
        account_name=account.name,
        resource_group_name=group.name,
        location=plan.region,
        service_level=level,
        usage_threshold=size,
        creation_token=storage.cloud_name,
        subnet_id=subnet_id,
        zones=[storage.zone] if storage.zone else None,
        # With Basic neither security groups nor peered networks of other regions work.
        network_features=netapp.NetworkFeatures.STANDARD,
        # Version 4.1 sends names for owners, and every file would be nobody's until each node's idmapd.conf has the
        # service's own domain (Azure NetApp Files, Configure NFSv4.1 ID domain).
        protocol_types=["NFSv3"],
        security_style=netapp.SecurityStyle.UNIX,
        unix_permissions="0755",
        export_policy=netapp.VolumePropertiesExportPolicyArgs(rules=[_only(clients or _PRIVATE)]),
        tags=tags(plan),
        opts=pulumi.ResourceOptions.merge(
            kept,
            pulumi.ResourceOptions(
                depends_on=[capacity],
                # ARM refuses these on a volume that stands, and the preview would show an update.
                replace_on_changes=["creationToken", "protocolTypes", "subnetId", "zones"],
            ),
        ),
    )


def address(volume: netapp.CapacityPoolVolume) -> pulumi.Output[str]:
    """The address by which nodes mount."""
    # None, or an empty list, under mocks that leave computed outputs out.
    return volume.mount_targets.apply(lambda targets: targets[0].ip_address if targets else None)  # pyright: ignore


def _only(clients: str) -> netapp.ExportPolicyRuleArgs:
    return netapp.ExportPolicyRuleArgs(
        rule_index=1,
        allowed_clients=clients,
        nfsv3=True,
        nfsv41=False,
        cifs=False,
        unix_read_only=False,
        unix_read_write=True,
        # Containers run as root, and would write files of nobody's.
        has_root_access=True,
        chown_mode=netapp.ChownMode.RESTRICTED,
    )
