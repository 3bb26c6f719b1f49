"""Regions and zones."""

import pytest

from ..specs import AWS, AZURE, GCP, clean, found, only, pool, resolved, spec


def at(base, **location):
    return spec(base, location={**base["location"], **location})


def test_unknown_region_names_the_nearest():
    result = resolved(at(AWS, region="us-east-22"))
    assert "us-east-2" in only(result, "GI2010").hint
    assert result.plan is None


@pytest.mark.parametrize(("base", "region"), [(GCP, "us-central"), (AZURE, "eastus9")])
def test_unknown_region_elsewhere(base, region):
    assert region in only(resolved(at(base, region=region)), "GI2010").message


@pytest.mark.parametrize(
    ("base", "given", "hint"),
    [
        (AWS, "use2-az1", "write region: us-east-2, and zone: use2-az1"),
        (AWS, "us-east-2a", "write region: us-east-2, and as location.zone one of use2-az1, use2-az2, use2-az3"),
        (GCP, "us-central1-b", "write region: us-central1, and zone: us-central1-b"),
        (AZURE, "eastus-1", 'write region: eastus, and zone: "1"'),
    ],
)
def test_a_zone_for_a_region_names_the_region(base, given, hint):
    finding = only(resolved(at(base, region=given)), "GI2010")
    assert "is a zone of" in finding.message
    assert finding.hint == hint


@pytest.mark.parametrize(("base", "region"), [(AZURE, "eastuss"), (AZURE, "eastus2a"), (AWS, "us-east-22")])
def test_a_mistyped_region_is_no_zone(base, region):
    assert "is not a known region" in only(resolved(at(base, region=region)), "GI2010").message


def test_a_zone_letter_is_refused_with_the_ids():
    finding = only(resolved(at(AWS, zone="us-east-2a")), "GI2011")
    assert finding.path == "location.zone"
    assert "use2-az1, use2-az2, use2-az3" in finding.hint


@pytest.mark.parametrize(
    ("base", "zone"), [(AWS, "use2-az9"), (AWS, "use1-az1"), (GCP, "us-central1-z"), (AZURE, "4"), (GCP, "us-east4-a")]
)
def test_unknown_zone(base, zone):
    assert zone in only(resolved(at(base, zone=zone)), "GI2012").message


def test_a_zone_without_the_type_lists_those_with_it():
    s = pool(
        {**AWS, "location": {"provider": "aws", "region": "us-west-2", "zone": "usw2-az4"}},
        instance_type="p6-b300.48xlarge",
    )
    finding = found(resolved(s), "GI2014")[0]
    assert "usw2-az1, usw2-az2" in finding.hint


def test_gcp_case_of_the_a4_zone():
    s = pool(
        {**GCP, "location": {**GCP["location"], "zone": "us-central1-c"}},
        instance_type="a4-highgpu-8g",
        capacity={"type": "spot"},
    )
    assert "us-central1-b" in only(resolved(s), "GI2014").hint


def test_a_region_without_the_type_lists_those_with_it():
    s = pool({**AWS, "location": {"provider": "aws", "region": "eu-west-3"}}, instance_type="p5.48xlarge")
    finding = found(resolved(s), "GI2013")[0]
    assert finding.hint.startswith("move location.region to one of: eu-north-1, eu-west-2")


def test_the_zone_is_one_that_offers_every_type():
    s = at(AWS, region="us-west-2", zone=None)
    s = s.model_copy(
        update={
            "node_pools": spec(
                node_pools=[
                    {"name": "a", "instance_type": "p6-b300.48xlarge"},
                    {"name": "b", "instance_type": "p5.48xlarge"},
                ]
            ).node_pools
        }
    )
    plan = clean(resolved(s)).plan
    assert plan.zone == "usw2-az1"
    assert all(p.zone == "usw2-az1" for p in plan.pools)


def test_types_without_a_common_zone():
    from gpuinfra import catalog
    from gpuinfra.vocabulary import Provider

    # g5g and p4d share no zone of eu-north-1 would be brittle: look one up, so that a new table cannot make this empty.
    apart = next(
        (region, a.name, b.name)
        for region in catalog.regions(Provider.AWS)
        for a in catalog.instance_types(Provider.AWS)
        for b in catalog.instance_types(Provider.AWS)
        if (za := catalog.zones(Provider.AWS, region, a.name))
        and (zb := catalog.zones(Provider.AWS, region, b.name))
        and not set(za.zones) & set(zb.zones)
    )
    region, one, other = apart
    s = spec(
        location={"provider": "aws", "region": region},
        node_pools=[{"name": "a", "instance_type": one}, {"name": "b", "instance_type": other}],
    )
    finding = found(resolved(s), "GI2015")[0]
    assert one in finding.hint
    assert other in finding.hint


def test_an_existing_subnet_decides_the_zone():
    s = spec(
        location={"provider": "aws", "region": "us-east-2"},
        network={"existing": {"network": "vpc-0a1b2c3d4e", "subnet": "subnet-0a1b2c3d4e"}},
    )
    plan = clean(resolved(s)).plan
    assert plan.zone == ""


def test_a_reservation_without_a_zone_warns():
    s = pool(
        {**AWS, "location": {"provider": "aws", "region": "us-east-2"}},
        capacity={"type": "reservation", "id": "cr-0123456789abcdef0"},
    )
    finding = only(resolved(s), "GI2016")
    assert not finding.is_error


def test_azure_needs_no_zone():
    plan = clean(resolved(at(AZURE, zone=None))).plan
    assert plan.zone == ""


def test_an_unknown_type_does_not_make_an_unknown_zone():
    result = resolved(
        pool({**AWS, "location": {"provider": "aws", "region": "us-east-2"}}, instance_type="p5.49xlarge")
    )
    assert {d.code for d in result.diagnostics if d.is_error} == {"GI2001"}


def test_machines_without_gpus_take_the_first_zone_and_say_so():
    s = pool({**AWS, "location": {"provider": "aws", "region": "us-east-2"}}, instance_type="m7i.xlarge", count=1)
    result = clean(resolved(s))
    assert found(result, "GI2017")
    assert result.plan.zone == "use2-az1"


def test_attached_gpus_have_zones_of_their_own():
    location = {"provider": "gcp", "project": "acme-lab", "region": "asia-east1"}
    base = {**GCP, "location": location}
    machine = {"instance_type": "n1-standard-8", "accelerator": {"model": "T4", "count": 1}, "count": 1}
    assert clean(resolved(pool(base, **machine))).plan.zone == "asia-east1-a"
    elsewhere = {**base, "location": {**location, "zone": "asia-east1-b"}}
    assert "asia-east1-a, asia-east1-c" in only(resolved(pool(elsewhere, **machine)), "GI2014").hint


@pytest.mark.parametrize(("region", "owner"), [("us-central1", "gcp"), ("eastus", "azure")])
def test_a_region_of_another_cloud_is_named_so(region, owner):
    assert f"a region of {owner}" in only(resolved(at(AWS, region=region)), "GI2010").hint


def test_a_size_without_a_price_in_the_region():
    base = {**AZURE, "location": {**AZURE["location"], "region": "brazilsouth"}}
    finding = only(resolved(pool(base)), "GI2018")
    assert not finding.is_error
    assert not found(resolved(pool(AZURE)), "GI2018")


def test_a_type_that_is_offered_and_has_no_price_there():
    """Google lists the zones of a type, and no price for it: no limit of the budget is judged, which must be said."""
    elsewhere = {**GCP, "location": {**GCP["location"], "region": "asia-east1", "zone": "asia-east1-c"}}
    finding = only(resolved(pool(elsewhere, instance_type="a3-megagpu-8g")), "GI2018")
    assert not finding.is_error
    assert "no limit of the budget is judged" in finding.message
    assert "us-central1" in finding.hint
    held = {"type": "reservation", "id": "res-h"}
    assert not found(resolved(pool(elsewhere, instance_type="a3-megagpu-8g", capacity=held)), "GI2018")
    assert not found(resolved(pool(GCP, instance_type="a3-megagpu-8g")), "GI2018")


def test_a_region_that_the_tables_know_nothing_of_refuses_no_type():
    """GovCloud: no table of offers, so what it lacks is unknown."""
    s = pool({**AWS, "location": {"provider": "aws", "region": "us-gov-west-1"}}, instance_type="p5.48xlarge")
    assert found(resolved(s), "GI2013") == []


def test_a_local_zone_is_unverified_and_not_refused():
    result = resolved(at(AWS, region="us-east-1", zone="use1-dfw2-az1"))
    assert "use1-dfw2-az1" in found(result, "GI2017")[0].message
    assert result.plan.zone == "use1-dfw2-az1"


def test_a_local_zone_of_another_region_is_refused():
    assert "usw2-lax1-az1" in only(resolved(at(AWS, region="us-east-1", zone="usw2-lax1-az1")), "GI2012").message
