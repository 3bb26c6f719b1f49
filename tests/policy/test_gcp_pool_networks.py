"""The additional networks of a GKE pool are judged as the interfaces of a machine are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from benchmarks.mistakes.ours import NOW, of_program
from gpuinfra.diagnostics import Severity
from gpuinfra.policy.engine import check_graph
from gpuinfra.policy.examples import graph_of
from gpuinfra.policy.resource_graph import UNKNOWN

CORRECT = Path(__file__).parent / "correct"
MORE = "networkConfig.additionalNodeNetworkConfigs"


def faults(name: str, old: str, new: str) -> list[tuple[str, str]]:
    case = yaml.safe_load((CORRECT / f"gcp-program-gke-{name}.yaml").read_text(encoding="utf-8"))
    text = case["resources"]
    assert old in text
    found = of_program(text.replace(old, new, 1))
    return [(d.code, d.path) for d in found if d.severity is not Severity.INFO and d.code not in case["warnings"]]


@pytest.mark.parametrize(
    ("name", "old", "new", "code", "path"),
    [
        ("a3mega", "name: gpu3, inputs: {autoCreateSubnetworks: false, mtu: 8244}",
         "name: gpu3, inputs: {autoCreateSubnetworks: false, mtu: 1460}", "GI3110", "gpu3.mtu"),
        ("a3mega", "name: gpu3, inputs: {autoCreateSubnetworks: false, mtu: 8244}",
         "name: gpu3, inputs: {autoCreateSubnetworks: false, mtu: 8896}", "GI3110", f"mega.{MORE}"),
        ("a3mega", "network: !ref gpu1.name , subnetwork: !ref gpu1-sub.name",
         "network: !ref gpu0.name , subnetwork: !ref gpu0-sub.name", "GI3103", f"mega.{MORE}[1]"),
        ("a3mega", "name: gpu0-sub, inputs: {network: !ref gpu0.id , region: us-central1, ipCidrRange: 10.100.0.0/20",
         "name: gpu0-sub, inputs: {network: !ref gpu0.id , region: us-central1, ipCidrRange: 10.107.8.0/21", "GI3111",
         "gpu7-sub.ipCidrRange"),
        ("a3mega", "10.104.0.0/20, priv", "192.169.0.0/20, priv", "GI3111", "gpu4-sub.ipCidrRange"),
        ("a3mega", "allows: [{protocol: tcp}, {protocol: udp}, {protocol: icmp}]}}\n- {type: gcp.compute.Network, name: gpu6",
         "allows: [{protocol: icmp}]}}\n- {type: gcp.compute.Network, name: gpu6", "GI3114", "gpu5"),
        ("a4-rdma", "us-central1-b-vpc-roce", "us-central1-f-vpc-roce", "GI3105", "rdma.networkProfile"),
        ("a4-rdma", ", networkProfile: projects/acme-lab/global/networkProfiles/us-central1-b-vpc-roce", "", "GI3104", f"b200.{MORE}"),
        ("a4-rdma", "us-central1-b-vpc-roce", "us-central1-b-vpc-falcon", "GI3104", f"b200.{MORE}"),
        ("a4-rdma", "network: !ref host0.name , subnetwork: !ref host0-sub.name",
         "network: !ref rdma.name , subnetwork: !ref rdma-7.name", "GI3104", f"b200.{MORE}"),
        ("a4-rdma", "subnetwork: !ref rdma-6.name", "subnetwork: !ref rdma-5.name", "GI3107", f"b200.{MORE}[7].subnetwork"),
    ],
)  # fmt: skip
def test_a_fault_of_a_pools_networks_is_found_once(name: str, old: str, new: str, code: str, path: str):
    found = faults(name, old, new)
    assert found[0] == (code, path)
    assert {p.partition(".")[0] for _, p in found} == {path.partition(".")[0]}


def test_the_order_of_a_pools_networks_is_free():
    first = "- {network: !ref host0.name , subnetwork: !ref host0-sub.name }\n"
    last = "- {network: !ref rdma.name , subnetwork: !ref rdma-7.name }\n"
    case = yaml.safe_load((CORRECT / "gcp-program-gke-a4-rdma.yaml").read_text(encoding="utf-8"))
    text = case["resources"]
    turned = text.replace(first, "HERE").replace(last, last + "      " + first).replace("      HERE", "")
    assert turned != text
    assert not [d for d in of_program(turned) if d.is_error]


def test_a_file_system_in_the_clusters_network_is_within_reach_where_a_machine_stands_elsewhere():
    text = """\
- {type: gcp.compute.Network, name: net, inputs: {}}
- {type: gcp.compute.Network, name: other, inputs: {}}
- {type: gcp.container.Cluster, name: plane, inputs: {location: us-central1, network: NET}}
- {type: gcp.container.NodePool, name: pool, inputs: {cluster: !ref plane.name , nodeConfig: {machineType: e2-standard-4}}}
- {type: gcp.compute.Instance, name: box, inputs: {machineType: e2-standard-4, networkInterfaces: [{network: !ref other.id }]}}
- {type: gcp.filestore.Instance, name: home, inputs: {location: us-central1-a, tier: ZONAL, networks: [{network: !ref net.name }]}}
"""
    for place, expected in (("!ref net.id ", []), ("!ref other.id ", ["home.networks"])):
        found = [d.path for d in of_program(text.replace("NET", place)) if d.code == "GI3170"]
        assert found == expected


def test_networks_that_preview_cannot_tell_apart_and_none_of_which_is_for_rdma():
    text = yaml.safe_load((CORRECT / "gcp-program-gke-a4-rdma.yaml").read_text(encoding="utf-8"))["resources"]
    for old, new, found in (("", "", []), ("us-central1-b-vpc-roce", "us-central1-b-vpc-falcon", ["GI3104"])):
        graph = graph_of(text.replace(old, new) if old else text)
        resources = tuple(replace(r, inputs=_unknown(r.inputs)) if r.name == "b200" else r for r in graph.resources)
        report = check_graph(replace(graph, resources=resources), now=NOW)
        assert [d.code for d in report.diagnostics if d.is_error] == found


def _unknown(inputs: Mapping[str, Any]) -> dict[str, Any]:
    more = [{"network": UNKNOWN, "subnetwork": UNKNOWN} for _ in range(9)]
    return {**inputs, "networkConfig": {"enablePrivateNodes": True, "additionalNodeNetworkConfigs": more}}
