"""A whole cluster: what it offers to others, and its parts beside those of the other rooms."""

from __future__ import annotations

import inspect
from typing import Any

import pulumi
import pytest

import gpuinfra.aws
import gpuinfra.gcp
from gpuinfra.cluster import GpuCluster
from gpuinfra.policy.engine import check_graph
from gpuinfra.testing import record

from .clusters import FLEX, LUSTRE, NOW, RESERVED, cluster, of_type, pool
from .parts import MONEY


def outputs(spec: dict[str, Any], *, preview: bool = False) -> dict[str, Any]:
    def program() -> None:
        made = GpuCluster("train", spec, now=NOW)
        pulumi.export("network", made.network_id)
        pulumi.export("subnet", made.subnet_id)
        pulumi.export("groups", made.node_groups)
        pulumi.export("mounts", made.mounts)
        pulumi.export("lease", made.lease_end)
        pulumi.export("connect", made.connect)

    return dict(record(program, preview=preview).outputs)


def test_what_a_cluster_offers() -> None:
    found = outputs(cluster(storage=[LUSTRE]))
    assert found["groups"] == {"gpu": "train-gpu"}
    assert set(found["mounts"]["scratch"]) == {"address", "path"}
    assert found["lease"]
    assert str(found["network"]) != "None"


def test_a_shell_is_opened_on_one_running_node_through_the_proxy() -> None:
    command = outputs(cluster())["connect"]["gpu"]
    where = "--project acme-lab --zone us-central1-a"
    assert command.startswith(f"gcloud compute ssh --tunnel-through-iap {where} ")
    assert f"list-instances train-gpu {where} --filter=instanceStatus=RUNNING --limit=1" in command


def test_preview_offers_the_names_that_are_decided() -> None:
    assert outputs(cluster(), preview=True)["groups"] == {"gpu": "train-gpu"}


@pytest.mark.parametrize("name", gpuinfra.aws.__all__)
def test_each_part_takes_what_its_twin_takes(name: str) -> None:
    ours, theirs = (getattr(room, name) for room in (gpuinfra.gcp, gpuinfra.aws))
    if name == "ExistingNetwork":
        return
    wanted = {k: (p.kind, p.default) for k, p in inspect.signature(theirs.__init__).parameters.items()}
    found = {k: (p.kind, p.default) for k, p in inspect.signature(ours.__init__).parameters.items()}
    assert wanted.items() <= found.items()


@pytest.mark.parametrize("preview", [True, False])
@pytest.mark.parametrize(
    "spec",
    [
        cluster(storage=[LUSTRE], budget={**MONEY, "on_limit": "stop"}),
        of_type("a4-highgpu-8g", capacity=FLEX),
        of_type("a3-megagpu-8g", capacity={"type": "spot"}),
        of_type("a4x-highgpu-4g", capacity=RESERVED),
        cluster(node_pools=[pool(instance_type="c3-standard-8", count=1)], shutdown={"lease": "8h"}),
    ],
)
def test_our_own_rules_judge_our_own_room(spec: dict[str, Any], preview: bool) -> None:
    kept: list[GpuCluster] = []
    graph = record(lambda: kept.append(GpuCluster("train", spec, now=NOW)), preview=preview)
    assert [str(d) for d in check_graph(graph, kept[0].plan).diagnostics] == []
