"""The program that a person would write for the same cluster on AWS.

It registers the same resources with the same arguments, tags and order, so that only the way there differs.
"""

from __future__ import annotations

import base64
import json

import pulumi
import pulumi_aws as aws
import pulumiverse_time as time_

REGION = "us-east-2"
EFA_CARDS = {"p5.48xlarge": 32, "p4d.24xlarge": 4, "g6.12xlarge": 1, "g5.48xlarge": 1, "g6e.48xlarge": 4}
TAGS = {"gpuinfra-cluster": "large"}


def tags(name: str, pool: str = "") -> dict[str, str]:
    return {**TAGS, "Name": name, **({"gpuinfra-pool": pool} if pool else {})}


def network(
    child: pulumi.ResourceOptions,
) -> tuple[aws.ec2.Subnet, aws.ec2.SecurityGroup, aws.ec2.SecurityGroup, list[pulumi.Resource], list[pulumi.Resource]]:
    vpc = aws.ec2.Vpc(
        "large-vpc",
        cidr_block="10.40.0.0/16",
        enable_dns_hostnames=True,
        enable_dns_support=True,
        region=REGION,
        tags=tags("large-vpc"),
        opts=child,
    )
    taken = pulumi.ResourceOptions.merge(child, pulumi.ResourceOptions(delete_before_replace=True))
    subnets = [
        aws.ec2.Subnet(
            f"large-{name}",
            vpc_id=vpc.id,
            cidr_block=cidr,
            availability_zone_id="use2-az1",
            map_public_ip_on_launch=False,
            region=REGION,
            tags=tags(f"large-{name}"),
            opts=taken,
        )
        for name, cidr in (("nodes", "10.40.0.0/17"), ("public", "10.40.128.0/24"))
    ]
    gateway = aws.ec2.InternetGateway(
        "large-gateway", vpc_id=vpc.id, region=REGION, tags=tags("large-gateway"), opts=child
    )
    address = aws.ec2.Eip("large-address", domain="vpc", region=REGION, tags=tags("large-address"), opts=child)
    nat = aws.ec2.NatGateway(
        "large-nat",
        allocation_id=address.id,
        connectivity_type="public",
        subnet_id=subnets[1].id,
        region=REGION,
        tags=tags("large-nat"),
        opts=child,
    )
    tables, ready = [], []
    for subnet, name, target in zip(
        subnets, ("nodes", "public"), ({"nat_gateway_id": nat.id}, {"gateway_id": gateway.id}), strict=True
    ):
        table = aws.ec2.RouteTable(
            f"large-{name}-routes", vpc_id=vpc.id, region=REGION, tags=tags(f"large-{name}-routes"), opts=child
        )
        route = aws.ec2.Route(
            f"large-{name}-default",
            route_table_id=table.id,
            destination_cidr_block="0.0.0.0/0",
            region=REGION,
            opts=child,
            **target,
        )
        joined = aws.ec2.RouteTableAssociation(
            f"large-{name}-association", route_table_id=table.id, subnet_id=subnet.id, region=REGION, opts=child
        )
        tables.append(table)
        ready += [route, joined] if name == "nodes" else []
    aws.ec2.VpcEndpoint(
        "large-s3",
        vpc_id=vpc.id,
        service_name=f"com.amazonaws.{REGION}.s3",
        vpc_endpoint_type="Gateway",
        route_table_ids=[tables[0].id],
        region=REGION,
        tags=tags("large-s3"),
        opts=child,
    )
    nodes, files = (
        aws.ec2.SecurityGroup(
            f"large-{name}-group",
            vpc_id=vpc.id,
            description=f"{name} of large",
            revoke_rules_on_delete=True,
            region=REGION,
            tags=tags(f"large-{name}-group"),
            opts=child,
        )
        for name in ("nodes", "files")
    )
    pairs = [
        (nodes, nodes, -1, "-1"),
        *((a, b, p, "tcp") for p in (988, 1018) for a, b in ((files, nodes), (files, files), (nodes, files))),
    ]
    lnet: list[pulumi.Resource] = []
    for n, (group, peer, port, protocol) in enumerate(pairs):
        ports = {} if port == -1 else {"from_port": port, "to_port": 988 if port == 988 else 1023}
        for kind in (aws.vpc.SecurityGroupIngressRule, aws.vpc.SecurityGroupEgressRule):
            rule = kind(
                f"large-rule-{n}",
                security_group_id=group.id,
                referenced_security_group_id=peer.id,
                ip_protocol=protocol,
                description=f"Rule {n}",
                region=REGION,
                tags=tags(f"large-rule-{n}"),
                opts=child,
                **ports,
            )
            # FSx looks at the rules when it is made.
            lnet += [rule] if port != -1 else []
            # Nodes that boot before they may talk to each other form no fabric.
            ready += [rule] if peer is group is nodes else []
    out = aws.vpc.SecurityGroupEgressRule(
        "large-out",
        security_group_id=nodes.id,
        cidr_ipv4="0.0.0.0/0",
        ip_protocol="-1",
        description="Out",
        region=REGION,
        tags=tags("large-out"),
        opts=child,
    )
    return subnets[0], nodes, files, lnet, [*ready, out]


def trusted_by(service: str) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}]})  # fmt: skip


def cluster(pools: list[dict[str, object]]) -> None:
    root = pulumi.ComponentResource("byhand:aws:Cluster", "large")
    child = pulumi.ResourceOptions(parent=root)
    subnet, nodes, files, lnet, ready = network(child)
    role = aws.iam.Role(
        "large-role",
        assume_role_policy=trusted_by("ec2.amazonaws.com"),
        description="Nodes of large",
        tags=tags("large-role"),
        opts=child,
    )
    may = aws.iam.RolePolicy(
        "large-role-policy", role=role.id, policy=json.dumps({"Version": "2012-10-17", "Statement": []}), opts=child
    )
    profile = aws.iam.InstanceProfile("large-profile", role=role.name, tags=tags("large-profile"), opts=child)
    scheduler = aws.iam.Role(
        "large-scheduler",
        assume_role_policy=trusted_by("scheduler.amazonaws.com"),
        description="Stops the groups of large",
        tags=tags("large-scheduler"),
        opts=child,
    )
    aws.iam.RolePolicy(
        "large-scheduler-policy",
        role=scheduler.id,
        policy=json.dumps({"Version": "2012-10-17", "Statement": []}),
        opts=child,
    )
    scratch = aws.fsx.LustreFileSystem(
        "large-scratch",
        subnet_ids=subnet.id,
        deployment_type="PERSISTENT_2",
        storage_type="SSD",
        storage_capacity=9600,
        per_unit_storage_throughput=500,
        file_system_type_version="2.15",
        data_compression_type="LZ4",
        copy_tags_to_backups=True,
        automatic_backup_retention_days=0,
        skip_final_backup=False,
        metadata_configuration=aws.fsx.LustreFileSystemMetadataConfigurationArgs(mode="AUTOMATIC"),
        security_group_ids=[files.id],
        region=REGION,
        tags=tags("large-scratch"),
        opts=pulumi.ResourceOptions(parent=root, protect=True, delete_before_replace=True, depends_on=lnet),
    )
    ready += [may, scratch]
    failures = aws.sqs.Queue(
        "large-failures",
        sqs_managed_sse_enabled=True,
        message_retention_seconds=1209600,
        region=REGION,
        tags=tags("large-failures"),
        opts=child,
    )
    end = time_.Offset("large-lease", offset_seconds=259200, triggers={"lease": "72h"}, opts=child)
    aws.budgets.Budget(
        "large-budget", name="large-budget", budget_type="COST", time_unit="MONTHLY", limit_amount="100000000", limit_unit="USD",
        cost_filters=[aws.budgets.BudgetCostFilterArgs(name="TagKeyValue", values=["user:gpuinfra-cluster$large"])],
        notifications=[
            aws.budgets.BudgetNotificationArgs(
                comparison_operator="GREATER_THAN", threshold=t, threshold_type="PERCENTAGE", notification_type="ACTUAL",
                subscriber_email_addresses=["ml-platform@example.com"],
            )
            for t in (50, 80, 100)
        ],
        tags=tags("large-budget"), opts=child,
    )  # fmt: skip
    image = aws.ssm.get_parameter_output(
        name="/aws/service/deeplearning/ami/x86_64/base-oss-nvidia-driver-gpu-amazon-linux-2023/latest/ami-id",
        region=REGION,
    ).value
    mount = pulumi.Output.all(scratch.dns_name, scratch.mount_name)
    for spec in pools:
        # What a node boots depends on its pool.
        script = mount.apply(
            lambda known, name=spec["name"]: base64.b64encode(
                (f"#!/bin/sh\n# {name}: {known[0]}:/{known[1]}\n" + "echo boot\n" * 500).encode()
            ).decode()
        )
        Pool(spec, root, subnet, nodes, profile, scheduler, failures, end, image, script, ready)


class Pool(pulumi.ComponentResource):
    def __init__(self, spec, root, subnet, nodes, profile, scheduler, failures, end, image, script, ready) -> None:
        pool_name = str(spec["name"])
        name = f"large-{pool_name}"
        super().__init__("byhand:aws:Pool", name, None, pulumi.ResourceOptions(parent=root))
        child = pulumi.ResourceOptions(parent=self)
        group = aws.ec2.PlacementGroup(
            f"{name}-placement", name=name, strategy="cluster", region=REGION, tags=tags(name, pool_name),
            opts=pulumi.ResourceOptions(parent=self, delete_before_replace=True),
        )  # fmt: skip
        nic = aws.ec2.LaunchTemplateNetworkInterfaceArgs
        cards = EFA_CARDS[str(spec["instance_type"])]
        template = aws.ec2.LaunchTemplate(
            f"{name}-template", name=name, instance_type=str(spec["instance_type"]), image_id=image, user_data=script,
            iam_instance_profile=aws.ec2.LaunchTemplateIamInstanceProfileArgs(name=profile.name),
            network_interfaces=[
                nic(network_card_index=0, device_index=0, interface_type="interface", associate_public_ip_address="false",
                    delete_on_termination="true", security_groups=[nodes.id]),
                nic(network_card_index=0, device_index=1, interface_type="efa-only", delete_on_termination="true", security_groups=[nodes.id]),
                *(nic(network_card_index=i, device_index=0, interface_type="efa-only", delete_on_termination="true",
                      security_groups=[nodes.id]) for i in range(1, cards)),
            ],
            metadata_options=aws.ec2.LaunchTemplateMetadataOptionsArgs(
                http_tokens="required", http_endpoint="enabled", http_put_response_hop_limit=2, instance_metadata_tags="disabled"
            ),
            block_device_mappings=[aws.ec2.LaunchTemplateBlockDeviceMappingArgs(
                device_name="/dev/xvda",
                ebs=aws.ec2.LaunchTemplateBlockDeviceMappingEbsArgs(volume_size=200, volume_type="gp3", encrypted="true", delete_on_termination="true"),
            )],
            description=f"Nodes of pool {pool_name} of large", instance_initiated_shutdown_behavior="terminate",
            monitoring=aws.ec2.LaunchTemplateMonitoringArgs(enabled=False),
            placement=aws.ec2.LaunchTemplatePlacementArgs(group_name=group.name),
            tag_specifications=[
                aws.ec2.LaunchTemplateTagSpecificationArgs(resource_type=t, tags=tags(name, pool_name)) for t in ("instance", "volume", "network-interface")
            ],
            region=REGION, tags=tags(name, pool_name), opts=child,
        )  # fmt: skip
        scaling = aws.autoscaling.Group(
            f"{name}-group", name=name, min_size=0, max_size=2, desired_capacity=2, vpc_zone_identifiers=[subnet.id],
            launch_template=aws.autoscaling.GroupLaunchTemplateArgs(id=template.id, version=template.latest_version.apply(str)),
            wait_for_capacity_timeout="0", health_check_type="EC2", force_delete=False, suspended_processes=["AZRebalance"],
            tags=[aws.autoscaling.GroupTagArgs(key=k, value=v, propagate_at_launch=True) for k, v in tags(name, pool_name).items()],
            region=REGION, opts=pulumi.ResourceOptions(parent=self, ignore_changes=["desiredCapacity"], delete_before_replace=True, replace_on_changes=["vpcZoneIdentifiers"], depends_on=[*ready, group]),
        )  # fmt: skip
        aws.scheduler.Schedule(
            f"{name}-lease", description=f"Scales pool {pool_name} to zero", schedule_expression_timezone="UTC", schedule_expression=end.rfc3339.apply(lambda t: f"at({t.removesuffix('Z')})"),
            flexible_time_window=aws.scheduler.ScheduleFlexibleTimeWindowArgs(mode="OFF"), action_after_completion="DELETE",
            target=aws.scheduler.ScheduleTargetArgs(
                arn="arn:aws:scheduler:::aws-sdk:autoscaling:updateAutoScalingGroup", role_arn=scheduler.arn,
                input=scaling.name.apply(lambda n: json.dumps({"AutoScalingGroupName": n, "MinSize": 0, "DesiredCapacity": 0})),
                retry_policy=aws.scheduler.ScheduleTargetRetryPolicyArgs(maximum_event_age_in_seconds=3600, maximum_retry_attempts=30),
                dead_letter_config=aws.scheduler.ScheduleTargetDeadLetterConfigArgs(arn=failures.arn),
            ),
            region=REGION, opts=child,
        )  # fmt: skip
        self.register_outputs({"groupName": name})
