"""Stock files: what the simulated zones have, taken over as a whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuinfra.engine.deployment import DeploymentError
from gpuinfra.simulation.stock import fill, known_zone
from gpuinfra.simulation.world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "world.sqlite")


def _fill(world: World, text: str, seed: int | None = None) -> None:
    path = world.path.parent / "stock.yaml"
    path.write_text(text)
    fill(world, str(path), seed)


def test_zones_types_and_quotas(world: World) -> None:
    _fill(world, "zones:\n  use2-az1: {p5.48xlarge: 4}\n  '*': {'*': 1}\nquotas: {L-417A185B: 768}\n", seed=7)
    assert world.left("use2-az1", "p5.48xlarge") == 4
    assert world.left("us-central1-a", "a3-megagpu-8g") == 1
    assert world.quota("L-417A185B") == 768
    assert world.meta("seed") == "7"


@pytest.mark.parametrize("zone", ["use2-az1", "us-central1-a", "eastus-1", "eastus", "*"])
def test_zones_of_every_cloud_have_a_name(zone: str) -> None:
    assert known_zone(zone)


@pytest.mark.parametrize("zone", ["1", "us-east-2", "us-central1", "eastus-9", ""])
def test_what_is_no_zone(zone: str) -> None:
    assert not known_zone(zone)


def test_a_later_file_changes_what_it_names_alone(world: World) -> None:
    _fill(world, "zones: {use2-az1: {p5.48xlarge: 4, p4d.24xlarge: 2}}")
    _fill(world, "zones: {use2-az1: {p5.48xlarge: 0}}")
    assert (world.left("use2-az1", "p5.48xlarge"), world.left("use2-az1", "p4d.24xlarge")) == (0, 2)


@pytest.mark.parametrize(("text", "reason"), [
    ("zones: {use2-az1: {p5.48xlarge: 4}, mars-1: {p5.48xlarge: 1}}", "zones.mars-1 is no zone"),
    ("zones: {use2-az1: {p5.48xlarge: 4, p5.49xlarge: 4}}", "'p5.49xlarge' is no instance type"),
    ("zones: {use2-az1: {p5.48xlarge: true}}", "no number"),
    ("quotas: {L-417A185B: .inf2}", "is no amount"),
    ("quotas: {L-417A185B: -1}", "is no amount"),
    ("[1, 2]", "holds no stock"),
    ("stock: {}", "holds no stock"),
    ("zones: [", "cannot be read"),
])  # fmt: skip
def test_a_file_with_a_mistake_changes_nothing(text: str, reason: str, world: World) -> None:
    with pytest.raises(DeploymentError, match=reason):
        _fill(world, text, seed=3)
    assert world.left("use2-az1", "p5.48xlarge") is None
    assert world.meta("seed") == ""


def test_a_file_that_is_not_there(world: World) -> None:
    with pytest.raises(DeploymentError, match="cannot be read"):
        fill(world, "/nowhere/stock.yaml", None)
