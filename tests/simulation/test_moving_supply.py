"""A zone that runs out, and spot machines that are taken away, whoever wrote the program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pulumi_aws as aws
import pytest

from gpuinfra.engine.deployment import DeploymentError
from gpuinfra.simulation.clockwork import all_clouds, reclaim
from gpuinfra.simulation.plugin import CLOUDS
from gpuinfra.simulation.supply import exhaust
from gpuinfra.simulation.world import World

from .in_process import Clouds

TYPE, ZONE = "p5.48xlarge", "use2-az1"
GROUP = ("aws:autoscaling/group:Group", "asg")


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path / "world.sqlite")
    with made.step():
        made.launch(GROUP, ("us-east-2", ZONE), TYPE, "on_demand", 2)
        made.launch(GROUP, ("us-east-2", ZONE), TYPE, "reserved", 3, reservation="cr-1")
    return made


@pytest.mark.parametrize("stock", [(), ((ZONE, TYPE, 9),), ((ZONE, "*", 9), ("*", "*", 9)), (("*", TYPE, 9),)])
@pytest.mark.parametrize("named", [(ZONE, TYPE), (ZONE, "*"), ("*", TYPE), ("*", "*")])
def test_what_is_exhausted_has_nothing_left(
    named: tuple[str, str], stock: tuple[tuple[str, str, int], ...], world: World
) -> None:
    with world.step():
        for row in stock:
            world.set_stock(*row)
    exhaust(world, *named)
    # Reserved machines that run are no room for others, and a row of its own no way around the word for all.
    assert world.left(ZONE, TYPE) == 0
    assert world.left("use2-az2", "g5.xlarge") in ((0,) if named == ("*", "*") else (None, 9))


def _spot(market: str | None) -> None:
    options: dict[str, Any] = {"instance_market_options": {"market_type": market}} if market else {}
    template = aws.ec2.LaunchTemplate("lt", image_id="ami-1", instance_type="g5.xlarge", **options)
    aws.autoscaling.Group(
        "workers",
        min_size=2,
        max_size=2,
        availability_zones=["us-east-1a"],
        launch_template={"id": template.id, "version": "$Latest"},
    )


def test_a_group_of_a_plain_program_is_taken_from_by_its_name(tmp_path: Path) -> None:
    clouds = Clouds(tmp_path)
    clouds.up(lambda: _spot("spot"))
    assert reclaim(clouds.world, all_clouds(CLOUDS), "workers", 5) == 2
    assert len(clouds.world.running(GROUP[0], clouds.state[GROUP[0], "workers"][0])) == 2, "it asked for others"
    with pytest.raises(DeploymentError, match="there is no pool 'gpu' in the simulated clouds; there are: workers"):
        reclaim(clouds.world, all_clouds(CLOUDS), "gpu", 1)


@pytest.mark.parametrize("refresh", [True, False])
def test_nodes_take_another_template_by_an_instance_refresh_alone(refresh: bool, tmp_path: Path) -> None:
    clouds = Clouds(tmp_path)

    def program(type_: str) -> None:
        template = aws.ec2.LaunchTemplate("lt", instance_type=type_, image_id="ami-0123456789abcdef0")
        aws.autoscaling.Group(
            "workers",
            min_size=2,
            max_size=2,
            availability_zones=["us-east-1a"],
            launch_template={"id": template.id, "version": template.latest_version.apply(str)},
            instance_refresh={"strategy": "Rolling"} if refresh else None,
        )

    clouds.up(lambda: program("g5.xlarge"))
    clouds.up(lambda: program("g6.xlarge"))
    id_ = clouds.state[GROUP[0], "workers"][0]
    assert {n.instance_type for n in clouds.world.running(GROUP[0], id_)} == {"g6.xlarge" if refresh else "g5.xlarge"}


def test_a_pool_without_spot_machines_says_what_it_has(tmp_path: Path) -> None:
    clouds = Clouds(tmp_path)
    clouds.up(lambda: _spot(None))
    with pytest.raises(DeploymentError, match="no spot machine that runs; it has: 2 on demand"):
        reclaim(clouds.world, all_clouds(CLOUDS), "workers", 1)
