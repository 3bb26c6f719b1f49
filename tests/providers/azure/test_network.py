"""The network: what comes in, what goes out, and what has a subnet for itself."""

from __future__ import annotations

from typing import Any

import pulumi
import pytest

from gpuinfra.azure import ClusterNetwork, ExistingNetwork, ResourceGroup, SharedStorage
from gpuinfra.diagnostics import GpuInfraError
from gpuinfra.plan import resolve
from gpuinfra.policy.resource_graph import OutputRef, Resource, ResourceGraph
from gpuinfra.spec.load import parse
from gpuinfra.spec.models import ClusterSpec
from gpuinfra.testing import record

from .clusters import NOW, SCALE_SET, SECURITY_GROUP, SUBNET, VNET, cluster, location, only, pool, recorded

NAT = "azure-native:network:NatGateway"
ADDRESS = "azure-native:network:PublicIPAddress"
BASTION = "azure-native:network:BastionHost"
LUSTRE = {"name": "scratch", "kind": "lustre", "size_gib": 8192, "mount": "/scratch"}
NFS = {"name": "home", "kind": "nfs", "size_gib": 1024, "mount": "/shared"}
EXISTING = {"existing": {"network": VNET, "subnet": f"{VNET}/subnets/nodes"}}


def network(**changes: Any) -> dict[str, Any]:
    return {**cluster()["network"], **changes}


def rules(group: Resource, direction: str) -> dict[str, tuple[object, ...]]:
    return {
        r["name"]: (
            r["access"],
            r["sourceAddressPrefix"],
            r.get("destinationPortRange") or tuple(r["destinationPortRanges"]),
        )
        for r in group.get("securityRules")
        if r["direction"] == direction
    }


@pytest.fixture(scope="module")
def graph() -> ResourceGraph:
    return recorded(cluster(storage=[LUSTRE, NFS], network=network(ssh_from=["203.0.113.0/24", "2001:db8::/32"])))


def test_subnets_are_resources_of_their_own_and_the_network_leaves_them_alone(graph: ResourceGraph) -> None:
    vnet = graph.named("train-vnet")
    assert vnet.get("addressSpace") == {"addressPrefixes": ["10.50.0.0/16"]}
    assert vnet.get("subnets") is None
    assert vnet.options["ignoreChanges"] == ["subnets"]
    assert {s.name for s in graph.of_type(SUBNET)} == {
        "train-nodes-subnet",
        "train-scratch-storage-subnet",
        "train-home-storage-subnet",
    }


def test_no_subnet_has_a_way_out_that_nobody_wrote(graph: ResourceGraph) -> None:
    """Cases AZ-11: with the SDK's API version the default is a hidden way, with a later one none."""
    for subnet in graph.of_type(SUBNET):
        assert subnet.get("defaultOutboundAccess") is False


def test_private_nodes_and_lustre_leave_through_a_gateway_in_their_zone(graph: ResourceGraph) -> None:
    gateway, address = only(graph, NAT), only(graph, ADDRESS)
    assert (gateway.get("sku"), gateway.get("zones")) == ({"name": "Standard"}, ["1"])
    assert gateway.get("publicIpAddresses") == [{"id": OutputRef(address.name, "id")}]
    assert address.get("sku") == {"name": "Standard", "tier": "Regional"}
    assert (address.get("publicIPAllocationMethod"), address.get("zones")) == ("Static", ["1"])
    through = {s.name for s in graph.of_type(SUBNET) if s.get("natGateway")}
    assert through == {"train-nodes-subnet", "train-scratch-storage-subnet"}


def test_arm_changes_one_subnet_at_a_time(graph: ResourceGraph) -> None:
    urns = [s.urn for s in graph.of_type(SUBNET)]
    waits = sorted(len([u for u in s.dependencies if u in urns]) for s in graph.of_type(SUBNET))
    assert waits == [0, 1, 1]


def test_nodes_are_reached_from_the_network_and_from_where_ssh_is_allowed(graph: ResourceGraph) -> None:
    found = rules(graph.named("train-nodes-nsg"), "Inbound")
    assert found == {
        "ssh-from-0": ("Allow", "203.0.113.0/24", ("22",)),
        "ssh-from-1": ("Allow", "2001:db8::/32", ("22",)),
        "lustre-in": ("Allow", "VirtualNetwork", ("988", "1019-1023")),
        "from-network": ("Allow", "VirtualNetwork", "*"),
        "deny-internet": ("Deny", "Internet", "*"),
    }


def test_without_ssh_from_nothing_comes_from_outside() -> None:
    found = rules(recorded(cluster()).named("train-nodes-nsg"), "Inbound")
    assert set(found) == {"from-network", "deny-internet"}


def test_numbers_of_rules_are_unique_in_each_direction(graph: ResourceGraph) -> None:
    for group in graph.of_type(SECURITY_GROUP):
        numbers = [(r["direction"], r["priority"]) for r in group.get("securityRules")]
        assert len(set(numbers)) == len(numbers)
        assert all(100 <= n <= 4096 for _, n in numbers)


def test_lustre_has_a_subnet_that_is_not_delegated_and_netapp_one_that_is(graph: ResourceGraph) -> None:
    lustre, home = graph.named("train-scratch-storage-subnet"), graph.named("train-home-storage-subnet")
    assert lustre.get("delegations") is None
    assert lustre.inputs["networkSecurityGroup"] == {"id": OutputRef("train-lustre-nsg", "id")}
    assert home.get("delegations") == [{"name": "own", "serviceName": "Microsoft.NetApp/volumes"}]
    group = graph.named("train-lustre-nsg")
    for direction in ("Inbound", "Outbound"):
        assert ("Allow", "VirtualNetwork", ("988", "1019-1023")) in rules(group, direction).values()
    (out,) = [r for r in group.get("securityRules") if r["destinationAddressPrefix"] == "AzureCloud"]
    assert out["direction"] == "Outbound"


def test_every_interface_carries_the_group_and_so_does_the_subnet(graph: ResourceGraph) -> None:
    profile = only(graph, SCALE_SET).get("virtualMachineProfile", "networkProfile")
    (interface,) = profile["networkInterfaceConfigurations"]
    assert interface["networkSecurityGroup"] == {"id": OutputRef("train-nodes-nsg", "id")}
    assert graph.named("train-nodes-subnet").inputs["networkSecurityGroup"] == interface["networkSecurityGroup"]


def test_public_nodes_alone_need_no_gateway() -> None:
    graph = recorded(cluster(network=network(public_nodes=True)))
    assert graph.of_type(NAT, ADDRESS) == ()
    assert graph.named("train-nodes-subnet").get("natGateway") is None


def test_lustre_beside_public_nodes_has_its_way_out_and_the_price_says_so() -> None:
    from gpuinfra.cost import estimate

    spec = cluster(network=network(public_nodes=True), storage=[LUSTRE])
    graph = recorded(spec)
    assert {s.name for s in graph.of_type(SUBNET) if s.get("natGateway")} == {"train-scratch-storage-subnet"}
    loaded = parse(spec)
    assert loaded.spec
    plan = resolve(loaded.spec, NOW).plan
    assert plan
    assert "NAT gateway" in {line.name for line in estimate(plan).lines}


# Bastion.


def test_no_bastion_unless_it_is_asked_for(graph: ResourceGraph) -> None:
    assert graph.of_type(BASTION) == ()


def test_bastion_has_the_subnet_that_azure_knows_and_a_tunnel() -> None:
    graph = recorded(cluster(location=location(bastion=True)))
    subnet = graph.named("train-bastion-subnet")
    assert subnet.get("subnetName") == "AzureBastionSubnet"
    assert int(subnet.get("addressPrefix").rpartition("/")[2]) <= 26
    host = only(graph, BASTION)
    assert (host.get("sku"), host.get("enableTunneling")) == ({"name": "Standard"}, True)
    assert graph.named("train-bastion-address").get("publicIPAllocationMethod") == "Static"


def test_bastion_fits_into_a_network_that_is_as_small_as_it_may_be() -> None:
    graph = recorded(cluster(location=location(bastion=True), network=network(cidr="10.50.0.0/25")))
    assert graph.named("train-bastion-subnet").get("addressPrefix") == "10.50.0.64/26"


def test_bastion_is_paid_for_by_the_hour_and_no_price_is_made_up() -> None:
    from gpuinfra.cost import estimate

    loaded = parse(cluster(location=location(bastion=True)))
    assert loaded.spec
    plan = resolve(loaded.spec, NOW).plan
    assert plan
    (line,) = [one for one in estimate(plan).lines if one.name == "Bastion"]
    assert (line.path, line.unit, line.ends_with_nodes) == ("location.bastion", "hour", False)
    assert line.usd_per_hour is None


def test_bastion_in_a_network_that_is_there_is_refused() -> None:
    with pytest.raises(GpuInfraError) as error:
        recorded(cluster(location=location(bastion=True), network=network(cidr=None, **EXISTING)))
    assert ("GI2056", "location.bastion") in {(d.code, d.path) for d in error.value.diagnostics}


# A network that is there.


def test_in_an_existing_network_only_the_group_of_the_nodes_is_made() -> None:
    spec = cluster(network={"ssh_keys": cluster()["network"]["ssh_keys"], **EXISTING})
    graph = recorded(spec)
    assert [r.type for r in graph if r.custom and ":network:" in r.type] == [SECURITY_GROUP]
    profile = only(graph, SCALE_SET).get("virtualMachineProfile", "networkProfile")
    (interface,) = profile["networkInterfaceConfigurations"]
    assert interface["ipConfigurations"][0]["subnet"] == {"id": f"{VNET}/subnets/nodes"}


def test_an_existing_network_may_be_known_later_and_gives_storage_its_subnets() -> None:
    late = pulumi.Output.from_input(f"{VNET}/subnets/nodes")
    spec = cluster(storage=[LUSTRE])
    network = ExistingNetwork(VNET, late, storage_subnet_ids={"scratch": f"{VNET}/subnets/lustre"})
    graph = recorded(spec, network=network)
    assert graph.named("train-scratch-storage").get("filesystemSubnet") == f"{VNET}/subnets/lustre"
    assert graph.of_type(SUBNET) == ()


def test_storage_without_a_subnet_is_refused_by_its_name() -> None:
    def program() -> None:
        SharedStorage("a", spec_of(storage=[LUSTRE]), network=ExistingNetwork(VNET, f"{VNET}/subnets/nodes"))

    with pytest.raises(ValueError, match=r"storage 'scratch' wants a subnet of its own.*storage_subnet_ids"):
        record(program)


def spec_of(**changes: Any) -> ClusterSpec:
    loaded = parse(cluster(**changes))
    assert loaded.spec, loaded.diagnostics
    return loaded.spec


def test_ids_that_changed_places_are_findings() -> None:
    with pytest.raises(GpuInfraError) as error:
        ExistingNetwork(f"{VNET}/subnets/nodes", VNET)
    assert {(d.code, d.path) for d in error.value.diagnostics} == {("GI2055", "network_id"), ("GI2055", "subnet_id")}


# The resource group.


def test_a_group_is_named_after_the_cluster_or_as_the_spec_says() -> None:
    kind = "azure-native:resources:ResourceGroup"
    made = only(recorded(cluster()), kind)
    assert (made.name, made.get("resourceGroupName"), made.get("location")) == ("train-rg", None, "eastus")
    named = only(recorded(cluster(location=location(resource_group="rg-llama"))), kind)
    assert named.get("resourceGroupName") == "rg-llama"


def test_a_group_that_is_there_is_looked_up_and_left_alone() -> None:
    where = location(resource_group="rg-llama", existing_resource_group=True)
    graph = recorded(cluster(location=where))
    assert graph.of_type("azure-native:resources:ResourceGroup") == ()
    assert ("azure-native:resources:getResourceGroup", {"resourceGroupName": "rg-llama"}) in [
        (token, dict(args)) for token, args in graph.invokes
    ]
    assert only(graph, SCALE_SET).get("resourceGroupName") == "rg-llama"


def test_parts_that_are_used_apart_share_a_group() -> None:
    spec = spec_of(storage=[LUSTRE])

    def program() -> None:
        group = ResourceGroup("a", spec)
        place = ClusterNetwork("a", spec, group=group)
        SharedStorage("a", spec, group=group, network=place)

    assert len(record(program).of_type("azure-native:resources:ResourceGroup")) == 1


def test_every_resource_stands_in_the_region_and_carries_the_labels() -> None:
    graph = recorded(cluster(storage=[LUSTRE, NFS], labels={"team": "nlp"}, node_pools=[pool()]))
    for resource in graph:
        if resource.custom and "location" in resource.inputs and resource.get("location") != "Global":
            assert resource.get("location") == "eastus", resource.name
        if "tags" in resource.inputs:
            assert resource.get("tags")["gpuinfra-cluster"] == "train"
            assert resource.get("tags")["team"] == "nlp"


# What stands in a subnet holds it: ARM answers InUseSubnetCannotBeDeleted.

BUCKET = {"name": "out", "kind": "bucket", "mount": "/out"}


def replaced_with(resource: Resource) -> set[str]:
    return {urn.rpartition("::")[2] for urn in resource.options.get("replaceWith", ())}


def test_what_stands_in_a_subnet_is_made_anew_with_it_and_before_it() -> None:
    found = recorded(cluster(location=location(bastion=True), storage=[BUCKET]))
    holders = {
        "train-gpu-pool-set": "train-nodes-subnet",
        "train-out-storage-blob": "train-nodes-subnet",
        "train-out-storage-dfs": "train-nodes-subnet",
        "train-bastion": "train-bastion-subnet",
    }
    for name, subnet in holders.items():
        options = found.named(name).options
        assert (replaced_with(found.named(name)), options["deleteBeforeReplace"]) == ({subnet}, True), name


def test_another_range_is_another_network() -> None:
    """A network keeps the ranges of its subnets, which go after it was changed: InUsePrefixCannotBeDeleted."""
    vnet = recorded(cluster()).named("train-vnet")
    assert vnet.options["replaceOnChanges"] == ["addressSpace"]
    assert "deleteBeforeReplace" not in vnet.options


def test_storage_that_is_wanted_later_does_not_move_bastion() -> None:
    place = location(bastion=True)
    before, after = (
        recorded(cluster(location=place, storage=storage)).named("train-bastion-subnet").get("addressPrefix")
        for storage in ([], [LUSTRE, NFS])
    )
    assert before == after


def test_a_group_whose_name_is_given_is_made_anew_once_the_old_one_is_gone() -> None:
    named = recorded(cluster(location=location(resource_group="rg-llama"))).named("train-rg")
    assert named.options["deleteBeforeReplace"] is True
    assert "deleteBeforeReplace" not in recorded(cluster()).named("train-rg").options


@pytest.mark.parametrize("change", [{"region": "westus3"}, {"zone": "2"}])
def test_with_a_long_name_what_replaces_an_address_has_another_name(change: dict[str, str]) -> None:
    """The old one keeps its name until the new one is in its place."""
    name = "c" * 61
    names = [
        recorded(cluster(name=name, location=place), name).named(f"{name}-nat-address").get("publicIpAddressName")
        for place in (location(), location(**change))
    ]
    assert len(set(names)) == 2
    assert all(len(n) <= 80 for n in names)
