"""The program that a person would write for the same cluster on Azure.

It registers the same resources with the same arguments, tags and order, so that only the way there differs.
"""

from __future__ import annotations

import base64

import pulumi
import pulumiverse_time as time_
from pulumi_azure_native import compute, consumption, managedidentity, monitor, resources, storagecache
from pulumi_azure_native import network as net

REGION, ZONES = "eastus", ["1"]
TAGS = {"gpuinfra-cluster": "large"}
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGZvciB0ZXN0cyBvbmx5LCBub3QgYSByZWFsIGtleSBhdCBhbGw ml"
INFINIBAND = {"Standard_ND96isr_H100_v5", "Standard_ND96amsr_A100_v4"}
EPHEMERAL = {"Standard_ND96isr_H100_v5"}
# About what cloud-init of a GPU node weighs.
BOOT = "echo boot\n" * 3200
LUSTRE = ["988", "1019-1023"]
# What Azure refuses to change in place, which the provider does not know.
FIXED = [
    "orchestrationMode", "plan", "platformFaultDomainCount", "proximityPlacementGroup", "singlePlacementGroup", "sku.name",
    "virtualMachineProfile.evictionPolicy",
    "virtualMachineProfile.networkProfile.networkInterfaceConfigurations[*].ipConfigurations[*].subnet",
    "virtualMachineProfile.osProfile.adminUsername",
    "virtualMachineProfile.osProfile.computerNamePrefix", "virtualMachineProfile.osProfile.linuxConfiguration",
    "virtualMachineProfile.priority", "virtualMachineProfile.securityProfile",
    "virtualMachineProfile.storageProfile.diskControllerType",
    "virtualMachineProfile.storageProfile.imageReference.communityGalleryImageId",
    "virtualMachineProfile.storageProfile.imageReference.offer",
    "virtualMachineProfile.storageProfile.imageReference.publisher",
    "virtualMachineProfile.storageProfile.imageReference.sharedGalleryImageId",
    "virtualMachineProfile.storageProfile.osDisk", "zones",
]  # fmt: skip


def rule(name: str, priority: int, direction: str, ports: list[str] | None, **more: str) -> net.SecurityRuleArgs:
    given = {
        "access": "Allow",
        "protocol": "*",
        "source_address_prefix": "VirtualNetwork",
        "destination_address_prefix": "VirtualNetwork",
        **more,
    }
    wide = {"destination_port_range": "*"} if ports is None else {"destination_port_ranges": ports}
    return net.SecurityRuleArgs(
        name=name,
        description=f"Rule {name}",
        priority=priority,
        direction=direction,
        source_port_range="*",
        **given,
        **wide,
    )


def firewall(
    name: str, rules: list[net.SecurityRuleArgs], group: resources.ResourceGroup, child: pulumi.ResourceOptions
) -> net.NetworkSecurityGroup:
    outside = {"access": "Deny", "source_address_prefix": "Internet", "destination_address_prefix": "*"}
    return net.NetworkSecurityGroup(
        f"large-{name}-nsg",
        resource_group_name=group.name,
        location=REGION,
        security_rules=[*rules, rule("deny-internet", 4000, "Inbound", None, **outside)],
        tags=TAGS,
        opts=child,
    )


def network(
    group: resources.ResourceGroup, root: pulumi.ComponentResource
) -> tuple[dict[str, net.Subnet], net.NetworkSecurityGroup]:
    part = pulumi.ComponentResource("byhand:azure:Part", "large-network", None, pulumi.ResourceOptions(parent=root))
    child = pulumi.ResourceOptions(parent=part)
    address = net.PublicIPAddress(
        "large-nat-address",
        resource_group_name=group.name,
        location=REGION,
        public_ip_address_version="IPv4",
        public_ip_allocation_method="Static",
        sku=net.PublicIPAddressSkuArgs(name="Standard", tier="Regional"),
        zones=ZONES,
        tags=TAGS,
        opts=pulumi.ResourceOptions(parent=part, replace_on_changes=["publicIPAllocationMethod", "zones"]),
    )
    nat = net.NatGateway(
        "large-nat",
        resource_group_name=group.name,
        location=REGION,
        idle_timeout_in_minutes=10,
        public_ip_addresses=[net.SubResourceArgs(id=address.id)],
        sku=net.NatGatewaySkuArgs(name="Standard"),
        zones=ZONES,
        tags=TAGS,
        opts=pulumi.ResourceOptions(parent=part, replace_on_changes=["sku", "zones"]),
    )
    lustre = [rule("lustre-in", 100, "Inbound", LUSTRE, protocol="Tcp"),
              rule("lustre-out", 100, "Outbound", LUSTRE, protocol="Tcp")]  # fmt: skip
    nodes = firewall("nodes", [*lustre, rule("from-network", 110, "Inbound", None)], group, child)
    anywhere = {"source_address_prefix": "*", "destination_address_prefix": "AzureCloud"}
    servers = [
        *lustre,
        rule("servers-in", 110, "Inbound", None),
        rule("servers-out", 110, "Outbound", None),
        rule("azure-out", 120, "Outbound", None, **anywhere),
    ]
    files = firewall("lustre", servers, group, child)
    vnet = net.VirtualNetwork(
        "large-vnet",
        resource_group_name=group.name,
        location=REGION,
        address_space=net.AddressSpaceArgs(address_prefixes=["10.40.0.0/16"]),
        enable_ddos_protection=False,
        enable_vm_protection=False,
        tags=TAGS,
        opts=pulumi.ResourceOptions(parent=part, ignore_changes=["subnets"], replace_on_changes=["addressSpace"]),
    )
    subnets: dict[str, net.Subnet] = {}
    for name, cidr, guard in (("nodes", "10.40.0.0/17", nodes), ("scratch", "10.40.128.0/24", files)):
        subnets[name] = net.Subnet(
            f"large-{name}-subnet",
            resource_group_name=group.name,
            virtual_network_name=vnet.name,
            address_prefix=cidr,
            default_outbound_access=False,
            nat_gateway=net.SubResourceArgs(id=nat.id),
            network_security_group=net.NetworkSecurityGroupArgs(id=guard.id),
            private_endpoint_network_policies="Enabled",
            private_link_service_network_policies="Enabled",
            opts=pulumi.ResourceOptions(
                parent=part,
                delete_before_replace=True,
                replace_on_changes=["addressPrefix", "defaultOutboundAccess", "delegations"],
                # Azure changes the subnets of a network one by one.
                depends_on=list(subnets.values()),
            ),
        )
    return subnets, nodes


def budget(group: resources.ResourceGroup, child: pulumi.ResourceOptions) -> None:
    def told(kind: str, percent: int) -> consumption.NotificationArgs:
        return consumption.NotificationArgs(
            enabled=True,
            operator="GreaterThan",
            threshold=percent,
            threshold_type=kind,
            contact_emails=["ml-platform@example.com"],
        )

    consumption.Budget(
        "large-budget",
        budget_name="large-budget",
        scope=group.id,
        amount=100_000_000,
        category="Cost",
        time_grain="Monthly",
        time_period=consumption.BudgetTimePeriodArgs(start_date="2026-11-01T00:00:00Z"),
        notifications={
            **{f"actual-{percent}": told("Actual", percent) for percent in (50, 80, 100)},
            "forecast-100": told("Forecasted", 100),
        },
        opts=pulumi.ResourceOptions.merge(
            child,
            pulumi.ResourceOptions(
                delete_before_replace=True,
                ignore_changes=["timePeriod.startDate"],
                replace_on_changes=["timeGrain"],
            ),
        ),
    )


def cluster(pools: list[dict[str, object]]) -> None:
    root = pulumi.ComponentResource("byhand:azure:Cluster", "large")
    parts = {
        name: pulumi.ComponentResource("byhand:azure:Part", f"large-{name}", None, pulumi.ResourceOptions(parent=root))
        for name in ("group", "storage", "identity", "spend")
    }
    child = {name: pulumi.ResourceOptions(parent=part) for name, part in parts.items()}
    group = resources.ResourceGroup(
        "large-rg", location=REGION, tags=TAGS, opts=pulumi.ResourceOptions(parent=parts["group"], protect=True)
    )
    subnets, guard = network(group, root)
    scratch = storagecache.AmlFilesystem(
        "large-scratch",
        resource_group_name=group.name,
        location=REGION,
        filesystem_subnet=subnets["scratch"].id,
        sku=storagecache.SkuNameArgs(name="AMLFS-Durable-Premium-250"),
        storage_capacity_ti_b=16,
        maintenance_window=storagecache.AmlFilesystemMaintenanceWindowArgs(
            day_of_week="Sunday", time_of_day_utc="02:00"
        ),
        zones=ZONES,
        tags=TAGS,
        opts=pulumi.ResourceOptions(
            parent=parts["storage"],
            protect=True,
            delete_before_replace=True,
            replace_on_changes=["hsm", "identity"],
            custom_timeouts=pulumi.CustomTimeouts(create="2h", update="2h", delete="2h"),
        ),
    )
    identity = managedidentity.UserAssignedIdentity(
        "large-nodes", resource_group_name=group.name, location=REGION, tags=TAGS, opts=child["identity"]
    )
    end = time_.Offset("large-lease", offset_seconds=259200, triggers={"lease": "72h"}, opts=child["spend"])
    budget(group, child["spend"])
    for spec in pools:
        # What a node boots depends on its pool.
        script = pulumi.Output.all(scratch.client_info, identity.client_id).apply(
            lambda known, name=spec["name"]: base64.b64encode(
                f"#cloud-config\n# {name}: {known}\n{BOOT}".encode()
            ).decode()
        )
        Pool(spec, root, group, subnets["nodes"], guard, identity, end, script)


class Pool(pulumi.ComponentResource):
    def __init__(self, spec, root, group, subnet, guard, identity, end, script) -> None:
        pool_name, size = str(spec["name"]), str(spec["instance_type"])
        name = f"large-{pool_name}"
        super().__init__("byhand:azure:Pool", name, None, pulumi.ResourceOptions(parent=root))
        tags = {**TAGS, "gpuinfra-pool": pool_name}
        spot, fast, own_disk = "capacity" in spec, size in INFINIBAND, size in EPHEMERAL
        disk = (
            {"diff_disk_settings": compute.DiffDiskSettingsArgs(option="Local", placement="ResourceDisk")}
            if own_disk
            else {
                "delete_option": "Delete",
                "managed_disk": compute.VirtualMachineScaleSetManagedDiskParametersArgs(
                    storage_account_type="Premium_LRS"
                ),
            }
        )
        profile = compute.VirtualMachineScaleSetVMProfileArgs(
            priority="Spot" if spot else "Regular",
            eviction_policy="Delete" if spot else None,
            billing_profile=compute.BillingProfileArgs(max_price=-1) if spot else None,
            scheduled_events_profile=compute.ScheduledEventsProfileArgs(
                terminate_notification_profile=compute.TerminateNotificationProfileArgs(enable=True, not_before_timeout="PT10M")
            ),
            os_profile=compute.VirtualMachineScaleSetOSProfileArgs(
                computer_name_prefix=name[:15], admin_username="azureuser", custom_data=script, allow_extension_operations=True,
                linux_configuration=compute.LinuxConfigurationArgs(
                    disable_password_authentication=True, provision_vm_agent=True,
                    ssh=compute.SshConfigurationArgs(
                        public_keys=[compute.SshPublicKeyArgs(key_data=KEY, path="/home/azureuser/.ssh/authorized_keys")]
                    ),
                ),
            ),
            storage_profile=compute.VirtualMachineScaleSetStorageProfileArgs(
                image_reference=compute.ImageReferenceArgs(
                    publisher="microsoft-dsvm", offer="ubuntu-hpc", sku="2404", version="latest"
                ),
                os_disk=compute.VirtualMachineScaleSetOSDiskArgs(
                    create_option="FromImage", caching="ReadOnly", disk_size_gb=200, **disk
                ),
            ),
            network_profile=compute.VirtualMachineScaleSetNetworkProfileArgs(
                network_interface_configurations=[compute.VirtualMachineScaleSetNetworkConfigurationArgs(
                    name="nodes", primary=True, enable_accelerated_networking=True, enable_ip_forwarding=False,
                    network_security_group=compute.SubResourceArgs(id=guard.id),
                    ip_configurations=[compute.VirtualMachineScaleSetIPConfigurationArgs(
                        name="nodes", primary=True, private_ip_address_version="IPv4",
                        subnet=compute.ApiEntityReferenceArgs(id=subnet.id),
                    )],
                )],
            ),
        )  # fmt: skip
        scale_set = compute.VirtualMachineScaleSet(
            f"{name}-set", vm_scale_set_name=name, resource_group_name=group.name, location=REGION,
            sku=compute.SkuArgs(name=size, tier="Standard", capacity=2), zones=ZONES, orchestration_mode="Uniform",
            single_placement_group=fast, overprovision=False, platform_fault_domain_count=1 if fast else None,
            upgrade_policy=compute.UpgradePolicyArgs(mode="Manual"),
            identity=compute.VirtualMachineScaleSetIdentityArgs(type="UserAssigned", user_assigned_identities=[identity.id]),
            virtual_machine_profile=profile, tags=tags,
            opts=pulumi.ResourceOptions(
                parent=self, ignore_changes=["sku.capacity"], delete_before_replace=True, replace_with=[subnet],
                # Azure starts no set in one placement group again without it.
                replace_on_changes=FIXED if fast else [place for place in FIXED if place != "singlePlacementGroup"],
                custom_timeouts=pulumi.CustomTimeouts(create="3h", update="3h", delete="1h"),
            ),
        )  # fmt: skip
        count = monitor.ScaleCapacityArgs
        monitor.AutoscaleSetting(
            f"{name}-end", resource_group_name=group.name, location=REGION, enabled=True,
            target_resource_uri=scale_set.id, target_resource_location=REGION,
            profiles=[
                monitor.AutoscaleProfileArgs(
                    name="lease-over", rules=[], capacity=count(minimum="0", maximum="0", default="0"),
                    fixed_date=monitor.TimeWindowArgs(start=end.rfc3339, end="2099-12-31T23:59:00Z", time_zone="UTC"),
                ),
                monitor.AutoscaleProfileArgs(name="run", rules=[], capacity=count(minimum="0", maximum="2", default="0")),
            ],
            tags=tags,
            opts=pulumi.ResourceOptions(parent=self, delete_before_replace=True, replace_on_changes=["targetResourceUri"]),
        )  # fmt: skip
        self.register_outputs({"groupName": name})
