"""AZ-11 (private nodes with no way out), ports, roles and addresses, and the public single machine of another tool."""

from __future__ import annotations

from typing import Any

import pytest

from gpuinfra.diagnostics import Severity
from gpuinfra.plan import resolve
from gpuinfra.policy.examples import NOW, spec_of

from .azure_programs import (
    GROUP,
    H100,
    T4,
    autoscale,
    changed,
    found,
    judge,
    ref,
    resource,
    scale_set,
    spec,
    subnet_of_nodes,
)
from .judging import codes, said

NET = {f"NET-{n:02}" for n in range(1, 8)}
PRIVATE = {"defaultOutboundAccess": False, "natGateway": {"id": ref("out")}}


def subnet(name: str = "nodes-net", /, **inputs: Any) -> dict[str, Any]:
    right = {"subnetName": name, "addressPrefix": "10.50.0.0/24", "virtualNetworkName": ref("net", "name")}
    return resource("network.Subnet", name, **{k: v for k, v in {**right, **inputs}.items() if v is not None})


def network(
    nat_zone: str = "2", ip_zones: tuple[str, ...] = ("2",), *, nodes: dict[str, Any] | None = None, **inputs: Any
) -> list[dict[str, Any]]:
    """A private network in which one T4 node in zone 2 fetches its packages at boot."""
    script = {"osProfile": {**scale_set()["inputs"]["virtualMachineProfile"]["osProfile"], "customData": "YXB0Cg=="}}
    profile = {"networkProfile": subnet_of_nodes("nodes-net"), **script}
    return [
        resource("network.VirtualNetwork", "net", addressSpace={"addressPrefixes": ["10.50.0.0/16"]}),
        resource("network.PublicIPAddress", "out-ip", sku={"name": "Standard"}, publicIPAllocationMethod="Static",
                 zones=list(ip_zones)),
        resource("network.NatGateway", "out", sku={"name": "Standard"}, zones=[nat_zone] if nat_zone else [],
                 publicIpAddresses=[{"id": ref("out-ip")}]),
        subnet("nodes-net", **{**PRIVATE, **inputs}),
        nodes or scale_set(T4, 1, zones=["2"], profile=profile),
        autoscale(),
    ]  # fmt: skip


def test_11_the_fixed_network_is_silent():
    assert found(*network()) & NET == set()
    assert found(*network(ip_zones=("1", "2", "3"))) & NET == set()
    assert found(*network("", ip_zones=("1", "2", "3"))) & NET == set()


def test_11_the_plan_gives_private_nodes_a_way_out():
    # The spec has no word for a network without NAT: private nodes always get one.
    plan = resolve(
        spec_of(
            f"location: {{provider: azure, region: eastus, zone: '2'}}\nnode_pools: [{{instance_type: {T4}, count: 1}}]\nstorage: []"
        ),
        NOW,
    ).plan
    assert plan is not None
    assert plan.network.needs_nat


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"natGateway": None}, {"NET-02"}),
        ({"natGateway": None, "defaultOutboundAccess": None}, {"NET-01", "NET-02"}),
        ({"defaultOutboundAccess": None}, {"NET-01"}),
        ({"defaultOutboundAccess": True}, {"NET-01"}),
        ({"natGateway": None, "routeTable": {"id": f"{GROUP}/routeTables/firewall"}}, set()),
    ],
)
def test_11_a_subnet_without_a_way_out(inputs: dict[str, Any], expected: set[str]):
    assert found(*network(**inputs)) & NET == expected


def test_11_a_public_address_or_a_load_balancer_is_a_way_out():
    *rest, subnet_, nodes, lease = network(natGateway=None)
    place = "networkInterfaceConfigurations"
    for way in (
        {"loadBalancerBackendAddressPools": [{"id": f"{GROUP}/pools/out"}]},
        {"publicIPAddressConfiguration": {"name": "ip"}},
    ):
        profile = subnet_of_nodes("nodes-net")
        profile[place][0]["ipConfigurations"][0].update(way)
        assert "NET-02" not in found(
            *rest, subnet_, changed(nodes, "virtualMachineProfile.networkProfile", profile), lease
        )


@pytest.mark.parametrize(
    ("nat", "ip", "text"),
    [
        ("1", ("1",), "'nodes' behind it in 2"),
        ("2", ("1",), "its address 'out-ip' in 1"),
        ("2", (), "its address 'out-ip' in no zone"),
    ],
)
def test_11_a_gateway_in_another_zone(nat: str, ip: tuple[str, ...], text: str):
    assert text in said(judge(*network(nat, ip)), "GI3254").message


def bastion(name: str | None, size: str) -> list[dict[str, Any]]:
    jump = subnet("jump", subnetName=name, addressPrefix=size)
    host = resource("network.BastionHost", "host", ipConfigurations=[{"name": "ip", "subnet": {"id": ref("jump")}}])
    return [jump, host]


@pytest.mark.parametrize(
    ("name", "size", "faults"),
    [
        ("bastion", "10.50.255.0/27", 2),
        (None, "10.50.255.0/26", 1),
        ("AzureBastionSubnet", "10.50.255.0/27", 1),
        ("AzureBastionSubnet", "10.50.255.0/26", 0),
        ("AzureBastionSubnet", "10.50.254.0/23", 0),
    ],
)
def test_11_a_bastion_in_a_subnet_of_the_wrong_name_or_size(name: str | None, size: str, faults: int):
    report = judge(*bastion(name, size))
    assert codes(report).count("GI3256") == faults


def test_11_a_bastions_subnet_needs_no_word_on_its_way_out():
    assert found(*network(), *bastion("AzureBastionSubnet", "10.50.255.0/26")) & NET == set()


@pytest.mark.parametrize(
    ("inputs", "wrong"),
    [
        ({"sku": {"name": "Standard"}, "publicIPAllocationMethod": "Static"}, False),
        ({"sku": {"name": "StandardV2"}, "publicIPAllocationMethod": "Static"}, False),
        ({"sku": {"name": "Basic"}, "publicIPAllocationMethod": "Static"}, True),
        ({"sku": {"name": "Standard"}, "publicIPAllocationMethod": "Dynamic"}, True),
        ({"sku": {"name": "Standard"}}, True),
        ({}, True),
    ],
)
def test_addresses_that_are_retired(inputs: dict[str, Any], wrong: bool):
    assert ("NET-04" in found(resource("network.PublicIPAddress", "ip", **inputs))) is wrong


@pytest.mark.parametrize(("size", "count", "wrong"), [("10.50.0.0/28", 11, False), ("10.50.0.0/28", 12, True)])
def test_a_subnet_holds_the_nodes_and_five_more(size: str, count: int, wrong: bool):
    profile = {"networkProfile": subnet_of_nodes("nodes-net")}
    nodes = scale_set(T4, count, zones=["2"], profile=profile)
    assert ("NET-06" in found(*network(addressPrefix=size, nodes=nodes))) is wrong


@pytest.mark.parametrize(("most", "wrong"), [(11, False), (12, True)])
def test_a_subnet_holds_the_nodes_of_a_managed_cluster(most: int, wrong: bool):
    pool = {"vmSize": T4, "count": 1, "enableAutoScaling": True, "minCount": 0, "maxCount": most}
    sub = subnet("nodes-net", **PRIVATE, addressPrefix="10.50.0.0/28")
    own = resource("containerservice.AgentPool", "pool", **pool, vnetSubnetID=ref("nodes-net"))
    assert ("NET-06" in found(sub, own)) is wrong
    inline = resource("containerservice.ManagedCluster", "plane",
                      agentPoolProfiles=[{"name": "a", **pool, "vnetSubnetID": ref("nodes-net")}])  # fmt: skip
    assert ("NET-06" in found(sub, inline)) is wrong


def test_subnets_written_in_two_places():
    *rest, _, nodes, lease = network()
    mixed = changed(
        rest[0], "subnets", [{"name": "a", "addressPrefix": "10.50.1.0/24", "defaultOutboundAccess": False}]
    )
    assert found(mixed, *rest[1:], subnet("nodes-net", **PRIVATE), nodes, lease) & NET == {"NET-07"}


@pytest.mark.parametrize(
    ("cidr", "wrong"),
    [("172.16.0.0/16", True), ("172.16.8.0/24", True), ("172.0.0.0/8", True), ("172.17.0.0/16", False)],
)
def test_the_range_of_infiniband(cidr: str, wrong: bool):
    net = resource("network.VirtualNetwork", "net", addressSpace={"addressPrefixes": [cidr]})
    assert ("IB-03" in found(net, scale_set(H100, 2))) is wrong
    assert "IB-03" not in found(net, scale_set(T4, 2))
    peer = resource("network.VirtualNetworkPeering", "peer", remoteAddressSpace={"addressPrefixes": [cidr]})
    assert ("IB-03" in found(peer, scale_set(H100, 2))) is wrong


def test_the_range_of_infiniband_is_refused_in_a_spec():
    assert "GI2053" in codes(spec(network=", cidr: 172.16.0.0/16"))


def rule(**changes: Any) -> dict[str, Any]:
    return {
        "name": "shell", "access": "Allow", "direction": "Inbound", "priority": 100, "protocol": "Tcp",
        "sourceAddressPrefix": "*", "destinationAddressPrefix": "*", "destinationPortRange": "22", **changes,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "open_"),
    [
        ({}, True),
        ({"sourceAddressPrefix": "Internet"}, True),
        ({"sourceAddressPrefix": None, "sourceAddressPrefixes": ["10.0.0.0/8", "0.0.0.0/0"]}, True),
        ({"destinationPortRange": "*"}, True),
        ({"destinationPortRange": None, "destinationPortRanges": ["80", "3000-4000"]}, True),
        ({"protocol": "*", "destinationPortRange": "20-30"}, True),
        ({"sourceAddressPrefix": "203.0.113.0/24"}, False),
        ({"sourceAddressPrefix": "VirtualNetwork"}, False),
        ({"access": "Deny"}, False),
        ({"direction": "Outbound"}, False),
        ({"destinationPortRange": "8888"}, False),
        ({"protocol": "Udp"}, False),
    ],
)
def test_admin_ports_open_to_the_world_in_any_group(changes: dict[str, Any], open_: bool):
    group = resource("network.NetworkSecurityGroup", "guard", securityRules=[rule(**changes)])
    assert ("SEC-09" in found(group)) is open_


def test_any_port_of_the_nodes_counts_and_a_rule_of_its_own_too():
    guard = resource("network.NetworkSecurityGroup", "guard", networkSecurityGroupName="guard")
    door = resource(
        "network.SecurityRule", "door", networkSecurityGroupName="guard", **rule(destinationPortRange="8888")
    )
    assert "SEC-09" not in found(guard, door)
    one = said(judge(*network(networkSecurityGroup={"id": ref("guard")}), guard, door), "GI3250")
    assert one.message == "port 8888 is open to *, the whole internet"


def test_rules_of_one_priority_are_refused_in_either_form():
    guard = resource("network.NetworkSecurityGroup", "guard", networkSecurityGroupName="guard",
                     securityRules=[rule(sourceAddressPrefix="10.0.0.0/8")])  # fmt: skip
    door = resource(
        "network.SecurityRule", "door", networkSecurityGroupName="guard", **rule(sourceAddressPrefix="10.0.0.0/8")
    )
    assert "GI3259" in codes(judge(guard, door))
    assert "GI3259" not in codes(judge(guard, changed(door, "priority", 110)))


def role(kind: str | None, scope: str, role_id: str = "acdd72a7-3385-48ef-bd42-f606fba81ae7") -> list[dict[str, Any]]:
    definition = f"/providers/Microsoft.Authorization/roleDefinitions/{role_id}"
    who = resource("managedidentity.UserAssignedIdentity", "who")
    given = {
        "principalId": ref("who", "principalId"),
        "principalType": kind,
        "scope": scope,
        "roleDefinitionId": definition,
    }
    return [who, resource("authorization.RoleAssignment", "role", **given)]


SET = f"{GROUP}/providers/Microsoft.Compute/virtualMachineScaleSets/acme"
CONTRIBUTOR = "b24988ac-6180-42a0-ab88-20f7382d24ac"
BLOB_READER = "2a2b9908-6ea1-4ae2-8e65-a410df84e7d1"


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        (role("ServicePrincipal", SET), set()),
        (role("ServicePrincipal", GROUP, BLOB_READER), set()),
        (role("User", SET), {"SEC-07"}),
        (role(None, SET), {"SEC-07"}),
        (role("ServicePrincipal", GROUP.partition("/resourceGroups")[0]), {"SEC-08"}),
        (role("ServicePrincipal", GROUP, CONTRIBUTOR), {"SEC-08"}),
        (role("ServicePrincipal", SET, CONTRIBUTOR), set()),
    ],
)
def test_roles_of_managed_identities(resources: list[dict[str, Any]], expected: set[str]):
    assert found(*resources) == expected


def test_a_persons_role_is_their_own():
    mine = resource(
        "authorization.RoleAssignment", "mine", principalId="2f0e", principalType="User", scope="/subscriptions/s"
    )
    assert found(mine) == set()


def test_a_role_on_a_group_of_this_program_is_followed():
    who, given = role("ServicePrincipal", ref("group"), CONTRIBUTOR)
    assert "SEC-08" in found(resource("resources.ResourceGroup", "group"), who, given)


def single_box() -> list[dict[str, Any]]:
    """One ND H100 with a public address, ssh from everywhere and a generation 1 image, as people write it."""
    image = {"publisher": "Canonical", "offer": "0001-com-ubuntu-server-jammy", "sku": "22_04-lts", "version": "latest"}
    keys = {"publicKeys": [{"path": "/home/azureuser/.ssh/authorized_keys", "keyData": "ssh-ed25519 AAAA me"}]}
    ip = {"name": "ip", "publicIPAddress": {"id": ref("address")}, "subnet": {"id": ref("subnet")}}
    return [
        resource("network.PublicIPAddress", "address", sku={"name": "Standard"}, publicIPAllocationMethod="Static"),
        resource("network.NetworkSecurityGroup", "guard", securityRules=[
            rule(sourceAddressPrefix=None, sourceAddressPrefixes=["0.0.0.0/0"]),
            rule(name="models", priority=120, destinationPortRange="11434", sourceAddressPrefix="10.90.0.0/16"),
        ]),
        resource("network.Subnet", "subnet", addressPrefix="10.90.1.0/24", networkSecurityGroup={"id": ref("guard")}),
        resource("network.NetworkInterface", "nic", ipConfigurations=[ip]),
        resource("compute.VirtualMachine", "machine", vmName="chat-vm", hardwareProfile={"vmSize": H100},
                 networkProfile={"networkInterfaces": [{"id": ref("nic")}]},
                 osProfile={"adminUsername": "azureuser", "customData": "I2Nsb3VkLWNvbmZpZwo=",
                            "linuxConfiguration": {"disablePasswordAuthentication": True, "ssh": keys}},
                 storageProfile={"imageReference": image, "osDisk": {
                     "createOption": "FromImage", "managedDisk": {"storageAccountType": "StandardSSD_LRS"}}}),
    ]  # fmt: skip


def test_a_single_box_that_people_write_has_these_faults_and_no_other():
    assert found(*single_box()) == {"IMG-08", "SEC-04", "NET-01", "IMG-06", "BUD-05", "SEC-09"}


def test_the_findings_stand_at_their_places():
    places = {d.code: (d.path, d.resource) for d in judge(*single_box()).diagnostics}
    assert places["GI3244"] == ("nic.ipConfigurations[0].publicIPAddress", "nic")
    assert places["GI3240"] == ("machine.storageProfile.imageReference.sku", "machine")
    assert places["GI3252"] == ("subnet.defaultOutboundAccess", "subnet")
    assert places["GI3250"] == ("guard.securityRules[0]", "guard")


def test_a_node_with_a_public_address_in_a_spec():
    listed = spec(f"{{name: gpu, instance_type: {T4}, count: 1, public_ip: true}}")
    assert said(listed, "GI2254").severity is Severity.WARNING
