"""What `gpuinfra simulate show` says of a world."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.cli.simulate_view import world_text
from gpuinfra.cluster import GpuCluster
from gpuinfra.simulation.clockwork import advance, all_clouds
from gpuinfra.simulation.plugin import CLOUDS
from gpuinfra.simulation.showing import seen
from tests.specs import AWS, AZURE, GCP

from .in_process import Clouds


def world(tmp_path: Path, spec: dict[str, Any], stock: dict[tuple[str, str], int] | None = None) -> Clouds:
    clouds = Clouds(tmp_path)
    with clouds.world.step():
        for (zone, type_), nodes in (stock or {}).items():
            clouds.world.set_stock(zone, type_, nodes)
        clouds.world.set_quota("L-417A185B", 768)
    clouds.up(lambda: GpuCluster("acme", spec))
    return clouds


def test_a_group_that_is_short_says_why(tmp_path: Path) -> None:
    clouds = world(tmp_path, AWS, {("use2-az1", "p5.48xlarge"): 1})
    data = seen(clouds.world, all_clouds(CLOUDS))
    (group,) = data["groups"]
    assert (group["pool"], group["state"], group["running"], group["wanted"]) == ("gpu", "short", 1, 2)
    assert group["shortage"].startswith("InsufficientInstanceCapacity")
    assert data["stock"] == [{"zone": "use2-az1", "instance_type": "p5.48xlarge", "nodes": 1, "left": 0}]
    assert data["quotas"] == [{"name": "L-417A185B", "limit": 768, "used": 192}]
    text = world_text(data)
    assert "gpu  1 of 2  short" in text
    assert "1 × p5.48xlarge in use2-az1, on demand" in text
    assert "idle limits never fire" in text


@pytest.mark.parametrize("spec", [AWS, GCP, AZURE], ids=["aws", "gcp", "azure"])
def test_a_group_whose_lease_is_over_is_expired(spec: dict[str, Any], tmp_path: Path) -> None:
    clouds = world(tmp_path, {**spec, "budget": {"per_month_usd": 500_000, "contacts": ["ml@example.com"]}})
    advance(clouds.world, all_clouds(CLOUDS), timedelta(hours=80))
    (group,) = seen(clouds.world, all_clouds(CLOUDS))["groups"]
    assert (group["state"], group["running"], len(group["nodes"])) == ("expired", 0, 2)


def test_what_has_no_price_is_said_and_not_taken_for_nothing(tmp_path: Path) -> None:
    clouds = world(tmp_path, AWS)
    with clouds.world.step():
        clouds.world.launch(
            ("gcp:compute/instance:Instance", "x"), ("us-east4", "us-east4-b"), "a9-none", "on_demand", 1
        )
    advance(clouds.world, all_clouds(CLOUDS), timedelta(hours=1))
    data = seen(clouds.world, all_clouds(CLOUDS))
    assert data["without_price"] == ["a9-none in us-east4, on demand"]
    text = world_text(data)
    assert f"at least 110.08 USD of machines this month (oldest price of {data['price_as_of']})" in text
    assert "no price is known of a9-none in us-east4, on demand" in text
    data["usd_this_month"] = 0
    assert "0.00" not in world_text(data)


def test_two_pools_of_one_name_are_told_apart(tmp_path: Path) -> None:
    clouds = Clouds(tmp_path)
    clouds.up(lambda: (GpuCluster("one", AWS), GpuCluster("two", GCP)))
    text = world_text(seen(clouds.world, all_clouds(CLOUDS)))
    assert "gpu (one-gpu-pool-group)  2 of 2" in text
    assert "gpu (two-gpu-pool-group)  2 of 2" in text
