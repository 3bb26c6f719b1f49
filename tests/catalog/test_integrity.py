"""The tables against each other, and against what is true of the clouds, for every cloud."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpuinfra import catalog
from gpuinfra.catalog import Accelerator, CudaRelease, InstanceType, NetworkCards
from gpuinfra.catalog.pricing import PriceLines
from gpuinfra.catalog.reading import Table
from gpuinfra.catalog.tables import packaged
from gpuinfra.vocabulary import CapacityType, FabricKind, KernelModule, Provider, StorageKind

PROVIDERS = tuple(Provider)
EVERY_CLOUD = (
    "availability", "instances", "limits", "node_images", "prices", "purchase", "retired", "service_prices",
    "storage_tiers", "other_accelerators",
)  # fmt: skip


def files() -> list[Path]:
    return sorted(packaged().folder.rglob("*.csv"))


@pytest.mark.parametrize("path", files(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_table_loads_and_no_row_is_without_source_or_date(path: Path) -> None:
    rows = list(PriceLines(path) if path.name == "prices.csv" else Table(path))
    assert rows
    for row in rows:
        assert row.text("source")
        assert re.fullmatch(r"20\d\d(-\d\d(-\d\d)?)?", row.text("as_of")) or row.text("as_of_basis") == "undated"


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_cloud_has_every_table(provider: Provider) -> None:
    missing = [t for t in EVERY_CLOUD if not catalog.rows(t, provider)]
    # Azure: no zone table could be read; Google: nothing on the list is retired.
    assert missing == {Provider.AZURE: ["availability"], Provider.GCP: ["retired"]}.get(provider, [])


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_row_parses(provider: Provider) -> None:
    types = catalog.instance_types(provider)
    assert {t.provider for t in types} == {provider}
    assert all(p.provider is provider for p in catalog.prices(provider))
    assert all(image.provider is provider for image in catalog.node_images(provider))
    assert all(p.provider is provider for p in catalog.service_prices(provider))
    for kind in StorageKind:
        assert all(tier.provider is provider for tier in catalog.storage_tiers(provider, kind))
    for row in catalog.rows("availability", provider):
        assert catalog.zones(provider, row["region"], row["instance_type"]) is not None
    for row in catalog.rows("limits", provider):
        limit = catalog.limit(provider, row["what"])
        assert limit is not None
        assert limit.maximum > 0
        re.compile(limit.pattern)
    for row in catalog.rows("purchase", provider):
        assert catalog.purchase_option(provider, row["pattern"].rstrip("*"), CapacityType(row["capacity"])) is not None
    for row in catalog.rows("prices_derived", provider):
        price = catalog.price(provider, row["region"], row["instance_type"])
        assert price is not None
        assert price.estimate
        assert price.estimate_method


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("table", ["prices", "prices_derived", "availability"])
def test_every_priced_or_offered_type_exists(provider: Provider, table: str) -> None:
    known = {t.name for t in catalog.instance_types(provider)}
    assert {row["instance_type"] for row in catalog.rows(table, provider)} <= known


def test_every_priced_type_of_the_other_clouds_exists() -> None:
    known = {(row["provider"], row["instance_type"]) for row in catalog.rows("instances", "other")}
    assert {(row["provider"], row["instance_type"]) for row in catalog.rows("prices", "other")} <= known
    assert {provider for provider, _ in known} >= {"oci", "lambda", "nebius", "coreweave"}


def test_every_gpu_model_exists_and_its_maker_agrees() -> None:
    for type_ in catalog.instance_types():
        gpu = catalog.accelerator(type_.gpu_model)
        assert isinstance(gpu, Accelerator), type_.name
        assert gpu.vendor.casefold() == type_.gpu_manufacturer.casefold(), type_.name
    for row in catalog.rows("instances", "other"):
        assert isinstance(catalog.accelerator(row["gpu_model"]), Accelerator), row["instance_type"]


def test_every_attached_accelerator_exists_as_a_type_and_as_a_gpu() -> None:
    rows = catalog.attached_accelerators()
    for row in rows:
        assert isinstance(catalog.accelerator(row.gpu_model), Accelerator)
        machine = catalog.instance_type(Provider.GCP, f"n1+{row.accelerator_type}:{row.gpu_count}")
        assert isinstance(machine, InstanceType)
        assert machine.gpu_count == row.gpu_count
        assert machine.gpu_model == row.gpu_model
    most = {(row.gpu_model, row.gpu_count): row.max_vcpus for row in rows}
    assert most[("T4", 1)] == 48
    assert most[("T4", 4)] == 96
    assert most[("V100-16GB", 1)] == 12
    assert most[("V100-16GB", 8)] == 96
    assert most[("P4", 1)] == 24
    assert most[("P100", 1)] == 16


def test_a_price_is_above_nothing_and_spot_is_not_above_on_demand_unless_weak() -> None:
    for price in catalog.prices():
        for figure in (price.on_demand_usd_hour, price.spot_usd_hour):
            assert figure is None or 0 < figure < 1000
        if price.on_demand_usd_hour and price.spot_usd_hour and price.provider is Provider.AWS:
            ratio = price.spot_usd_hour / price.on_demand_usd_hour
            exact = abs(ratio - 1) < 1e-5 or abs(ratio - 0.1) < 1e-5
            assert exact == price.spot_weak, (price.region, price.instance_type)


def test_the_twelve_weak_spot_figures_are_marked() -> None:
    assert sum(price.spot_weak for price in catalog.prices(Provider.AWS)) == 12


@pytest.mark.parametrize(
    ("provider", "name", "weak"),
    [
        (Provider.AZURE, "Standard_ND96asr_v4", "fabric_interfaces"),
        (Provider.AZURE, "Standard_ND96amsr_A100_v4", "fabric_gbps"),
        (Provider.AZURE, "Standard_NC72ds_xl_RTXPRO6000BSE_v6", "gpu_fraction"),
        (Provider.AZURE, "Standard_NC8ads_A10_v4", "gpu_fraction"),
        (Provider.AZURE, "Standard_ND96isr_H100_v5", "nvlink"),
        (Provider.AWS, "g5.48xlarge", "nvlink"),
        (Provider.AWS, "p6e-gb200.36xlarge", "network_gbps"),
        (Provider.GCP, "a3-ultragpu-8g", "fabric_gbps"),
        (Provider.GCP, "a3-edgegpu-8g", "fabric"),
    ],
)
def test_a_weak_cell_is_marked(provider: Provider, name: str, weak: str) -> None:
    found = catalog.instance_type(provider, name)
    assert isinstance(found, InstanceType)
    assert weak in found.weak


def test_a_firm_cell_is_not_marked_weak() -> None:
    found = catalog.instance_type(Provider.AWS, "p5.48xlarge")
    assert isinstance(found, InstanceType)
    assert found.weak == ()


def test_weak_cells_of_other_tables_are_marked() -> None:
    for model in ("A40", "RTX-A6000", "A100-80GB-PCIE", "H100-PCIE"):
        gpu = catalog.accelerator(model)
        assert isinstance(gpu, Accelerator)
        assert "nvlink_gbps" in gpu.weak
    ngc = [image for image in catalog.container_images() if image.registry == "ngc"]
    assert ngc
    assert all("arches" in image.weak for image in ngc if image.arches)
    size = catalog.infiniband("Standard_ND40rs_v2")
    assert size is not None
    assert {"adapters", "gbps_per_adapter"} <= set(size.weak)


def test_cuda_capabilities_parse_and_each_gpu_has_a_release_that_knows_it() -> None:
    releases = catalog.cuda_releases()
    for release in releases:
        assert release.capabilities
        for capability in release.capabilities:
            assert re.fullmatch(r"\d{1,2}\.\d", capability), release.version
    for gpu in catalog.accelerators():
        if gpu.vendor != "NVIDIA":
            assert gpu.compute_capability == "" or gpu.compute_capability.startswith("gfx")
            continue
        assert re.fullmatch(r"\d{1,2}\.\d", gpu.compute_capability), gpu.model
        assert any(gpu.compute_capability in release.capabilities for release in releases), gpu.model
        if gpu.max_cuda:
            last = catalog.cuda_release(gpu.max_cuda)
            assert isinstance(last, CudaRelease), gpu.model
            assert gpu.compute_capability in last.capabilities, gpu.model


def test_cuda_releases_are_in_order_and_drivers_are_versions() -> None:
    releases = catalog.cuda_releases()
    order = [tuple(map(int, release.version.split("."))) for release in releases]
    assert order == sorted(order)
    assert len(set(order)) == len(order)
    known = [release for release in releases if release.min_driver]
    assert len(known) > 50
    for release in known:
        assert re.fullmatch(r"\d{3}(\.\d+)+", release.min_driver), release.version
    for release in releases:
        assert release.min_driver_minor_compat, release.version


def test_mig_profiles_parse_and_fit_their_gpu() -> None:
    partitioned = [gpu for gpu in catalog.accelerators() if gpu.mig_max_instances]
    assert {"A100-40GB", "H100-SXM", "H200", "B200", "RTX-PRO-6000"} <= {gpu.model for gpu in partitioned}
    for gpu in catalog.accelerators():
        assert bool(gpu.mig_profiles) == bool(gpu.mig_max_instances), gpu.model
        for profile in gpu.mig_profiles:
            match = re.fullmatch(r"(\d)g\.(\d+)gb", profile)
            assert match, (gpu.model, profile)
            assert 1 <= int(match[1]) <= (gpu.mig_max_instances or 0), (gpu.model, profile)
            assert gpu.memory_gib, (gpu.model, profile)
            assert int(match[2]) <= gpu.memory_gib, (gpu.model, profile)


def test_volta_and_older_need_the_proprietary_module_and_blackwell_and_grace_the_open_one() -> None:
    for gpu in catalog.accelerators():
        if gpu.architecture in ("Kepler", "Maxwell", "Pascal", "Volta"):
            assert gpu.kernel_module is KernelModule.PROPRIETARY, gpu.model
        if gpu.architecture == "Blackwell" or (gpu.model.startswith("G") and gpu.model[1] in "HB"):
            assert gpu.kernel_module is KernelModule.OPEN, gpu.model


# Interfaces that a node must have, all kinds counted: the sums that the clouds' own documents give.
AWS_INTERFACES = {
    "p4d.24xlarge": 5, "p4de.24xlarge": 5, "p5.48xlarge": 33, "p5e.48xlarge": 33, "p5en.48xlarge": 17,
    "p6-b200.48xlarge": 9, "p6-b300.48xlarge": 17, "g6e.48xlarge": 5, "g5.48xlarge": 2, "g6.48xlarge": 2,
    "p5.4xlarge": 2, "p6e-gb200.36xlarge": 17,
}  # fmt: skip


def interfaces(cards: NetworkCards) -> int:
    """One ordinary interface on card 0, and an EFA device on each card that carries one (card 0 needs a second slot)."""
    beside = [card for card in cards.efa_cards if card or cards.max_interfaces[0] > 1]
    return 1 + len(beside)


@pytest.mark.parametrize(("name", "count"), AWS_INTERFACES.items())
def test_aws_interfaces_add_up(name: str, count: int) -> None:
    cards = catalog.network_cards(name)
    assert cards is not None
    assert interfaces(cards) == count


def test_cards_that_carry_no_efa_are_not_listed() -> None:
    b300 = catalog.network_cards("p6-b300.48xlarge")
    assert b300 is not None
    assert b300.cards == 17
    assert 0 not in b300.efa_cards
    gb200 = catalog.network_cards("p6e-gb200.36xlarge")
    assert gb200 is not None
    assert gb200.efa_interface_type == "mixed"
    assert 0 not in gb200.efa_cards
    assert [gb200.max_interfaces[card] for card in (0, 1, 2, 15, 16)] == [2, 1, 2, 1, 2]
    p5 = catalog.network_cards("p5.48xlarge")
    assert p5 is not None
    assert set(p5.max_interfaces) == {2}
    assert catalog.network_cards("g5.xlarge") is None


def test_efa_interfaces_of_a_type_equal_those_of_its_cards() -> None:
    for type_ in catalog.instance_types(Provider.AWS):
        cards = catalog.network_cards(type_.name)
        efa = cards.max_efa if cards else 0
        assert (type_.fabric is FabricKind.EFA) == bool(efa), type_.name
        if cards:
            assert type_.fabric_interfaces == cards.max_efa, type_.name
            assert type_.nic_count == cards.cards, type_.name


GCP_INTERFACES = {
    "a3-highgpu-8g": (5, 0), "a3-megagpu-8g": (9, 0), "a3-ultragpu-8g": (10, 8), "a4-highgpu-8g": (10, 8),
    "a4x-highgpu-4g": (6, 4), "a4x-maxgpu-4g-metal": (10, 8), "a3-highgpu-4g": (1, 0), "g2-standard-96": (1, 0),
    "n1-standard-8": (1, 0), "a2-ultragpu-8g": (1, 0), "a3-ultragpu-8g-nolssd": (10, 8), "c3-standard-88": (1, 0),
}  # fmt: skip


@pytest.mark.parametrize(("name", "expected"), GCP_INTERFACES.items())
def test_google_interfaces_add_up(name: str, expected: tuple[int, int]) -> None:
    layout = catalog.nic_layout(name)
    rdma = [slot for slot in layout.slots if slot.nic_type == "MRDMA"]
    assert (len(layout.slots), len(rdma)) == expected
    assert [slot.order for slot in layout.slots] == list(range(len(layout.slots)))
    assert bool(rdma) == bool(layout.network_profile_suffix)


def test_two_interfaces_never_share_an_ordinary_network() -> None:
    for type_ in catalog.instance_types(Provider.GCP):
        layout = catalog.nic_layout(type_.name)
        ordinary = [slot.network for slot in layout.slots if slot.nic_type != "MRDMA"]
        assert len(set(ordinary)) == len(ordinary), type_.name
        assert ordinary[0] == "host"
        gpu_nics = [slot for slot in layout.slots if slot.nic_type == "MRDMA" or slot.network.startswith("gpu")]
        if type_.fabric is not FabricKind.NONE:
            assert type_.fabric_interfaces == len(gpu_nics), type_.name
        if layout.network_profile_suffix == "vpc-roce":
            assert layout.rdma_subnets == len(gpu_nics)


def test_google_boot_disks_and_bundled_drives() -> None:
    for name, disk, drives in [
        ("g4-standard-48", "hyperdisk-balanced", 0), ("a3-ultragpu-8g", "hyperdisk-balanced", 32),
        ("a4-highgpu-8g-nolssd", "hyperdisk-balanced", 0), ("a2-ultragpu-4g", "pd-balanced", 4),
        ("a3-highgpu-8g", "pd-balanced", 16), ("a3-highgpu-1g", "pd-balanced", 2), ("g2-standard-4", "pd-balanced", 0),
        ("a4x-highgpu-4g", "hyperdisk-balanced", 4),
    ]:  # fmt: skip
        layout = catalog.nic_layout(name)
        assert (layout.boot_disk, layout.local_ssd_bundled) == (disk, drives), name


def test_every_azure_gpu_size_has_its_infiniband_row() -> None:
    for type_ in catalog.instance_types(Provider.AZURE):
        facts = catalog.infiniband(type_.name)
        assert facts is not None, type_.name
        assert facts.single_placement_group == (type_.fabric is FabricKind.INFINIBAND) == bool(facts.adapters)
        if facts.adapters and facts.gbps_per_adapter and type_.fabric_gbps:
            assert facts.adapters * facts.gbps_per_adapter == type_.fabric_gbps, type_.name
        # The r in the name is the RDMA adapter.
        assert bool(re.match(r"Standard_N[CD]\d+[a-z]*r[a-z]*(G5)?_", type_.name)) == bool(facts.adapters), type_.name
    assert catalog.infiniband("Standard_D8s_v5") is None


@pytest.mark.parametrize(
    ("name", "driver", "trusted", "reservable", "controller"),
    [
        ("Standard_NV36ads_A10_v5", "grid", True, True, "SCSI"),
        ("Standard_NC144ds_xl_RTXPRO6000BSE_v6", "grid", None, None, "NVMe"),
        ("Standard_ND96isr_MI300X_v5", "rocm", True, False, "SCSI"),
        ("Standard_ND96amsr_A100_v4", "cuda", False, False, "SCSI"),
        ("Standard_ND96asr_v4", "cuda", False, False, "SCSI"),
        ("Standard_NC40ads_H100_v5", "cuda", True, False, "SCSI"),
        ("Standard_NC4as_T4_v3", "cuda", True, True, "SCSI"),
        ("Standard_ND128isr_NDR_GB200_v6", "cuda", None, False, "NVMe"),
    ],
)
def test_azure_sizes(name: str, driver: str, trusted: bool | None, reservable: bool | None, controller: str) -> None:
    facts = catalog.infiniband(name)
    assert facts is not None
    found = (facts.driver_kind, facts.trusted_launch, facts.capacity_reservation, facts.disk_controller)
    assert found == (driver, trusted, reservable, controller)
    option = catalog.purchase_option(Provider.AZURE, name, CapacityType.RESERVATION)
    assert (None if option is None else option.supported) is reservable


def test_what_a_retired_size_is_replaced_by_exists_and_is_not_retired() -> None:
    for row in catalog.rows("retired", Provider.AZURE):
        instead = row["instead"]
        assert isinstance(catalog.instance_type(Provider.AZURE, instead), InstanceType), instead
        assert catalog.retired(Provider.AZURE, instead) is None, instead


def test_no_machine_path_host_name_or_person_is_in_the_data() -> None:
    for path in files():
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"/work/|/tmp/|/home/\w|localhost|@[a-z]+\.(com|org)", text), path
