"""Node pools that a GKE cluster writes into itself are judged like those of a resource of their own."""

from __future__ import annotations

import pytest

from gpuinfra.policy import check_graph
from gpuinfra.policy.examples import NOW, graph_of

CLUSTER = "- {{type: gcp.container.Cluster, name: plane, inputs: {{location: us-central1-a, {0}}}}}\n"
SHORT = "{machineType: a2-highgpu-2g, guestAccelerators: [{type: nvidia-tesla-a100, count: 1}]}"
PLAIN = "{machineType: e2-standard-4}"


def said(inputs: str, more: str = "") -> dict[str, list[str]]:
    out: dict[str, list[str]] = {}
    for d in check_graph(graph_of(CLUSTER.format(inputs) + more), now=NOW).diagnostics:
        assert d.resource in ("plane", "pool")
        out.setdefault(d.code, []).append(d.path)
    return out


def test_each_pool_is_judged_where_it_stands():
    found = said(f"nodePools: [{{nodeCount: 1, nodeConfig: {PLAIN}}}, {{nodeCount: 2, nodeConfig: {SHORT}}}]")
    assert found["GI3132"] == ["plane.nodePools[1].nodeConfig.guestAccelerators"]
    assert found["GI3130"] == ["plane.nodePools[1].nodeCount"]
    assert found["GI3112"] == ["plane.nodePools[1].networkConfig.enablePrivateNodes"]
    assert not {"GI3167", "GI3179"} & set(found)


def test_the_pool_that_comes_with_the_cluster():
    found = said(f"initialNodeCount: 3, nodeConfig: {SHORT}")
    assert found["GI3132"] == ["plane.nodeConfig.guestAccelerators"]
    assert found["GI3130"] == ["plane.initialNodeCount"]
    assert found["GI3167"] == ["plane"]


@pytest.mark.parametrize(
    "inputs",
    [
        f"initialNodeCount: 1, removeDefaultNodePool: true, nodeConfig: {SHORT}",
        f"enableAutopilot: true, nodeConfig: {SHORT}",
        f"initialNodeCount: 1, nodeConfig: {PLAIN}",
        "initialNodeCount: 1",
        "nodePools: !unknown ",
        "nodePools: [!unknown ]",
    ],
)
def test_what_is_no_pool_of_gpus(inputs: str):
    assert not {"GI3130", "GI3132", "GI3167", "GI3117"} & set(said(inputs))


@pytest.mark.parametrize(("first", "alone"), [(SHORT, True), (PLAIN, False)])
def test_a_cluster_of_gpu_pools_only(first: str, alone: bool):
    pool = (
        f"- {{type: gcp.container.NodePool, name: pool, inputs: {{cluster: !ref plane.name , nodeConfig: {SHORT}}}}}\n"
    )
    assert ("GI3167" in said(f"nodePools: [{{nodeCount: 1, nodeConfig: {first}}}]", pool)) is alone
