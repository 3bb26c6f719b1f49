"""Clusters that are right, of guides and public programs, are made by the simulated clouds: a refusal is a fault of theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pulumi
import pytest
import yaml

from gpuinfra.policy.examples import graph_of
from gpuinfra.policy.resource_graph import OutputRef, Resource, ResourceGraph, Secret
from gpuinfra.simulation.plugin import CLOUDS

from .in_process import Clouds

PROGRAMS = sorted((Path(__file__).parents[1] / "policy" / "correct").glob("*-program-*.yaml"))
CONFIG = {"project": "acme-lab", "region": "us-central1", "zone": "us-central1-a", "location": "eastus"}


class Made(pulumi.CustomResource):
    """A resource by its token, whose outputs are those that the program names."""

    def __init__(self, r: Resource, inputs: dict[str, Any], after: list[pulumi.Resource]) -> None:
        self._inputs = inputs
        super().__init__(r.type, r.name, inputs, pulumi.ResourceOptions(depends_on=after))

    def output(self, name: str) -> Any:
        """What the cloud computes is not looked into here: the id stands for it."""
        return self._inputs.get(name) or self.id


def refs(value: Any) -> Iterator[str]:
    """The names of the resources whose outputs a value takes."""
    if isinstance(value, OutputRef):
        yield value.resource
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from refs(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from refs(one)


def given(value: Any, made: Mapping[str, Made]) -> Any:
    """A value with the outputs that it takes."""
    if isinstance(value, OutputRef):
        return made[value.resource].output(value.property) if value.resource in made else f"id-of-{value.resource}"
    if isinstance(value, Secret):
        return given(value.value, made)
    if isinstance(value, Mapping):
        return {k: given(v, made) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [given(v, made) for v in value]
    return value


def program_of(graph: ResourceGraph) -> Callable[[], None]:
    """A program that registers a graph, each resource after those that it takes something of."""

    def program() -> None:
        made: dict[str, Made] = {}
        todo = list(graph)
        names = {r.urn: r.name for r in todo}
        while todo:
            waits = {r.name for r in todo}
            ready = [r for r in todo if not ({*refs(r.inputs), *(names[d] for d in r.dependencies)} - {r.name}) & waits]
            assert ready, f"a circle of {waits}"
            for r in ready:
                after: list[pulumi.Resource] = [made[names[d]] for d in r.dependencies]
                made[r.name] = Made(r, {k: given(v, made) for k, v in r.inputs.items() if v is not None}, after)
            todo = [r for r in todo if r not in ready]

    return program


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_right_cluster_is_made(path: Path, tmp_path: Path) -> None:
    graph = graph_of(yaml.safe_load(path.read_text(encoding="utf-8"))["resources"])
    clouds = Clouds(tmp_path, CONFIG)
    clouds.up(program_of(graph))
    assert len(clouds.created) == sum(r.type.partition(":")[0] in CLOUDS for r in graph)
    clouds.up(program_of(graph))
    assert (clouds.created, clouds.replaced, clouds.updated) == ([], [], [])
