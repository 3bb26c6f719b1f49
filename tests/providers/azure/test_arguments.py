"""What network, identity and pool are given wrongly is an error at once, and never a fault of Python's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pulumi
import pytest

from gpuinfra.azure import ClusterNetwork, ExistingNetwork, NodeIdentity, NodePool, ResourceGroup, SharedStorage, Spend
from gpuinfra.plan import resolve
from gpuinfra.spec.load import parse
from gpuinfra.spec.models import ClusterSpec
from gpuinfra.testing import record

from .clusters import AUTOSCALE, BUDGET, NOW, SCALE_SET, VNET, cluster, pool


def spec_of(**changes: Any) -> ClusterSpec:
    loaded = parse(cluster(**changes))
    assert loaded.spec, loaded.diagnostics
    return loaded.spec


STORAGE = [
    {"name": "home", "kind": "nfs", "size_gib": 1024, "mount": "/shared"},
    {"name": "out", "kind": "bucket", "mount": "/out"},
]
SPEC = spec_of(node_pools=[pool(), pool(name="other")], storage=STORAGE, budget=BUDGET)
LATE = pulumi.Output.from_input("gpu")


def bad(value: object) -> Any:
    """A value that the types forbid."""
    return value


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: NodeIdentity("a", SPEC, pools=["gpu", "nope"]),
            "no pool is named 'nope'; the spec's pools: gpu, other",
        ),
        (
            lambda: NodeIdentity("a", SPEC, buckets={"home": "/subscriptions/s"}),
            "no bucket storage is named 'home'; .*: out",
        ),
        (lambda: NodePool("a", SPEC), "pool: the spec has several pools and none was chosen; .*: gpu, other"),
        (
            lambda: NodePool("a", SPEC, pool="gpu", spend=Spend("a", SPEC, pools=["other"])),
            "spend: it does not cover pool 'gpu', whose group is a-gpu; its groups: a-other",
        ),
    ],
)
def test_a_name_that_the_spec_lacks_is_refused_with_its_neighbours(make: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        record(make)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: NodePool("a", SPEC, pool="gpu", group=bad("rg")),
            "group is a str; give a gpuinfra.azure.ResourceGroup",
        ),
        (
            lambda: NodePool("a", SPEC, pool="gpu", identity=bad("id")),
            "identity is a str; give a gpuinfra.azure.NodeIdentity",
        ),
        (lambda: NodePool("a", SPEC, pool="gpu", storage=bad(5)), "storage is an int; .*gpuinfra.azure.SharedStorage"),
        (lambda: NodePool("a", SPEC, pool="gpu", spend=bad(0)), "spend is an int; give a gpuinfra.azure.Spend"),
        (lambda: NodePool("a", SPEC, pool="gpu", boot=bad(True)), "boot is a bool"),
        (lambda: NodePool("a", SPEC, pool=bad(LATE)), "pool is an Output; give the name of a pool as text$"),
        (lambda: NodeIdentity("a", SPEC, pools=bad("gpu")), "pools is a str; give a list of names of pools"),
        (lambda: NodeIdentity("a", SPEC, buckets=bad(["out"])), "buckets is a list; give a mapping"),
        (lambda: NodeIdentity("a", SPEC, group=bad(LATE)), "group is an Output"),
        (
            lambda: ClusterNetwork("a", SPEC, existing=bad({"network_id": VNET})),
            "existing is a dict; .*ExistingNetwork",
        ),
        (lambda: ClusterNetwork("a", SPEC, group=bad({})), "group is a dict"),
        (lambda: SharedStorage("a", SPEC, storage="out", network=bad(VNET)), "network is a str; .*ExistingNetwork"),
        (
            lambda: ExistingNetwork(VNET, f"{VNET}/subnets/n", storage_subnet_ids=bad([VNET])),
            "storage_subnet_ids is a list; give a mapping",
        ),
        (lambda: ExistingNetwork(bad(None), f"{VNET}/subnets/n"), "network_id is None; give the id as text"),
    ],
)
def test_an_argument_of_another_type_is_refused_by_its_name(make: Callable[[], object], said: str) -> None:
    with pytest.raises(TypeError, match=said):
        record(make)


def test_a_pool_alone_makes_what_it_needs_for_itself() -> None:
    graph = record(lambda: NodePool("a", spec_of()))
    assert [s.get("vmScaleSetName") for s in graph.of_type(SCALE_SET)] == ["a-gpu"]
    assert len(graph.of_type("azure-native:resources:ResourceGroup")) == 1
    assert len(graph.of_type("azure-native:network:VirtualNetwork")) == 1
    assert {r.name for r in graph.of_type(AUTOSCALE)} == {"a-gpu-pool-end"}


def test_pools_of_one_plan_share_what_they_are_given() -> None:
    def program() -> None:
        plan = resolve(spec_of(node_pools=[pool(), pool(name="other")]), NOW, name="a").plan
        assert plan
        group = ResourceGroup("group", plan)
        place = ClusterNetwork("net", plan, group=group)
        who = NodeIdentity("who", plan, group=group)
        spend = Spend("money", plan, group=group)
        for name in ("gpu", "other"):
            NodePool(f"b-{name}", plan, pool=name, group=group, network=place, identity=who, spend=spend)

    graph = record(program)
    assert {s.get("vmScaleSetName") for s in graph.of_type(SCALE_SET)} == {"a-gpu", "a-other"}
    assert len(graph.of_type("azure-native:network:VirtualNetwork")) == 1
    assert {r.name for r in graph.of_type(AUTOSCALE)} == {"a-gpu-pool-end", "a-other-pool-end"}


def test_every_input_is_one_that_the_sdk_knows_and_none_is_retired(recwarn: pytest.WarningsRecorder) -> None:
    graph = record(lambda: NodePool("a", SPEC, pool="gpu"))
    for resource in graph:
        if resource.custom and resource.type.startswith("azure-native:"):
            assert resource.known_properties, f"{resource.name}: no class says what it takes"
            assert set(resource.inputs) <= set(resource.known_properties), resource.name
    assert [
        str(w.message) for w in recwarn if "azure" in str(w.filename) and "deprecat" in str(w.message).lower()
    ] == []
