"""What simulated clouds have: stock, quotas, reservations with windows, spot machines that are taken, slow creates."""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuinfra.cluster import GpuCluster
from gpuinfra.engine.deployment import DeploymentError
from gpuinfra.simulation.clockwork import advance, all_clouds, reclaim
from gpuinfra.simulation.plugin import CLOUDS
from gpuinfra.simulation.stock import fill
from gpuinfra.testing import RecordingError
from tests.specs import AWS, AZURE, GCP

from .in_process import Clouds, RefusedError

SPECS = {"aws": AWS, "gcp": GCP, "azure": AZURE}
ZONES = {"aws": "use2-az1", "gcp": "us-central1-a", "azure": "eastus-1"}
TYPES = {"aws": "p5.48xlarge", "gcp": "a3-megagpu-8g", "azure": "Standard_ND96isr_H100_v5"}
QUOTAS = {
    "aws": ("L-417A185B", 192),
    "gcp": ("GPUS-PER-GPU-FAMILY-per-project-region/NVIDIA_H100_MEGA", 8),
    "azure": ("Standard NDSH100v5 FAMILY", 96),
}


def made(tmp_path: Path, cloud: str, stock: dict[str, Any], seed: int | None = None, **pool: Any) -> Clouds:
    clouds = Clouds(tmp_path)
    path = tmp_path / "stock.yaml"
    path.write_text(yaml.safe_dump(stock), encoding="utf-8")
    fill(clouds.world, str(path), seed)
    base = SPECS[cloud]
    spec = {**base, "node_pools": [{**base["node_pools"][0], **pool}]}
    clouds.up(lambda: GpuCluster("acme", spec))
    return clouds


def running(clouds: Clouds) -> int:
    return sum(1 for n in clouds.world.nodes() if n.ended_at is None)


def shortages(clouds: Clouds) -> list[str]:
    return [e.detail for e in clouds.world.events() if e.what == "shortage"]


def later(clouds: Clouds, hours: float) -> None:
    advance(clouds.world, all_clouds(CLOUDS), timedelta(hours=hours))


def refused(call: Any) -> str:
    with pytest.raises((RefusedError, RecordingError)) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize(
    ("cloud", "code"), [("aws", "InsufficientInstanceCapacity"), ("gcp", "ZONE_RESOURCE_POOL_EXHAUSTED")]
)
def test_a_group_goes_on_trying(cloud: str, code: str, tmp_path: Path) -> None:
    clouds = made(tmp_path, cloud, {"zones": {ZONES[cloud]: {TYPES[cloud]: 1}}})
    assert running(clouds) == 1, "the rest is no failure"
    later(clouds, 5)
    assert [s.split(":")[0] for s in shortages(clouds)] == [code], "one shortage is said once"
    with clouds.world.step():
        clouds.world.set_stock(ZONES[cloud], TYPES[cloud], 2)
    later(clouds, 1)
    assert running(clouds) == 2


def test_azure_says_no_at_once(tmp_path: Path) -> None:
    said = refused(lambda: made(tmp_path, "azure", {"zones": {"eastus-1": {TYPES["azure"]: 1}}}))
    assert "ZonalAllocationFailed" in said


@pytest.mark.parametrize(("cloud", "code"), [("aws", "VcpuLimitExceeded"), ("gcp", "QUOTA_EXCEEDED")])
def test_a_quota_bounds_a_group_and_fails_nothing(cloud: str, code: str, tmp_path: Path) -> None:
    name, amount = QUOTAS[cloud]
    clouds = made(tmp_path, cloud, {"quotas": {name: amount}})
    assert running(clouds) == 1
    (said,) = shortages(clouds)
    assert said.startswith(code)
    assert name in said


def test_azures_quota_refuses_the_set_whatever_the_case_of_its_name(tmp_path: Path) -> None:
    name, amount = QUOTAS["azure"]
    assert "QuotaExceeded" in refused(lambda: made(tmp_path, "azure", {"quotas": {name: amount}}))


def test_a_quota_of_one_region_is_no_quota_of_another(tmp_path: Path) -> None:
    assert running(made(tmp_path, "aws", {"quotas": {"us-east-1:L-417A185B": 0}})) == 2


def test_spot_draws_on_a_quota_of_its_own(tmp_path: Path) -> None:
    clouds = made(tmp_path, "aws", {"quotas": {"L-417A185B": 0, "L-C4BD4855": 192}}, capacity={"type": "spot"})
    assert running(clouds) == 1
    assert shortages(clouds)[0].startswith("MaxSpotInstanceCountExceeded")


def test_google_counts_all_regions_together_for_what_is_bought_on_demand(tmp_path: Path) -> None:
    clouds = made(tmp_path, "gcp", {"quotas": {"GPUS_ALL_REGIONS": 8}})
    assert running(clouds) == 1
    assert "GPUS_ALL_REGIONS" in shortages(clouds)[0]


RESERVED = {"type": "p5.48xlarge", "zone": "use2-az1", "count": 1}


def test_a_reservation_holds_so_many(tmp_path: Path) -> None:
    clouds = made(
        tmp_path,
        "aws",
        {"reservations": {"cr-0aaa1111bbbb2222c": RESERVED}, "quotas": {"L-417A185B": 0}},
        capacity={"type": "reservation", "id": "cr-0aaa1111bbbb2222c"},
    )
    assert running(clouds) == 1, "and what is reserved draws on no quota"
    assert shortages(clouds)[0].startswith("ReservationCapacityExceeded")


@pytest.mark.parametrize(
    ("reservations", "code"),
    [
        ({"cr-0ffff": RESERVED}, "InvalidCapacityReservationId.NotFound"),
        ({"cr-0aaa1111bbbb2222c": {**RESERVED, "zone": "use2-az2"}}, "InvalidParameterValue"),
        ({"cr-0aaa1111bbbb2222c": {**RESERVED, "starts": "2099-01-01T00:00:00Z"}}, "Unsupported"),
    ],
)
def test_a_reservation_that_cannot_be_used(reservations: dict[str, Any], code: str, tmp_path: Path) -> None:
    capacity = {"type": "reservation", "id": "cr-0aaa1111bbbb2222c"}
    clouds = made(tmp_path, "aws", {"reservations": reservations}, capacity=capacity)
    assert running(clouds) == 0
    assert shortages(clouds)[0].startswith(f"{code}:")


def test_a_capacity_block_begins_and_ends(tmp_path: Path) -> None:
    clouds = Clouds(tmp_path)
    begin = (clouds.world.now + timedelta(days=1)).replace(minute=30, second=0)
    end = begin + timedelta(days=1)
    clouds.world.close()
    window = {"starts": begin.strftime("%Y-%m-%dT%H:%M:%SZ"), "ends": end.strftime("%Y-%m-%dT%H:%M:%SZ")}
    stock = {"reservations": {"cr-0aaa1111bbbb2222c": {**RESERVED, "count": 2, **window}}}
    block = {"type": "capacity_block", "id": "cr-0aaa1111bbbb2222c", **window}
    clouds = made(tmp_path, "aws", stock, capacity=block)
    assert running(clouds) == 0, "nothing runs before"
    later(clouds, 26)
    assert running(clouds) == 2
    later(clouds, 24)
    assert running(clouds) == 0
    assert all(n.ended_at and n.ended_at <= end - timedelta(minutes=30) for n in clouds.world.nodes())


def test_the_end_of_a_window_takes_machines_that_nobody_called_back(tmp_path: Path) -> None:
    clouds = Clouds(tmp_path)
    ends = (clouds.world.now + timedelta(hours=10)).strftime("%Y-%m-%dT%H:%M:%SZ")
    clouds.world.close()
    stock = {"reservations": {"res-h": {"type": TYPES["gcp"], "zone": ZONES["gcp"], "count": 2, "ends": ends}}}
    clouds = made(tmp_path, "gcp", stock, capacity={"type": "reservation", "id": "res-h"})
    assert running(clouds) == 2
    later(clouds, 12)
    assert running(clouds) == 0
    assert {n.why for n in clouds.world.nodes()} == {"end of res-h"}
    assert shortages(clouds)[-1].startswith("RESERVATION_NOT_ACTIVE"), "the group asks again, and hears why not"


def test_a_flex_start_request_waits_for_all_of_its_machines(tmp_path: Path) -> None:
    capacity = {"type": "flex_start", "duration": "24h"}
    clouds = made(tmp_path, "gcp", {"zones": {ZONES["gcp"]: {TYPES["gcp"]: 1}}}, capacity=capacity)
    assert running(clouds) == 0, "all or nothing"
    with clouds.world.step():
        clouds.world.set_stock(ZONES["gcp"], TYPES["gcp"], 2)
    later(clouds, 1)
    assert running(clouds) == 2
    later(clouds, 25)
    assert running(clouds) == 0


def test_an_azure_reservation_may_be_overrun(tmp_path: Path) -> None:
    group = (
        "/subscriptions/11112222-3333-4444-5555-666677778888/resourceGroups/r/providers/Microsoft.Compute/"
        "capacityReservationGroups/g"
    )
    shape: dict[str, Any] = {
        "instance_type": "Standard_NC24ads_A100_v4",
        "count": 3,
        "capacity": {"type": "reservation", "id": group},
    }
    stock = {"reservations": {"g": {"type": shape["instance_type"], "zone": "eastus-1", "count": 2}}}
    clouds = made(tmp_path / "a", "azure", {**stock, "zones": {"eastus-1": {shape["instance_type"]: 1}}}, **shape)
    assert sorted(bool(n.reservation) for n in clouds.world.nodes()) == [False, True, True]
    none_left = {**stock, "zones": {"eastus-1": {shape["instance_type"]: 0}}}
    assert "ZonalAllocationFailed" in refused(lambda: made(tmp_path / "b", "azure", none_left, **shape))


@pytest.mark.parametrize(("cloud", "left"), [("aws", 2), ("gcp", 2), ("azure", 1)])
def test_spot_machines_are_taken_back(cloud: str, left: int, tmp_path: Path) -> None:
    clouds = made(tmp_path, cloud, {}, capacity={"type": "spot"})
    assert reclaim(clouds.world, all_clouds(CLOUDS), "gpu", 1) == 1
    assert running(clouds) == left, "a group asks for another one; a scale set is smaller"


def test_chance_is_the_seeds(tmp_path: Path) -> None:
    def taken(folder: str, seed: int) -> list[float]:
        (tmp_path / folder).mkdir()
        clouds = made(tmp_path / folder, "aws", {"spot": {"mean_hours": 5}}, seed, capacity={"type": "spot"})
        later(clouds, 48)
        assert running(clouds) == 2
        return [(n.ended_at - n.launched_at).total_seconds() for n in clouds.world.nodes() if n.ended_at is not None]

    first = taken("a", 7)
    assert 5 < len(first) < 60
    assert first[:4] == taken("b", 7)[:4]
    assert first[:4] != taken("c", 8)[:4]


def test_what_is_slow_takes_its_time(tmp_path: Path) -> None:
    began = time.monotonic()
    made(tmp_path, "aws", {"slow": {"aws:autoscaling/group:Group": 1.5}})
    assert time.monotonic() - began > 1.5


@pytest.mark.parametrize(
    ("stock", "said"),
    [
        ({"zone": {}}, "zone: unknown key; did you mean zones"),
        ({"zones": {"use9-az1": {"p5.48xlarge": 1}}}, "zones.use9-az1: 'use9-az1' is no zone"),
        ({"zones": {"use2-az1": {"p5.49xlarge": 1}}}, "'p5.49xlarge' is no instance type"),
        ({"quotas": {"L-417A185X": 5}}, "no such quota is known; near it: L-417A185B"),
        ({"quotas": {"L-417A185B": -1}}, "'-1' is no amount"),
        ({"reservations": {"cr-1": {"type": "p5.48xlarge"}}}, "write type, zone and count"),
        ({"reservations": {"cr-1": {**RESERVED, "ends": "soon"}}}, "'soon' is no moment"),
        (
            {"reservations": {"cr-1": {**RESERVED, "starts": "2026-12-02T00:00:00Z", "ends": "2026-12-01T00:00:00Z"}}},
            "ends before it starts",
        ),
        ({"slow": {"*": 60}}, "at most 5 seconds"),
        ({"spot": {"mean_hours": "long"}}, "'long' is no number of hours"),
    ],
)
def test_a_stock_file_that_cannot_be_used_changes_nothing(stock: dict[str, Any], said: str, tmp_path: Path) -> None:
    clouds = Clouds(tmp_path)
    path = tmp_path / "stock.yaml"
    path.write_text(yaml.safe_dump({"zones": {"use2-az1": {"p5.48xlarge": 1}}, **stock}), encoding="utf-8")
    with pytest.raises(DeploymentError) as caught:
        fill(clouds.world, str(path), 3)
    assert said in str(caught.value)
    assert (clouds.world.stock(), clouds.world.meta("seed")) == ([], "")
