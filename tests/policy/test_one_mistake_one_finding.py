"""A mistake that two rules, or one rule twice, could speak of is said once; what another place says already is no fault."""

from __future__ import annotations

import pytest

from benchmarks.mistakes.ours import of_program

CARDS = ", ".join(f"{{subnetwork: !ref r{n}.id , nicType: GVNIC}}" for n in range(8))
ULTRA = "\n".join(
    [
        "- {type: gcp.compute.Network, name: n0, inputs: {mtu: 8896}}",
        "- {type: gcp.compute.Network, name: n1, inputs: {mtu: 8896}}",
        "- {type: gcp.compute.Network, name: rdma, inputs: {mtu: 8896, networkProfile: projects/p/global/networkProfiles/us-east4-b-vpc-roce}}",
        *(
            f"- {{type: gcp.compute.Subnetwork, name: r{n}, inputs: {{network: !ref rdma.id , region: us-east4, ipCidrRange: 10.{n}.0.0/20}}}}"
            for n in range(8)
        ),
        "- type: gcp.compute.InstanceTemplate\n  name: a3u\n  inputs: {machineType: a3-ultragpu-8g, networkInterfaces: ["
        "{network: !ref n0.id , nicType: GVNIC}, {network: !ref n1.id , nicType: GVNIC}, " + CARDS + "]}",
    ]
)  # fmt: skip
QUEUED = """\
- type: gcp.container.NodePool
  name: pool
  inputs:
    location: us-central1-a
    queuedProvisioning: {enabled: true}
    nodeCount: 1
    autoscaling: {totalMinNodeCount: 0, totalMaxNodeCount: 4}
    management: {autoRepair: false}
    nodeConfig: {machineType: g2-standard-24, flexStart: true, reservationAffinity: {consumeReservationType: NO_RESERVATION}}
"""
NAT = """\
- {type: azure-native.network.PublicIPAddress, name: ip, inputs: {sku: {name: Standard}, publicIPAllocationMethod: Static, zones: ["1"]}}
- {type: azure-native.network.NatGateway, name: nat, inputs: {sku: {name: Standard}, zones: ["2"], publicIpAddresses: [{id: !ref ip.id }]}}
- {type: azure-native.network.Subnet, name: sub, inputs: {addressPrefix: 10.1.0.0/24, defaultOutboundAccess: false, natGateway: {id: !ref nat.id }}}
- {type: azure-native.network.NetworkInterface, name: nic, inputs: {ipConfigurations: [{name: a, subnet: {id: !ref sub.id }}]}}
- {type: azure-native.compute.VirtualMachine, name: vm, inputs: {zones: ["1"], hardwareProfile: {vmSize: Standard_D4s_v5}, networkProfile: {networkInterfaces: [{id: !ref nic.id }]}}}
"""
LABELS = """\
- {{type: gcp.container.Cluster, name: plane, inputs: {{location: us-central1-a}}}}
- type: gcp.container.NodePool
  name: pool
  inputs: {{cluster: !ref plane.name , nodeConfig: {{machineType: g2-standard-24, resourceLabels: {0}}}}}
"""


@pytest.mark.parametrize(("kind", "default"), [("diskType: hyperdisk-balanced, ", False), ("", True)])
def test_only_a_type_that_is_not_written_is_said_to_be_the_default(kind: str, default: bool):
    disk = f"{{boot: true, {kind}sourceImage: projects/p/global/images/i}}"
    text = "- type: gcp.compute.InstanceTemplate\n  name: t\n  inputs: {machineType: MT, disks: [DISK]}\n"
    text = text.replace("DISK", disk).replace("MT", "g2-standard-8")
    (one,) = [d for d in of_program(text) if d.code == "GI3138"]
    assert ("(the default)" in one.message) is default


@pytest.mark.parametrize(
    ("text", "codes", "found"),
    [
        (ULTRA, {"GI3102", "GI3103", "GI3104"}, [("GI3102", "a3u.networkInterfaces[2].nicType")]),
        (QUEUED, {"GI3165", "GI3159"}, [("GI3165", "pool")]),
        (NAT, {"GI3254"}, [("GI3254", "nat.zones")]),
        (NAT.replace('zones: ["1"], hardware', 'zones: ["2"], hardware'), {"GI3254"}, [("GI3254", "nat.publicIpAddresses")]),
        (LABELS.format("{}"), {"GI3117"}, [("GI3117", "plane.resourceLabels")]),
        (LABELS.format("{cost: a}"), {"GI3117"}, []),
        (LABELS.format("!unknown "), {"GI3117"}, []),
    ],
)  # fmt: skip
def test_it_is_said_once(text: str, codes: set[str], found: list[tuple[str, str]]):
    assert [(d.code, d.path) for d in of_program(text) if d.code in codes] == found
