"""AWS programs that never heard of gpuinfra: what is right is passed, what is not known is undecided, one mistake is one
finding."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from gpuinfra.diagnostics import Severity
from gpuinfra.policy import check_graph
from gpuinfra.policy.examples import NOW, graph_of


def report(text: str, **facts: Any) -> tuple[dict[str, Severity], set[str]]:
    """(severity by code, codes that are undecided)."""
    found = check_graph(graph_of(text), now=NOW, facts=facts)
    return {d.code: d.severity for d in found.diagnostics}, {u.code for u in found.undecided}


def data(*lines: str) -> str:
    return base64.b64encode("\n".join(("#!/bin/bash", *lines)).encode()).decode()


def urn(token: str, name: str) -> str:
    return f"urn:pulumi:dev::example::{token}::{name}"


@pytest.mark.parametrize(
    ("name", "severity"),
    [("p6e-gb300.36xlarge", Severity.WARNING), ("p6-b300.36xlarge", Severity.ERROR), ("p5.49xlarge", Severity.ERROR)],
)
def test_a_machine_of_a_line_that_no_table_knows_is_a_warning(name: str, severity: Severity):
    found, _ = report(f"- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: {name}}}}}\n")
    assert found["GI3290"] is severity


LUSTRE = urn("aws:fsx/lustreFileSystem:LustreFileSystem", "scratch")
WAS = {
    "deploymentType": "PERSISTENT_2",
    "storageCapacity": 4800,
    "subnetIds": "subnet-1",
    "securityGroupIds": ["sg-1", "sg-2"],
    "kmsKeyId": "arn:aws:kms:us-east-1:123456789012:key/1",
    "metadataConfiguration": {"mode": "USER_PROVISIONED", "iops": 12000},
    "fileSystemTypeVersion": "2.15",
}


@pytest.mark.parametrize(
    ("change", "anew"),
    [
        ("", False),
        ("storageType: SSD, efaEnabled: false, copyTagsToBackups: false, ", False),
        ("securityGroupIds: [sg-2, sg-1], ", False),
        ("metadataConfiguration: {mode: USER_PROVISIONED, iops: '24000'}, ", False),
        ("fileSystemTypeVersion: '2.12', ", True),
        ("metadataConfiguration: {mode: USER_PROVISIONED, iops: 6000}, ", True),
        ("securityGroupIds: [sg-2, sg-3], ", True),
        ("efaEnabled: true, ", True),
        ("storageType: HDD, ", True),
        ("backupId: backup-1, ", True),
    ],
)
def test_what_makes_a_lustre_file_system_anew(change: str, anew: bool):
    kept = "" if "securityGroupIds" in change else "securityGroupIds: [sg-1, sg-2], "
    kept += "" if "metadata" in change else "metadataConfiguration: {mode: USER_PROVISIONED, iops: 12000}, "
    text = f"""
- type: aws.fsx.LustreFileSystem
  name: scratch
  inputs: {{{change}{kept}deploymentType: PERSISTENT_2, storageCapacity: 4800, subnetIds: subnet-1}}
"""
    found, _ = report(text, **{LUSTRE: {"inputs": WAS}})
    assert ("GI3088" in found) is anew


def test_a_default_that_is_written_out_is_no_change_on_other_clouds():
    disk = urn("gcp:compute/disk:Disk", "data")
    text = "- {type: gcp.compute.Disk, name: data, inputs: {size: 500, type: pd-standard}}\n"
    assert "GI3180" not in report(text, **{disk: {"inputs": {"size": 500, "zone": "us-central1-a"}}})[0]
    group = urn("azure-native:compute:VirtualMachineScaleSet", "nodes")
    text = """
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs: {orchestrationMode: Uniform, singlePlacementGroup: true, zones: ["2", "1"], virtualMachineProfile: {priority: Regular}}
"""
    was = {"zones": ["1", "2"], "platformFaultDomainCount": 1}
    assert "GI3214" not in report(text, **{group: {"inputs": was}})[0]
    assert "GI3214" in report(text, **{group: {"inputs": {**was, "zones": ["1"]}}})[0]
    lustre = urn("azure-native:storagecache:AmlFilesystem", "files")
    text = """
- type: azure-native.storagecache.AmlFilesystem
  name: files
  inputs: {location: eastus, zones: ["1"], storageCapacityTiB: 16}
  options: {protect: true}
"""
    was = {"location": "East US", "zones": ["1"], "storageCapacityTiB": 16}
    assert "GI3265" not in report(text, **{lustre: {"inputs": was}})[0]


IPV6 = """
- {{type: aws.ec2.Vpc, name: net, inputs: {{}}}}
- {{type: aws.ec2.Subnet, name: edge, inputs: {{vpcId: !ref net.id , ipv6Native: {0}}}}}
- type: aws.ec2.RouteTable
  name: table
  inputs: {{vpcId: !ref net.id , routes: [{{{1}: "{2}", gatewayId: igw-1}}]}}
- {{type: aws.ec2.RouteTableAssociation, name: link, inputs: {{subnetId: !ref edge.id , routeTableId: !ref table.id }}}}
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: g5.xlarge, networkInterfaces: [{{deviceIndex: 0}}]}}}}
- type: aws.autoscaling.Group
  name: group
  inputs: {{vpcZoneIdentifiers: [!ref edge.id ], launchTemplate: {{id: !ref nodes.id }}}}
"""


def test_an_ipv6_address_is_a_public_one():
    assert "GI3071" not in report(IPV6.format("true", "ipv6CidrBlock", "::/0"))[0]
    assert "GI3071" in report(IPV6.format("!unknown ", "ipv6CidrBlock", "::/0"))[1]
    assert "GI3071" in report(IPV6.format("true", "cidrBlock", "0.0.0.0/0"))[0]


CLUSTER = """
- {type: aws.eks.Cluster, name: plane, inputs: {vpcConfig: {subnetIds: [subnet-1]}}}
- {type: aws.ec2.SecurityGroup, name: fabric, inputs: {}}
- {type: aws.ec2.LaunchTemplate, name: nodes, inputs: {vpcSecurityGroupIds: [!ref fabric.id ]}}
- {type: aws.eks.NodeGroup, name: pool, inputs: {clusterName: !ref plane.name , launchTemplate: {id: !ref nodes.id }}}
"""
BY_ADDRESS = """
- type: aws.vpc.SecurityGroupIngressRule
  name: inside
  inputs: {securityGroupId: !ref fabric.id , ipProtocol: "-1", cidrIpv4: 10.0.0.0/16}
"""


def test_a_rule_by_addresses_may_join_nodes_and_cluster():
    assert "GI3089" in report(CLUSTER)[0]
    found, undecided = report(CLUSTER + BY_ADDRESS)
    assert ("GI3089" in found, "GI3089" in undecided) == (False, True)


PLUGIN = """
- {type: aws.eks.NodeGroup, name: pool, inputs: {instanceTypes: [g5.xlarge]}}
- {type: "kubernetes:helm.sh/v3:Release", name: efa, inputs: {chart: aws-efa-k8s-device-plugin, version: v0.5.6}}
"""


def test_the_efa_plugin_is_judged_by_the_nodes_of_the_cluster():
    assert report(PLUGIN)[0]["GI3090"] is Severity.WARNING
    alone = "- {type: aws.ec2.Instance, name: box, inputs: {instanceType: p6-b200.48xlarge}}\n"
    assert report(PLUGIN + alone)[0]["GI3090"] is Severity.WARNING
    for chart in ('{type: "kubernetes:helm.sh/v3:Release", name: k, inputs: {chart: karpenter}}',):
        assert "GI3090" not in report(PLUGIN + f"- {chart}\n")[0]
    pool = "- {type: 'kubernetes:karpenter.sh/v1:NodePool', name: any, inputs: {spec: {}}}\n"
    assert "GI3090" not in report(PLUGIN + pool)[0]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("apt-get install -y --only-upgrade jq", False),
        ("apt list --upgradable", False),
        ("dnf check-update", False),
        ('echo "later: apt-get upgrade -y" >> /etc/motd', False),
        ("# apt-get upgrade", False),
        ("yum update -y jq", False),
        ("apt-get -s upgrade", False),
        ("systemctl disable unattended-upgrades", False),
        ("/usr/bin/apt-get -y upgrade", True),
        ("echo y | apt-get upgrade", True),
        ('bash -c "apt-get -y full-upgrade"', True),
        ("yum update -y > /var/log/boot.log", True),
        ("DEBIAN_FRONTEND=noninteractive apt-get -y upgrade", True),
    ],
)
def test_what_upgrades_the_driver(line: str, found: bool):
    text = f"- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: p5.48xlarge, userData: {data(line)}}}}}\n"
    assert ("GI3083" in report(text)[0]) is found


def test_the_image_sets_the_hop_limit():
    text = """
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{metadataOptions: {{httpTokens: required}}{0}}}}}
- {{type: aws.eks.NodeGroup, name: pool, inputs: {{launchTemplate: {{id: !ref nodes.id }}{1}}}}}
"""
    for template, group, undecided in (
        ("", "", False),
        ("", ", amiType: AL2023_x86_64_NVIDIA", False),
        (", imageId: ami-0123456789abcdef0", "", True),
        ("", ", amiType: BOTTLEROCKET_x86_64_NVIDIA", True),
    ):
        found, open_ = report(text.format(template, group))
        assert "GI3080" not in found
        assert ("GI3080" in open_) is undecided


def test_a_taint_may_stand_in_a_node_config():
    config = data("# NodeConfig", "--register-with-taints=nvidia.com/gpu=true:NoSchedule")
    text = """
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: p5.48xlarge, userData: {0}}}}}
- {{type: aws.eks.NodeGroup, name: pool, inputs: {{launchTemplate: {{id: !ref nodes.id }}}}}}
"""
    assert "GI3091" not in report(text.format(config))[0]
    assert "GI3091" in report(text.format(data("true")))[0]


@pytest.mark.parametrize(
    ("statement", "wide"),
    [
        ('"Action": "ec2:*", "Resource": "*"', True),
        ('"Action": "ec2:*", "Resource": "*", "Condition": {"StringEquals": {"aws:ResourceTag/team": "a"}}', False),
        ('"Action": "*", "Resource": "*", "Condition": {"StringEquals": {"aws:RequestedRegion": "us-east-1"}}', True),
        ('"Action": "ec2:*", "Resource": "arn:aws:ec2:us-east-1:123456789012:volume/vol-1"', False),
        ('"NotAction": "iam:*", "Resource": "*"', True),
        ('"Action": "iam:PassRole", "Resource": "arn:aws:iam::123456789012:role/*"', True),
        ('"Action": "iam:PassRole", "Resource": "arn:aws:iam::123456789012:role/node"', False),
    ],
)
def test_what_makes_a_role_too_wide(statement: str, wide: bool):
    text = f"""
- {{type: aws.iam.Role, name: role, inputs: {{}}}}
- type: aws.iam.RolePolicy
  name: rights
  inputs: {{role: !ref role.id , policy: '{{"Statement": [{{"Effect": "Allow", {statement}}}]}}'}}
- {{type: aws.eks.NodeGroup, name: pool, inputs: {{nodeRoleArn: !ref role.arn , instanceTypes: [p5.48xlarge]}}}}
"""
    assert ("GI3085" in report(text)[0]) is wide


def test_nodes_without_gpus_are_none_of_ours():
    spot = "instanceMarketOptions: {marketType: spot, spotOptions: {maxPrice: '0.05'}}"
    text = "- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: {0}, {1}}}}}\n"
    assert "GI3078" not in report(text.format("m7i.large", spot))[0]
    assert "GI3078" in report(text.format("g5.xlarge", spot))[0]
    assert "GI3057" not in report(text.format("m7i.large", "userData: IyE="))[0]
    assert "GI3057" in report(text.format("g5.xlarge", "userData: IyE="))[0]
    plane = """
- {{type: aws.eks.Cluster, name: plane, inputs: {{}}}}
- {{type: aws.eks.NodeGroup, name: pool, inputs: {{clusterName: !ref plane.name , instanceTypes: [{0}]}}}}
"""
    assert "GI3095" not in report(plane.format("m7i.large"))[0]
    assert "GI3095" in report(plane.format("g5.xlarge"))[0]


RESERVED = """
- {{type: aws.ec2.CapacityReservation, name: held, inputs: {{instanceCount: {0}, instanceType: p5.48xlarge}}}}
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {{capacityReservationSpecification: {1}}}
- type: aws.eks.NodeGroup
  name: pool
  inputs: {{capacityType: {2}, scalingConfig: {{maxSize: 4}}, launchTemplate: {{id: !ref nodes.id }}}}
"""
TARGET = "{capacityReservationTarget: {capacityReservationId: !ref held.id }}"


@pytest.mark.parametrize(
    ("count", "spec", "kind", "verdict"),
    [
        ("4", TARGET, "ON_DEMAND", "found"),
        ("8", TARGET, "ON_DEMAND", "passed"),
        ("!unknown ", TARGET, "ON_DEMAND", "undecided"),
        ("4", "!unknown ", "ON_DEMAND", "undecided"),
        ("4", "null", "!unknown ", "undecided"),
        ("4", "null", "ON_DEMAND", "passed"),
    ],
)
def test_an_update_of_a_reserved_group(count: str, spec: str, kind: str, verdict: str):
    found, undecided = report(RESERVED.format(count, spec, kind))
    assert ("GI3093" in found, "GI3093" in undecided) == (verdict == "found", verdict == "undecided")


def test_a_target_that_is_not_known_is_no_target_and_no_lack_of_one():
    box = "- {type: aws.ec2.Instance, name: box, inputs: {capacityReservationSpecification: !unknown }}\n"
    found, undecided = report(box)
    assert ("GI3079" in found, "GI3079" in undecided) == (False, True)


def test_a_file_system_without_a_type_is_one_finding():
    text = "- {type: aws.fsx.LustreFileSystem, name: scratch, inputs: {storageCapacity: 1200}}\n"
    assert {"GI3032", "GI3304"} & set(report(text)[0]) == {"GI3032"}


def test_system_nodes_of_another_zone_do_not_read_lustre():
    text = """
- {{type: aws.ec2.Subnet, name: a, inputs: {{availabilityZone: us-west-2a}}}}
- {{type: aws.ec2.Subnet, name: b, inputs: {{availabilityZone: us-west-2b}}}}
- {{type: aws.fsx.LustreFileSystem, name: scratch, inputs: {{deploymentType: SCRATCH_2, subnetIds: !ref a.id }}}}
- {{type: aws.eks.NodeGroup, name: pool, inputs: {{subnetIds: [!ref b.id ], instanceTypes: [{0}]}}}}
- {{type: aws.ec2.LaunchTemplate, name: bastion, inputs: {{instanceType: m7i.large}}}}
- type: aws.autoscaling.Group
  name: group
  inputs: {{vpcZoneIdentifiers: [!ref b.id ], launchTemplate: {{id: !ref bastion.id }}}}
"""
    assert "GI3040" in report(text.format("g5.xlarge"))[0]
    assert "GI3040" not in report(text.format("m7i.large"))[0]


@pytest.mark.parametrize(
    ("kind", "image", "code"),
    [
        ("g5.xlarge", "AL2023_x86_64_STANDARD", "GI3292"),
        ("g5.xlarge", "BOTTLEROCKET_x86_64", "GI3292"),
        ("g5.xlarge", "AL2_x86_64", "GI3065"),
        ("g5g.xlarge", "AL2023_x86_64_NVIDIA", "GI3052"),
        ("g5.xlarge", "AL2023_ARM_64_NVIDIA", "GI3052"),
        ("g5g.xlarge", "AL2023_x86_64_STANDARD", "GI3052"),
        ("trn1.32xlarge", "AL2023_x86_64_NVIDIA", "GI3309"),
        ("g7.8xlarge", "AL2023_x86_64_NVIDIA", "GI3312"),
        ("g5.xlarge", "AL2023_x86_64_NVIDIA", ""),
        ("g5g.xlarge", "AL2023_ARM_64_NVIDIA", ""),
        ("m7i.large", "AL2023_x86_64_STANDARD", ""),
    ],
)
def test_a_node_group_without_a_template_is_judged_by_its_image(kind: str, image: str, code: str):
    text = f"- {{type: aws.eks.NodeGroup, name: pool, inputs: {{instanceTypes: [{kind}], amiType: {image}}}}}\n"
    of_image = {"GI3292", "GI3065", "GI3052", "GI3309", "GI3312"}
    assert of_image & set(report(text)[0]) == ({code} if code else set())


WEB = """
- {{type: aws.ec2.SecurityGroup, name: web-sg, inputs: {{ingress: [{{protocol: tcp, fromPort: {0}, toPort: {0}, cidrBlocks: [0.0.0.0/0]}}]}}}}
- {{type: aws.ec2.LaunchTemplate, name: web, inputs: {{instanceType: m7i.large, vpcSecurityGroupIds: [!ref web-sg.id ]}}}}
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: {1}}}}}
"""


@pytest.mark.parametrize(
    ("port", "other", "found"),
    [(443, "g5.xlarge", False), (8265, "g5.xlarge", True), (8265, "m7i.large", False), (22, "m7i.large", True)],
)
def test_a_web_server_beside_the_cluster_is_open(port: int, other: str, found: bool):
    assert ("GI3013" in report(WEB.format(port, other))[0]) is found


FABRIC = """
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: p5.48xlarge, networkInterfaces: [{{interfaceType: efa}}]}}}}
- {{type: aws.eks.NodeGroup, name: pool, inputs: {{launchTemplate: {{id: !ref nodes.id }}}}}}
- {{type: "kubernetes:helm.sh/v3:Release", name: gpus, inputs: {{chart: nvidia-device-plugin, namespace: default}}}}
- {{type: "kubernetes:helm.sh/v3:Release", name: more, inputs: {{chart: {0}}}}}
"""


@pytest.mark.parametrize(
    ("chart", "found"), [("metrics-server", True), ("aws-efa-k8s-device-plugin", False), ("dranet", False)]
)
def test_somebody_hands_out_the_fabric(chart: str, found: bool):
    assert ("GI3315" in report(FABRIC.format(chart))[0]) is found


SELF_MANAGED = """
- {type: aws.eks.Cluster, name: plane, inputs: {vpcConfig: {endpointPublicAccess: true}}}
- {type: aws.eks.NodeGroup, name: system, inputs: {clusterName: !ref plane.name , instanceTypes: [m7i.large]}}
- {type: "kubernetes:helm.sh/v3:Release", name: more, inputs: {chart: metrics-server}}
- {type: aws.ec2.LaunchTemplate, name: nodes, inputs: {instanceType: p5.48xlarge, imageId: ami-0123456789abcdef0}}
- type: aws.autoscaling.Group
  name: group
  inputs: {launchTemplate: {id: !ref nodes.id }, tags: [{key: kubernetes.io/cluster/acme, value: owned}]}
"""


def test_self_managed_nodes_belong_to_the_cluster():
    assert {"GI3095", "GI3315"} <= set(report(SELF_MANAGED)[0])


NATS = """
- {{type: aws.ec2.Subnet, name: out-a, inputs: {{availabilityZone: us-east-1a}}}}
- {{type: aws.ec2.Subnet, name: out-b, inputs: {{availabilityZone: us-east-1b}}}}
- {{type: aws.ec2.NatGateway, name: nat-a, inputs: {{subnetId: !ref out-a.id }}}}
- {{type: aws.ec2.NatGateway, name: nat-b, inputs: {{subnetId: !ref out-b.id }}}}
- {{type: aws.ec2.Subnet, name: in-b, inputs: {{availabilityZone: us-east-1b}}}}
- {{type: aws.ec2.RouteTable, name: table, inputs: {{routes: [{{cidrBlock: 0.0.0.0/0, natGatewayId: !ref {0}.id }}]}}}}
- {{type: aws.ec2.RouteTableAssociation, name: link, inputs: {{subnetId: !ref in-b.id , routeTableId: !ref table.id }}}}
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: {1}}}}}
- type: aws.autoscaling.Group
  name: group
  inputs: {{vpcZoneIdentifiers: [!ref in-b.id ], launchTemplate: {{id: !ref nodes.id }}}}
"""


@pytest.mark.parametrize(
    ("nat", "kind", "found"),
    [("nat-a", "g5.xlarge", True), ("nat-b", "g5.xlarge", False), ("nat-a", "m7i.large", False)],
)
def test_each_zone_goes_out_by_its_own_gateway(nat: str, kind: str, found: bool):
    assert ("GI3015" in report(NATS.format(nat, kind))[0]) is found


LUSTRE_PORTS = """
- {{type: aws.ec2.SecurityGroup, name: nodes-sg, inputs: {{}}}}
- type: aws.ec2.SecurityGroup
  name: fs-sg
  inputs:
    ingress:
    - {{protocol: "-1", fromPort: 0, toPort: 0, self: true}}
    - {{protocol: tcp, fromPort: {0}, toPort: 1023, securityGroups: [!ref nodes-sg.id ]}}
    egress: [{{protocol: "-1", fromPort: 0, toPort: 0, cidrBlocks: [0.0.0.0/0]}}]
- {{type: aws.fsx.LustreFileSystem, name: scratch, inputs: {{deploymentType: SCRATCH_2, securityGroupIds: [!ref fs-sg.id ]}}}}
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{vpcSecurityGroupIds: [!ref nodes-sg.id ]}}}}
"""


@pytest.mark.parametrize(("low", "found"), [(988, False), (1018, True)])
def test_nodes_need_both_of_the_ports_of_lustre(low: int, found: bool):
    assert ("GI3041" in report(LUSTRE_PORTS.format(low))[0]) is found


def test_a_fabric_that_nobody_asks_for_parts_no_nodes():
    text = """
- type: aws.autoscaling.Group
  name: group
  inputs: {mixedInstancesPolicy: {launchTemplate: {overrides: [{instanceType: g5.4xlarge}, {instanceType: g5.8xlarge}]}}}
"""
    assert "GI3291" not in report(text)[0]


DEFAULTS = """
- {{type: "pulumi:providers:aws", name: west, inputs: {{region: us-west-2}}}}
- {{type: aws.ec2.InstanceMetadataDefaults, name: tokens, inputs: {{httpTokens: required, region: {0}}}}}
- {{type: aws.ebs.EncryptionByDefault, name: safe, inputs: {{region: {0}}}}}
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {{region: {1}, blockDeviceMappings: [{{ebs: {{volumeSize: 200}}}}]}}
"""


@pytest.mark.parametrize(
    ("there", "here", "found", "open_"),
    [
        ("null", "null", False, False),
        ("us-west-2", "us-west-2", False, False),
        ("us-west-2", "eu-west-1", True, False),
        ("us-west-2", "null", False, True),
        ("!unknown ", "us-west-2", False, True),
    ],
)
def test_what_the_program_sets_for_its_whole_account_holds_for_its_machines(
    there: str, here: str, found: bool, open_: bool
):
    said, undecided = report(DEFAULTS.format(there, here))
    for code in ("GI3053", "GI3056"):
        assert (code in said, code in undecided) == (found, open_)
