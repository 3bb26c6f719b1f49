"""What the parts of money and storage are given wrongly is an error at once, by the argument's name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pulumi
import pytest

from gpuinfra.azure import NodePool, SharedStorage, Spend
from gpuinfra.spec.load import parse
from gpuinfra.testing import record

from .clusters import AUTOSCALE, BUDGET, cluster, pool

LOADED = parse(
    cluster(
        node_pools=[pool(), pool(name="other")],
        storage=[{"name": "out", "kind": "bucket", "mount": "/out"}],
        budget=BUDGET,
    )
)
SPEC: Any = LOADED.spec
LATE = pulumi.Output.from_input("gpu")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Spend("a", SPEC, pools=["gpus"]), "no pool is named 'gpus'; the spec's pools: gpu, other did you"),
        (lambda: SharedStorage("a", SPEC, storage="ou"), "no storage is named 'ou'; the spec's storages: out did you"),
    ],
)
def test_a_name_that_the_spec_lacks_is_refused_with_its_neighbours(make: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        record(make)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Spend("a", SPEC, pools="gpu"), "pools is a str; give a list of names of pools"),
        (lambda: Spend("a", SPEC, pools=LATE), "pools is an Output; give a list of names"),  # pyright: ignore
        (lambda: Spend("a", SPEC, group="rg"), "group is a str; give a gpuinfra.azure.ResourceGroup"),  # pyright: ignore
        (lambda: SharedStorage("a", SPEC, group="rg"), "group is a str"),  # pyright: ignore
        (lambda: SharedStorage("a", SPEC, storage=LATE), "storage is an Output"),  # pyright: ignore
        (lambda: SharedStorage("a", SPEC, network="vnet"), "network is a str; .*ExistingNetwork"),  # pyright: ignore
    ],
)
def test_an_argument_of_another_type_is_refused_by_its_name(make: Callable[[], object], said: str) -> None:
    with pytest.raises(TypeError, match=said):
        record(make)


def test_a_pool_refuses_an_end_that_is_another_pools() -> None:
    with pytest.raises(
        ValueError, match="spend: it does not cover pool 'gpu', whose group is a-gpu; its groups: a-other"
    ):
        record(lambda: NodePool("a", SPEC, pool="gpu", spend=Spend("a", SPEC, pools=["other"])))


def test_an_end_is_attached_to_what_it_covers_alone() -> None:
    """Whoever makes a scale set otherwise attaches it himself, and finds the same check."""

    def program() -> None:
        spend = Spend("a", SPEC, pools=["other"])
        NodePool("a", SPEC, pool="other", spend=spend)

    assert {r.name for r in record(program).of_type(AUTOSCALE)} == {"a-other-pool-end"}
