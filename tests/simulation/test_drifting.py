"""What a person may change from outside, by the property's type."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from gpuinfra.engine.deployment import DeploymentError
from gpuinfra.simulation.drifting import drift
from gpuinfra.simulation.world import Thing, World

WHEN = datetime(2026, 1, 1, tzinfo=UTC)
INPUTS = {"name": "g", "maxSize": 4, "minSize": 0, "protectFromScaleIn": False}


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path / "world.sqlite")
    made.keep(Thing("aws:autoscaling/group:Group", "g", "pool-group", "urn:g", INPUTS, INPUTS, WHEN))
    return made


@pytest.mark.parametrize(
    ("path", "text", "value"),
    [("maxSize", "9", 9), ("protectFromScaleIn", "true", True), ("name", "9", "9"), ("name", "nine", "nine")],
)
def test_a_value_that_the_property_takes(path: str, text: str, value: object, world: World) -> None:
    assert drift(world, "pool-group", path, text) == value
    (thing,) = world.things()
    assert thing.outputs[path] == value
    assert thing.inputs == INPUTS


@pytest.mark.parametrize(
    ("name", "path", "text", "reason"),
    [
        ("pool-group", "maxSize", "ninety", "maxSize: expected a whole number, got str 'ninety'"),
        ("pool-group", "maxSize", '{"a":', "expected a whole number"),
        ("pool-group", "maxSize", "-1", "maxSize: -1 is less than 0"),
        ("pool-group", "maxSize", "1.5", "expected a whole number"),
        ("pool-group", "maxSize", "NaN", "expected a whole number"),
        ("pool-group", "protectFromScaleIn", "1", "expected true or false"),
        ("pool-group", "maxsize", "9", "did you mean maxSize.*it has: maxSize, minSize, name, protectFromScaleIn"),
        ("pool-grup", "maxSize", "9", "no resource 'pool-grup'; did you mean pool-group"),
    ],
)
def test_what_is_refused_changes_nothing(name: str, path: str, text: str, reason: str, world: World) -> None:
    with pytest.raises(DeploymentError, match=reason):
        drift(world, name, path, text)
    assert world.things()[0].outputs == INPUTS
    assert world.events() == []


def test_clouds_that_hold_nothing(tmp_path: Path) -> None:
    with pytest.raises(DeploymentError, match="hold none at all"):
        drift(World(tmp_path / "world.sqlite"), "a", "b", "c")
