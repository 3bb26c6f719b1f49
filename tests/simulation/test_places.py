"""Where machines of plain programs stand when the program leaves it to the provider, and how many a group starts."""

from __future__ import annotations

from ipaddress import ip_address, ip_network
from pathlib import Path

import pulumi
import pulumi_aws as aws
import pulumi_azure_native as azure
import pulumi_gcp as gcp
import pytest

from gpuinfra.simulation.world import Node

from .in_process import Clouds, RefusedError


def _places(clouds: Clouds) -> list[tuple[str, str, str]]:
    return [_place(n) for n in clouds.world.nodes() if n.ended_at is None]


def _place(node: Node) -> tuple[str, str, str]:
    return node.region, node.zone, node.market


def azure_machines() -> None:
    group = azure.resources.ResourceGroup("rg", location="westus3")
    network = azure.network.VirtualNetwork(
        "net",
        resource_group_name=group.name,
        address_space={"address_prefixes": ["10.2.0.0/16"]},
        subnets=[{"name": "default", "address_prefix": "10.2.1.0/24"}],
    )
    nic = azure.network.NetworkInterface(
        "nic",
        resource_group_name=group.name,
        ip_configurations=[{"name": "a", "subnet": {"id": network.subnets.apply(lambda s: s[0].id if s else "")}}],
    )
    machine = azure.compute.VirtualMachine(
        "vm", resource_group_name=group.name, hardware_profile={"vm_size": "Standard_NC24ads_A100_v4"}
    )
    cluster = azure.containerservice.ManagedCluster("aks", resource_group_name=group.name, dns_prefix="k")
    azure.containerservice.AgentPool(
        "gpu",
        agent_pool_name="gpu",
        resource_group_name=group.name,
        resource_name_=cluster.name,
        count=1,
        vm_size="Standard_NC24ads_A100_v4",
    )
    pulumi.export("at", machine.location)
    pulumi.export("address", nic.ip_configurations[0].private_ip_address)


def test_azure_puts_a_resource_where_its_group_stands(tmp_path: Path) -> None:
    clouds = Clouds(tmp_path)
    clouds.up(azure_machines)
    assert _places(clouds) == [("westus3", "westus3", "on_demand")] * 2
    state = {name: outputs for (_, name), (_, _, outputs) in clouds.state.items()}
    assert {state[n]["location"] for n in ("net", "nic", "vm", "aks")} == {"westus3"}
    # A subnet that stands in its network's own words has a range as well.
    address = state["nic"]["ipConfigurations"][0]["privateIPAddress"]
    assert ip_address(address) in ip_network("10.2.1.0/24")
    clouds.up(azure_machines)
    assert (clouds.replaced, clouds.updated) == ([], [])


def test_a_place_that_is_written_down_later_is_no_change(tmp_path: Path) -> None:
    places: list[str | None] = [None, "westus3"]

    def program() -> None:
        group = azure.resources.ResourceGroup("rg", location="westus3")
        azure.network.VirtualNetwork(
            "net",
            resource_group_name=group.name,
            location=places[0],
            address_space={"address_prefixes": ["10.2.0.0/16"]},
        )

    clouds = Clouds(tmp_path)
    clouds.up(program)
    places.pop(0)
    clouds.up(program)
    assert (clouds.replaced, clouds.updated) == ([], [])
    places[0] = "eastus"
    clouds.up(program)
    assert clouds.replaced == ["net"]


def google_machines() -> None:
    gcp.compute.Instance(
        "vm",
        machine_type="g2-standard-8",
        boot_disk={"initialize_params": {"image": "debian-cloud/debian-12", "type": "pd-balanced"}},
        network_interfaces=[{"network": "default"}],
        scheduling={"on_host_maintenance": "TERMINATE"},
    )
    gcp.compute.Subnetwork("sub", network="default", ip_cidr_range="10.1.0.0/20")


def test_google_puts_a_resource_where_its_provider_is_told(tmp_path: Path) -> None:
    clouds = Clouds(tmp_path, {"project": "acme", "zone": "us-central1-a"})
    clouds.up(google_machines)
    assert [zone for _, zone, _ in _places(clouds)] == ["us-central1-a"]
    ids = {name: id_ for (_, name), (id_, _, _) in clouds.state.items()}
    assert ids["vm"].startswith("projects/acme/zones/us-central1-a/instances/vm-")
    assert ids["sub"].startswith("projects/acme/regions/us-central1/subnetworks/sub-")


def _group(**more: object) -> None:
    vpc = aws.ec2.get_vpc(default=True)
    ids = aws.ec2.get_subnets(filters=[{"name": "vpc-id", "values": [vpc.id]}]).ids
    template = aws.ec2.LaunchTemplate("lt", image_id="ami-1", instance_type="g5.12xlarge")
    named: dict[str, object] = {"launch_template": {"name": template.name, "version": "$Latest"}}
    given: dict[str, object] = {
        "min_size": 2,
        "max_size": 3,
        "vpc_zone_identifiers": ids[1:2],
        **({} if "mixed_instances_policy" in more else named),
        **more,
    }
    aws.autoscaling.Group("asg", **given)  # pyright: ignore[reportArgumentType, reportCallIssue]


def test_a_group_without_a_number_starts_as_many_as_it_must_have(tmp_path: Path) -> None:
    clouds = Clouds(tmp_path)
    clouds.up(_group)
    # By the name of its template, and in the zone of a subnet that stands outside.
    assert _places(clouds) == [("us-east-1", "use1-az2", "on_demand")] * 2
    clouds.up(lambda: _group(min_size=3))
    assert len(_places(clouds)) == 3
    with pytest.raises(RefusedError, match="Desired capacity:5 must be between"):
        clouds.up(lambda: _group(desired_capacity=5))


def test_a_group_of_zones_stands_in_them(tmp_path: Path) -> None:
    clouds = Clouds(tmp_path)
    clouds.up(lambda: _group(vpc_zone_identifiers=None, availability_zones=["us-east-1c"]))
    assert {zone for _, zone, _ in _places(clouds)} == {"use1-az3"}


@pytest.mark.parametrize(("share", "market"), [(None, "on_demand"), (100, "on_demand"), (0, "spot")])
def test_a_mixed_group_is_spot_by_its_share(share: int | None, market: str, tmp_path: Path) -> None:
    spread = {} if share is None else {"on_demand_percentage_above_base_capacity": share}
    mixed = {
        "launch_template": {"launch_template_specification": {"launch_template_id": "lt-0outside"}},
        "instances_distribution": {"spot_allocation_strategy": "price-capacity-optimized", **spread},
    }
    clouds = Clouds(tmp_path)
    # A template that another program made is none of this world's, and no reason to refuse.
    clouds.up(lambda: _group(mixed_instances_policy=mixed))
    assert {how for _, _, how in _places(clouds)} == {market}


def test_a_data_source_says_the_zone_of_a_subnet_that_stands_outside(tmp_path: Path) -> None:
    clouds = Clouds(tmp_path)

    def program() -> None:
        ids = aws.ec2.get_subnets(filters=[]).ids
        zones = aws.get_availability_zones().names
        assert [aws.ec2.get_subnet(id=i).availability_zone for i in ids] == zones

    clouds.up(program)


def test_a_pool_of_gke_is_refused_what_its_new_machine_does_not_take(tmp_path: Path) -> None:
    def program(machine: str) -> None:
        gcp.container.NodePool(
            "gpu",
            cluster="c",
            location="us-central1-a",
            node_count=1,
            node_config={"machine_type": machine, "guest_accelerators": [{"type": "nvidia-l4", "count": 4}]},
        )

    clouds = Clouds(tmp_path)
    clouds.up(lambda: program("g2-standard-48"))
    with pytest.raises(RefusedError, match="400 badRequest"):
        clouds.up(lambda: program("g2-standard-24"))


def test_a_node_group_is_refused_a_number_outside_its_bounds_later_too(tmp_path: Path) -> None:
    def program(wanted: int) -> None:
        aws.eks.NodeGroup(
            "gpu",
            cluster_name="c",
            node_role_arn="arn:aws:iam::123456789012:role/nodes",
            subnet_ids=["subnet-0123456789abcdef0"],
            instance_types=["g5.12xlarge"],
            scaling_config={"desired_size": wanted, "min_size": 0, "max_size": 2},
        )

    clouds = Clouds(tmp_path)
    clouds.up(lambda: program(2))
    with pytest.raises(RefusedError, match="InvalidParameterException"):
        clouds.up(lambda: program(3))
