"""What the Azure room renders is judged by the Azure rules: nothing of it is an error, for every way that nodes are had."""

from __future__ import annotations

from typing import Any

import pytest

from gpuinfra.plan import resolve
from gpuinfra.policy import check_graph
from gpuinfra.spec.models import ClusterSpec
from tests.providers.azure.clusters import (
    BUDGET,
    KEY,
    NOW,
    RESERVATION,
    SUBSCRIPTION,
    cluster,
    location,
    pool,
    recorded,
)

NEAR = f"{SUBSCRIPTION}/resourceGroups/g/providers/Microsoft.Compute/proximityPlacementGroups/near"
LUSTRE = {"name": "scratch", "kind": "lustre", "size_gib": 16384, "throughput_mbps_per_tib": 125, "mount": "/scratch"}
STORAGE = [LUSTRE, {"name": "home", "kind": "nfs", "size_gib": 2048, "mount": "/shared"},
           {"name": "data", "kind": "bucket", "mount": "/data"}]  # fmt: skip


def of(size: str, /, **changes: Any) -> dict[str, Any]:
    return {"node_pools": [pool(instance_type=size, **changes)]}


SPECS: dict[str, dict[str, Any]] = {
    "infiniband": cluster(),
    "several sets": cluster(node_pools=[pool(), pool(name="other")]),
    "no fabric": cluster(node_pools=[pool(fabric="none")]),
    "spot": cluster(**of("Standard_NC24ads_A100_v4", capacity={"type": "spot"})),
    "reserved": cluster(**of("Standard_NC4as_T4_v3", capacity={"type": "reservation", "id": RESERVATION})),
    "grid": cluster(**of("Standard_NV36ads_A10_v5", count=2), image={"container": "nvcr.io/nvidia/pytorch:25.03-py3"}),
    "rocm": cluster(
        **of("Standard_ND96isr_MI300X_v5"),
        location=location(region="francecentral"),
        image={"container": "vllm/vllm-openai-rocm:v0.19.1"},
    ),
    "volta": cluster(**of("Standard_ND40rs_v2"), image={"container": "nvidia/cuda:12.4.1-base-ubuntu22.04"}),
    "no trusted launch": cluster(**of("Standard_ND96asr_v4")),
    "close together": cluster(**of("Standard_NC24ads_A100_v4", proximity=NEAR)),
    "public": cluster(
        **of("Standard_NC4as_T4_v3", count=2),
        network={"cidr": "10.50.0.0/16", "ssh_keys": [KEY], "public_nodes": True, "ssh_from": ["203.0.113.0/24"]},
    ),
    "everything": cluster(storage=STORAGE, budget={**BUDGET, "on_limit": "stop"}, location=location(bastion=True)),
    "stopped at night": cluster(
        shutdown={"lease": "72h", "stop_at": {"cron": "0 19 * * 1-5", "timezone": "Europe/Berlin"}}, budget=BUDGET
    ),
}


@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("preview", [True, False])
def test_the_room_keeps_the_rules(name: str, preview: bool):
    plan = resolve(ClusterSpec.model_validate(SPECS[name]), NOW, name="train").plan
    graph = recorded(SPECS[name], preview=preview)
    assert [str(d) for d in check_graph(graph, plan).diagnostics] == []
    # A program that is judged without its spec has no plan beside it.
    assert [str(d) for d in check_graph(graph, now=NOW).diagnostics if d.is_error] == []
