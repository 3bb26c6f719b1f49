"""From a name or a GPU to a machine."""

import pytest

from ..specs import AWS, AZURE, GCP, clean, found, only, pool, resolved, spec


@pytest.mark.parametrize(
    ("base", "request_", "region", "expected"),
    [
        (AWS, {"model": "H100", "count": 8}, None, "p5.48xlarge"),
        (AWS, {"model": "h100", "count": 1}, None, "p5.4xlarge"),
        (AWS, {"model": "L4"}, "us-east-2", "g6.xlarge"),
        (AWS, {"model": "A100", "count": 8, "memory_gib": 40}, None, "p4d.24xlarge"),
        (AWS, {"model": "A100-80GB", "count": 8}, "us-east-1", "p4de.24xlarge"),
        (AWS, {"model": "NVIDIA L40S", "count": 8}, None, "g6e.48xlarge"),
        (GCP, {"model": "B200", "count": 8}, None, "a4-highgpu-8g"),
        (GCP, {"model": "T4", "count": 4}, None, "n1-standard-32"),
        (GCP, {"model": "V100-16GB", "count": 1}, None, "n1-standard-8"),
        (AZURE, {"model": "H100", "count": 8}, None, "Standard_ND96isr_H100_v5"),
        (AZURE, {"model": "MI300X", "count": 8}, None, "Standard_ND96isr_MI300X_v5"),
    ],
)
def test_accelerator_becomes_a_type(base, request_, region, expected):
    s = pool(base, instance_type=None, accelerator=request_, capacity={"type": "spot"})
    location = s.location.model_copy(update={"zone": None, **({"region": region} if region else {})})
    plan = resolved(s.model_copy(update={"location": location})).plan
    assert plan.pools[0].instance.name == expected
    assert plan.pools[0].gpus_per_node == request_.get("count", 1)
    (why,) = [d for d in plan.decisions if d.path == "node_pools[0].instance_type"]
    assert why.value == expected
    assert why.reason


def test_a_word_for_several_cards_names_them_all():
    finding = only(resolved(pool(instance_type=None, accelerator={"model": "A100", "count": 8})), "GI2007")
    assert finding.path == "node_pools[0].accelerator.model"
    for word in ("A100-40GB", "A100-80GB", "p4d.24xlarge", "p4de.24xlarge"):
        assert word in finding.message


def test_a_typo_is_never_taken_for_a_longer_name():
    finding = only(resolved(pool(instance_type=None, accelerator={"model": "H10", "count": 8})), "GI2006")
    assert "H100" in finding.hint


@pytest.mark.parametrize(
    ("base", "name", "near"),
    [
        (AWS, "p5.49xlarge", "p5.48xlarge"),
        (AWS, "P5.48XLARGE", "p5.48xlarge"),
        (GCP, "a3-megagpu-9g", "a3-megagpu-8g"),
        (AZURE, "Standard_ND96isrr_H100_v5", "Standard_ND96isr_H100_v5"),
        (GCP, "n1+nvidia-tesla-t4:1", "gpuinfra instances"),
    ],
)
def test_unknown_type_names_the_nearest(base, name, near):
    finding = only(resolved(pool(base, instance_type=name)), "GI2001")
    assert finding.path == "node_pools[0].instance_type"
    assert name in finding.message
    assert near in finding.hint


@pytest.mark.parametrize("name", ["Standard_NC6s_v3", "Standard_NV4as_v4", "Standard_NC24rs_v3"])
def test_retired_sizes_are_refused(name):
    assert name in only(resolved(pool(AZURE, instance_type=name)), "GI2002").message


def test_count_that_is_not_sold_lists_the_counts():
    finding = only(resolved(pool(instance_type=None, accelerator={"model": "H100", "count": 3})), "GI2008")
    assert "1, 8" in finding.hint


def test_gpu_of_another_cloud():
    finding = only(resolved(pool(instance_type=None, accelerator={"model": "MI300X", "count": 8})), "GI2008")
    assert "aws" in finding.message


def test_neither_type_nor_gpu():
    only(resolved(pool(instance_type=None)), "GI2003")


def test_gpus_against_the_type():
    finding = only(resolved(pool(accelerator={"model": "H200", "count": 8})), "GI2004")
    assert "8 x H100-SXM" in finding.message
    clean(resolved(pool(accelerator={"model": "H100", "count": 8})))


def test_n1_takes_attached_gpus_within_the_limit():
    good = pool(GCP, instance_type="n1-standard-8", accelerator={"model": "T4", "count": 1})
    plan = clean(resolved(good)).plan
    assert plan.pools[0].attached_accelerator == "nvidia-tesla-t4"
    bad = pool(GCP, instance_type="n1-standard-64", accelerator={"model": "T4", "count": 1})
    finding = only(resolved(bad), "GI2005")
    assert "48 vCPU" in finding.message
    three = pool(GCP, instance_type="n1-standard-8", accelerator={"model": "T4", "count": 3})
    assert "1, 2, 4" in only(resolved(three), "GI2005").hint
    other = pool(GCP, instance_type="n1-standard-8", accelerator={"model": "H100", "count": 1})
    assert "T4" in only(resolved(other), "GI2005").hint


def test_a_pool_without_gpus():
    s = spec(node_pools=[*AWS["node_pools"], {"name": "head", "instance_type": "m7i.2xlarge"}])
    plan = clean(resolved(s)).plan
    assert plan.pools[1].gpus_per_node == 0
    assert plan.pools[1].accelerator is None
    assert [p.name for p in plan.gpu_pools] == ["gpu"]


def test_two_pools_with_one_name():
    s = spec(node_pools=[*AWS["node_pools"], *AWS["node_pools"]])
    finding = only(resolved(s), "GI2070")
    assert finding.path == "node_pools[1].name"


def test_every_fault_is_found_at_once():
    s = spec(node_pools=[{"name": "a", "instance_type": "p5.49xlarge"}, {"name": "b", "accelerator": {"model": "H10"}}])
    result = resolved(s)
    assert found(result, "GI2001")
    assert found(result, "GI2006")
    assert result.plan is not None
    assert not result.plan.complete


def test_a_type_whose_memory_is_unknown_still_has_a_plan():
    plan = resolved(pool({**AZURE, "image": {}}, instance_type="Standard_NC144ds_xl_RTXPRO6000BSE_v6", count=1)).plan
    (why,) = [d for d in plan.decisions if d.path == "node_pools[0].instance_type"]
    assert "unknown" in why.reason or "GiB" in why.reason


def test_every_type_of_the_catalog_has_a_plan_or_a_finding():
    from gpuinfra import catalog
    from gpuinfra.vocabulary import Provider

    bases = {Provider.AWS: AWS, Provider.GCP: GCP, Provider.AZURE: AZURE}
    for provider, base in bases.items():
        location = {k: v for k, v in base["location"].items() if k != "zone"}
        for t in catalog.instance_types(provider):
            result = resolved(pool({**base, "location": location, "image": {}}, instance_type=t.name))
            assert result.plan is not None
            assert result.plan.pools or result.diagnostics


@pytest.mark.parametrize(("zone", "refused"), [("europe-west1-b", True), ("us-west1-b", False)])
def test_some_zones_allow_less_beside_attached_gpus(zone, refused):
    location = {**GCP["location"], "region": zone.rsplit("-", 1)[0], "zone": zone}
    s = pool(
        {**GCP, "location": location, "image": {}},
        instance_type="n1-standard-96",
        accelerator={"model": "P100", "count": 4},
    )
    assert bool(found(resolved(s), "GI2005")) is refused


def test_drives_that_are_bought_apart_are_attached_only_where_asked():
    base = {**GCP, "location": {**GCP["location"], "zone": "us-central1-b"}, "image": {}}
    left = resolved(pool(base, instance_type="g4-standard-384", count=1)).plan.pools[0]
    asked = resolved(pool(base, instance_type="g4-standard-384", count=1, local_nvme="raid0")).plan.pools[0]
    assert (left.local_nvme.mode, asked.local_nvme.mode) == ("none", "raid0")


def test_a_type_of_another_cloud_is_named_so():
    assert "a type of gcp" in only(resolved(pool(instance_type="a3-megagpu-8g")), "GI2001").hint
    # One that the tables know by the form of its name alone.
    assert only(resolved(pool(instance_type="c3-standard-22")), "GI2001").hint.startswith("it is a type of gcp.")


@pytest.mark.parametrize(("base", "name", "carries"), [
    ({}, "trn2.48xlarge", "AWS Trainium"), ({}, "inf2.8xlarge", "AWS Inferentia"), (GCP, "ct5lp-hightpu-4t", "TPUs"),
])  # fmt: skip
def test_a_machine_with_another_accelerator_is_no_misspelt_gpu_machine(base, name, carries):
    hint = only(resolved(pool(base, instance_type=name) if base else pool(instance_type=name)), "GI2001").hint
    assert hint.startswith(f"its machines carry {carries} and no GPU")
    assert "did you mean" not in hint


def test_a_gpu_that_a_cloud_sells_no_more():
    finding = only(resolved(pool(instance_type=None, accelerator={"model": "V100-16GB", "count": 8})), "GI2008")
    assert "any more" in finding.message
    assert "V100-16GB" not in finding.hint
