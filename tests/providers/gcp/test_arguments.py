"""What a component is given wrongly is an error at once, and never an empty component or a fault of Python's."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pulumi
import pytest

from gpuinfra.diagnostics import GpuInfraError
from gpuinfra.gcp import ClusterNetwork, ExistingNetwork, NodeIdentity, NodePool, SharedStorage, Spend
from gpuinfra.testing import record

from .clusters import FLEX, RESERVED, cluster, of_type, pool, recorded, spec_of
from .parts import MONEY

STORAGE = [
    {"name": "home", "kind": "nfs", "size_gib": 1024, "mount": "/shared"},
    {"name": "out", "kind": "bucket", "mount": "/out"},
]
SPEC = spec_of(node_pools=[pool(), pool(name="other")], storage=STORAGE, budget=MONEY)
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
        (lambda: SharedStorage("a", SPEC, storage="hme"), "storage: no storage is named 'hme'; .*: home, out did you"),
        (lambda: NodeIdentity("a", SPEC, buckets={"home": "b"}), "no bucket storage is named 'home'; .*: out"),
        (
            lambda: NodePool("a", SPEC, pool="gpu", spend=Spend("a", SPEC, pools=["other"])),
            "spend: it does not cover pool 'gpu', whose group is a-gpu; its groups: a-other",
        ),
        (
            lambda: NodePool("a", SPEC, pool="gpu", identity=NodeIdentity("a", SPEC, pools=["other"])),
            "identity: it does not cover pool 'gpu', whose group is a-gpu; its groups: a",
        ),
    ],
)
def test_a_name_that_the_spec_lacks_is_refused_with_its_neighbours(make: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        record(make)


def test_a_network_of_other_machines_is_refused_by_the_interface_that_it_lacks() -> None:
    other = of_type("a3-highgpu-8g", capacity={"type": "spot"})
    with pytest.raises(ValueError, match="network: it has no subnet for interface gpu0; its own: host"):
        record(lambda: NodePool("a", spec_of(**other), network=ClusterNetwork("net", SPEC)))


def test_without_the_idle_timer_any_identity_will_do() -> None:
    plain = spec_of(node_pools=[pool(), pool(name="other")], shutdown={"lease": "72h"})
    record(lambda: NodePool("a", plain, pool="gpu", identity=NodeIdentity("b", plain)))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: NodePool("a", SPEC, pool="gpu", identity=bad("role")),
            "identity is a str; give a gpuinfra.gcp.NodeIdentity",
        ),
        (
            lambda: NodePool("a", SPEC, pool="gpu", storage=bad("fs-1")),
            "storage is a str; give a gpuinfra.gcp.SharedStorage",
        ),
        (lambda: NodePool("a", SPEC, pool="gpu", spend=bad(0)), "spend is an int; give a gpuinfra.gcp.Spend"),
        (lambda: NodePool("a", SPEC, pool="gpu", boot=bad(True)), "boot is a bool"),
        (lambda: NodePool("a", SPEC, pool=bad(LATE)), "pool is an Output; give the name of a pool as text$"),
        (lambda: NodeIdentity("a", SPEC, pools=bad("gpu")), "pools is a str; give a list of names of pools"),
        (lambda: NodeIdentity("a", SPEC, buckets=bad(["out"])), "buckets is a list; give a mapping"),
        (lambda: NodePool("a", SPEC, pool="gpu", network=bad("prod")), "network is a str; .*ExistingNetwork"),
        (lambda: ClusterNetwork("a", SPEC, existing=bad({})), "existing is a dict; .*ExistingNetwork"),
        (lambda: ExistingNetwork("prod", "prod", firewall_rules=bad("no")), "firewall_rules is a str"),
        (lambda: ExistingNetwork(bad(None), "prod"), "network_id is None; give the name or path"),
        (lambda: ExistingNetwork("prod", bad(5)), "subnet_id is an int"),
    ],
)
def test_an_argument_of_another_type_is_refused_by_its_name(make: Callable[[], object], said: str) -> None:
    with pytest.raises(TypeError, match=said):
        record(make)


def test_ids_of_another_cloud_are_findings() -> None:
    with pytest.raises(GpuInfraError) as error:
        ExistingNetwork("vpc_0a1b", "/subscriptions/x/subnets/y")
    assert {(d.code, d.path) for d in error.value.diagnostics} == {("GI2055", "network_id"), ("GI2055", "subnet_id")}
    ExistingNetwork(LATE, LATE)


def test_an_id_that_the_spec_waives_is_taken() -> None:
    spec = spec_of(
        network={"existing": {"network": "Net_1", "subnet": "prod"}},
        waivers=[
            {"code": "GI2055", "path": "network.existing.network", "reason": "a new form", "expires": "2099-12-31"}
        ],
    )
    graph = record(lambda: ClusterNetwork("a", spec))
    assert graph.named("a-ssh-iap").get("network") == "projects/acme-lab/global/networks/Net_1"


@pytest.mark.parametrize(
    "spec",
    [
        cluster(storage=STORAGE, budget={**MONEY, "on_limit": "stop"}),
        of_type("a4-highgpu-8g", capacity=FLEX),
        of_type("a4x-maxgpu-4g-metal", capacity=RESERVED),
        of_type("a3-megagpu-8g", capacity={"type": "spot"}, public_ip=True),
    ],
)
def test_the_sdk_takes_every_argument_and_none_is_retired(spec: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        # Importing the SDK's modules declares its retired classes, each of which warns; none of them is ours.
        warnings.filterwarnings("ignore", category=DeprecationWarning, module="pulumi_gcp")
        graph = recorded(spec)
    for resource in graph:
        if resource.custom and resource.known_properties:
            assert set(resource.inputs) <= set(resource.known_properties), resource.name
        assert "None" not in [str(v) for v in resource.inputs.values()], resource.name
