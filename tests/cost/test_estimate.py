"""Sums worked out by hand, over prices that the test sets itself."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from gpuinfra import catalog
from gpuinfra.catalog import Price, ServicePrice
from gpuinfra.cost import CostEstimate, CostLine, estimate, lease_hours
from gpuinfra.plan import resolve
from gpuinfra.plan.models import ClusterPlan
from gpuinfra.spec.models import ClusterSpec
from gpuinfra.vocabulary import Provider

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)

SERVICES = {
    ("block", "root"): ("GiB-month", 0.073),
    ("nat", "hour"): ("hour", 0.05),
    ("nat", "data"): ("GB", 0.04),
    ("address", "ipv4"): ("hour", 0.005),
    ("egress", "internet"): ("GB", 0.09),
    ("lustre", "PERSISTENT_2-500"): ("GiB-month", 0.365),
    ("bucket", "standard"): ("GiB-month", 0.023),
}


def price(**changes: Any) -> Price:
    values: dict[str, Any] = {
        "provider": Provider.AWS,
        "region": "us-east-2",
        "instance_type": "p5.48xlarge",
        "on_demand_usd_hour": 55.0,
        "spot_usd_hour": 15.0,
        "as_of": "2026-07-20",
        "as_of_basis": "stated",
        "spot_as_of": "2025-10-01",
        "source": "a price page",
    }
    return Price(**{**values, **changes})


@pytest.fixture
def set_prices(monkeypatch: pytest.MonkeyPatch):
    """Replaces the catalog's prices: one price for every type, and SERVICES."""

    def set_them(one: Price | None, services: dict[tuple[str, str], tuple[str, float]] = SERVICES) -> None:
        def service(provider: Provider, service: str, item: str, region: str) -> ServicePrice | None:
            found = services.get((service, item))
            if found is None:
                return None
            return ServicePrice(provider, service, item, region, found[0], found[1], "2026-10-16", "a service page")

        monkeypatch.setattr(catalog, "price", lambda *_: one)
        monkeypatch.setattr(catalog, "service_price", service)

    set_them(price())
    return set_them


def plan(pool: dict[str, Any] | None = None, **changes: Any) -> ClusterPlan:
    data: dict[str, Any] = {
        "name": "acme",
        "location": {"provider": "aws", "region": "us-east-2"},
        "node_pools": [{"name": "gpu", "instance_type": "p5.48xlarge", "count": 4, **(pool or {})}],
        "image": {"container": "pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime"},
        "shutdown": {"lease": "72h"},
        **changes,
    }
    found = resolve(ClusterSpec.model_validate(data), NOW).plan
    assert found is not None
    return found


def line(cost: CostEstimate, name: str) -> CostLine:
    """The one line whose name starts so."""
    found = [x for x in cost.lines if x.name.startswith(name)]
    assert len(found) == 1, [x.name for x in cost.lines]
    return found[0]


def test_on_demand_nodes_root_volumes_and_nat(set_prices):
    p = plan()
    cost = estimate(p)
    root = p.pools[0].node_image.root_gib
    assert line(cost, "gpu nodes").usd_per_hour == pytest.approx(4 * 55.0)
    assert line(cost, "gpu root volumes").usd_per_hour == pytest.approx(4 * root * 0.073 / 730)
    assert line(cost, "NAT gateway address").usd_per_hour == pytest.approx(0.005)
    assert cost.usd_per_hour == pytest.approx(220 + 4 * root * 0.0001 + 0.05 + 0.005)
    assert cost.usd_per_lease == pytest.approx(cost.usd_per_hour * 72)
    assert cost.worst_usd_per_hour == pytest.approx(cost.usd_per_hour)
    assert cost.unknown == ()


def test_every_line_carries_date_source_and_a_path_of_the_spec(set_prices):
    cost = estimate(
        plan(storage=[{"name": "s", "kind": "lustre", "size_gib": 9600, "throughput_mbps_per_tib": 500, "mount": "/s"}])
    )
    for x in cost.lines:
        assert all((x.as_of, x.source, x.path)), x
    assert line(cost, "gpu nodes").as_of == "2026-07-20"
    assert cost.oldest_as_of == "2026-07-20"
    assert cost.main_as_of == "2026-07-20"


def test_lustre_is_priced_by_tier_throughput_and_size(set_prices):
    store = {"name": "scratch", "kind": "lustre", "size_gib": 9600, "throughput_mbps_per_tib": 500, "mount": "/s"}
    cost = estimate(plan(storage=[store]))
    assert line(cost, "scratch").usd_per_hour == pytest.approx(9600 * 0.365 / 730)
    assert cost.residual_usd_per_hour == pytest.approx(9600 * 0.365 / 730 + 0.05 + 0.005)


def test_existing_storage_has_no_line(set_prices):
    store = {"name": "data", "kind": "bucket", "existing": "s3://acme-data", "mount": "/data"}
    assert not [x for x in estimate(plan(storage=[store])).lines if x.name.startswith("data")]


def test_a_new_bucket_is_billed_by_use_and_in_no_sum(set_prices):
    without = estimate(plan()).usd_per_hour
    cost = estimate(plan(storage=[{"name": "data", "kind": "bucket", "mount": "/data"}]))
    bucket = line(cost, "data")
    assert (bucket.usd_per_hour, bucket.unit_price_usd, bucket.by_use) == (None, 0.023, True)
    assert bucket.name in cost.by_use
    assert bucket.name not in cost.unknown
    assert cost.usd_per_hour == pytest.approx(without)


def test_the_private_way_to_a_bucket_bills_by_the_hour_where_the_cloud_bills_it(set_prices):
    """On Azure, for the endpoints; what passes comes on top, and is in no sum."""
    without = estimate(plan())
    set_prices(
        price(), {**SERVICES, ("bucket", "private-way"): ("hour", 0.02), ("bucket", "private-data"): ("GB", 0.01)}
    )
    cost = estimate(plan(storage=[{"name": "data", "kind": "bucket", "mount": "/data"}]))
    assert cost.usd_per_hour == pytest.approx(without.usd_per_hour + 0.02)
    assert cost.residual_usd_per_hour == pytest.approx(without.residual_usd_per_hour + 0.02), "nodes or not"
    assert line(cost, "data private traffic").by_use


def test_a_range_is_priced_at_what_is_wanted_and_bounded_by_its_most(set_prices):
    p = plan({"count": {"min": 0, "max": 8, "initial": 2}})
    nodes = line(estimate(p), "gpu nodes")
    assert nodes.usd_per_hour == pytest.approx(p.pools[0].wanted * 55.0)
    assert nodes.worst_usd_per_hour == pytest.approx(8 * 55.0)
    assert "0 to 8" in nodes.note


def test_spot_takes_the_spot_price_and_its_own_date(set_prices):
    nodes = line(estimate(plan({"capacity": {"type": "spot"}})), "gpu nodes")
    assert nodes.usd_per_hour == pytest.approx(4 * 15.0)
    assert nodes.as_of == "2025-10-01"


@pytest.mark.parametrize("changes", [{"spot_usd_hour": None}, {"spot_usd_hour": 5.5, "spot_weak": True}])
def test_spot_without_a_market_price_is_unknown_and_at_worst_on_demand(set_prices, changes):
    set_prices(price(**changes))
    cost = estimate(plan({"capacity": {"type": "spot"}}))
    nodes = line(cost, "gpu nodes")
    assert (nodes.unit_price_usd, nodes.usd_per_hour) == (None, None)
    assert nodes.worst_usd_per_hour == pytest.approx(4 * 55.0)
    assert nodes.name in cost.unknown
    assert "spot" in nodes.note


def test_a_capacity_block_is_unknown_because_it_is_paid_up_front(set_prices):
    block = {
        "type": "capacity_block",
        "id": "cr-0123456789abcdef0",
        "starts": "2026-12-10T11:30:00Z",
        "ends": "2026-12-13T11:30:00Z",
    }
    cost = estimate(plan({"capacity": block}))
    nodes = line(cost, "gpu nodes")
    assert nodes.usd_per_hour is None
    assert nodes.worst_usd_per_hour == pytest.approx(4 * 55.0)
    assert "up front" in nodes.note
    assert nodes.name in cost.unknown


def test_a_reservation_bills_at_list_price_and_goes_on_when_nodes_stop(set_prices):
    cost = estimate(plan({"capacity": {"type": "reservation", "id": "cr-0123456789abcdef0"}}))
    nodes = line(cost, "gpu nodes")
    assert nodes.usd_per_hour == pytest.approx(220.0)
    assert "whether its nodes run or not" in nodes.note
    assert cost.residual_usd_per_hour == pytest.approx(220.0 + 0.05 + 0.005)


def test_a_type_without_a_price_is_unknown_and_unbounded_never_zero(set_prices):
    set_prices(None)
    cost = estimate(plan())
    nodes = line(cost, "gpu nodes")
    assert (nodes.unit_price_usd, nodes.usd_per_hour, nodes.worst_usd_per_hour) == (None, None, None)
    assert nodes.name in cost.unknown
    assert nodes.name in cost.unbounded
    assert "p5.48xlarge" in nodes.note


def test_a_service_without_a_price_is_unknown(set_prices):
    set_prices(price(), {})
    cost = estimate(plan())
    assert line(cost, "gpu root volumes").usd_per_hour is None
    assert {"gpu root volumes", "NAT gateway", "NAT gateway address"} <= set(cost.unknown)
    assert cost.usd_per_hour == pytest.approx(220.0)


def test_a_derived_price_is_marked_as_an_estimate(set_prices):
    set_prices(price(estimate=True, estimate_method="by ratio"))
    cost = estimate(plan())
    assert line(cost, "gpu nodes").estimate
    assert "by ratio" in line(cost, "gpu nodes").note
    assert cost.has_estimates


def test_an_existing_network_brings_no_nat(set_prices):
    cost = estimate(
        plan(network={"existing": {"network": "vpc-0aa11bb22cc33dd44", "subnet": "subnet-0aa11bb22cc33dd44"}})
    )
    assert not [x for x in cost.lines if x.name.startswith("NAT")]


def test_google_bills_nat_by_the_machine_up_to_a_ceiling(set_prices):
    set_prices(price(), {**SERVICES, ("nat", "vm-hour"): ("hour", 0.0014), ("nat", "hour"): ("hour", 0.0448)})
    cost = estimate(plan({"count": 4}))
    nat = next(x for x in cost.lines if x.name == "NAT gateway")
    assert (nat.quantity, nat.usd_per_hour) == (4, pytest.approx(4 * 0.0014))
    many = next(x for x in estimate(plan({"count": 64})).lines if x.name == "NAT gateway")
    assert many.usd_per_hour == pytest.approx(0.0448)


def test_gpus_attached_to_n1_are_a_line_of_their_own(set_prices):
    location = {"provider": "gcp", "project": "acme-lab", "region": "us-central1"}
    pool = {"instance_type": "n1-standard-16", "accelerator": {"model": "T4", "count": 4}, "count": 2}
    cost = estimate(plan(pool, location=location))
    gpus = line(cost, "gpu GPUs")
    assert (gpus.quantity, gpus.unit, gpus.usd_per_hour) == (8, "GPU-hour", pytest.approx(8 * 55.0))


@pytest.mark.parametrize(
    ("shutdown", "hours"),
    [
        ({"lease": "72h"}, 72.0),
        ({"lease": "2026-12-01T18:00:00Z"}, 30.0),
        ({"lease": "2026-11-30T11:00:00Z"}, 0.0),
        ({"idle_after": "30m"}, None),
    ],
)
def test_hours_of_the_lease(set_prices, shutdown, hours):
    assert lease_hours(plan(shutdown=shutdown)) == hours


def test_the_worst_month_is_bounded_by_lease_and_by_730_hours(set_prices):
    short, long, none = (
        estimate(plan(shutdown=s)) for s in ({"lease": "72h"}, {"lease": "2000h"}, {"idle_after": "30m"})
    )
    assert short.worst_usd_per_month == pytest.approx(72 * short.worst_usd_per_hour)
    assert long.worst_usd_per_month == pytest.approx(730 * long.worst_usd_per_hour)
    assert none.worst_usd_per_month == pytest.approx(730 * none.worst_usd_per_hour)
    assert none.usd_per_lease is None


def test_the_packaged_tables_price_a_p5_cluster():
    cost = estimate(plan())
    assert line(cost, "gpu nodes").unit_price_usd == 55.04
    assert cost.usd_per_hour == pytest.approx(4 * 55.04, rel=0.02)
