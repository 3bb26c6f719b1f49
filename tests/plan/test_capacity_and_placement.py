"""How nodes are bought, how many start, and whether they stand together."""

from datetime import UTC, datetime, timedelta

import pytest

from gpuinfra.plan.resolve import resolve

from ..specs import AWS, AZURE, GCP, NOW, clean, found, only, pool, resolved

BLOCK = {
    "type": "capacity_block",
    "id": "cr-0aaa1111bbbb2222c",
    "starts": "2026-12-01T11:30:00Z",
    "ends": "2026-12-08T11:30:00Z",
}


def placed(base=AWS, **changes):
    return clean(resolved(pool(base, **changes))).plan.pools[0]


@pytest.mark.parametrize(
    ("base", "changes", "mode"),
    [
        (AWS, {}, "new"),
        (AWS, {"count": 1}, "none"),
        (AWS, {"capacity": {"type": "spot"}}, "new"),
        (AWS, {"capacity": {"type": "reservation", "id": "cr-0ddd3333eeee4444f"}}, "none"),
        (AWS, {"capacity": BLOCK}, "none"),
        (AWS, {"proximity": "none"}, "none"),
        (AWS, {"proximity": "acme-pg"}, "existing"),
        (AWS, {"fabric": "none"}, "none"),
        (GCP, {}, "new"),
        (GCP, {"capacity": {"type": "flex_start", "duration": "12h"}}, "none"),
        (AZURE, {}, "none"),
    ],
)
def test_placement_by_purchase(base, changes, mode):
    assert placed(base, **changes).placement.mode == mode


def test_a_group_of_the_users_own_is_kept_with_a_reservation():
    p = placed(capacity={"type": "reservation", "id": "cr-0ddd3333eeee4444f"}, proximity="acme-pg")
    assert (p.placement.mode, p.placement.name) == ("existing", "acme-pg")


def test_a_group_with_a_block_is_refused():
    finding = only(resolved(pool(capacity=BLOCK, proximity="acme-pg")), "GI2045")
    assert finding.path == "node_pools[0].proximity"


def test_a_block_starts_at_nothing_and_ends_early():
    p = placed(capacity=BLOCK, count=8)
    assert (p.count_min, p.count_initial, p.count_max, p.wanted) == (0, 0, 8, 8)
    assert p.capacity.scale_down == datetime(2026, 12, 8, 10, 50, tzinfo=UTC)
    assert p.scales_itself
    during = resolve(pool(capacity=BLOCK, count=8), NOW + timedelta(days=3)).plan.pools[0]
    assert during.count_initial == 8
    after = resolve(pool(capacity=BLOCK, count=8), NOW + timedelta(days=30)).plan.pools[0]
    assert after.count_initial == 0


def test_a_block_without_its_window_starts_at_nothing():
    p = placed(capacity={"type": "capacity_block", "id": "cr-0aaa1111bbbb2222c"}, count=8)
    assert (p.count_initial, p.wanted) == (0, 8)


@pytest.mark.parametrize(
    ("base", "name", "capacity", "says"),
    [
        (GCP, "a4-highgpu-8g", {"type": "on_demand"}, "flex_start"),
        (GCP, "a3-ultragpu-8g", {"type": "on_demand"}, ""),
        (GCP, "a3-highgpu-2g", {"type": "on_demand"}, "spot"),
        (GCP, "a4x-highgpu-4g", {"type": "flex_start", "duration": "12h"}, "reservation"),
        (GCP, "a4x-highgpu-4g", {"type": "spot"}, "reservation"),
        (AWS, "p6e-gb200.36xlarge", {"type": "on_demand"}, "capacity_block"),
        (AWS, "p6e-gb200.36xlarge", {"type": "spot"}, "capacity_block"),
        (
            AZURE,
            "Standard_ND96isr_H200_v5",
            {
                "type": "reservation",
                "id": "/subscriptions/s/resourceGroups/r/providers/Microsoft.Compute/capacityReservationGroups/g",
            },
            "",
        ),
        (AWS, "p5.48xlarge", {"type": "flex_start", "duration": "12h"}, ""),
    ],
)
def test_not_sold_so(base, name, capacity, says):
    location = (
        {k: v for k, v in base["location"].items() if k != "zone"}
        if base is not GCP
        else {**base["location"], "zone": "us-central1-b"}
    )
    findings = found(resolved(pool({**base, "location": location}, instance_type=name, capacity=capacity)), "GI2030")
    assert len(findings) == 1
    assert findings[0].path == "node_pools[0].capacity.type"
    assert name in findings[0].message
    assert says in findings[0].hint


@pytest.mark.parametrize(
    ("base", "capacity", "code"),
    [
        (AWS, {"type": "reservation"}, "GI2031"),
        (AWS, {"type": "capacity_block"}, "GI2031"),
        (GCP, {"type": "flex_start"}, "GI2031"),
        (AWS, {"type": "reservation", "id": "my-reservation"}, "GI2032"),
        (AWS, {"type": "capacity_block", "id": "res-h"}, "GI2032"),
        (GCP, {"type": "reservation", "id": "cr_0aaa"}, "GI2032"),
        (GCP, {"type": "flex_start", "duration": "8d"}, "GI2034"),
    ],
)
def test_a_purchase_without_its_parts(base, capacity, code):
    assert only(resolved(pool(base, capacity=capacity)), code).path.startswith("node_pools[0].capacity")


def test_short_flex_start_warns():
    finding = only(resolved(pool(GCP, capacity={"type": "flex_start", "duration": "5m"})), "GI2034")
    assert not finding.is_error


def test_fields_without_effect_are_named():
    finding = only(resolved(pool(capacity={"type": "on_demand", "duration": "5h"})), "GI2033")
    assert (finding.path, finding.is_error) == ("node_pools[0].capacity.duration", False)


def test_shared_reservations_of_google():
    path = "projects/other/reservations/res-h/reservationBlocks/b1"
    clean(resolved(pool(GCP, capacity={"type": "reservation", "id": path})))


def test_what_moves_by_itself_may_go_to_zero():
    p = placed()
    assert (p.count_min, p.count_initial, p.count_max, p.scales_itself) == (0, 2, 2, True)
    still = clean(resolved(pool({**AWS, "shutdown": None, "budget": None}))).plan.pools[0]
    assert (still.count_min, still.count_initial, still.count_max, still.scales_itself) == (2, 2, 2, False)
    ranged = placed(count={"min": 0, "max": 8, "initial": 2})
    assert (ranged.count_min, ranged.count_initial, ranged.count_max) == (0, 2, 8)
