"""Stock files: what the simulated zones have, taken over as a whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuinfra.engine.deployment import DeploymentError
from gpuinfra.simulation.places import known_zone, type_fault, zone_fault
from gpuinfra.simulation.stock import fill
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
    ("zones: {use2-az1: {p5.48xlarge: 4}, mars-1: {p5.48xlarge: 1}}", "zones.mars-1: 'mars-1' is no zone"),
    ("zones: {use2-az1: {p5.48xlarge: 4, p5.49xlarge: 4}}", "'p5.49xlarge' is no instance type"),
    ("zones: {use2-az1: {p5.48xlarge: true}}", "no number"),
    ("quotas: {L-417A185B: .inf2}", "is no amount"),
    ("quotas: {L-417A185B: -1}", "is no amount"),
    ("[1, 2]", "holds no stock"),
    ("stock: {}", "holds no stock"),
    ("zones: [", "cannot be read: not YAML"),
    ("zones: 3", "zones: '3' is no mapping"),
    ("zones: {use2-az1: 4}", "zones.use2-az1: '4' is no mapping"),
    ("reservations: [1]", "reservations: .* is no mapping"),
    ("zones: {use2-az1: {p5.48xlarge: 1.5}}", "zones.use2-az1.p5.48xlarge: '1.5' is no whole number of machines"),
    ("zones: {use2-az1: {p5.48xlarge: 1}, use2-az1: {p4d.24xlarge: 2}}", "'use2-az1' stands twice"),
    ("zones: {eastus-1: {p5.48xlarge: 4}}", "eastus-1.p5.48xlarge: .* of aws, and eastus-1 a zone of azure"),
    ("zones: {use2-az1: {a3-megagpu-8g: 4}}", "type of gcp, and use2-az1 a zone of aws"),
    ("zones: {us-central1-a: {Standard_ND96isr_H100_v5: 4}}", "type of azure, and us-central1-a a zone of gcp"),
    ("zones: {use2-az1: {p5.49xlarge: 4}}", "did you mean p5.48xlarge"),
    ("reservations: {r: {type: p5.48xlarge, zone: eastus-1, count: 1}}", "reservations.r.type: .* of aws"),
    ("reservations: {r: {type: '*', zone: use2-az1, count: 1}}", "a reservation is of one"),
    ("reservations: {r: {type: p5.48xlarge, zone: use2-az1, count: 1.5}}", "r.count: '1.5' is no whole"),
    ("reservations: {r: {type: p5.48xlarge, zone: use2-az1, count: 1, end: 1}}", "reservations.r.end: unknown key"),
    ("reservations: {r: {type: p5.48xlarge, zone: use2-az1}}", "reservations.r: count missing"),
    ("spot: {mean_hours: 0}", "spot.mean_hours: '0' is no mean life"),
    ("spot: {mean_hours: 1.0e300}", "spot.mean_hours"),
    ("spot: {mean_hour: 1}", "spot.mean_hour: unknown key; did you mean mean_hours"),
    ("slow: {'aws:sqs/queue:Queeu': 1}", "slow.aws:sqs/queue:Queeu: no such type of resource"),
    ("quotas: {L-417A185B: .nan}", "is no amount"),
    ("quotas: {'us-esat-1:L-417A185B': 1}", "'us-esat-1' is no region"),
    (f"zones: {{use2-az1: {{p5.48xlarge: 1{'0' * 400}}}}}", "no number of machines"),
])  # fmt: skip
def test_a_file_with_a_mistake_changes_nothing(text: str, reason: str, world: World) -> None:
    with pytest.raises(DeploymentError, match=reason):
        _fill(world, text, seed=3)
    assert world.left("use2-az1", "p5.48xlarge") is None
    assert world.meta("seed") == ""


def test_every_mistake_is_named_with_its_place_and_value(world: World) -> None:
    with pytest.raises(DeploymentError) as caught:
        _fill(
            world,
            "zones: {use2-az1: {p5.48xlarge: 4}, mars-1: {}}\nspots: {mean_hours: 6}\nquotas: {L-417A185B: many}\n",
        )
    path = world.path.parent / "stock.yaml"
    assert [line.split(": ")[:2] for line in str(caught.value).splitlines()] == [
        [str(path), "zones.mars-1"], [str(path), "spots"], [str(path), "quotas.L-417A185B"],
    ]  # fmt: skip
    assert world.left("use2-az1", "p5.48xlarge") is None


def test_a_file_that_is_none(world: World, tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\x80\x81\x00\xff")
    for path, reason in (("nowhere", "no such file"), ("", "is a directory"), ("binary", "not UTF-8")):
        with pytest.raises(DeploymentError, match=f"cannot be read: .*{reason}") as caught:
            fill(world, str(tmp_path / path), None)
        assert "Errno" not in str(caught.value)


def test_parts_with_nothing_behind_them_say_nothing(world: World) -> None:
    _fill(
        world,
        "zones:\n  use2-az1:\nquotas: {'us-east-1:L-417A185B': 1.5, 'East US:standardNDSH100v5Family': 192}\nspot:\n",
    )
    assert world.stock() == []
    assert len(world.quotas()) == 2


@pytest.mark.parametrize(("zone", "type_", "reason"), [
    ("use1-az4", "p4d.24xlarge", ""),
    ("eastus-1", "*", ""),
    ("*", "Standard_ND96isr_H100_v5", ""),
    ("us-central1-a", "n1-standard-8", ""),
    ("use1-az4", "p4d.24xlargo", "did you mean p4d.24xlarge"),
    ("*", "p4d.24xlargo", "did you mean p4d.24xlarge"),
    ("eastus-1", "p4d.24xlarge", "type of aws, and eastus-1 a zone of azure"),
])  # fmt: skip
def test_what_a_zone_can_have(zone: str, type_: str, reason: str) -> None:
    assert zone_fault(zone) == ""
    assert (reason in type_fault(zone, type_)) if reason else type_fault(zone, type_) == ""


def test_a_zone_near_another() -> None:
    assert "did you mean us-central1-a" in zone_fault("us-centrall-a")
