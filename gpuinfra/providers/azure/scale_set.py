"""A pool's scale set: the one owner of image, disk, interface, identity and purchase of its nodes."""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
from pulumi_azure_native import compute

from ... import catalog
from ...node.driver import stock_driver
from ...plan.models import ClusterPlan, PoolPlan
from ...vocabulary import CapacityType, FabricKind
from .images import image_reference, is_trusted_launch_capable, purchase_plan
from .names import host_prefix
from .resource_group import ResourceGroup
from .tags import tags

_NOTICE = "PT10M"
_CREATION, _DELETION = "3h", "1h"
_SCSI = "SCSI"
_DRIVER = "NvidiaGpuDriverLinux"
# The version whose settings Microsoft's page shows for NVads A10 v5 (GPU driver extension for Linux, 2025-06-30); the
# agent takes the newest minor one.
_DRIVER_VERSION = "1.11"
_NV = "Standard_NV"

# What ARM refuses to change on a standing set (PropertyChangeNotAllowed), though the provider's preview calls it an
# update: its map of such properties has no compute entry (facts azure a1; pulumi/pulumi-azure-native#577, #959, #1117).
_PROFILE = "virtualMachineProfile"
_IMMUTABLE = (
    "orchestrationMode",
    "platformFaultDomainCount",
    "plan",
    "proximityPlacementGroup",
    "sku.name",
    "zones",
    f"{_PROFILE}.evictionPolicy",
    # ARM moves no node of a set by hand: a subnet that is made anew would find the old one in use.
    f"{_PROFILE}.networkProfile.networkInterfaceConfigurations[*].ipConfigurations[*].subnet",
    f"{_PROFILE}.osProfile.adminUsername",
    f"{_PROFILE}.osProfile.computerNamePrefix",
    f"{_PROFILE}.osProfile.linuxConfiguration",
    f"{_PROFILE}.priority",
    f"{_PROFILE}.securityProfile",
    f"{_PROFILE}.storageProfile.diskControllerType",
    f"{_PROFILE}.storageProfile.imageReference.communityGalleryImageId",
    f"{_PROFILE}.storageProfile.imageReference.offer",
    f"{_PROFILE}.storageProfile.imageReference.publisher",
    f"{_PROFILE}.storageProfile.imageReference.sharedGalleryImageId",
    f"{_PROFILE}.storageProfile.osDisk",
)


@dataclass(frozen=True)
class NodeParts:
    """What a scale set takes from elsewhere."""

    custom_data: pulumi.Input[str]
    """Base64."""
    identity_id: pulumi.Input[str]
    subnet_id: pulumi.Input[str]
    security_group_id: pulumi.Input[str]
    proximity_group: pulumi.Input[str] | None
    nodes: pulumi.Input[int]


_USER = "azureuser"
NOBODYS_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPJbGez0ny0nvZYdlWfytgrsSNKCBYkK5dt84Ve4hdRQ gpuinfra-nobody"
"""A public key without a private one, for a set that is given none: ARM makes no Linux set without a key. Its 32 bytes are
the SHA-256 of `gpuinfra: nobody holds this key`."""


def scale_set(
    plan: ClusterPlan,
    pool: PoolPlan,
    group: ResourceGroup,
    parts: NodeParts,
    opts: pulumi.ResourceOptions,
) -> compute.VirtualMachineScaleSet:
    """Registers the set. A change of image or boot bundle counts for new nodes alone: a training run goes on."""
    together = _stand_together(pool)
    near = parts.proximity_group
    return compute.VirtualMachineScaleSet(
        f"{pool.resource_name}-set",
        resource_group_name=group.name,
        vm_scale_set_name=pool.cloud_name,
        location=plan.region,
        zones=[pool.zone] if pool.zone else None,
        # InfiniBand, and a capacity reservation of GPUs, want the set whole: Uniform, in one fault domain; InfiniBand also
        # in one placement group, whose partition key its nodes share (facts azure a4, a5, a10).
        orchestration_mode="Uniform",
        single_placement_group=together,
        platform_fault_domain_count=1 if together or pool.capacity.type.names_capacity else None,
        # Nodes that are made to be thrown away take ranks, and quota.
        overprovision=False,
        upgrade_policy=compute.UpgradePolicyArgs(mode=compute.UpgradeMode.MANUAL),
        proximity_placement_group=compute.SubResourceArgs(id=near) if near is not None else None,
        sku=compute.SkuArgs(name=pool.instance.name, tier="Standard", capacity=parts.nodes),
        plan=purchase_plan(pool.node_image),
        identity=compute.VirtualMachineScaleSetIdentityArgs(
            type=compute.ResourceIdentityType.USER_ASSIGNED, user_assigned_identities=[parts.identity_id]
        ),
        virtual_machine_profile=_profile(plan, pool, parts),
        tags=tags(plan, pool),
        opts=pulumi.ResourceOptions.merge(opts, _set_options(pool, together)),
    )


def _stand_together(pool: PoolPlan) -> bool:
    """One placement group: with InfiniBand, and for a single node that could have it, which may be given neighbours."""
    return pool.fabric.present or (pool.instance.fabric is FabricKind.INFINIBAND and not pool.multi_node)


def _set_options(pool: PoolPlan, together: bool) -> pulumi.ResourceOptions:
    # ARM lets a set out of its placement group, and not back in.
    changes = [*_IMMUTABLE, "singlePlacementGroup"] if together else list(_IMMUTABLE)
    return pulumi.ResourceOptions(
        replace_on_changes=sorted(changes),
        # Its name is taken until the old one is gone, and so are its quota and its capacity.
        delete_before_replace=True,
        # Something else moves the number; the next `up` must not buy the nodes back (wire path: the SDK translates
        # top-level names alone, pulumi/pulumi#7081).
        ignore_changes=["sku.capacity"] if pool.scales_itself else None,
        custom_timeouts=pulumi.CustomTimeouts(create=_CREATION, update=_CREATION, delete=_DELETION),
    )


def _profile(plan: ClusterPlan, pool: PoolPlan, parts: NodeParts) -> compute.VirtualMachineScaleSetVMProfileArgs:
    spot = pool.capacity.type is CapacityType.SPOT
    reserved = compute.CapacityReservationProfileArgs(
        capacity_reservation_group=compute.SubResourceArgs(id=pool.capacity.id)
    )
    return compute.VirtualMachineScaleSetVMProfileArgs(
        priority="Spot" if spot else "Regular",
        # A deallocated node keeps its disk, its bill and its place in the quota, and a disk of the machine cannot be
        # deallocated at all.
        eviction_policy="Delete" if spot else None,
        billing_profile=compute.BillingProfileArgs(max_price=-1) if spot else None,
        capacity_reservation=reserved if pool.capacity.type is CapacityType.RESERVATION else None,
        security_profile=_security(pool),
        scheduled_events_profile=compute.ScheduledEventsProfileArgs(
            terminate_notification_profile=compute.TerminateNotificationProfileArgs(
                enable=True, not_before_timeout=_NOTICE
            )
        ),
        os_profile=_login(plan, pool, parts.custom_data),
        storage_profile=compute.VirtualMachineScaleSetStorageProfileArgs(
            image_reference=image_reference(pool.node_image),
            disk_controller_type=_controller(pool),
            os_disk=_root(pool),
        ),
        network_profile=_network(pool, parts),
        extension_profile=_driver(plan, pool),
    )


def _security(pool: PoolPlan) -> compute.SecurityProfileArgs | None:
    """Trusted Launch where size and image are known to take it, without Secure Boot: GPU modules carry no signature that
    it knows. Written, because a subscription may have it switched on for sets that say nothing."""
    row = catalog.infiniband(pool.instance.name)
    if row is None or row.trusted_launch is not True or not is_trusted_launch_capable(pool.node_image):
        return None
    return compute.SecurityProfileArgs(
        security_type="TrustedLaunch",
        uefi_settings=compute.UefiSettingsArgs(v_tpm_enabled=True, secure_boot_enabled=False),
    )


def login_user(pool: PoolPlan) -> str:
    """The account that Azure makes; with an image that the catalog does not know its name is ours to choose."""
    return pool.node_image.user or _USER


def _login(
    plan: ClusterPlan, pool: PoolPlan, custom_data: pulumi.Input[str]
) -> compute.VirtualMachineScaleSetOSProfileArgs:
    user = login_user(pool)
    keys = [
        compute.SshPublicKeyArgs(key_data=key.strip(), path=f"/home/{user}/.ssh/authorized_keys")
        for key in plan.network.ssh_keys or (NOBODYS_KEY,)
    ]
    return compute.VirtualMachineScaleSetOSProfileArgs(
        computer_name_prefix=host_prefix(plan.name, pool.name),
        admin_username=user,
        custom_data=custom_data,
        allow_extension_operations=True,
        linux_configuration=compute.LinuxConfigurationArgs(
            disable_password_authentication=True,
            provision_vm_agent=True,
            ssh=compute.SshConfigurationArgs(public_keys=keys),
        ),
    )


def _controller(pool: PoolPlan) -> str | None:
    """NVMe where the size has no other; SCSI is what ARM takes by itself, and older sizes know no such word."""
    row = catalog.infiniband(pool.instance.name)
    return row.disk_controller if row and row.disk_controller not in ("", _SCSI) else None


def _root(pool: PoolPlan) -> compute.VirtualMachineScaleSetOSDiskArgs:
    if pool.root_on:
        return compute.VirtualMachineScaleSetOSDiskArgs(
            create_option="FromImage",
            # The only word that Azure takes with a drive of the machine (Azure, ephemeral OS disks).
            caching=compute.CachingTypes.READ_ONLY,
            disk_size_gb=pool.node_image.root_gib,
            diff_disk_settings=compute.DiffDiskSettingsArgs(option="Local", placement=pool.root_on),
        )
    # No delete_option: only flexible sets take one, and a uniform one always deletes its disks (azure-rest-api-specs,
    # VirtualMachineScaleSetOSDisk).
    return compute.VirtualMachineScaleSetOSDiskArgs(
        create_option="FromImage",
        caching=compute.CachingTypes.READ_ONLY,
        disk_size_gb=pool.node_image.root_gib,
        managed_disk=compute.VirtualMachineScaleSetManagedDiskParametersArgs(storage_account_type="Premium_LRS"),
    )


def _network(pool: PoolPlan, parts: NodeParts) -> compute.VirtualMachineScaleSetNetworkProfileArgs:
    """One interface: InfiniBand's function appears by itself, and declaring one is an error."""
    public = compute.VirtualMachineScaleSetPublicIPAddressConfigurationArgs(
        name="public", sku=compute.PublicIPAddressSkuArgs(name="Standard", tier="Regional")
    )
    address = compute.VirtualMachineScaleSetIPConfigurationArgs(
        name="nodes",
        primary=True,
        private_ip_address_version="IPv4",
        subnet=compute.ApiEntityReferenceArgs(id=parts.subnet_id),
        public_ip_address_configuration=public if pool.public_ip else None,
    )
    return compute.VirtualMachineScaleSetNetworkProfileArgs(
        network_interface_configurations=[
            compute.VirtualMachineScaleSetNetworkConfigurationArgs(
                name="nodes",
                primary=True,
                enable_accelerated_networking=True,
                enable_ip_forwarding=False,
                network_security_group=compute.SubResourceArgs(id=parts.security_group_id),
                ip_configurations=[address],
            )
        ]
    )


def _driver(plan: ClusterPlan, pool: PoolPlan) -> compute.VirtualMachineScaleSetExtensionProfileArgs | None:
    """The driver that a stock image lacks, laid by Azure's own extension, inside the set.

    As a resource of its own it would reach no node of a set whose upgrades are manual. Inside, a failure at creation would
    leave a set that the stack does not know (pulumi/pulumi-azure-native#938): so failures are suppressed, and the node
    says them itself, since its boot waits for the driver. Never on an image that carries a driver.
    """
    missing = stock_driver(plan, pool)
    if missing is None or not missing.by_cloud:
        return None
    # The extension lays GRID on NV by itself, and elsewhere only when told (Azure/azhpc-extensions, NvidiaGPU).
    told = {} if pool.instance.name.startswith(_NV) else {"installGridNC": True}
    return compute.VirtualMachineScaleSetExtensionProfileArgs(
        extensions=[
            compute.VirtualMachineScaleSetExtensionArgs(
                name="gpu-driver",
                publisher="Microsoft.HpcCompute",
                type=_DRIVER,
                type_handler_version=_DRIVER_VERSION,
                auto_upgrade_minor_version=True,
                enable_automatic_upgrade=False,
                suppress_failures=True,
                settings=told,
            )
        ]
    )
