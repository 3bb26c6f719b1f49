"""The graph as rules about Azure read it: types, sizes, links, zones and what is not known."""

from __future__ import annotations

from typing import Any

import pytest

from gpuinfra.policy.azure_firewall import all_rules, closes, port_range
from gpuinfra.policy.azure_graph import LUSTRE, AzureGraph, canonical, size_of, zones_of
from gpuinfra.policy.azure_images import booted
from gpuinfra.policy.azure_moments import moment_of, zone_fault
from gpuinfra.policy.azure_network import all_subnets, range_of
from gpuinfra.policy.azure_scaling import can_be_several, most_nodes
from gpuinfra.policy.examples import graph_of
from gpuinfra.policy.last_inputs import changed, covered
from gpuinfra.policy.resource_graph import UNKNOWN


def graph(text: str) -> AzureGraph:
    return AzureGraph(graph_of(text))


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("azure-native:storagecache:AmlFilesystem", LUSTRE),
        ("azure-native:storagecache/v20240301:AmlFilesystem", LUSTRE),
        ("azure-native_storagecache_v20240301:storagecache:AmlFilesystem", LUSTRE),
        ("azure-native:storagecache:amlFilesystem", LUSTRE),
        ("azure-native:insights:AutoscaleSetting", "azure-native:monitor:AutoscaleSetting"),
        ("azure-native:netapp:Volume", "azure-native:netapp:CapacityPoolVolume"),
        (
            "azure:compute/linuxVirtualMachine:LinuxVirtualMachine",
            "azure:compute/linuxVirtualMachine:LinuxVirtualMachine",
        ),
        ("aws:ec2/vpc:Vpc", "aws:ec2/vpc:Vpc"),
    ],
)
def test_types_lose_their_api_version(token: str, expected: str):
    assert canonical(token) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("STANDARD_NC4AS_T4_V3", "Standard_NC4as_T4_v3"),
        ("Standard_Nothing", "Standard_Nothing"),
        (UNKNOWN, ""),
        ("${x.size}", ""),
        (None, ""),
        (4, ""),
    ],
)
def test_sizes_are_spelt_as_the_tables_spell_them(value: Any, expected: str):
    assert size_of(value) == expected


@pytest.mark.parametrize(
    ("zones", "expected"),
    [
        ('["2", "1"]', ("1", "2")),
        ("[1, 1.0]", ("1",)),
        ("null", ()),
        ("[]", ()),
        ("!unknown ", None),
        ("[!unknown ]", None),
    ],
)
def test_zones(zones: str, expected: tuple[str, ...] | None):
    (r,) = graph(f"- {{type: azure-native.network.NatGateway, name: n, inputs: {{zones: {zones}}}}}").graph
    assert zones_of(r) == expected


NODES = """
- {type: azure-native.network.NetworkSecurityGroup, name: guard, inputs: {networkSecurityGroupName: guard}}
- type: azure-native.network.Subnet
  name: sub
  inputs: {addressPrefix: 10.0.0.0/24, networkSecurityGroup: {id: !ref guard.id }}
- type: azure-native.network.NetworkInterface
  name: nic
  inputs: {ipConfigurations: [{name: ip, subnet: {id: /subscriptions/s/subnets/sub}}]}
  from: {ipConfigurations: [sub]}
- type: azure-native.compute.VirtualMachine
  name: box
  inputs: {hardwareProfile: {vmSize: standard_nc4as_t4_v3}, networkProfile: {networkInterfaces: [{id: !ref nic.id }]}}
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs:
    sku: {name: Standard_ND96isr_H100_v5, capacity: 4.0}
    virtualMachineProfile:
      networkProfile:
        networkInterfaceConfigurations:
        - {name: nic, ipConfigurations: [{name: ip, subnet: {id: !ref sub.id }}]}
"""


def test_a_machine_and_a_set_are_read_alike():
    azure = graph(NODES)
    nodes, box = azure.nodes
    assert (nodes.is_set, box.is_set) == (True, False)
    assert (nodes.count, box.count) == (4, 1)
    assert (nodes.infiniband, box.infiniband) == (True, False)
    assert box.size == "Standard_NC4as_T4_v3"
    for each in (nodes, box):
        assert [s.name for s in azure.subnets(each).resources] == ["sub"]
        assert [g.name for g in azure.security_groups(each).resources] == ["guard"]
    assert nodes.at("osProfile") == "nodes.virtualMachineProfile.osProfile"
    assert box.at("osProfile") == "box.osProfile"


def test_what_cannot_be_followed_is_unknown_and_never_absent():
    azure = graph("""
- type: azure-native.compute.VirtualMachine
  name: box
  inputs: {networkProfile: {networkInterfaces: [{id: !unknown }]}}
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs: {orchestrationMode: !unknown , virtualMachineProfile: {priority: !unknown , storageProfile: !unknown }}
""")
    nodes, box = azure.nodes
    assert azure.interfaces(box).unknown
    assert azure.subnets(box).unknown
    assert (nodes.flexible, nodes.spot, nodes.ephemeral) == (None, None, None)
    image = booted(nodes)
    assert image is not None
    assert image.unknown


def test_inline_pools_and_pools_of_their_own():
    azure = graph("""
- {type: azure-native.containerservice.AgentPool, name: a, inputs: {vmSize: Standard_NC4as_T4_v3}}
- type: azure-native.containerservice.ManagedCluster
  name: plane
  inputs: {agentPoolProfiles: [{name: x, vmSize: Standard_D4s_v3}, {name: y, vmSize: Standard_ND96isr_H100_v5}]}
""")
    assert [(p.at("count"), p.has_gpu) for p in azure.pools] == [
        ("a.count", True),
        ("plane.agentPoolProfiles[0].count", False),
        ("plane.agentPoolProfiles[1].count", True),
    ]


SCALED = """
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs: {{vmScaleSetName: acme, sku: {{name: Standard_NC4as_T4_v3, capacity: {0}}}}}
- type: azure-native.monitor.AutoscaleSetting
  name: scaler
  inputs: {{targetResourceUri: {1}, profiles: [{{name: p, capacity: {{minimum: "0", default: "2", maximum: {2}}}}}]}}
"""
ID = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachineScaleSets/acme"


@pytest.mark.parametrize(
    ("capacity", "target", "maximum", "most"),
    [
        ("4", "!ref nodes.id ", '"9"', 9),
        ("4", ID, '"9"', 9),
        ("4", ID.replace("acme", "other"), '"9"', 4),
        ('"4"', "!ref nodes.id ", '"2"', 4),
        ("!unknown ", "!ref nodes.id ", '"9"', None),
        ("4", "!ref nodes.id ", "!unknown ", None),
    ],
)
def test_the_most_nodes_of_a_set(capacity: str, target: str, maximum: str, most: float | None):
    azure = graph(SCALED.format(capacity, target, maximum))
    assert most_nodes(azure, azure.sets[0]) == most


@pytest.mark.parametrize(
    ("value", "expected"),
    [("22", (22, 22)), (22, (22, 22)), ("1019-1023", (1019, 1023)), ("*", (0, 65535)), ("a", None), ("9-1", None),
     ("70000", None), (True, None), (None, None)],
)  # fmt: skip
def test_port_ranges(value: Any, expected: tuple[int, int] | None):
    assert port_range(value) == expected


def test_the_first_rule_that_speaks_decides():
    azure = graph("""
- type: azure-native.network.NetworkSecurityGroup
  name: guard
  inputs:
    networkSecurityGroupName: guard
    securityRules:
    - {direction: Inbound, access: Deny, priority: 300, protocol: "*", sourceAddressPrefix: "*", destinationAddressPrefix: "*", destinationPortRange: "*"}
- type: azure-native.network.SecurityRule
  name: open
  inputs: {networkSecurityGroupName: guard, direction: Inbound, access: Allow, priority: 200, protocol: Tcp, destinationPortRange: "988"}
""")
    rules = all_rules(azure)
    assert {r.group for r in rules} == {r.urn for r in azure.graph if r.name == "guard"}
    assert closes(rules, True, 988, 988) is None
    assert closes(rules, True, 2049, 2049) is not None
    assert closes(rules, False, 2049, 2049) is None


def test_subnets_in_either_form():
    azure = graph("""
- {type: azure-native.network.Subnet, name: sub, inputs: {subnetName: own, addressPrefixes: [10.0.0.0/24, bad]}}
- type: azure-native.network.VirtualNetwork
  name: net
  inputs: {subnets: [{name: inner, addressPrefix: 10.0.1.0/24, delegations: [{serviceName: Microsoft.NetApp/volumes}]}]}
""")
    own, inner = all_subnets(azure)
    assert (own.name, [str(r) for r in own.ranges], own.at("x")) == ("own", ["10.0.0.0/24"], "sub.x")
    assert (inner.name, inner.delegations, inner.at("x")) == ("inner", ["microsoft.netapp/volumes"], "net.subnets[0].x")
    assert range_of(UNKNOWN) is None


def test_a_change_is_one_of_meaning():
    (was,) = graph(
        "- {type: azure-native.network.NatGateway, name: n, inputs: {zones: [1], sku: {name: a}, x: 4.0}}"
    ).graph
    (now,) = graph(
        "- {type: azure-native.network.NatGateway, name: n, inputs: {zones: ['1'], sku: {name: b}, x: !unknown }}"
    ).graph
    assert changed(was, now, ("zones", "sku.name", "x")) == ["sku.name"]


@pytest.mark.parametrize(
    ("written", "expected"),
    [("sku", True), ("sku.name", True), ("*", True), ("sku.capacity", False), ("sk", False), ("sku.name.x", False)],
)
def test_a_path_of_an_option_covers_what_lies_below(written: str, expected: bool):
    (r,) = graph(
        f"- {{type: azure-native.network.NatGateway, name: n, inputs: {{}}, options: {{ignoreChanges: ['{written}']}}}}"
    ).graph
    assert covered(r, "ignoreChanges", "sku.name") is expected


@pytest.mark.parametrize("value", ["x", "", None, UNKNOWN, "${a.b}", "2026-99-01", 5])
def test_what_is_no_moment(value: Any):
    assert moment_of(value) is None


@pytest.mark.parametrize(
    ("zone", "hint"),
    [
        ("W. Europe Standard Time", ""),
        ("UTC", ""),
        (UNKNOWN, ""),
        ("Asia/Tokyo", "Tokyo Standard Time"),
        ("Mars", "UTC"),
    ],
)
def test_time_zones(zone: Any, hint: str):
    fault, said = zone_fault(zone)
    assert bool(fault) is bool(hint)
    assert hint in said


@pytest.mark.parametrize(
    ("capacity", "options", "several"),
    [("4", "{}", True), ("1", "{}", False), ("0", "{}", True), ("0", "{ignoreChanges: [sku.capacity]}", True),
     ("1", "{ignoreChanges: [sku.capacity]}", None), ("!unknown ", "{}", None)],
)  # fmt: skip
def test_a_set_without_nodes_is_there_to_be_filled(capacity: str, options: str, several: bool | None):
    text = f"- {{type: azure-native.compute.VirtualMachineScaleSet, name: s, inputs: {{sku: {{capacity: {capacity}}}}}, options: {options}}}\n"
    azure = graph(text)
    assert can_be_several(azure, azure.sets[0]) is several
