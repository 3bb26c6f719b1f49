"""Plain programs with what no cloud has: ranges, and machine types of a known family."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pulumi
import pulumi_aws as aws
import pulumi_gcp as gcp
import pytest

from gpuinfra import catalog
from gpuinfra.simulation.unknown_types import is_unknown
from gpuinfra.vocabulary import Provider

from .in_process import Clouds, RefusedError


@pytest.mark.parametrize(
    ("cidr", "moment", "words"),
    [
        ("10.0.0.0/8", "check", "between 16 and 28 significant bits, got: 8"),
        ("10.0.0.0/29", "check", "between 16 and 28"),
        ("10.0.0.1/16", "check", "expected 10.0.0.0/16, got 10.0.0.1/16"),
        ("10.0.0/16", "check", "valid IPv4 Value"),
        (None, "apply", "MissingParameter"),
        ("10.0.0.0/16", "", ""),
    ],
)
def test_ranges_of_a_network(cidr: str | None, moment: str, words: str, tmp_path: Path) -> None:
    refused = _refused(tmp_path, lambda: aws.ec2.Vpc("vpc", cidr_block=cidr))
    assert refused[0] == moment
    assert words in refused[1]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "MissingParameter"),
        ({"cidr_block": "10.0.0.0/29"}, "InvalidSubnet.Range"),
        ({"cidr_block": "10.1.0.0/24"}, "InvalidSubnet.Range"),
        ({"cidr_block": "10.0.0.0/24"}, ""),
        ({"ipv6_cidr_block": "2600:1f00::/64", "ipv6_native": True}, ""),
    ],
)
def test_ranges_of_a_subnet(given: dict[str, Any], words: str, tmp_path: Path) -> None:
    def program() -> None:
        vpc = aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16")
        aws.ec2.Subnet("subnet", vpc_id=vpc.id, **given)

    refused = _refused(tmp_path, program)
    assert words in refused[1]
    assert bool(words) == bool(refused[0])


@pytest.mark.parametrize(
    ("cidr", "refused"), [("100.64.0.0/17", False), ("100.65.0.0/24", True), ("10.0.1.0/24", False)]
)
def test_a_subnet_stands_in_any_range_of_its_network(cidr: str, refused: bool, tmp_path: Path) -> None:
    def program() -> None:
        vpc = aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16")
        more = aws.ec2.VpcIpv4CidrBlockAssociation("pods", vpc_id=vpc.id, cidr_block="100.64.0.0/16")
        aws.ec2.Subnet("subnet", vpc_id=vpc.id, cidr_block=cidr, opts=pulumi.ResourceOptions(depends_on=[more]))

    assert ("InvalidSubnet.Range" in _refused(tmp_path, program)[1]) == refused


def _refused(folder: Path, program: Any) -> tuple[str, str]:
    try:
        Clouds(folder, {"project": "acme", "zone": "us-central1-a"}).up(program)
    except RefusedError as e:
        return e.moment, e.text
    return "", ""


@pytest.mark.parametrize(
    ("provider", "name", "unknown"),
    [
        (Provider.AWS, "p5.48xlarg", True),
        (Provider.AWS, "p5.24xlarge", True),
        (Provider.AWS, "p6-b200.16xlarge", True),
        (Provider.AWS, "m5.huge", False),
        (Provider.AWS, "x99.large", False),
        (Provider.AWS, "", False),
        (Provider.GCP, "a3-megagpu-4g", True),
        (Provider.GCP, "g2-standard-9", True),
        (Provider.GCP, "g2-custom-16-65536", False),
        (Provider.GCP, "n1-standard-99", False),
        (Provider.GCP, "e2-medium", False),
        (Provider.AZURE, "Standard_ND96", False),
    ],
)
def test_a_size_that_a_known_family_lacks(provider: Provider, name: str, unknown: bool) -> None:
    assert is_unknown(provider, name) is unknown


@pytest.mark.parametrize("provider", list(Provider))
def test_what_the_tables_list_is_never_unknown(provider: Provider) -> None:
    assert not [one.name for one in catalog.instance_types(provider) if is_unknown(provider, one.name)]


def test_each_cloud_refuses_such_a_machine_in_its_own_words(tmp_path: Path) -> None:
    def on_aws() -> None:
        aws.ec2.Instance("i", ami="ami-1", instance_type="p5.48xlarg")

    def in_a_group() -> None:
        template = aws.ec2.LaunchTemplate("lt", image_id="ami-1", instance_type="g5.11xlarge")
        aws.autoscaling.Group(
            "g", min_size=0, max_size=1, availability_zones=["us-east-1a"], launch_template={"id": template.id}
        )

    def on_eks() -> None:
        aws.eks.NodeGroup(
            "n",
            cluster_name="c",
            node_role_arn="arn:aws:iam::123456789012:role/nodes",
            subnet_ids=["subnet-0123456789abcdef0"],
            instance_types=["p5.4xlarg"],
            scaling_config={"desired_size": 0, "min_size": 0, "max_size": 1},
        )

    def on_google() -> None:
        gcp.compute.Instance(
            "i",
            machine_type="a3-megagpu-4g",
            boot_disk={"initialize_params": {"image": "x"}},
            network_interfaces=[{"network": "default"}],
        )

    def on_gke() -> None:
        gcp.container.NodePool("n", cluster="c", node_count=0, node_config={"machine_type": "a3-megagpu-4g"})

    told = [
        (on_aws, "InvalidParameterValue: Invalid value 'p5.48xlarg' for InstanceType"),
        (in_a_group, "Invalid value 'g5.11xlarge' for InstanceType"),
        (on_eks, "InvalidParameterException"),
        (on_google, "machineTypes/a3-megagpu-4g not found"),
        (on_gke, "machineTypes/a3-megagpu-4g not found"),
    ]
    for n, (program, words) in enumerate(told):
        (tmp_path / str(n)).mkdir()
        moment, text = _refused(tmp_path / str(n), program)
        assert (moment, words in text) == ("apply", True), text
