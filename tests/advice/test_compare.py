"""Where a need can be met, at which price, and why not where not."""

from __future__ import annotations

from typing import Any

import pytest

from gpuinfra import catalog
from gpuinfra.advice.compare import ANY_TYPE, Comparison, Offer, compare
from gpuinfra.advice.need import Need, family_of, needs_of, serves
from gpuinfra.diagnostics import Collector
from gpuinfra.plan.resolve import resolve
from gpuinfra.spec.models import ClusterSpec
from gpuinfra.vocabulary import CapacityType, FabricKind, Provider

from ..specs import AWS, AZURE, GCP, NOW, pool, spec

AWS_, GCP_, AZURE_ = Provider.AWS, Provider.GCP, Provider.AZURE


def needs(what: ClusterSpec) -> tuple[Need, ...]:
    out = Collector()
    found = needs_of(what, out)
    assert not out.found
    return found


def compared(what: ClusterSpec, **options: Any) -> Comparison:
    return compare(what, needs(what), NOW, **options)


def wanting(**changes: Any) -> ClusterSpec:
    """A spec of one pool of GPUs that are asked for by their kind."""
    return pool(AWS, instance_type=None, **changes)


def why(made: Comparison, instance_type: str) -> str:
    (reason,) = [e.reason for e in made.excluded if e.instance_type == instance_type]
    return reason


def types(made: Comparison) -> set[str]:
    return {o.instance_type for o in made.offers}


def test_h100_boards_with_a_fabric_are_had_on_every_cloud():
    made = compared(pool(AWS, count=4, fabric="required"))
    assert {o.provider for o in made.offers} == set(Provider)
    assert types(made) >= {"p5.48xlarge", "a3-megagpu-8g", "Standard_ND96isr_H100_v5"}
    assert all(o.nodes == 4 and o.gpus_per_node == 8 and o.fabric is not FabricKind.NONE for o in made.offers)
    assert "no fabric" in why(made, "Standard_ND96is_H100_v5")
    assert "1 GPU a node, and 8 are asked for" in why(made, "p5.4xlarge")


def test_amounts_follow_from_one_price():
    made = compared(pool(AWS, count=4))
    for o in made.offers:
        if o.usd_per_hour is None:
            assert o.usd_per_gpu_hour is None
            assert o.usd_per_lease is None
            continue
        price = catalog.price(o.provider, o.region, o.instance_type)
        assert price is not None
        assert price.on_demand_usd_hour is not None
        assert o.usd_per_hour == pytest.approx(4 * price.on_demand_usd_hour)
        assert o.usd_per_gpu_hour == pytest.approx(o.usd_per_hour / 32)
        assert o.usd_per_lease == pytest.approx(o.usd_per_hour * 72)
        assert o.as_of == price.as_of


def test_the_cheapest_gpu_hour_is_first_and_unknown_prices_last():
    offers = compared(wanting(accelerator={"model": "H100", "count": 8})).offers
    amounts = [o.usd_per_gpu_hour for o in offers]
    known = [a for a in amounts if a is not None]
    assert known == sorted(known)
    assert known
    assert amounts[: len(known)] == known
    assert None in amounts


def test_without_a_lease_nothing_has_a_price_of_it():
    made = compare(what := spec(shutdown=None), needs(what), NOW)
    assert made.offers
    assert {o.usd_per_lease for o in made.offers} == {None}


def test_every_offer_can_be_planned_where_it_stands():
    what = pool(AWS, count=2, fabric="required")
    firsts: dict[tuple[Provider, str], Offer] = {}
    for o in compared(what).offers:
        firsts.setdefault((o.provider, o.instance_type), o)
    assert len(firsts) >= 4
    for o in firsts.values():
        base = {AWS_: AWS, GCP_: GCP, AZURE_: AZURE}[o.provider]
        location = {**base["location"], "region": o.region, "zone": o.zone}
        nodes = [{"name": "gpu", "instance_type": o.instance_type, "count": o.nodes, "fabric": "required"}]
        planned = resolve(spec(base, location=location, node_pools=nodes), NOW)
        codes = {d.code for d in planned.diagnostics if d.is_error}
        assert not codes, (o, planned.diagnostics)


def test_a_way_to_buy_that_is_not_sold_gives_way_to_the_nearest():
    b200 = compared(wanting(accelerator={"model": "B200", "count": 8}, count=2))
    ways = {(o.provider, o.capacity) for o in b200.offers}
    assert (GCP_, CapacityType.FLEX_START) in ways
    assert (AWS_, CapacityType.ON_DEMAND) in ways
    flex = next(o for o in b200.offers if o.provider is GCP_)
    assert flex.usd_per_hour is None
    assert "flex-start" in flex.note


def test_racks_are_had_by_reservation_alone():
    made = compared(wanting(accelerator={"model": "GB200", "count": 4}, count=18))
    assert {o.capacity for o in made.offers if o.provider is GCP_} == {CapacityType.RESERVATION}
    assert why(made, "p6e-gb200.36xlarge") == "the tables list it in no region"


def test_spot_takes_the_spot_price_and_never_a_weak_one():
    made = compared(pool(AWS, count=1, capacity={"type": "spot"}))
    for o in made.offers:
        price = catalog.price(o.provider, o.region, o.instance_type)
        usable = price is not None and price.spot_usd_hour is not None and not price.spot_weak
        assert (o.usd_per_hour is not None) == usable


def test_least_memory_keeps_smaller_cards_out():
    made = compared(wanting(accelerator={"model": "A100", "count": 8, "memory_gib": 80}, fabric="none"))
    assert {o.gpu_model for o in made.offers} == {"A100-80GB"}
    assert why(made, "p4d.24xlarge") == "A100-40GB has 40 GiB a GPU, and 80 are needed"
    more = compared(wanting(accelerator={"model": "A100", "count": 8, "memory_gib": 40}, fabric="none"))
    assert {"p4d.24xlarge", "a2-highgpu-8g", "Standard_ND96asr_v4"} <= types(more)


def test_a_card_does_for_a_module_where_a_node_has_one_gpu():
    one = compared(pool(GCP, instance_type="a2-ultragpu-1g", count=1))
    assert "Standard_NC24ads_A100_v4" in types(one)
    two = compared(pool(GCP, instance_type="a2-ultragpu-2g", count=1))
    assert "another link" in why(two, "Standard_NC48ads_A100_v4")


def test_larger_nodes_are_taken_only_where_no_smaller_one_is():
    made = compared(wanting(accelerator={"model": "L4", "count": 1}, count=2))
    assert {o.gpus_per_node for o in made.offers} == {1}
    assert "g6.xlarge with 1 is enough" in why(made, "g6.12xlarge")
    assert why(made, ANY_TYPE) == "azure sells no machine with L4"
    h100 = compared(wanting(accelerator={"model": "H100", "count": 2}, count=3, fabric="none"), providers=[AWS_])
    assert {(o.instance_type, o.nodes) for o in h100.offers} == {("p5.48xlarge", 1)}
    best = h100.offers[0]
    assert best.usd_per_hour is not None
    assert best.usd_per_gpu_hour == pytest.approx(best.usd_per_hour / 6)


def test_gpus_that_are_attached_cost_the_machine_and_the_gpus():
    made = compared(wanting(accelerator={"model": "T4", "count": 2}, count=1), providers=[GCP_], region="us-central1")
    (offer,) = made.offers
    machine = catalog.price(GCP_, "us-central1", offer.instance_type)
    gpu = catalog.price(GCP_, "us-central1", f"accelerator:{offer.attached}")
    assert gpu is not None
    assert gpu.on_demand_usd_hour
    if machine is None:
        assert offer.usd_per_hour is None
    else:
        assert offer.usd_per_hour == pytest.approx((machine.on_demand_usd_hour or 0) + 2 * gpu.on_demand_usd_hour)


def test_shares_of_a_gpu_and_retired_types_are_no_offers():
    made = compared(wanting(accelerator={"model": "A10", "count": 1}, count=1))
    assert why(made, "Standard_NV6ads_A10_v5").endswith("of a card")
    old = compared(wanting(accelerator={"model": "V100-16GB", "count": 4}, count=1))
    gone = [e for e in old.excluded if "retired" in e.reason]
    assert gone
    assert not types(old) & {e.instance_type for e in gone}


def test_one_region_and_one_cloud():
    made = compared(spec(), providers=[GCP_], region="us-central1")
    assert {(o.provider, o.region) for o in made.offers} == {(GCP_, "us-central1")}
    without = next(r for r in catalog.regions(GCP_) if catalog.zones(GCP_, r, "a3-megagpu-8g") is None)
    none = compared(pool(GCP), providers=[GCP_], region=without)
    assert why(none, "a3-megagpu-8g") == f"not offered in {without}"


def test_each_pool_is_compared_by_itself():
    pools = [
        {"name": "train", "instance_type": "p5.48xlarge", "count": 2},
        {"name": "serve", "instance_type": "g6.xlarge", "count": {"min": 0, "max": 4}},
        {"name": "login", "instance_type": "m7i.xlarge"},
        {"name": "off", "instance_type": "g6.xlarge", "count": 0},
    ]
    what = spec(node_pools=pools)
    assert [(n.pool, n.nodes) for n in needs(what)] == [("train", 2), ("serve", 4)]
    assert {o.pool for o in compared(what).offers} == {"train", "serve"}


def test_what_the_own_cloud_does_not_sell_another_may():
    made = compared(wanting(accelerator={"model": "MI300X", "count": 8}, count=1))
    assert {o.provider for o in made.offers} == {AZURE_}


def test_what_cannot_be_told_is_a_finding():
    out = Collector()
    assert needs_of(pool(AWS, instance_type="p5.49xlarge"), out) == ()
    assert [d.code for d in out.found] == ["GI2001"]
    unknown = Collector()
    assert needs_of(wanting(accelerator={"model": "H99", "count": 8}), unknown) == ()
    assert [d.code for d in unknown.found] == ["GI2006"]


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({"count": 4}, True),
        ({"count": 1}, False),
        ({"count": 1, "fabric": "required"}, True),
        ({"count": 4, "fabric": "none"}, False),
        ({"count": 4, "instance_type": "g6.xlarge"}, False),
    ],
)
def test_a_fabric_is_needed_where_the_nodes_would_use_theirs(changes: dict[str, Any], wanted: bool):
    (need,) = needs(pool(AWS, **changes))
    assert need.fabric is wanted


def test_families_of_cards():
    assert family_of("H100-SXM") == family_of("H100-NVL") == "H100"
    assert family_of("A100-80GB-PCIE") == family_of("A100-40GB") == "A100"
    assert family_of("RTX-PRO-6000") != family_of("RTX-PRO-4500")
    assert serves("H100-SXM", ["H100-NVL"], 2)
    assert not serves("H100-NVL", ["H100-SXM"], 2)
