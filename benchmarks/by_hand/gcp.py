"""The program that a person would write for the same cluster on Google Cloud.

It registers the same resources with the same arguments, labels and order, so that only the way there differs.
"""

from __future__ import annotations

import pulumi
import pulumiverse_time as time_
from pulumi_gcp import (
    billing,
    cloudscheduler,
    compute,
    lustre,
    monitoring,
    organizations,
    projects,
    serviceaccount,
    servicenetworking,
)

PROJECT, REGION, ZONE = "acme-lab", "us-central1", "us-central1-b"
LABELS = {"gpuinfra-cluster": "large"}
GPU_CARDS, RDMA_CARDS = 8, 8
CARDS = {
    "a3-megagpu-8g": [("GVNIC", "nodes"), *(("GVNIC", f"gpu{n}") for n in range(GPU_CARDS))],
    "a3-ultragpu-8g": [("GVNIC", "nodes"), ("GVNIC", "host1"), *(("MRDMA", f"rdma{n}") for n in range(RDMA_CARDS))],
}
BOOT_DISKS = {"a3-ultragpu-8g": "hyperdisk-balanced", "g4-standard-96": "hyperdisk-balanced"}
IMAGES = {
    "a2-highgpu-8g": ("deeplearning-platform-release", "common-cu129-ubuntu-2404-nvidia-580"),
    "g2-standard-48": ("ubuntu-os-cloud", "ubuntu-2404-lts-amd64"),
    "g4-standard-96": ("ubuntu-os-cloud", "ubuntu-2404-lts-amd64"),
}
ACCELERATED = ("ubuntu-os-accelerator-images", "ubuntu-accelerator-2404-amd64-with-nvidia-580")
# About what cloud-init of a GPU node weighs.
BOOT = "echo boot\n" * 3000


def inside(name: str, network: compute.Network, cidr: str, child: pulumi.ResourceOptions) -> compute.Firewall:
    return compute.Firewall(
        f"large-{name}-inside",
        network=network.id,
        description=f"Within {cidr}",
        direction="INGRESS",
        source_ranges=[cidr],
        allows=[compute.FirewallAllowArgs(protocol=p) for p in ("tcp", "udp", "icmp")],
        project=PROJECT,
        opts=child,
    )


def vpc(name: str, mtu: int, child: pulumi.ResourceOptions, profile: str | None = None) -> compute.Network:
    return compute.Network(
        f"large-{name}",
        description=f"Network {name} of large",
        auto_create_subnetworks=False,
        routing_mode="REGIONAL",
        mtu=mtu,
        network_profile=profile,
        project=PROJECT,
        opts=child,
    )


def subnet(
    name: str, network: compute.Network, cidr: str, child: pulumi.ResourceOptions, *, google: bool = True
) -> compute.Subnetwork:
    return compute.Subnetwork(
        f"large-{name}-subnet",
        network=network.id,
        description=f"{name} of large",
        ip_cidr_range=cidr,
        private_ip_google_access=True if google else None,
        region=REGION,
        project=PROJECT,
        opts=child,
    )


def network(
    child: pulumi.ResourceOptions,
) -> tuple[compute.Network, servicenetworking.Connection, dict[str, compute.Subnetwork], list[pulumi.Resource]]:
    main = vpc("vpc", 8244, child)
    subnets = {"nodes": subnet("nodes", main, "10.40.0.0/17", child)}
    router = compute.Router("large-router", network=main.id, region=REGION, project=PROJECT, opts=child)
    nat = compute.RouterNat(
        "large-nat",
        router=router.name,
        nat_ip_allocate_option="AUTO_ONLY",
        source_subnetwork_ip_ranges_to_nat="LIST_OF_SUBNETWORKS",
        subnetworks=[
            compute.RouterNatSubnetworkArgs(name=subnets["nodes"].id, source_ip_ranges_to_nats=["ALL_IP_RANGES"])
        ],
        enable_dynamic_port_allocation=True,
        enable_endpoint_independent_mapping=False,
        max_ports_per_vm=4096,
        log_config=compute.RouterNatLogConfigArgs(enable=True, filter="ERRORS_ONLY"),
        region=REGION,
        project=PROJECT,
        opts=child,
    )
    services = compute.GlobalAddress(
        "large-services",
        network=main.id,
        description="File systems of large",
        purpose="VPC_PEERING",
        address_type="INTERNAL",
        address="10.40.128.0",
        prefix_length=24,
        project=PROJECT,
        opts=child,
    )
    peering = servicenetworking.Connection(
        "large-services-peering",
        network=main.id,
        service="servicenetworking.googleapis.com",
        reserved_peering_ranges=[services.name],
        deletion_policy="REMOVE_PEERING",
        opts=child,
    )
    ready: list[pulumi.Resource] = [nat, inside("nodes", main, "10.40.0.0/17", child)]
    for name, ports, ranges in (
        ("ssh-iap", ["22"], ["35.235.240.0/20"]),
        ("lustre", ["988", "6988"], ["10.40.128.0/24"]),
    ):
        ready.append(
            compute.Firewall(
                f"large-{name}",
                network=main.id,
                description=f"Into nodes: {name}",
                direction="INGRESS",
                source_ranges=ranges,
                target_tags=["large-nodes"],
                allows=[compute.FirewallAllowArgs(protocol="tcp", ports=ports)],
                project=PROJECT,
                opts=child,
            )
        )
    others = [(f"gpu{n}", 8244, f"10.40.{129 + n}.0/24") for n in range(GPU_CARDS)]
    for name, mtu, cidr in (*others, ("host1", 8896, "10.40.137.0/24")):
        own = vpc(f"{name}-vpc", mtu, child)
        subnets[name] = subnet(name, own, cidr, child)
        ready += [subnets[name], inside(name, own, cidr, child)]
    roce = vpc("rdma-vpc", 8896, child, f"projects/{PROJECT}/global/networkProfiles/{ZONE}-vpc-roce")
    for n in range(RDMA_CARDS):
        subnets[f"rdma{n}"] = subnet(f"rdma{n}", roce, f"10.40.{138 + n}.0/24", child, google=False)
        ready.append(subnets[f"rdma{n}"])
    return main, peering, subnets, ready


def account_with_role(
    name: str, title: str, permissions: list[str], child: pulumi.ResourceOptions
) -> tuple[serviceaccount.Account, projects.IAMMember]:
    account = serviceaccount.Account(
        f"large-{name}-account", account_id=f"large-{name}", display_name=title, project=PROJECT, opts=child
    )
    role = projects.IAMCustomRole(
        f"large-{name}-role",
        role_id=account.unique_id.apply(lambda unique: f"large_{name}_{unique}"),
        title=title,
        description=title,
        permissions=permissions,
        stage="GA",
        project=PROJECT,
        opts=child,
    )
    return account, member(f"{name}-leave", account, role.name, child)


def member(
    name: str, account: serviceaccount.Account, role: pulumi.Input[str], child: pulumi.ResourceOptions
) -> projects.IAMMember:
    return projects.IAMMember(
        f"large-{name}", role=role, member=pulumi.Output.concat("serviceAccount:", account.email), project=PROJECT, opts=child
    )  # fmt: skip


def budget(child: pulumi.ResourceOptions) -> None:
    own = organizations.get_project_output(project_id=PROJECT)
    contact = monitoring.NotificationChannel(
        "large-contact",
        type="email",
        display_name="Budget of large",
        labels={"email_address": "ml-platform@example.com"},
        user_labels=LABELS,
        enabled=True,
        force_delete=False,
        project=PROJECT,
        opts=child,
    )
    rule = billing.BudgetThresholdRuleArgs
    billing.Budget(
        "large-budget",
        billing_account=own.billing_account,
        display_name="large-budget",
        amount=billing.BudgetAmountArgs(specified_amount=billing.BudgetAmountSpecifiedAmountArgs(units="100000000")),
        budget_filter=billing.BudgetBudgetFilterArgs(
            projects=[own.number.apply(lambda number: f"projects/{number}")],
            labels=LABELS,
            calendar_period="MONTH",
            credit_types_treatment="INCLUDE_ALL_CREDITS",
        ),
        threshold_rules=[
            *(rule(threshold_percent=t, spend_basis="CURRENT_SPEND") for t in (0.5, 0.8, 1.0)),
            rule(threshold_percent=1.0, spend_basis="FORECASTED_SPEND"),
        ],
        all_updates_rule=billing.BudgetAllUpdatesRuleArgs(
            monitoring_notification_channels=[contact.name],
            disable_default_iam_recipients=True,
            enable_project_level_recipients=False,
        ),
        opts=child,
    )


def cluster(pools: list[dict[str, object]]) -> None:
    root = pulumi.ComponentResource("byhand:gcp:Cluster", "large")
    parts = {
        name: pulumi.ComponentResource("byhand:gcp:Part", f"large-{name}", None, pulumi.ResourceOptions(parent=root))
        for name in ("network", "storage", "identity", "spend")
    }
    child = {name: pulumi.ResourceOptions(parent=part) for name, part in parts.items()}
    main, peering, subnets, ready = network(child["network"])
    scratch = lustre.Instance(
        "large-scratch",
        instance_id="large-scratch",
        filesystem="scratch",
        capacity_gib="18000",
        per_unit_storage_throughput="500",
        location=ZONE,
        network=main.id,
        description="scratch of large",
        gke_support_enabled=False,
        labels=LABELS,
        deletion_policy="PREVENT",
        project=PROJECT,
        opts=pulumi.ResourceOptions(
            parent=parts["storage"], protect=True, delete_before_replace=True, depends_on=[peering]
        ),
    )
    account, found = account_with_role(
        "nodes", "Find peers", ["compute.instanceGroupManagers.get", "compute.instances.get"], child["identity"]
    )
    ready += [
        found,
        member("nodes-logs", account, "roles/logging.logWriter", child["identity"]),
        member("nodes-metrics", account, "roles/monitoring.metricWriter", child["identity"]),
        scratch,
    ]
    end = time_.Offset("large-lease", offset_seconds=259200, triggers={"lease": "72h"}, opts=child["spend"])
    stopper, allowed = account_with_role(
        "stop",
        "Scale the groups of large",
        ["compute.instanceGroupManagers.get", "compute.instanceGroupManagers.update"],
        child["spend"],
    )
    budget(child["spend"])
    images = {
        family: compute.get_image_output(project=project, family=family)
        for project, family in {ACCELERATED, *IMAGES.values()}
    }
    for spec in pools:
        # What a node boots depends on its pool.
        script = pulumi.Output.all(scratch.mount_point).apply(
            lambda known, name=spec["name"]: f"#cloud-config\n# {name}: {known[0]}\n{BOOT}"
        )
        Pool(spec, root, subnets, account, images, script, ready)
        lease(str(spec["name"]), stopper, allowed, end, child["spend"])


def lease(
    name: str,
    stopper: serviceaccount.Account,
    allowed: projects.IAMMember,
    end: time_.Offset,
    child: pulumi.ResourceOptions,
) -> None:
    group = f"projects/{PROJECT}/zones/{ZONE}/instanceGroupManagers/large-{name}"
    cloudscheduler.Job(
        f"large-{name}-lease",
        description=f"Scales pool {name} of large to zero",
        schedule=end.rfc3339.apply(lambda t: f"{int(t[14:16])} {int(t[11:13])} {int(t[8:10])} {int(t[5:7])} *"),
        time_zone="Etc/UTC",
        attempt_deadline="180s",
        paused=False,
        http_target=cloudscheduler.JobHttpTargetArgs(
            uri=f"https://compute.googleapis.com/compute/v1/{group}/resize?size=0",
            http_method="POST",
            oauth_token=cloudscheduler.JobHttpTargetOauthTokenArgs(
                service_account_email=stopper.email, scope="https://www.googleapis.com/auth/compute"
            ),
        ),
        retry_config=cloudscheduler.JobRetryConfigArgs(
            retry_count=5,
            min_backoff_duration="30s",
            max_backoff_duration="900s",
            max_doublings=5,
            max_retry_duration="3600s",
        ),
        region=REGION,
        project=PROJECT,
        opts=pulumi.ResourceOptions.merge(child, pulumi.ResourceOptions(depends_on=[allowed])),
    )


class Pool(pulumi.ComponentResource):
    def __init__(self, spec, root, subnets, account, images, script, ready) -> None:
        pool_name, machine = str(spec["name"]), str(spec["instance_type"])
        name = f"large-{pool_name}"
        super().__init__("byhand:gcp:Pool", name, None, pulumi.ResourceOptions(parent=root))
        child = pulumi.ResourceOptions(parent=self)
        labels = {**LABELS, "gpuinfra-pool": pool_name}
        spot = "capacity" in spec
        workload = machine in CARDS
        policy = compute.ResourcePolicy(
            f"{name}-together",
            description=f"Nodes of {pool_name} of large stand close together",
            workload_policy=compute.ResourcePolicyWorkloadPolicyArgs(type="HIGH_THROUGHPUT") if workload else None,
            group_placement_policy=None if workload else compute.ResourcePolicyGroupPlacementPolicyArgs(collocation="COLLOCATED"),
            region=REGION, project=PROJECT, opts=child,
        )  # fmt: skip
        template = compute.RegionInstanceTemplate(
            f"{name}-template", name_prefix=f"{name}-template-"[:37], description=f"Nodes of pool {pool_name} of large",
            machine_type=machine, can_ip_forward=False, labels=labels, tags=["large-nodes"],
            disks=[compute.RegionInstanceTemplateDiskArgs(
                boot=True, auto_delete=True, disk_size_gb=200, disk_type=BOOT_DISKS.get(machine, "pd-balanced"), labels=labels,
                source_image=images[IMAGES.get(machine, ACCELERATED)[1]].self_link,
            )],
            network_interfaces=[
                compute.RegionInstanceTemplateNetworkInterfaceArgs(
                    nic_type=kind, subnetwork=subnets[card].id, stack_type="IPV4_ONLY" if kind == "GVNIC" else None
                )
                for kind, card in CARDS.get(machine, [("GVNIC", "nodes")])
            ],
            metadata={
                "user-data": script, "enable-oslogin": "TRUE", "block-project-ssh-keys": "TRUE", "serial-port-enable": "FALSE"
            },
            scheduling=compute.RegionInstanceTemplateSchedulingArgs(
                on_host_maintenance="TERMINATE", provisioning_model="SPOT" if spot else "STANDARD",
                automatic_restart=not spot, preemptible=True if spot else None,
                instance_termination_action="DELETE" if spot else None,
            ),
            reservation_affinity=compute.RegionInstanceTemplateReservationAffinityArgs(
                type="NO_RESERVATION" if spot else "ANY_RESERVATION"
            ),
            resource_policies=None if workload else policy.self_link,
            service_account=compute.RegionInstanceTemplateServiceAccountArgs(
                email=account.email, scopes=["https://www.googleapis.com/auth/cloud-platform"]
            ),
            shielded_instance_config=compute.RegionInstanceTemplateShieldedInstanceConfigArgs(
                enable_secure_boot=False, enable_vtpm=True, enable_integrity_monitoring=True
            ),
            region=REGION, project=PROJECT, opts=child,
        )  # fmt: skip
        compute.InstanceGroupManager(
            f"{name}-group", name=name, base_instance_name=name, description=f"Pool {pool_name} of large",
            versions=[compute.InstanceGroupManagerVersionArgs(instance_template=template.self_link)],
            target_size=2, wait_for_instances=False,
            instance_lifecycle_policy=compute.InstanceGroupManagerInstanceLifecyclePolicyArgs(
                default_action_on_failure="REPAIR", force_update_on_repair="NO"
            ),
            update_policy=compute.InstanceGroupManagerUpdatePolicyArgs(
                type="OPPORTUNISTIC", minimal_action="REPLACE", max_surge_fixed=0, max_unavailable_fixed=1
            ),
            resource_policies=compute.InstanceGroupManagerResourcePoliciesArgs(workload_policy=policy.self_link) if workload else None,
            zone=ZONE, project=PROJECT,
            opts=pulumi.ResourceOptions(
                parent=self, ignore_changes=["targetSize"], delete_before_replace=True, depends_on=ready,
                replace_with=[subnets[card] for _, card in CARDS.get(machine, [("GVNIC", "nodes")])],
            ),
        )  # fmt: skip
        self.register_outputs({"groupName": name})
