"""How nodes are bought, how many start, and whether they stand together."""

from datetime import UTC, datetime, timedelta

import pytest

from gpuinfra.plan.resolve import resolve

from ..specs import AWS, AZURE, GCP, NOW, clean, found, only, pool, resolved, spec

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


def test_flex_start_takes_a_named_group_only_where_the_family_may_have_one():
    flex = {"capacity": {"type": "flex_start", "duration": "12h"}, "proximity": "acme-policy"}
    finding = only(resolved(pool(GCP, **flex)), "GI2045")
    assert "a4-highgpu, a3-ultragpu" in finding.message
    four = {**GCP, "location": {**GCP["location"], "zone": "us-central1-b"}}
    assert placed(four, instance_type="a4-highgpu-8g", **flex).placement.mode == "existing"


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


@pytest.mark.parametrize(
    ("shutdown", "budget", "least", "moves"),
    [
        (None, None, 2, False),
        ({"lease": "72h"}, None, 0, True),
        ({"lease": "72h", "idle_after": "30m"}, None, 0, True),
        ({"stop_at": {"cron": "0 20 * * *", "timezone": "Europe/Berlin"}}, None, 0, True),
        ({"lease": "72h"}, {"per_month_usd": 1, "on_limit": "stop", "contacts": ["a@example.com"]}, 0, True),
        (None, {"per_month_usd": 1, "contacts": ["a@example.com"]}, 2, False),
    ],
)
def test_what_ends_by_itself_may_go_to_zero(shutdown, budget, least, moves):
    """What an end has stopped must not be started again by the next `up`."""
    p = clean(resolved(pool({**AWS, "shutdown": shutdown, "budget": budget}))).plan.pools[0]
    assert (p.count_min, p.count_initial, p.count_max, p.scales_itself) == (least, 2, 2, moves)


def test_a_range_moves_by_itself():
    ranged = placed(count={"min": 0, "max": 8, "initial": 2})
    assert (ranged.count_min, ranged.count_initial, ranged.count_max, ranged.scales_itself) == (0, 2, 8, True)


IN_B = {**GCP, "location": {**GCP["location"], "zone": "us-central1-b"}, "image": {}}
RACK = {"capacity": {"type": "reservation", "id": "res-h"}, "instance_type": "a4x-highgpu-4g"}


def test_racks_stand_in_a_group_of_at_most_eighteen():
    assert placed(IN_B, **RACK, count=18).placement.mode == "new"
    finding = only(resolved(pool(IN_B, **RACK, count=36)), "GI2046")
    assert (finding.path, "18" in finding.message) == ("node_pools[0].count", True)


def test_a_group_holds_so_many():
    only(resolved(pool({**GCP, "network": {"cidr": "10.0.0.0/8"}}, count=1600)), "GI2046")


def test_training_nodes_of_google_stand_together_without_a_fabric():
    base = {**GCP, "location": {**GCP["location"], "zone": "us-central1-a"}}
    p = placed(base, instance_type="a2-ultragpu-8g", count=4)
    assert p.placement.mode == "new"
    lone = placed({**base, "workload": "inference"}, instance_type="a2-ultragpu-8g", count=4)
    assert "an inference cluster" in lone.placement.reason


AZURE_GROUP = "/subscriptions/s/resourceGroups/r/providers/Microsoft.Compute/capacityReservationGroups/g"


def test_a_reservation_of_azure_takes_no_group_and_stands_in_a_zone():
    base = {**AZURE, "location": {"provider": "azure", "region": "eastus"}}
    changes = {"instance_type": "Standard_NC24ads_A100_v4", "capacity": {"type": "reservation", "id": AZURE_GROUP}}
    refused = resolved(pool(base, **changes, proximity="my-ppg"))
    assert [d.path for d in found(refused, "GI2045")] == ["node_pools[0].proximity"]
    assert [d.path for d in found(refused, "GI2016")] == ["location.zone"]


@pytest.mark.parametrize(("ends", "refused"), [("2027-12-01T00:00:00Z", True), ("2027-01-15T00:00:00Z", False)])
def test_calendar_reservations_have_a_window(ends, refused):
    capacity = {"type": "reservation", "id": "res-h", "starts": "2026-12-01T00:00:00Z", "ends": ends}
    result = resolved(pool(GCP, capacity=capacity))
    assert bool(found(result, "GI2035")) is refused
    assert result.plan.pools[0].count_initial == 0


def test_names_that_the_user_gives_are_refused_when_too_long():
    long = {**AZURE, "location": {**AZURE["location"], "resource_group": "r" * 91}}
    assert only(resolved(pool(long)), "GI2071").path == "location.resource_group"
    assert only(resolved(pool(proximity="g" * 256)), "GI2071").path == "node_pools[0].proximity"


BUCKETS = [{"name": "out", "kind": "bucket", "mount": "/out"}, {"name": "demo", "kind": "bucket", "mount": "/demo"}]


@pytest.mark.parametrize(
    ("base", "name", "storage", "refused"),
    [
        (AWS, "sg-train", [], "security group named 'sg-train-nodes-…'"),
        (AWS, "sg", [], "security group named 'sg-nodes-…'"),
        (GCP, "sg-train", [], ""),
        (AWS, "sgs-train", [], ""),
        (AWS, "xn--train", [], ""),
        (AWS, "xn--train", BUCKETS, "bucket named 'xn--train-out-…'"),
        (AWS, "sthree", BUCKETS, "bucket named 'sthree-out-…'"),
        (AWS, "amzn-s3", BUCKETS, "bucket named 'amzn-s3-demo-…'"),
        (AWS, "sthree", [{**BUCKETS[0], "existing": "s3://results"}], ""),
        (AZURE, "a--b", BUCKETS, "bucket named 'a--b-out-…'"),
    ],
)
def test_names_begin_as_the_cloud_lets_them(base, name, storage, refused):
    findings = found(resolved(spec(base, name=name, storage=storage)), "GI2071")
    assert [(d.path, refused in d.message) for d in findings] == ([("name", True)] if refused else [])
    assert all("must not begin" in d.hint or "no hyphens side by side" in d.hint for d in findings)
    named = resolve(spec(base, storage=storage), NOW, name=name)
    assert bool(found(named, "GI2071")) == bool(refused)


_PPG = "/subscriptions/0/resourceGroups/rg/providers/Microsoft.Compute/proximityPlacementGroups/p"


@pytest.mark.parametrize(
    ("base", "name", "refused"),
    [
        (GCP, "near-1", False),
        (GCP, "projects/acme-lab/regions/us-central1/resourcePolicies/near-1", False),
        (GCP, "My Policy", True),
        (GCP, "near_1", True),
        (GCP, "projects/acme-lab/resourcePolicies/near-1", True),
        (AZURE, "near_1", False),
        (AZURE, _PPG, False),
        (AZURE, _PPG.replace("proximityPlacementGroups", "availabilitySets"), True),
        (AZURE, "near group", True),
        (AWS, "My group", False),
    ],
)
def test_a_group_of_ones_own_has_a_name_that_the_cloud_takes(base, name, refused):
    assert bool(found(resolved(pool(base, proximity=name)), "GI2071")) is refused


@pytest.mark.parametrize("word", ["cluster", "compact", "a; $(id)", "spread"])
def test_a_word_that_names_no_group(word):
    assert "auto" in only(resolved(pool(proximity=word)), "GI2045").hint


AHEAD = {"starts": "2026-12-09T00:00:00Z", "ends": "2026-12-12T00:00:00Z"}


def test_a_reservation_without_a_calendar_waits_for_no_moment():
    result = resolved(pool(capacity={"type": "reservation", "id": "cr-0ddd3333eeee4444f", **AHEAD}, count=4))
    assert {d.path for d in found(result, "GI2033")} == {
        "node_pools[0].capacity.starts",
        "node_pools[0].capacity.ends",
    }
    assert result.plan.pools[0].count_initial == 4


def test_a_calendar_reservation_waits_for_its_start():
    p = placed(GCP, capacity={"type": "reservation", "id": "res-h", **AHEAD}, count=4)
    assert (p.count_initial, p.wanted) == (0, 4)


@pytest.mark.parametrize(
    ("count", "said"),
    [
        ({"min": 0, "max": 4}, True),
        ({"min": 0, "max": 4, "initial": 0}, True),
        ({"min": 0, "max": 4, "initial": 4}, False),
        ({"min": 2, "max": 4}, False),
        (4, False),
        (0, False),
    ],
)
def test_flex_start_that_asks_for_nothing_is_said(count, said):
    """The request is made once, at the first `up`; nothing adds the other nodes of a range."""
    flex = {"type": "flex_start", "duration": "12h"}
    warned = found(resolved(pool(GCP, instance_type="a3-megagpu-8g", capacity=flex, count=count)), "GI2031")
    assert [(d.path, d.is_error, d.hint) for d in warned] == (
        [("node_pools[0].count", False, "add initial: 4")] if said else []
    )
