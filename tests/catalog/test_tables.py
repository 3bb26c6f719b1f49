"""Look-ups of machines and offers, as everybody else calls them."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra import catalog
from gpuinfra.catalog import Accelerator, InstanceType, Miss
from gpuinfra.vocabulary import CapacityType, Provider, StorageKind


def test_a_miss_names_what_was_asked_and_the_nearest_size_of_the_same_family_first() -> None:
    found = catalog.instance_type(Provider.AWS, "p5.49xlarge")
    assert isinstance(found, Miss)
    assert (found.kind, found.name) == ("AWS instance type", "p5.49xlarge")
    assert found.nearest[0] == "p5.48xlarge"


@pytest.mark.parametrize(
    ("provider", "name", "nearest"),
    [
        (Provider.AWS, "m7i.xlrge", "m7i.xlarge"),
        (Provider.GCP, "a3-highgpu-8", "a3-highgpu-8g"),
        (Provider.GCP, "n1-standard-12", "n1-standard-16"),
        (Provider.AZURE, "Standard_ND96isr_H100_v6", "Standard_ND96isr_H100_v5"),
        (Provider.AZURE, "NC24ads_A100_v4", "Standard_NC24ads_A100_v4"),
    ],
)
def test_nearest_types(provider: Provider, name: str, nearest: str) -> None:
    found = catalog.instance_type(provider, name)
    assert isinstance(found, Miss)
    assert nearest in found.nearest


@pytest.mark.parametrize(
    ("provider", "name", "family", "arch"),
    [
        (Provider.GCP, "c3-standard-88", "c3", "x86_64"),
        (Provider.GCP, "c4a-highmem-16", "c4a", "arm64"),
        (Provider.GCP, "n1-highmem-8", "n1", "x86_64"),
        (Provider.GCP, "custom-8-32768", "n1", "x86_64"),
        (Provider.GCP, "e2-medium", "e2", "x86_64"),
        (Provider.AZURE, "Standard_D8s_v5", "D_v5", "x86_64"),
        (Provider.AZURE, "Standard_D8ps_v6", "D_v6", "arm64"),
        (Provider.AZURE, "Standard_HB120rs_v3", "HB_v3", "x86_64"),
        (Provider.AZURE, "Standard_E96-24ads_v5", "E_v5", "x86_64"),
    ],
)
def test_a_cpu_name_that_the_naming_allows_is_a_type_of_unknown_size(
    provider: Provider, name: str, family: str, arch: str
) -> None:
    found = catalog.instance_type(provider, name)
    assert isinstance(found, InstanceType)
    assert (found.known, found.family, found.arch) == (False, family, arch)
    assert found.vcpus is None
    assert found.memory_gib is None
    assert not found.has_gpu
    assert catalog.price(provider, "us-central1", name) is None


@pytest.mark.parametrize(
    ("provider", "name"),
    [
        (Provider.GCP, "g2-standard-5"), (Provider.GCP, "a2-highgpu-3g"), (Provider.GCP, "a3-highgpu-16g"),
        (Provider.GCP, "a4-highgpu-4g"), (Provider.GCP, "g4-standard-97"), (Provider.GCP, "n1-standard-3"),
        (Provider.AZURE, "Standard_NC24ads_A100_v5"), (Provider.AZURE, "Standard_ND96isr"),
        (Provider.AZURE, "Standard_NV36"), (Provider.AWS, "m7i.96xlarge"), (Provider.GCP, "p5.48xlarge"),
        (Provider.AWS, ""), (Provider.AZURE, "Standard_D8s_v5 "), (Provider.GCP, "c3-standard-88\n"),
    ],
)  # fmt: skip
def test_a_name_like_a_gpu_family_or_of_no_family_is_a_miss(provider: Provider, name: str) -> None:
    assert isinstance(catalog.instance_type(provider, name), Miss)


@pytest.mark.parametrize("count", [1, 2, 4, 8, 16, 32, 64, 96])
def test_n1_follows_its_naming_rule(count: int) -> None:
    found = catalog.instance_type(Provider.GCP, f"n1-standard-{count}")
    assert isinstance(found, InstanceType)
    assert (found.vcpus, found.memory_gib, found.family, found.known) == (count, 3.75 * count, "n1", True)
    assert not found.has_gpu


@given(st.sampled_from(Provider), st.text(max_size=80))
def test_any_text_gets_an_answer(provider: Provider, text: str) -> None:
    found = catalog.instance_type(provider, text)
    assert isinstance(found, Miss) == (text not in known_names(provider)) or not getattr(found, "known", True)
    assert isinstance(catalog.accelerator(text), Miss | Accelerator)
    assert catalog.zones(provider, text, text) is None
    assert catalog.price(provider, text, text) is None


def known_names(provider: Provider) -> set[str]:
    return {row["instance_type"] for table in ("instances", "cpu_instances") for row in catalog.rows(table, provider)}


def test_families_follow_their_rule() -> None:
    for name, family in [
        ("a3-megagpu-8g", "a3-megagpu"), ("a2-ultragpu-1g", "a2-ultragpu"), ("g2-standard-48", "g2"),
        ("a4x-maxgpu-4g-metal", "a4x-maxgpu"), ("a3-ultragpu-8g-nolssd", "a3-ultragpu"),
    ]:  # fmt: skip
        found = catalog.instance_type(Provider.GCP, name)
        assert isinstance(found, InstanceType)
        assert found.family == family
    for name, family in [
        ("Standard_ND96isr_H100_v5", "ND_H100_v5"), ("Standard_ND96asr_v4", "ND_A100_v4"),
        ("Standard_ND128isr_NDR_GB200_v6", "ND_GB200_v6"), ("Standard_NC4as_T4_v3", "NC_T4_v3"),
    ]:  # fmt: skip
        found = catalog.instance_type(Provider.AZURE, name)
        assert isinstance(found, InstanceType)
        assert found.family == family


def test_every_family_of_the_scope_has_a_type() -> None:
    models = {type_.gpu_model for type_ in catalog.instance_types()}
    assert models >= {
        "T4", "V100-16GB", "V100-32GB", "A10", "A10G", "L4", "L40S", "A100-40GB", "A100-80GB", "A100-80GB-PCIE",
        "H100-SXM", "H100-NVL", "H200", "B200", "B300", "GB200", "GB300", "RTX-PRO-6000", "RTX-PRO-4500", "MI300X",
    }  # fmt: skip


def test_the_gb200_instance_refuses_mig_and_a_slice_cannot_be_sliced() -> None:
    for provider, name in [
        (Provider.AWS, "p6e-gb200.36xlarge"), (Provider.AWS, "g6f.large"), (Provider.GCP, "g4-standard-6"),
    ]:  # fmt: skip
        found = catalog.instance_type(provider, name)
        assert isinstance(found, InstanceType)
        assert found.mig_supported is False
    p5 = catalog.instance_type(Provider.AWS, "p5.48xlarge")
    assert isinstance(p5, InstanceType)
    assert p5.mig_supported is None


def test_accelerators_are_found_whatever_the_case_and_a_short_name_lists_its_forms() -> None:
    found = catalog.accelerator("h100-sxm")
    assert isinstance(found, Accelerator)
    assert found.model == "H100-SXM"
    short = catalog.accelerator("H100")
    assert isinstance(short, Miss)
    assert set(short.nearest) == {"H100-SXM", "H100-PCIE", "H100-NVL"}
    assert isinstance(catalog.accelerator(""), Miss)


def test_attached_accelerators_of_one_model() -> None:
    assert {row.gpu_count for row in catalog.attached_accelerators("t4")} == {1, 2, 4}
    assert catalog.attached_accelerators("H200") == ()


@pytest.mark.parametrize(
    ("provider", "name", "capacity", "supported"),
    [
        (Provider.GCP, "a4-highgpu-8g", "on_demand", False),
        (Provider.GCP, "a4-highgpu-8g", "flex_start", True),
        (Provider.GCP, "a4-highgpu-8g", "spot", True),
        (Provider.GCP, "a3-ultragpu-8g", "on_demand", False),
        (Provider.GCP, "a3-ultragpu-8g", "reservation", True),
        (Provider.GCP, "a3-highgpu-2g", "on_demand", False),
        (Provider.GCP, "a3-highgpu-2g", "spot", True),
        (Provider.GCP, "a3-highgpu-8g", "on_demand", True),
        (Provider.GCP, "a4x-highgpu-4g", "spot", False),
        (Provider.GCP, "a4x-highgpu-4g", "flex_start", False),
        (Provider.GCP, "a4x-maxgpu-4g-metal", "on_demand", False),
        (Provider.GCP, "a4x-highgpu-4g", "reservation", True),
        (Provider.GCP, "c3-standard-88", "flex_start", False),
        (Provider.GCP, "g2-standard-4", "capacity_block", False),
        (Provider.AWS, "p6e-gb200.36xlarge", "on_demand", False),
        (Provider.AWS, "p6e-gb200.36xlarge", "spot", False),
        (Provider.AWS, "p6e-gb200.36xlarge", "capacity_block", True),
        (Provider.AWS, "p5.48xlarge", "flex_start", False),
        (Provider.AWS, "p6-b200.48xlarge", "spot", True),
        (Provider.AWS, "g6.xlarge", "capacity_block", False),
        (Provider.AWS, "hpc7a.96xlarge", "spot", False),
        (Provider.AZURE, "Standard_ND96isr_H100_v5", "reservation", False),
        (Provider.AZURE, "Standard_NC80adis_H100_v5", "reservation", False),
        (Provider.AZURE, "Standard_NV36ads_A10_v5", "reservation", True),
        (Provider.AZURE, "Standard_ND96isr_H100_v5", "capacity_block", False),
        (Provider.AZURE, "Standard_ND96isr_H100_v5", "flex_start", False),
        (Provider.AZURE, "Standard_D8s_v5", "on_demand", True),
    ],
)
def test_what_is_sold_how(provider: Provider, name: str, capacity: str, supported: bool) -> None:
    option = catalog.purchase_option(provider, name, CapacityType(capacity))
    assert option is not None
    assert option.supported is supported
    if not supported:
        assert option.reason
        assert "capacity:" in option.instead


def test_a_type_that_no_row_speaks_of_is_unknown_not_refused() -> None:
    name = "Standard_NC144ds_xl_RTXPRO6000BSE_v6"
    assert catalog.purchase_option(Provider.AZURE, name, CapacityType.RESERVATION) is None


@pytest.mark.parametrize(
    ("provider", "name", "date"),
    [
        (Provider.AZURE, "Standard_NC24rs_v3", "2025-03-31"), (Provider.AZURE, "Standard_NC6s_v3", "2025-09-30"),
        (Provider.AZURE, "Standard_NV12s_v3", "2026-09-30"), (Provider.AZURE, "Standard_NC6", "2023-09-06"),
        (Provider.AWS, "p3.2xlarge", ""), (Provider.AWS, "p2.xlarge", ""),
    ],
)  # fmt: skip
def test_retired_types(provider: Provider, name: str, date: str) -> None:
    found = catalog.retired(provider, name)
    assert found is not None
    assert found.retired_on == date
    assert found.instead


@pytest.mark.parametrize(
    ("provider", "name"),
    [
        (Provider.AWS, "p3dn.24xlarge"), (Provider.AWS, "p5.48xlarge"), (Provider.AZURE, "Standard_ND40rs_v2"),
        (Provider.AZURE, "Standard_NC64as_T4_v3"), (Provider.GCP, "n1-standard-8"),
    ],
)  # fmt: skip
def test_a_type_in_service_is_not_retired(provider: Provider, name: str) -> None:
    assert catalog.retired(provider, name) is None


def test_zones_are_zone_ids_on_aws_and_unknown_is_none() -> None:
    found = catalog.zones(Provider.AWS, "us-east-2", "p5.48xlarge")
    assert found is not None
    assert "use2-az1" in found.zones
    assert catalog.zones(Provider.AWS, "us-east-1", "p6e-gb200.36xlarge") is None
    assert catalog.zones(Provider.AZURE, "eastus", "Standard_ND96isr_H100_v5") is None
    google = catalog.zones(Provider.GCP, "us-central1", "a3-highgpu-8g")
    assert google is not None
    assert "us-central1-a" in google.zones


def test_regions_are_sorted_and_hold_no_wildcard() -> None:
    for provider in Provider:
        regions = catalog.regions(provider)
        assert list(regions) == sorted(set(regions))
        assert "*" not in regions
        assert "" not in regions
    assert {"us-east-2", "us-west-2"} <= set(catalog.regions(Provider.AWS))
    assert "us-central1" in catalog.regions(Provider.GCP)
    assert "eastus" in catalog.regions(Provider.AZURE)


@pytest.mark.parametrize(
    ("provider", "kind", "throughput", "bands"),
    [
        (Provider.AWS, StorageKind.LUSTRE, 500, [(2400, 2400, None)]),
        (Provider.GCP, StorageKind.LUSTRE, 1000, [(9000, 9000, 1530000), (1584000, 72000, 10008000)]),
        (Provider.GCP, StorageKind.LUSTRE, 500, [(18000, 18000, 3060000), (3168000, 144000, 20016000)]),
        (Provider.GCP, StorageKind.LUSTRE, 250, [(36000, 36000, 6120000), (6336000, 288000, 40032000)]),
        (Provider.GCP, StorageKind.LUSTRE, 125, [(72000, 72000, 12240000)]),
        (Provider.AZURE, StorageKind.LUSTRE, 40, [(48 * 1024, 48 * 1024, 768 * 1024)]),
        (Provider.AZURE, StorageKind.LUSTRE, 125, [(16 * 1024, 16 * 1024, 128 * 1024)]),
        (Provider.AZURE, StorageKind.LUSTRE, 250, [(8 * 1024, 8 * 1024, 128 * 1024)]),
        (Provider.AZURE, StorageKind.LUSTRE, 500, [(4 * 1024, 4 * 1024, 128 * 1024)]),
    ],
)
def test_lustre_ladders(
    provider: Provider, kind: StorageKind, throughput: int, bands: list[tuple[int, int, int | None]]
) -> None:
    tiers = [tier for tier in catalog.storage_tiers(provider, kind) if tier.throughput_mbps_per_tib == throughput]
    assert [(tier.min_gib, tier.step_gib, tier.max_gib) for tier in tiers] == bands


def test_fsx_sells_1200_and_azure_maxima_are_soft() -> None:
    assert all(tier.extra_sizes_gib == (1200,) for tier in catalog.storage_tiers(Provider.AWS, StorageKind.LUSTRE))
    assert all(tier.max_is_soft for tier in catalog.storage_tiers(Provider.AZURE, StorageKind.LUSTRE))
    assert not any(tier.max_is_soft for tier in catalog.storage_tiers(Provider.GCP, StorageKind.LUSTRE))


def test_one_throughput_is_the_default_of_each_cloud_that_has_any() -> None:
    for provider in Provider:
        for kind in (StorageKind.LUSTRE, StorageKind.NFS):
            tiers = catalog.storage_tiers(provider, kind)
            assert len({tier.tier + str(tier.throughput_mbps_per_tib) for tier in tiers if tier.default}) == bool(tiers)


def test_services_that_have_no_size_have_no_ladder() -> None:
    assert catalog.storage_tiers(Provider.AWS, StorageKind.NFS) == ()
    for provider in Provider:
        assert catalog.storage_tiers(provider, StorageKind.BUCKET) == ()


@pytest.mark.parametrize(
    ("provider", "what", "maximum"),
    [
        (Provider.AWS, "user_data_bytes", 16384), (Provider.GCP, "user_data_bytes", 262144),
        (Provider.AZURE, "user_data_bytes", 65535), (Provider.AWS, "budget_notifications", 10),
        (Provider.AZURE, "budget_notifications", 5), (Provider.AWS, "name.role", 64),
        (Provider.AWS, "name.autoscaling_group", 255), (Provider.AWS, "name.launch_template", 128),
        (Provider.AWS, "name.schedule", 64), (Provider.AWS, "name.budget", 100), (Provider.AWS, "name.bucket", 63),
        (Provider.GCP, "name.service_account", 30), (Provider.GCP, "name.lustre_filesystem", 8),
        (Provider.AZURE, "name.storage_account", 24), (Provider.AZURE, "name.action_group_short", 12),
        (Provider.AZURE, "name.resource_group", 90), (Provider.AWS, "capacity_block_instances", 64),
        (Provider.GCP, "flex_start_seconds", 604800),
    ],
)  # fmt: skip
def test_limits(provider: Provider, what: str, maximum: int) -> None:
    found = catalog.limit(provider, what)
    assert found is not None
    assert found.maximum == maximum
    assert found.weak == ()


def test_each_cloud_limits_the_names_that_a_plan_makes() -> None:
    for provider in Provider:
        for kind in ("node_group", *StorageKind):
            assert catalog.limit(provider, f"name.{kind}") is not None, (provider, kind)
    assert catalog.limit(Provider.AWS, "name.nothing") is None


def test_a_service_stands_in_the_regions_that_are_known_and_unknown_is_empty() -> None:
    found = catalog.service_regions(Provider.GCP, "scheduler")
    assert "us-central1" in found
    assert "europe-west4" in found
    assert list(found) == sorted(set(found))
    for provider, service in ((Provider.GCP, "nothing"), (Provider.AWS, "scheduler")):
        assert catalog.service_regions(provider, service) == ()


def test_a_service_price_is_that_of_the_region_else_an_estimate_else_unknown() -> None:
    here = catalog.service_price(Provider.AWS, "block", "gp3", "us-east-1")
    assert here is not None
    assert here.usd == 0.08
    assert not here.estimate
    assert here.as_of == "2026-10-16"
    elsewhere = catalog.service_price(Provider.AWS, "block", "gp3", "eu-west-1")
    assert elsewhere is not None
    assert elsewhere.estimate
    assert elsewhere.region == "*"
    assert catalog.service_price(Provider.GCP, "lustre", "500-500", "us-central1") is None
    for provider in Provider:
        for service, item in [("nat", "hour"), ("nat", "data"), ("block", "root"), ("address", "ipv4")]:
            price = catalog.service_price(provider, service, item, "nowhere-1")
            assert price is not None
            assert price.usd
            assert price.source
            assert price.as_of


def test_every_lustre_throughput_of_aws_has_a_price() -> None:
    for tier in catalog.storage_tiers(Provider.AWS, StorageKind.LUSTRE):
        item = f"{tier.tier}-{tier.throughput_mbps_per_tib}"
        assert catalog.service_price(Provider.AWS, "lustre", item, "us-east-2") is not None, item


def test_rows_as_they_stand() -> None:
    gpus = catalog.rows("gpus")
    assert len(gpus) == len(catalog.accelerators())
    assert gpus[0]["gpu_model"]
    assert "source" in gpus[0]
    assert len(catalog.rows("prices", "aws")) == len(catalog.prices(Provider.AWS))
    assert catalog.rows("prices", "nowhere") == ()
    assert catalog.rows("nothing", "aws") == ()
    assert set(catalog.folders()) >= {*Provider, "other"}


def test_the_catalog_loads_neither_pydantic_nor_pulumi() -> None:
    program = (
        "import sys\nfrom gpuinfra import catalog\nfrom gpuinfra.vocabulary import Provider\n"
        "assert catalog.price(Provider.AWS, 'us-east-1', 'p5.48xlarge')\n"
        "print([m for m in sys.modules if m.split('.')[0] in ('pydantic', 'pulumi', 'pulumi_aws', 'rich', 'jinja2')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
