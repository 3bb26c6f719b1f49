"""Blob storage: an account and its one container, reached from the cluster's network alone."""

from __future__ import annotations

import re
from hashlib import sha256

import pulumi
from pulumi_azure_native import storage as blobs

from ...plan.models import ClusterPlan, StoragePlan
from ...plan.names import is_taken
from ...vocabulary import Provider
from .resource_group import ResourceGroup
from .tags import tags

_READABLE = 12
_PLAIN = "st"
_DIGEST = 12


def storage_account(
    plan: ClusterPlan, storage: StoragePlan, group: ResourceGroup, opts: pulumi.ResourceOptions
) -> blobs.StorageAccount:
    """Registers an account that no key opens, and that the internet does not reach."""
    return blobs.StorageAccount(
        f"{storage.resource_name}-account",
        account_name=group.id.apply(lambda id: account_name(storage, id)),
        resource_group_name=group.name,
        location=plan.region,
        kind=blobs.Kind.STORAGE_V2,
        sku=blobs.SkuArgs(name=blobs.SkuName.STANDARD_LRS),
        access_tier=blobs.AccessTier.HOT,
        # Real folders: one is renamed at once, as programs that write checkpoints do, and not blob by blob.
        is_hns_enabled=True,
        allow_blob_public_access=False,
        # Nodes come with their identity, and a key would open everything to whoever finds it.
        allow_shared_key_access=False,
        default_to_o_auth_authentication=True,
        allow_cross_tenant_replication=False,
        is_local_user_enabled=False,
        is_sftp_enabled=False,
        enable_nfs_v3=False,
        enable_https_traffic_only=True,
        minimum_tls_version=blobs.MinimumTlsVersion.TLS1_2,
        public_network_access=blobs.PublicNetworkAccess.DISABLED,
        network_rule_set=blobs.NetworkRuleSetArgs(default_action=blobs.DefaultAction.DENY, bypass=blobs.Bypass.NONE),
        tags=tags(plan),
        opts=pulumi.ResourceOptions.merge(
            opts,
            pulumi.ResourceOptions(
                protect=True,
                # ARM refuses both on an account that stands, and the preview would show an update.
                replace_on_changes=["enableNfsV3", "kind"],
                # Its name is taken until the old one is gone.
                delete_before_replace=True,
            ),
        ),
    )


def blob_container(
    storage: StoragePlan, account: blobs.StorageAccount, group: ResourceGroup, opts: pulumi.ResourceOptions
) -> blobs.BlobContainer:
    """Registers the container, through the resource manager: the account's own address is closed to the deployer."""
    return blobs.BlobContainer(
        storage.resource_name,
        container_name=storage.cloud_name,
        account_name=account.name,
        resource_group_name=group.name,
        public_access=blobs.PublicAccess.NONE,
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(protect=True, delete_before_replace=True)),
    )


def account_name(storage: StoragePlan, group_id: str | None) -> str:
    """A name that is the same for the same storage, and nobody else's in the world: the beginning is for people, the end
    a digest that holds the subscription.

    The provider would append its digits to the logical name, whose hyphens an account's name may not have.
    """
    if group_id is None:  # under mocks that leave computed outputs out
        return group_id  # pyright: ignore[reportReturnType]
    readable = re.sub(r"[^a-z0-9]", "", storage.cloud_name.lower())[:_READABLE]
    digest = sha256(f"{group_id.lower()}/{storage.resource_name}".encode()).hexdigest()[:_DIGEST]
    # An account has an address on the internet, and such names hold no trademark (windows, xbox): the digest does alone.
    name = f"{readable}{digest}"
    return name if is_taken(Provider.AZURE, "endpoint", name) else f"{_PLAIN}{digest}"
