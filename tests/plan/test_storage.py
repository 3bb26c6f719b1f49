"""Sizes in the cloud's steps; what exists; what can be imported."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra import catalog
from gpuinfra.plan.storage import _above, _below, _on_ladder
from gpuinfra.vocabulary import Provider, StorageKind

from ..specs import AWS, AZURE, GCP, clean, only, resolved, spec


def stored(base, **changes):
    return resolved(spec(base, storage=[{"name": "scratch", "mount": "/scratch", **changes}]))


def lustre(base, size, throughput=None):
    return stored(base, kind="lustre", size_gib=size, **({"throughput_mbps_per_tib": throughput} if throughput else {}))


@pytest.mark.parametrize(
    ("base", "size", "throughput", "tier"),
    [
        (AWS, 1200, 125, "PERSISTENT_2"),
        (AWS, 2400, 1000, "PERSISTENT_2"),
        (AWS, 7200, 250, "PERSISTENT_2"),
        (AWS, "9600 GiB", 500, "PERSISTENT_2"),
        (GCP, 9000, 1000, None),
        (GCP, 36000, 500, None),
        (GCP, 36000, 250, None),
        (GCP, 72000, 125, None),
        (AZURE, 49152, 40, "AMLFS-Durable-Premium-40"),
        (AZURE, "8 TiB", 250, "AMLFS-Durable-Premium-250"),
        (AZURE, 4096, 500, "AMLFS-Durable-Premium-500"),
    ],
)
def test_sizes_that_are_sold(base, size, throughput, tier):
    plan = clean(lustre(base, size, throughput)).plan
    assert plan.storage[0].throughput_mbps_per_tib == throughput
    assert tier is None or plan.storage[0].tier.tier == tier
    assert plan.storage[0].zone == plan.zone


@pytest.mark.parametrize(
    ("base", "size", "throughput", "says"),
    [
        (AWS, 5000, 250, "4800 or 7200"),
        (AWS, 3600, 125, "2400 or 4800"),
        (AWS, 1300, 125, "1200 or 2400"),
        (AWS, 100, 125, "1200"),
        (AWS, "9.6 TB", 500, "7200 or 9600"),
        (GCP, 24000, 500, "18000 or 36000"),
        (AZURE, 20480, 125, "16384 or 32768"),
        (AZURE, 40960, 40, "49152"),
    ],
)
def test_sizes_between_steps_name_the_two_nearest(base, size, throughput, says):
    finding = only(lustre(base, size, throughput), "GI2062")
    assert finding.path == "storage[0].size_gib"
    assert says in finding.hint


def test_the_message_quotes_what_was_written():
    finding = only(lustre(AWS, "9.6 TB", 500), "GI2062")
    assert "9.6 TB = 8940.7 GiB" in finding.message


def test_above_the_public_maximum_is_a_warning():
    finding = only(lustre(AZURE, 147456, 125), "GI2066")
    assert not finding.is_error


@pytest.mark.parametrize(
    ("base", "says"), [(AWS, "125, 250, 500, 1000"), (AZURE, "40, 125, 250, 500"), (GCP, "125, 250, 500, 1000")]
)
def test_unknown_throughput_lists_the_classes(base, says):
    finding = only(lustre(base, 9600, 200), "GI2065")
    assert says in finding.hint


def test_new_lustre_needs_a_size():
    assert "1200" in only(stored(AWS, kind="lustre"), "GI2060").hint


TIERS = [t for p in Provider for t in catalog.storage_tiers(p, StorageKind.LUSTRE)]


@given(tier=st.sampled_from(TIERS), size=st.floats(1, 2e6, allow_nan=False))
def test_the_nearest_sizes_are_sold_and_are_nearest(tier, size):
    for near in (_below(tier, size), _above(tier, size)):
        assert near is None or _on_ladder(tier, near)
    below, above = _below(tier, size), _above(tier, size)
    if _on_ladder(tier, size):
        return
    if below is not None and above is not None:
        assert below < size < above
        assert not any(_on_ladder(tier, s) for s in range(below + 1, min(above, below + 5000)))


@pytest.mark.parametrize(
    ("base", "kind", "existing", "right"),
    [
        (AWS, "lustre", "fs-0123456789abcdef0", True),
        (AWS, "lustre", "my-scratch", False),
        (AWS, "bucket", "s3://acme-data", True),
        (AWS, "bucket", "gs://acme-data", False),
        (GCP, "bucket", "gs://acme-data/tokens", True),
        (AZURE, "bucket", "https://acme.blob.core.windows.net/data", True),
        (AZURE, "bucket", "s3://acme-data", False),
    ],
)
def test_existing_storage_by_its_own_id(base, kind, existing, right):
    result = stored(base, kind=kind, existing=existing)
    if right:
        assert clean(result).plan.storage[0].existing == existing
    else:
        assert existing in only(result, "GI2063").message


def test_imports():
    plan = clean(stored(AWS, kind="lustre", size_gib=2400, import_from="s3://acme-data/imagenet")).plan
    assert plan.storage[0].import_mount == "/imagenet"
    only(stored(AWS, kind="lustre", size_gib=2400, import_from="gs://acme-data"), "GI2064")
    only(stored(AWS, kind="nfs", import_from="s3://acme-data"), "GI2064")


def test_google_nfs_takes_the_tier_that_has_the_size():
    for size in (2560, 1024, 10240):
        plan = clean(stored(GCP, kind="nfs", size_gib=size)).plan
        assert plan.storage[0].tier.tier == "ZONAL"
    assert "2816 or 3072" in only(stored(GCP, kind="nfs", size_gib=3000), "GI2062").hint


def test_the_dynamic_tier_of_google_is_taken_by_its_sizes():
    plan = clean(stored(GCP, kind="lustre", size_gib=944000)).plan
    assert plan.storage[0].tier.tier == "dynamic"


def test_nfs_and_bucket_without_sizes_on_aws():
    plan = clean(
        resolved(
            spec(
                storage=[
                    {"name": "home", "kind": "nfs", "size_gib": 1024, "mount": "/shared"},
                    {"name": "data", "kind": "bucket", "mount": "/data"},
                ]
            )
        )
    ).plan
    assert [s.size_gib for s in plan.storage] == [None, None]
    assert plan.storage[1].zone == ""


def test_storage_in_another_zone_is_seen():
    plan = clean(stored(AWS, kind="lustre", size_gib=2400, zone="use2-az2")).plan
    assert plan.storage[0].zone_differs
    only(stored(AWS, kind="lustre", size_gib=2400, zone="us-east-2b"), "GI2011")


def test_two_storages_with_one_name():
    s = spec(storage=[{"name": "a", "kind": "nfs", "mount": "/a"}, {"name": "a", "kind": "nfs", "mount": "/b"}])
    assert only(resolved(s), "GI2070").path == "storage[1].name"
