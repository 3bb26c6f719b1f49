"""MIG layouts: what stands on one GPU, and the nearest that does."""

from __future__ import annotations

from itertools import combinations_with_replacement, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra import catalog
from gpuinfra.catalog import Accelerator, InstanceType, Miss
from gpuinfra.plan.mig import driver_makes_mig, judge_layout, mig_plan
from gpuinfra.vocabulary import Provider


def gpu(model: str) -> Accelerator:
    found = catalog.accelerator(model)
    assert not isinstance(found, Miss)
    return found


def machine(provider: Provider, name: str) -> InstanceType:
    found = catalog.instance_type(provider, name)
    assert not isinstance(found, Miss)
    return found


P4D = machine(Provider.AWS, "p4d.24xlarge")
A100 = gpu("A100-40GB")
PLACES = {
    "1g.5gb": [{s} for s in range(7)],
    "1g.10gb": [{s, s + 1} for s in (0, 2, 4, 6)],
    "2g.10gb": [{s, s + 1} for s in (0, 2, 4)],
    "3g.20gb": [{0, 1, 2, 3}, {4, 5, 6, 7}],
    "4g.20gb": [{0, 1, 2, 3}],
    "7g.40gb": [set(range(8))],
}


def stands_by_brute_force(layout: tuple[str, ...]) -> bool:
    """Every placement of every instance tried."""
    return any(sum(map(len, p)) == len(set().union(*p)) for p in product(*(PLACES[n] for n in layout)))


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_small_layouts_agree_with_trying_every_placement(size: int) -> None:
    for layout in combinations_with_replacement(PLACES, size):
        assert judge_layout(layout, A100).fits is stands_by_brute_force(layout), layout


@given(st.lists(st.sampled_from(sorted(PLACES)), min_size=1, max_size=9))
def test_the_nearest_layout_always_stands(layout: list[str]) -> None:
    fit = judge_layout(layout, A100)
    if fit.fits:
        plan, found = mig_plan("p.mig", tuple(layout), A100, P4D, 8)
        assert plan is not None
        assert not found
        assert sorted(plan.profiles) == sorted(layout)
        assert plan.instances_per_node == 8 * len(layout)
    else:
        assert fit.nearest
        assert judge_layout(fit.nearest, A100).fits


@pytest.mark.parametrize(
    ("model", "layout", "fits"),
    [
        ("A100-80GB", ["4g.40gb", "3g.40gb"], True),
        ("A100-80GB", ["3g.40gb", "3g.40gb"], True),
        ("A100-80GB", ["3g.40gb", "3g.40gb", "1g.10gb"], False),
        ("A100-80GB", ["4g.40gb", "4g.40gb"], False),
        ("H100-SXM", ["1g.10gb"] * 7, True),
        ("H100-SXM", ["1g.10gb"] * 8, False),
        ("H100-SXM", ["1g.20gb"] * 4, True),
        ("H100-SXM", ["1g.20gb"] * 5, False),
        ("H200", ["2g.35gb", "2g.35gb", "2g.35gb", "1g.18gb"], True),
        ("H200", ["2g.35gb"] * 4, False),
        ("B200", ["7g.180gb"], True),
        ("B200", ["7g.180gb", "1g.23gb"], False),
        ("RTX-PRO-6000", ["2g.48gb", "1g.24gb", "1g.24gb"], True),
        ("RTX-PRO-6000", ["1g.24gb"] * 5, False),
        ("RTX-PRO-6000", ["4g.96gb"], True),
        ("H100-SXM", ["1g.10gb+me", "1g.10gb"], True),
        ("H100-SXM", ["1g.10gb+me", "1g.10gb+me"], False),
    ],
)
def test_layouts(model: str, layout: list[str], fits: bool) -> None:
    assert judge_layout(layout, gpu(model)).fits is fits


@pytest.mark.parametrize(
    ("model", "profile", "count"),
    [("A100-40GB", "1g.5gb", 7), ("A100-40GB", "3g.20gb", 2), ("A100-40GB", "1g.10gb", 4), ("A100-40GB", "2g.10gb", 3)],
)
def test_one_profile_fills_the_gpu(model: str, profile: str, count: int) -> None:
    plan, found = mig_plan("node_pools[0].mig", profile, gpu(model), P4D, 8)
    assert found == ()
    assert plan is not None
    assert plan.profiles == (profile,) * count
    assert plan.instances_per_node == 8 * count


def test_every_profile_of_every_gpu_stands_alone_and_full() -> None:
    for accelerator in catalog.accelerators():
        for profile in accelerator.mig_profiles:
            plan, found = mig_plan("p", profile, accelerator, P4D, 1)
            assert plan is not None, (accelerator.model, profile, found)
            assert judge_layout(plan.profiles, accelerator).fits
            assert not judge_layout((*plan.profiles, profile), accelerator).fits


def test_largest_instances_are_made_first() -> None:
    plan, _ = mig_plan("p", ("1g.5gb", "4g.20gb", "2g.10gb"), A100, P4D, 1)
    assert plan is not None
    assert plan.profiles == ("4g.20gb", "2g.10gb", "1g.5gb")


def test_a_layout_that_does_not_fit_names_the_nearest() -> None:
    plan, (found,) = mig_plan("node_pools[1].mig", ("3g.20gb", "3g.20gb", "1g.5gb"), A100, P4D, 8)
    assert plan is None
    assert found.code == "GI2142"
    assert found.path == "node_pools[1].mig"
    assert "p4d.24xlarge" in found.message
    assert "9 memory slices of 8" in found.message
    assert "[3g.20gb, 3g.20gb]" in found.hint


def test_an_unknown_profile_names_those_with_the_same_compute_share() -> None:
    _, (found,) = mig_plan("p", "1g.5gb", gpu("H100-SXM"), machine(Provider.AWS, "p5.48xlarge"), 8)
    assert found.code == "GI2141"
    assert "did you mean 1g.10gb or 1g.20gb?" in found.hint
    assert "7g.80gb" in found.hint


@pytest.mark.parametrize("wish", ["all-1g.5gb", "MIG 1g.5gb", " 1G.5GB ", "mig-1g.5gb"])
def test_other_spellings_of_a_profile(wish: str) -> None:
    plan, found = mig_plan("p", wish, A100, P4D, 1)
    assert found == ()
    assert plan is not None
    assert plan.profiles == ("1g.5gb",) * 7


@pytest.mark.parametrize(
    ("provider", "name", "model"),
    [
        (Provider.AWS, "g6.xlarge", "L4"),
        (Provider.AWS, "g4dn.xlarge", "T4"),
        (Provider.AZURE, "Standard_NV36ads_A10_v5", "A10"),
        (Provider.AZURE, "Standard_ND96isr_MI300X_v5", "MI300X"),
        (Provider.AWS, "p6e-gb200.36xlarge", "GB200"),
        (Provider.GCP, "g4-standard-24", "RTX-PRO-6000"),
    ],
)
def test_machines_without_mig(provider: Provider, name: str, model: str) -> None:
    plan, (found,) = mig_plan("p", "1g.5gb", gpu(model), machine(provider, name), 1)
    assert plan is None
    assert found.code == "GI2140"
    assert name in found.message
    assert "mig" in found.hint


def test_a_machine_without_gpus_and_a_gpu_that_is_not_known_for_mig() -> None:
    _, (none,) = mig_plan("p", "1g.5gb", None, machine(Provider.AWS, "c5.xlarge"), 0)
    assert none.code == "GI2140"
    unverified = A100._replace(mig_max_instances=None, mig_profiles=())
    _, (unknown,) = mig_plan("p", "1g.5gb", unverified, P4D, 8)
    assert unknown.code == "GI2143"


@pytest.mark.parametrize("wish", [None, ()])
def test_no_wish_is_no_mig(wish: tuple[str, ...] | None) -> None:
    assert mig_plan("p", wish, A100, P4D, 8) == (None, ())


@given(st.one_of(st.text(max_size=30), st.lists(st.text(max_size=12), max_size=6).map(tuple)))
def test_any_text_is_a_layout_or_a_finding(wish: str | tuple[str, ...]) -> None:
    plan, found = mig_plan("p", wish, A100, P4D, 8)
    assert (plan is None) is bool(found) or wish == ()


def test_a_huge_layout_is_refused_in_short() -> None:
    _, (found,) = mig_plan("p", ("1g.5gb",) * 5000, A100, P4D, 8)
    assert "5000 in all" in found.message
    assert len(found.message) < 400


def test_first_drivers_with_mig() -> None:
    assert driver_makes_mig(gpu("B200"), "570.124.06") is False
    assert driver_makes_mig(gpu("B200"), "580.65.06") is True
    assert driver_makes_mig(gpu("RTX-PRO-6000"), "570.211.01") is False
    assert driver_makes_mig(gpu("B200"), "") is None
    assert driver_makes_mig(A100, "535.54.03") is True
