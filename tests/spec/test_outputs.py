"""A Pulumi Output anywhere in a spec is refused at its own path, and never asked for a truth value."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pulumi
import pytest
from pydantic import ValidationError

from gpuinfra.spec.load import parse
from gpuinfra.spec.models import AwsLocation, ClusterSpec, ExistingNetwork, Network, NodePool
from tests.spec.specs import LEAST

ELSEWHERE = "give it to GpuCluster(..., network=ExistingNetwork(...)), which takes Outputs"
PLAIN = "give the value itself"


class Late(pulumi.Output[Any]):
    """An Output that fails the test when anyone asks it something."""

    def __init__(self) -> None:
        pass

    def __bool__(self) -> bool:
        raise AssertionError("an Output was asked for its truth")

    def __str__(self) -> str:
        raise AssertionError("an Output was written as text")

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"an Output was asked for {name}")


LATE = Late()


def pool(**keys: Any) -> dict[str, Any]:
    return {"node_pools": [{"name": "gpu", **keys}]}


CASES: list[tuple[dict[str, Any], str, str]] = [
    ({"name": LATE}, "name", PLAIN),
    ({"api_version": LATE}, "api_version", PLAIN),
    ({"workload": LATE}, "workload", PLAIN),
    ({"location": LATE}, "location", PLAIN),
    ({"location": {"provider": LATE, "region": "x"}}, "location.provider", PLAIN),
    ({"location": {"provider": "aws", "region": LATE}}, "location.region", PLAIN),
    (
        {"location": {"provider": "aws", "region": "x", "deployer_roles": ["a", LATE]}},
        "location.deployer_roles[1]",
        PLAIN,
    ),
    ({"network": LATE}, "network", ELSEWHERE),
    ({"network": {"existing": LATE}}, "network.existing", ELSEWHERE),
    ({"network": {"existing": {"network": LATE, "subnet": "s"}}}, "network.existing.network", ELSEWHERE),
    ({"network": {"existing": {"network": "n", "subnet": LATE}}}, "network.existing.subnet", ELSEWHERE),
    ({"network": {"ssh_from": ["10.0.0.0/8", LATE]}}, "network.ssh_from[1]", PLAIN),
    ({"network": {"ssh_keys": [LATE]}}, "network.ssh_keys[0]", PLAIN),
    ({"network": {"public_nodes": LATE}}, "network.public_nodes", PLAIN),
    ({"node_pools": LATE}, "node_pools", PLAIN),
    ({"node_pools": [LATE]}, "node_pools[0]", PLAIN),
    (pool(instance_type=LATE), "node_pools[0].instance_type", PLAIN),
    (pool(count=LATE), "node_pools[0].count", PLAIN),
    (pool(count={"max": LATE}), "node_pools[0].count.max", PLAIN),
    (pool(mig=LATE), "node_pools[0].mig", PLAIN),
    (pool(mig=[LATE]), "node_pools[0].mig[0]", PLAIN),
    (pool(accelerator=LATE), "node_pools[0].accelerator", PLAIN),
    (pool(accelerator={"model": "L4", "memory_gib": LATE}), "node_pools[0].accelerator.memory_gib", PLAIN),
    (pool(capacity={"type": LATE}), "node_pools[0].capacity.type", PLAIN),
    (pool(capacity={"starts": LATE}), "node_pools[0].capacity.starts", PLAIN),
    (pool(capacity={"duration": LATE}), "node_pools[0].capacity.duration", PLAIN),
    ({"storage": [{"name": "x", "kind": "nfs", "mount": "/x", "size_gib": LATE}]}, "storage[0].size_gib", PLAIN),
    ({"job": {"command": ["python", LATE]}}, "job.command[1]", PLAIN),
    ({"job": {"checkpoint": LATE}}, "job.checkpoint", PLAIN),
    ({"budget": {"per_month_usd": LATE}}, "budget.per_month_usd", PLAIN),
    ({"budget": {"per_month_usd": 1, "alerts_percent": [50, LATE]}}, "budget.alerts_percent[1]", PLAIN),
    ({"budget": {"per_month_usd": 1, "start": LATE}}, "budget.start", PLAIN),
    ({"shutdown": {"lease": LATE}}, "shutdown.lease", PLAIN),
    ({"labels": LATE}, "labels", PLAIN),
    ({"labels": {"team": LATE}}, "labels.team", PLAIN),
    ({"waivers": [LATE]}, "waivers[0]", PLAIN),
]


@pytest.mark.parametrize(("keys", "path", "hint"), CASES, ids=[c[1] for c in CASES])
def test_the_path_of_the_output_is_named(keys: dict[str, Any], path: str, hint: str):
    loaded = parse({**LEAST, **keys})
    assert [(d.code, d.path) for d in loaded.diagnostics] == [("GI1042", path)]
    assert "Pulumi Output" in loaded.diagnostics[0].message
    assert hint.casefold() in loaded.diagnostics[0].hint.casefold()


@pytest.mark.parametrize(
    ("build", "loc", "hint"),
    [
        (lambda: ClusterSpec(**{**LEAST, "name": LATE}), ("name",), PLAIN),
        (lambda: ExistingNetwork(network=LATE, subnet="s"), ("network",), ELSEWHERE),  # type: ignore[arg-type]
        (lambda: Network(existing=LATE), ("existing",), ELSEWHERE),  # type: ignore[arg-type]
        (lambda: NodePool(name="gpu", mig=(LATE,)), ("mig", "layout", 0), PLAIN),  # type: ignore[arg-type]
        (
            lambda: ClusterSpec(name="x", location=AwsLocation(region="r"), node_pools=(NodePool(name="a"), LATE)),  # type: ignore[arg-type]
            ("node_pools", 1),
            PLAIN,
        ),
    ],
)
def test_building_in_python_names_it_too(build: Callable[[], object], loc: tuple[str | int, ...], hint: str):
    with pytest.raises(ValidationError) as error:
        build()
    first = error.value.errors(include_input=False, include_url=False)[0]
    assert first["loc"] == loc
    assert first["type"] == "pulumi_output"
    assert hint in first["msg"]


def test_a_real_output_is_refused_too():
    async def read() -> list[tuple[str, str]]:
        late = pulumi.Output.from_input("subnet-1")
        loaded = parse({**LEAST, "network": {"existing": {"network": "vpc-1", "subnet": late}}})
        await late.future()
        return [(d.code, d.path) for d in loaded.diagnostics]

    # An Output wants a running event loop; a thread of its own leaves that of the other tests alone.
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(asyncio.run, read()).result() == [("GI1042", "network.existing.subnet")]


def test_an_output_under_an_unknown_key_is_an_unknown_key():
    loaded = parse({**LEAST, "subnet_id": LATE})
    assert [(d.code, d.path) for d in loaded.diagnostics] == [("GI1030", "subnet_id")]
