"""What is known of machines, and what is not: shares of a GPU, generations of images, local NVMe, zones."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuinfra import catalog
from gpuinfra.catalog import AttachedAccelerator, Catalog, CatalogError, InstanceType
from gpuinfra.plan.findings import TYPE_NOT_IN_REGION, TYPE_NOT_IN_ZONE
from gpuinfra.vocabulary import Provider
from tests.catalog.test_reading import GOOD, INSTANCES, folder

AZURE, GCP, AWS = Provider.AZURE, Provider.GCP, Provider.AWS


def machine(provider: Provider, name: str) -> InstanceType:
    found = catalog.instance_type(provider, name)
    assert isinstance(found, InstanceType), found
    return found


# --- shares of a GPU


def test_an_empty_share_is_unknown_and_never_a_whole_gpu() -> None:
    unknown = {t.name for t in catalog.instance_types() if t.gpu_fraction is None}
    assert unknown == {
        "Standard_NC8ads_A10_v4", "Standard_NC16ads_A10_v4", "Standard_NC24lds_xl_RTXPRO6000BSE_v6",
    }  # fmt: skip
    for name in unknown:
        assert "gpu_fraction" in machine(AZURE, name).weak
    empty = {r["instance_type"] for p in Provider for r in catalog.rows("instances", p) if not r["gpu_fraction"]}
    assert empty == unknown


@pytest.mark.parametrize(
    ("name", "share", "memory"),
    [
        ("Standard_NV4ads_V710_v5", 0.1667, 4), ("Standard_NV8ads_V710_v5", 0.3333, 8),
        ("Standard_NV12ads_V710_v5", 0.5, 12), ("Standard_NV28adms_V710_v5", 1, 24),
        ("Standard_NV4as_v4", 0.125, 2), ("Standard_NV8as_v4", 0.25, 4), ("Standard_NV16as_v4", 0.5, 8),
    ],
)  # fmt: skip
def test_shares_that_the_vendors_page_gives(name: str, share: float, memory: float) -> None:
    found = machine(AZURE, name)
    assert (found.gpu_fraction, found.gpu_memory_gib) == (share, memory)
    assert "gpu_fraction" not in found.weak


def test_a_machine_without_a_gpu_has_no_unknown_share() -> None:
    assert machine(AWS, "m7i.xlarge").gpu_fraction == 1
    assert machine(AZURE, "Standard_D8s_v5").gpu_fraction == 1


@pytest.mark.parametrize(("cell", "share"), [("", None), ("1", 1.0), ("0.125", 0.125)])
def test_a_share_as_it_stands(tmp_path: Path, cell: str, share: float | None) -> None:
    table = INSTANCES.replace("gpu_memory_gib", "gpu_memory_gib,gpu_fraction") + GOOD.replace(
        "22.352", f"22.352,{cell}"
    )
    found = folder(tmp_path, aws_instances=table).instance_type(AWS, "x1.large")
    assert isinstance(found, InstanceType)
    assert found.gpu_fraction == share


@pytest.mark.parametrize("cell", ["0", "1.5", "8"])
def test_a_share_that_is_none_is_refused(tmp_path: Path, cell: str) -> None:
    table = INSTANCES.replace("gpu_memory_gib", "gpu_memory_gib,gpu_fraction") + GOOD.replace(
        "22.352", f"22.352,{cell}"
    )
    with pytest.raises(CatalogError, match=f"column gpu_fraction: {cell} is no share of a GPU"):
        folder(tmp_path, aws_instances=table).instance_type(AWS, "x1.large")


# --- generations


@pytest.mark.parametrize(
    ("name", "generations"),
    [
        ("Standard_NC4as_T4_v3", (1, 2)), ("Standard_NC64as_T4_v3", (1, 2)), ("Standard_NV6ads_A10_v5", (1, 2)),
        ("Standard_NV72ads_A10_v5", (1, 2)), ("Standard_NC24ads_A100_v4", (2,)), ("Standard_NC40ads_H100_v5", (2,)),
        ("Standard_NC80adis_H100_v5", (2,)), ("Standard_NCC40ads_H100_v5", (2,)), ("Standard_ND96asr_v4", (2,)),
        ("Standard_ND96isr_H200_v5", (2,)), ("Standard_ND128isrG5_GB300_v6", (2,)), ("Standard_NC8ads_A10_v4", ()),
        ("Standard_NC144ds_xl_RTXPRO6000BSE_v6", (2,)), ("Standard_NG8ads_V620_v1", (1, 2)),
        ("Standard_NV4ads_V710_v5", (2,)), ("Standard_NC6s_v3", (1, 2)), ("Standard_NV32as_v4", (1, 2)),
    ],
)  # fmt: skip
def test_generations_of_images_that_a_size_boots(name: str, generations: tuple[int, ...]) -> None:
    facts = catalog.infiniband(name)
    assert facts is not None
    assert facts.generations == generations


def test_every_nd_size_boots_generation_2_only() -> None:
    for row in catalog.rows("infiniband", AZURE):
        assert row["generations"] in ("", "2", "1;2")
        assert not row["instance_type"].startswith("Standard_ND") or row["generations"] == "2"


# --- sizes and units


def test_the_second_gb300_size_is_listed_as_the_first() -> None:
    first, second = machine(AZURE, "Standard_ND128isr_GB300_v6"), machine(AZURE, "Standard_ND128isrG5_GB300_v6")
    same = (
        "family",
        "gpu_model",
        "gpu_count",
        "gpu_memory_gib",
        "vcpus",
        "memory_gib",
        "arch",
        "fabric",
        "fabric_gbps",
    )
    assert {f: getattr(first, f) for f in same} == {f: getattr(second, f) for f in same}
    facts = catalog.infiniband(second.name)
    assert facts is not None
    assert (facts.adapters, facts.gbps_per_adapter, facts.disk_controller) == (4, 800, "NVMe")


def test_what_was_inferred_of_the_gb200_instance_is_marked() -> None:
    found = machine(AWS, "p6e-gb200.36xlarge")
    assert (found.vcpus, found.memory_gib, found.local_nvme_gb) == (144, 960, 22500)
    assert {"vcpus", "memory_gib", "local_nvme_gb"} <= set(found.weak)


@pytest.mark.parametrize(
    ("name", "gib", "weak"),
    [
        ("Standard_NC24ads_A100_v4", 894, False), ("Standard_NC48ads_A100_v4", 2 * 894, False),
        ("Standard_NC96ads_A100_v4", 4 * 894, False), ("Standard_NC40ads_H100_v5", 3576, False),
        # 28 TiB on the page of the series.
        ("Standard_ND96isr_H100_v5", 28 * 1024, False),
        # 16 TB on the page: 16e12 bytes.
        ("Standard_ND128isr_NDR_GB200_v6", 14901, True), ("Standard_ND128isr_GB300_v6", 14901, True),
        ("Standard_ND128isrG5_GB300_v6", 14901, True), ("Standard_NG8ads_V620_v1", 960, True),
    ],
)  # fmt: skip
def test_local_nvme_of_azure_is_in_gib(name: str, gib: float, weak: bool) -> None:
    found = machine(AZURE, name)
    assert found.local_nvme_gb == gib
    assert ("local_nvme_gb" in found.weak) is weak


@pytest.mark.parametrize(
    ("name", "optional"),
    [
        ("g4-standard-384", True), ("g4-standard-6", True), ("g2-standard-4", True), ("a2-highgpu-8g", True),
        ("a2-megagpu-16g", True), ("n1-standard-8", True), ("n1-highmem-8", True), ("n1-custom-8-32768", True),
        ("custom-8-32768", True), ("n1+nvidia-tesla-t4:1", True), ("a2-ultragpu-1g", False), ("a3-highgpu-8g", False),
        ("a3-ultragpu-8g-nolssd", False), ("a4-highgpu-8g", False), ("a4x-highgpu-4g", False),
        ("n2-custom-8-32768", False),
    ],
)  # fmt: skip
def test_local_nvme_that_has_to_be_asked_for(name: str, optional: bool) -> None:
    assert machine(GCP, name).local_nvme_optional is optional


def test_local_nvme_is_a_choice_exactly_where_google_bundles_none() -> None:
    assert not any(t.local_nvme_optional for p in (AWS, AZURE) for t in catalog.instance_types(p))
    for t in catalog.instance_types(GCP):
        bundled = bool(catalog.nic_layout(t.name).local_ssd_bundled)
        assert not (bundled and t.local_nvme_optional), t.name
        assert bundled or t.local_nvme_optional or t.name.endswith("-nolssd"), t.name


def test_every_type_with_vcpus_but_no_memory_is_still_shown() -> None:
    from gpuinfra.cli.explain import _machine
    from gpuinfra.reference.machines import instances_page

    half = [t for t in catalog.instance_types() if t.vcpus is not None and t.memory_gib is None]
    assert half
    page = instances_page()
    for t in half:
        assert f"`{t.name}`" in page
        assert "memory, GiB" in _machine(t.name)


# --- zones

LISTED = {
    "a2-highgpu-1g": "asia-southeast1-a us-central1-f me-west1-c", "a2-highgpu-8g": "asia-southeast1-a us-west4-b",
    "a2-megagpu-16g": "us-central1-a us-central1-b us-central1-c us-central1-f europe-west4-a europe-west4-b "
    "asia-southeast1-a asia-southeast1-c",
    "a2-ultragpu-8g": "us-east5-b asia-southeast1-c",
    "a3-highgpu-8g": "europe-west8-c asia-south1-c asia-south2-b europe-west9-c us-west4-a australia-southeast1-c",
    "a3-highgpu-1g": "europe-west8-c", "a3-megagpu-8g": "europe-west1-b europe-west1-c us-east4-a",
    "a3-ultragpu-8g": "asia-south2-c us-south1-b", "a4-highgpu-8g": "us-west3-b us-west3-c us-west2-c",
    "a4x-highgpu-4g": "us-central1-b us-south1-ai1b", "a4x-maxgpu-4g-metal": "us-central1-b us-south1-ai1b",
    "a4x-highgpu-4g-nolssd": "us-central1-b",
    "g4-standard-384": "us-central1-b us-west1-c asia-south1-c asia-south2-a asia-south2-c",
    "g4-standard-6": "us-central1-b asia-south2-a",
}  # fmt: skip


@pytest.mark.parametrize(("name", "zone"), [(n, z) for n, zones in LISTED.items() for z in zones.split()])
def test_a_type_is_offered_in_each_zone_that_the_snapshot_lists(name: str, zone: str) -> None:
    row = catalog.zones(GCP, zone.rpartition("-")[0], name)
    assert row is not None
    assert zone in row.zones


def refusals(name: str, region: str, zone: str) -> set[str]:
    from gpuinfra.diagnostics import Collector
    from gpuinfra.plan.zones import Standing, choose_zone
    from gpuinfra.spec.locations import GcpLocation
    from gpuinfra.vocabulary import CapacityType

    out = Collector()
    location = GcpLocation.model_validate({"provider": "gcp", "project": "acme-lab", "region": region, "zone": zone})
    choose_zone(
        GCP, location, False, [Standing("node_pools[0]", machine(GCP, name), 8, CapacityType.ON_DEMAND, name)], out
    )
    return {d.code for d in out.found if d.is_error}


@pytest.mark.parametrize(("name", "zone"), [(n, z) for n, zones in LISTED.items() for z in zones.split()])
def test_no_type_is_refused_in_a_zone_that_the_snapshot_lists(name: str, zone: str) -> None:
    assert refusals(name, zone.rpartition("-")[0], zone) == set()


def test_zones_where_a_type_was_seen_refuse_no_other_zone_and_no_other_region() -> None:
    row = catalog.zones(GCP, "us-central1", "g4-standard-48")
    assert row is not None
    assert not row.complete
    assert refusals("g4-standard-48", "us-central1", "us-central1-a") == set()
    # A price is read there, so that it is sold there, in zones that no source names.
    assert catalog.price(GCP, "us-east1", "g4-standard-48") is not None
    assert refusals("g4-standard-48", "us-east1", "us-east1-b") == set()


def test_zones_of_a_complete_list_refuse_the_others() -> None:
    assert refusals("a4-highgpu-8g", "us-central1", "us-central1-c") == {TYPE_NOT_IN_ZONE.code}
    assert refusals("a2-megagpu-16g", "us-east1", "us-east1-b") == {TYPE_NOT_IN_REGION.code}
    row = catalog.zones(AWS, "us-east-2", "p5.48xlarge")
    assert row is not None
    assert row.complete


# --- attached GPUs


def p100() -> AttachedAccelerator:
    return next(a for a in catalog.attached_accelerators("P100") if a.gpu_count == 4)


@pytest.mark.parametrize("zone", ["us-east1-c", "europe-west1-d", "europe-west1-b"])
def test_four_p100_have_lower_limits_in_three_zones(zone: str) -> None:
    assert p100().limits_in(zone) == (64, 208)
    assert p100().limits_in("us-central1-c", zone) == (64, 208)


def test_four_p100_have_the_general_limits_elsewhere() -> None:
    assert p100().limits_in() == (96, 624)
    assert p100().limits_in("us-central1-c", "us-east1-b") == (96, 624)
    for row in catalog.attached_accelerators():
        if row is not p100():
            assert row.limits_in("europe-west1-b") == (row.max_vcpus, row.max_memory_gb)


ATTACHED = "accelerator_type,gpu_model,gpu_count,max_vcpus,max_memory_gb,max_network_gbps,as_of,source\n"
LIMITS = "accelerator_type,gpu_count,zones,max_vcpus,max_memory_gb,as_of,source\n"


def attached(tmp_path: Path, limit: str) -> Catalog:
    row = "nvidia-x,T4,4,96,624,32,2026-01-01,a page\n"
    return folder(tmp_path, gcp_attached_accelerators=ATTACHED + row, gcp_attached_zone_limits=LIMITS + limit)


def test_a_zone_limit_of_its_row_alone(tmp_path: Path) -> None:
    (found,) = attached(tmp_path, "nvidia-x,4,a;b,64,208,2026-01-01,a page\n").attached_accelerators()
    assert found.limits_in("b") == (64, 208)
    assert found.limits_in("c") == (96, 624)


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("nvidia-x,2,a,64,208,2026-01-01,a page\n", "2 x nvidia-x has no row in attached_accelerators"),
        ("nvidia-x,4,,64,208,2026-01-01,a page\n", "column zones is empty"),
        ("nvidia-x,4,a,,208,2026-01-01,a page\n", "column max_vcpus is empty"),
    ],
)
def test_a_zone_limit_that_cannot_hold_is_refused(tmp_path: Path, limit: str, message: str) -> None:
    with pytest.raises(CatalogError, match=message) as caught:
        attached(tmp_path, limit).attached_accelerators()
    assert caught.value.line == 2


# --- retired


def test_dates_of_retirement_that_no_source_gives() -> None:
    without = {r["pattern"] for r in catalog.rows("retired", AZURE) if not r["retired_on"]}
    assert without == {
        "Standard_NV6s_v2", "Standard_NV12s_v2", "Standard_NV24s_v2",
        *(f"Standard_NC{n}{form}_xl_RTXPRO6000BSE_v6" for n in (128, 256, 320) for form in ("ds", "lds")),
    }  # fmt: skip
    found = catalog.retired(AZURE, "Standard_ND24rs")
    assert found is not None
    assert found.retired_on == "2023-09-06"


# --- what the plan makes of it


def test_a_gpu_asked_for_is_never_a_machine_of_unknown_share() -> None:
    from tests.specs import AZURE as BASE
    from tests.specs import pool, resolved

    here = {**BASE, "location": {**BASE["location"], "region": "westus2"}}
    price = catalog.price(AZURE, "westus2", "Standard_NC24lds_xl_RTXPRO6000BSE_v6")
    assert price is not None  # the cheapest there, were its share taken for a whole GPU
    wanted = pool(here, accelerator={"model": "RTX-PRO-6000", "count": 1}, instance_type=None)
    plan = resolved(wanted).plan
    assert plan is not None
    assert plan.pools[0].instance.gpu_fraction == 1


@pytest.mark.parametrize(
    ("name", "refused"),
    [
        ("Standard_NC4as_T4_v3", False), ("Standard_NV36ads_A10_v5", False), ("Standard_NC8ads_A10_v4", False),
        ("Standard_NC40ads_H100_v5", True), ("Standard_ND96isr_H100_v5", True), ("Standard_NC24ads_A100_v4", True),
    ],
)  # fmt: skip
def test_a_generation_1_image_is_refused_only_where_generation_2_alone_boots(name: str, refused: bool) -> None:
    from gpuinfra.plan.node_images import choose_node_image
    from gpuinfra.plan.toolkits import catalog_facts

    instance = machine(AZURE, name)
    card = catalog.accelerator(instance.gpu_model)
    assert isinstance(card, catalog.Accelerator)
    wish = "Canonical:0001-com-ubuntu-server-jammy:22_04-lts:latest"
    choice = choose_node_image(AZURE, instance, card, wish, catalog_facts(AZURE))
    assert ("GI2130" in {d.code for d in choice.diagnostics}) is refused


def test_mig_on_a_machine_of_unknown_share_is_said_to_be_unverified() -> None:
    from gpuinfra.plan.mig import _refusal

    instance = machine(AZURE, "Standard_NC24lds_xl_RTXPRO6000BSE_v6")
    card = catalog.accelerator(instance.gpu_model)
    assert isinstance(card, catalog.Accelerator)
    found = _refusal("node_pools[0].mig", card, instance)
    assert found is not None
    assert found.code == "GI2143"
    assert "whole RTX-PRO-6000 or a share" in found.message


def test_a_driver_is_named_for_every_gpu_machine_whatever_its_share() -> None:
    from gpuinfra.plan.node_images import driver_kind_needed

    for t in catalog.instance_types():
        card = catalog.accelerator(t.gpu_model)
        assert isinstance(card, catalog.Accelerator)
        assert driver_kind_needed(t, card) in ("cuda", "grid", "rocm")


def test_every_google_type_with_gpus_says_what_it_is_made_of() -> None:
    for row in catalog.instance_types(Provider.GCP):
        if ":" in row.name:
            continue
        parts, layout = catalog.machine_parts(row.name), catalog.nic_layout(row.name)
        assert parts is not None, row.name
        assert parts.accelerator_type in catalog.machine_accelerators()
        assert layout.boot_disk in parts.boot_types
        assert parts.persistent_disks is any(kind.startswith("pd-") for kind in parts.boot_types)
        # Bundled SSDs are no choice, and a choice always has none among it.
        assert not (layout.local_ssd_bundled and parts.local_ssd_counts)
        assert not parts.local_ssd_counts or parts.local_ssd_counts[0] == 0


def test_n1_machines_have_no_accelerator_of_their_own() -> None:
    for name in ("n1-standard-8", "custom-4-8192"):
        parts = catalog.machine_parts(name)
        assert parts is not None
        assert parts.accelerator_type == ""
        assert "hyperdisk-balanced" not in parts.boot_types
    assert catalog.machine_parts("e2-medium") is None


def test_gke_floors_are_of_their_minor_release() -> None:
    rows = catalog.rows("gke_floors", "gcp")
    for name in {row["pattern"] for row in rows}:
        floors = catalog.gke_floors(name)
        assert floors
        assert all(f.version.startswith(f"{f.minor}.") for f in floors)
    assert catalog.gke_floors("g2-standard-4") == ()
