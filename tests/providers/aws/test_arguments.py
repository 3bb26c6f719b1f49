"""What a component is given wrongly is an error at once, and never an empty component or a fault of Python's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pulumi
import pytest

from gpuinfra.aws import ClusterNetwork, ExistingNetwork, NodeIdentity, NodePool, SharedStorage, Spend
from gpuinfra.diagnostics import GpuInfraError
from gpuinfra.plan import resolve
from gpuinfra.spec.load import parse
from gpuinfra.spec.models import ClusterSpec
from gpuinfra.testing import record

from .clusters import BUDGET, NOW, SCHEDULE, cluster, pool


def spec_of(**changes: Any) -> ClusterSpec:
    loaded = parse(cluster(**changes))
    assert loaded.spec, loaded.diagnostics
    return loaded.spec


STORAGE = [
    {"name": "home", "kind": "nfs", "mount": "/shared"},
    {"name": "out", "kind": "bucket", "mount": "/out"},
]
SPEC = spec_of(node_pools=[pool(), pool(name="other")], storage=STORAGE, budget=BUDGET)
LATE = pulumi.Output.from_input("gpu")


def bad(value: object) -> Any:
    """A value that the types forbid."""
    return value


# Names.


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: Spend("a", SPEC, pools=["gpus"]),
            "pools: no pool is named 'gpus'; the spec's pools: gpu, other did you",
        ),
        (
            lambda: NodeIdentity("a", SPEC, pools=["gpu", "nope"]),
            "no pool is named 'nope'; the spec's pools: gpu, other",
        ),
        (lambda: SharedStorage("a", SPEC, storage="hme"), "storage: no storage is named 'hme'; .*: home, out did you"),
        (lambda: SharedStorage("a", spec_of(), storage="home"), "the spec's storages: none"),
        (
            lambda: NodeIdentity("a", SPEC, buckets={"home": "arn:aws:s3:::b"}),
            "no bucket storage is named 'home'; .*: out",
        ),
    ],
)
def test_a_name_that_the_spec_lacks_is_refused_with_its_neighbours(make: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        record(make)


def test_names_that_the_spec_has_are_taken() -> None:
    def program() -> None:
        Spend("a", SPEC, pools=["gpu", "other"])
        NodeIdentity("a", SPEC, pools=("gpu",), buckets={"out": "arn:aws:s3:::b"})
        SharedStorage("a", SPEC, storage="out")

    assert {r.name for r in record(program).of_type(SCHEDULE)} == {"a-gpu-pool-lease", "a-other-pool-lease"}


# A pool and its end.


def test_a_pool_refuses_an_end_that_is_another_pools() -> None:
    def program() -> None:
        NodePool("a", SPEC, pool="gpu", spend=Spend("a", SPEC, pools=["other"]))

    with pytest.raises(
        ValueError, match="spend: it does not cover pool 'gpu', whose group is a-gpu; its groups: a-other"
    ):
        record(program)


def test_a_pool_refuses_an_end_whose_schedules_name_groups_of_another_component() -> None:
    """Its schedule would scale `money-gpu` to zero, which is nobody's group, and `extra-gpu` would bill on."""
    with pytest.raises(ValueError, match=r"group is extra-gpu; its groups: money-gpu, money-other\. .* one plan"):
        record(lambda: NodePool("extra", SPEC, pool="gpu", spend=Spend("money", SPEC)))


def test_one_end_covers_the_pools_of_its_name_and_of_its_plan() -> None:
    def by_name() -> None:
        NodePool("a", SPEC, pool="gpu", spend=Spend("a", SPEC, pools=["gpu"]))

    def by_plan() -> None:
        plan = resolve(spec_of(node_pools=[pool(), pool(name="other")]), NOW, name="a").plan
        assert plan
        place, identity, spend = ClusterNetwork("net", plan), NodeIdentity("who", plan), Spend("money", plan)
        for name in ("gpu", "other"):
            NodePool(f"b-{name}", plan, pool=name, network=place, identity=identity, spend=spend)

    assert {r.name for r in record(by_name).of_type(SCHEDULE)} == {"a-gpu-pool-lease"}
    assert {r.name for r in record(by_plan).of_type(SCHEDULE)} == {"a-gpu-pool-lease", "a-other-pool-lease"}


def test_a_pool_refuses_an_identity_whose_nodes_could_not_leave_their_group() -> None:
    with pytest.raises(ValueError, match="identity: it does not cover pool 'gpu', whose group is a-gpu; its groups: a"):
        record(lambda: NodePool("a", SPEC, pool="gpu", identity=NodeIdentity("a", SPEC, pools=["other"])))
    # Without the idle timer a node never leaves by itself, and no group is named.
    plain = spec_of(node_pools=[pool(), pool(name="other")], budget=BUDGET, shutdown={"lease": "72h"})
    record(lambda: NodePool("a", plain, pool="gpu", identity=NodeIdentity("b", plain)))


# Types.


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: NodePool("a", SPEC, pool="gpu", identity=bad("role")),
            "identity is a str; give a gpuinfra.aws.NodeIdentity",
        ),
        (
            lambda: NodePool("a", SPEC, pool="gpu", storage=bad("fs-1")),
            "storage is a str; give a gpuinfra.aws.SharedStorage",
        ),
        (lambda: NodePool("a", SPEC, pool="gpu", spend=bad(5)), "spend is an int; give a gpuinfra.aws.Spend"),
        (lambda: NodePool("a", SPEC, pool="gpu", spend=bad(0)), "spend is an int"),
        (lambda: NodePool("a", SPEC, pool="gpu", boot=bad(True)), "boot is a bool"),
        (lambda: NodePool("a", SPEC, pool=bad(LATE)), "pool is an Output; give the name of a pool as text$"),
        (lambda: NodePool("a", SPEC, pool=bad(SPEC.node_pools[0])), "pool is a NodePool; .* as text, its .name"),
        (lambda: NodePool("a", SPEC, pool=bad(5)), "pool is an int"),
        (lambda: Spend("a", SPEC, pools=bad("gpu")), "pools is a str; give a list of names of pools"),
        (lambda: Spend("a", SPEC, pools=bad(LATE)), "pools is an Output; give a list of names"),
        (lambda: Spend("a", SPEC, pools=bad([LATE])), "pools is an Output; give the name of a pool"),
        (lambda: NodeIdentity("a", SPEC, pools=bad("gpu")), "pools is a str; give a list of names of pools"),
        (lambda: NodeIdentity("a", SPEC, buckets=bad(["out"])), "buckets is a list; give a mapping"),
        (lambda: NodeIdentity("a", SPEC, buckets=bad(LATE)), "buckets is an Output; give a mapping"),
        (lambda: SharedStorage("a", SPEC, storage=bad(LATE)), "storage is an Output; give the name of a storage"),
        (lambda: SharedStorage("a", SPEC, storage="out", network=bad("vpc-0")), "network is a str; .*ExistingNetwork"),
        (
            lambda: ClusterNetwork("a", SPEC, existing=bad({"vpc_id": "vpc-0aa1bb2c"})),
            "existing is a dict; .*ExistingNetwork",
        ),
        (lambda: ClusterNetwork("a", SPEC, existing=bad({})), "existing is a dict; .*ExistingNetwork"),
    ],
)
def test_an_argument_of_another_type_is_refused_by_its_name(make: Callable[[], object], said: str) -> None:
    with pytest.raises(TypeError, match=said):
        record(make)


# Ids.


def test_ids_that_changed_places_are_findings() -> None:
    with pytest.raises(GpuInfraError) as error:
        ExistingNetwork("subnet-0f1e2d3c4b5a69788", "vpc-0a1b2c3d4e5f60718")
    found = {(d.code, d.path, d.hint) for d in error.value.diagnostics}
    assert found == {("GI2055", path, "the form is vpc-… and subnet-…") for path in ("vpc_id", "subnet_id")}


@pytest.mark.parametrize("ids", [(None, "subnet-0f1e2d3c"), ("vpc-0a1b2c3d", 5), (["vpc-0a1b2c3d"], "subnet-0f1e2d3c")])
def test_an_id_is_text_or_an_output(ids: tuple[Any, Any]) -> None:
    with pytest.raises(TypeError, match=r"_id is .*; give the id as text, or an Output of it"):
        ExistingNetwork(*ids)
    ExistingNetwork(LATE, LATE)


def test_an_id_that_the_spec_waives_is_taken() -> None:
    """The spec's own ids are judged with the spec, where a form that this library does not know may be waived."""
    spec = spec_of(
        network={"existing": {"network": "net-1", "subnet": "subnet-0f1e2d3c"}},
        waivers=[
            {"code": "GI2055", "path": "network.existing.network", "reason": "a new form", "expires": "2099-12-31"}
        ],
    )
    graph = record(lambda: ClusterNetwork("a", spec))
    assert graph.named("a-nodes-sg").get("vpcId") == "net-1"
