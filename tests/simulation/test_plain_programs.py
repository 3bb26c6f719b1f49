"""Programs that know nothing of gpuinfra: any type of the SDKs is taken, and what is computed has its cloud's form."""

from __future__ import annotations

import base64
import json
import re
from ipaddress import ip_address, ip_network
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pulumi
import pulumi_aws as aws
import pulumi_azure_native as azure
import pulumi_gcp as gcp
import pytest

from gpuinfra.simulation.values import struct

from .in_process import Clouds

ARN = r"arn:aws:[a-z0-9-]+:[a-z0-9-]*:(\d{12})?:.+"


def kubernetes_on_aws() -> None:
    zones = aws.get_availability_zones(state="available")
    me, here = aws.get_caller_identity(), aws.get_region()
    trust = aws.iam.get_policy_document(
        statements=[
            {"actions": ["sts:AssumeRole"], "principals": [{"type": "Service", "identifiers": ["eks.amazonaws.com"]}]}
        ]
    )
    role = aws.iam.Role("role", assume_role_policy=trust.json, tags={"by": me.account_id, "in": here.region})
    vpc = aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16")
    subnets = [
        aws.ec2.Subnet(f"s{i}", vpc_id=vpc.id, cidr_block=f"10.0.{i}.0/27", availability_zone=zone)
        for i, zone in enumerate(zones.names[:2])
    ]
    ids = [s.id for s in subnets]
    cluster = aws.eks.Cluster("eks", role_arn=role.arn, vpc_config={"subnet_ids": ids})
    aws.eks.NodeGroup(
        "gpus",
        cluster_name=cluster.name,
        node_role_arn=role.arn,
        subnet_ids=ids[:1],
        instance_types=["g5.8xlarge"],
        scaling_config={"desired_size": 1, "min_size": 0, "max_size": 2},
    )
    for i in range(20):
        image = aws.ec2.get_ami(
            owners=["amazon"], most_recent=True, filters=[{"name": "name", "values": [f"al2023-{i}*"]}]
        )
        aws.ec2.Instance(f"m{i}", ami=image.id, instance_type="m5.large", subnet_id=ids[0])
    aws.dynamodb.Table("table", attributes=[{"name": "k", "type": "S"}], hash_key="k", billing_mode="PAY_PER_REQUEST")
    aws.kms.Key("key")
    aws.ecr.Repository("images")


def test_kubernetes_on_aws(tmp_path: Path) -> None:
    clouds = Clouds(tmp_path, {"region": "us-east-2"})
    clouds.up(kubernetes_on_aws)
    made = {t.name: t for t in clouds.world.things()}
    for name, thing in made.items():
        if "arn" in thing.outputs:
            assert re.fullmatch(ARN, thing.outputs["arn"]), name
    assert made["eks"].outputs["arn"] == f"arn:aws:eks:us-east-2:123456789012:cluster/{made['eks'].id}"
    assert made["eks"].outputs["endpoint"].endswith(".gr7.us-east-2.eks.amazonaws.com")
    base64.b64decode(made["eks"].outputs["certificateAuthority"]["data"], validate=True)
    assert made["eks"].outputs["vpcConfig"]["vpcId"] == made["vpc"].id
    assert made["gpus"].id == f"{made['eks'].id}:{made['gpus'].outputs['nodeGroupName']}"
    assert made["s1"].outputs["availabilityZoneId"] == "use2-az2"
    trust = json.loads(made["role"].inputs["assumeRolePolicy"])
    assert trust["Statement"] == [
        {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "eks.amazonaws.com"}}
    ]
    machines = [t for t in clouds.world.things() if t.type == "aws:ec2/instance:Instance"]
    addresses = [ip_address(m.outputs["privateIp"]) for m in machines]
    assert len({*addresses}) == len(machines)
    assert all(a in ip_network("10.0.0.0/27") for a in addresses)
    assert all(re.fullmatch(r"i-[0-9a-f]{17}", m.id) and m.inputs["ami"].startswith("ami-") for m in machines)
    clouds.up(kubernetes_on_aws)
    assert (clouds.created, clouds.updated, clouds.replaced) == ([], [], [])


def kubernetes_on_google() -> None:
    zones = gcp.compute.get_zones(region="us-central1")
    me = gcp.organizations.get_client_config()
    versions = gcp.container.get_engine_versions(location=zones.names[0], version_prefix="1.34.")
    network = gcp.compute.Network("net", auto_create_subnetworks=False)
    subnet = gcp.compute.Subnetwork("sub", network=network.id, region="us-central1", ip_cidr_range="10.7.0.0/28")
    cluster = gcp.container.Cluster(
        "gke",
        location=zones.names[0],
        network=network.name,
        subnetwork=subnet.name,
        initial_node_count=1,
        remove_default_node_pool=True,
        min_master_version=versions.latest_master_version,
    )
    pulumi.export("ca", cluster.master_auth.cluster_ca_certificate)
    gcp.container.NodePool(
        "gpus",
        cluster=cluster.name,
        location=zones.names[0],
        node_count=1,
        node_config={"machine_type": "g2-standard-4", "guest_accelerators": [{"type": "nvidia-l4", "count": 1}]},
    )
    gcp.compute.Instance(
        "vm",
        machine_type="e2-small",
        zone=zones.names[0],
        boot_disk={
            "initialize_params": {"image": gcp.compute.get_image(family="debian-12", project="debian-cloud").self_link}
        },
        network_interfaces=[{"subnetwork": subnet.id, "access_configs": [{}]}],
        project=me.project,
    )
    gcp.artifactregistry.Repository("images", format="DOCKER", location="us-central1", repository_id="images")


def test_kubernetes_on_google(tmp_path: Path) -> None:
    clouds = Clouds(tmp_path, {"project": "acme"})
    clouds.up(kubernetes_on_google)
    made = {t.name: t for t in clouds.world.things()}
    zone = made["gke"].inputs["location"]
    name = made["gke"].outputs["name"]
    assert made["gke"].id == f"projects/acme/locations/{zone}/clusters/{name}"
    assert made["gpus"].id == f"{made['gke'].id}/nodePools/{made['gpus'].outputs['name']}"
    assert made["gke"].outputs["masterAuth"]["clusterCaCertificate"]
    vm = made["vm"]
    assert (
        vm.outputs["selfLink"]
        == f"https://www.googleapis.com/compute/v1/projects/acme/zones/{zone}/instances/{vm.outputs['name']}"
    )
    (nic,) = vm.outputs["networkInterfaces"]
    assert ip_address(nic["networkIp"]) in ip_network("10.7.0.0/28")
    assert nic["accessConfigs"][0]["natIp"]
    assert made["images"].id.startswith("projects/acme/locations/us-central1/repositories/")
    clouds.up(kubernetes_on_google)
    assert (clouds.created, clouds.updated, clouds.replaced) == ([], [], [])


def kubernetes_on_azure() -> None:
    group = azure.resources.ResourceGroup("group", location="westeurope")
    me = azure.authorization.get_client_config()
    cluster = azure.containerservice.ManagedCluster(
        "aks",
        resource_group_name=group.name,
        location=group.location,
        dns_prefix="acme",
        identity={"type": azure.containerservice.ResourceIdentityType.SYSTEM_ASSIGNED},
        agent_pool_profiles=[{"name": "system", "count": 1, "vm_size": "Standard_D4s_v5", "mode": "System"}],
        oidc_issuer_profile={"enabled": True},
    )
    azure.containerservice.AgentPool(
        "gpus",
        resource_group_name=group.name,
        resource_name_=cluster.name,
        agent_pool_name="gpus",
        count=1,
        vm_size="Standard_NC4as_T4_v3",
    )
    config = azure.containerservice.list_managed_cluster_user_credentials_output(
        resource_group_name=group.name, resource_name=cluster.name
    )
    pulumi.export("config", config.kubeconfigs[0].value.apply(lambda v: base64.b64decode(v).decode()))
    azure.keyvault.Vault(
        "vault",
        resource_group_name=group.name,
        properties={"tenant_id": me.tenant_id, "sku": {"family": "A", "name": azure.keyvault.SkuName.STANDARD}},
    )
    found = azure.resources.get_resource_group_output(resource_group_name=group.name)
    azure.storage.StorageAccount(
        "data",
        resource_group_name=group.name,
        location=found.location,
        kind=azure.storage.Kind.STORAGE_V2,
        sku={"name": azure.storage.SkuName.STANDARD_LRS},
    )


def test_kubernetes_on_azure(tmp_path: Path) -> None:
    clouds = Clouds(tmp_path, {"subscriptionId": "11112222-3333-4444-5555-666677778888"})
    clouds.up(kubernetes_on_azure)
    made = {t.name: t for t in clouds.world.things()}
    start = (
        f"/subscriptions/11112222-3333-4444-5555-666677778888/resourceGroups/{made['group'].outputs['name']}/providers/"
    )
    assert made["aks"].id == f"{start}Microsoft.ContainerService/managedClusters/{made['aks'].outputs['name']}"
    assert made["gpus"].id == f"{made['aks'].id}/agentPools/gpus"
    assert made["gpus"].outputs["type"] == "Microsoft.ContainerService/managedClusters/agentPools"
    assert made["aks"].outputs["fqdn"].startswith("acme-")
    assert made["vault"].id.startswith(f"{start}Microsoft.KeyVault/vaults/")
    assert made["vault"].outputs["properties"]["vaultUri"].startswith("https://vault")
    assert made["data"].inputs["location"] == "westeurope"
    clouds.up(kubernetes_on_azure)
    assert (clouds.created, clouds.updated, clouds.replaced) == ([], [], [])


@pytest.mark.parametrize(("token", "args", "key", "form"), [
    ("aws:index/getPartition:getPartition", {}, "partition", "aws"),
    ("aws:ec2/getVpc:getVpc", {"default": True}, "id", "vpc-[0-9a-f]{17}"),
    ("aws:ec2/getVpc:getVpc", {"default": True}, "cidrBlock", r"172\.31\.0\.0/16"),
    ("aws:ec2/getSubnet:getSubnet", {"id": "subnet-0a"}, "id", "subnet-0a"),
    ("aws:ec2/getSecurityGroup:getSecurityGroup", {"name": "default"}, "id", "sg-.*"),
    ("aws:secretsmanager/getSecretVersion:getSecretVersion", {"secretId": "s"}, "secretString", ".+"),
    ("aws:eks/getCluster:getCluster", {"name": "mine"}, "arn", ".*:cluster/mine"),
    ("aws:iam/getRole:getRole", {"name": "mine"}, "arn", "arn:aws:iam::123456789012:role/mine"),
    ("aws:index/getServicePrincipal:getServicePrincipal", {"serviceName": "ec2"}, "name", "ec2.amazonaws.com"),
    ("gcp:compute/getNetwork:getNetwork", {"name": "default"}, "selfLink", ".*/global/networks/default"),
    ("gcp:compute/getSubnetwork:getSubnetwork", {"name": "d", "region": "r"}, "ipCidrRange", r"[\d.]+/\d+"),
    ("gcp:organizations/getProject:getProject", {}, "number", r"\d+"),
    ("azure-native:network:getVirtualNetwork", {"resourceGroupName": "g", "virtualNetworkName": "v"}, "id",
     "/subscriptions/.*/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v"),
    ("azure-native:network:getSubnet",
     {"resourceGroupName": "g", "virtualNetworkName": "v", "subnetName": "s"}, "id", ".*/virtualNetworks/v/subnets/s"),
])  # fmt: skip
def test_a_data_source(token: str, args: dict[str, Any], key: str, form: str, tmp_path: Path) -> None:
    answer = Clouds(tmp_path, {"region": "us-east-2"}).invoke(token, args)
    assert answer is not None
    assert re.fullmatch(form, str(answer[key]))


def test_what_this_world_has_is_found(tmp_path: Path) -> None:
    clouds = Clouds(tmp_path)
    clouds.up(lambda: aws.ec2.Vpc("vpc", cidr_block="10.9.0.0/16"))
    (vpc,) = clouds.world.things()
    answer = clouds.invoke("aws:ec2/getVpc:getVpc", {"id": vpc.id})
    assert answer is not None
    assert (answer["id"], answer["cidrBlock"]) == (vpc.id, "10.9.0.0/16")


def test_a_data_source_that_the_sdk_lacks(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="has no data source aws:ec2/getNothing:getNothing"):
        Clouds(tmp_path).invoke("aws:ec2/getNothing:getNothing", {})


def test_addresses_of_a_small_network_are_its_own(tmp_path: Path) -> None:
    from gpuinfra.simulation.addressing import address

    world = Clouds(tmp_path).world
    given = [address(world, f"owner {i}", "10.0.0.0/27") for i in range(27)]
    assert len({*given}) == 27
    assert all(ip_address(g) in ip_network("10.0.0.0/27") for g in given)
    assert [address(world, f"owner {i}", "10.0.0.0/27") for i in range(27)] == given


def test_a_preview_knows_nothing_that_is_computed(tmp_path: Path) -> None:
    clouds = Clouds(tmp_path)
    provider = clouds._provider("aws")  # pyright: ignore[reportPrivateUsage]
    asked = SimpleNamespace(
        type="aws:eks/cluster:Cluster", urn="urn:x::y::z::eks", properties=struct({"roleArn": "arn:a"}), preview=True
    )
    seen = provider.Create(asked, None).properties
    unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
    assert {seen[k] for k in ("arn", "endpoint", "status", "identities")} == {unknown}
