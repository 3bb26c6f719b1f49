"""The AWS rows against the EC2 dump that the moto package carries, field by field."""

from __future__ import annotations

import gzip
import importlib.util
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from gpuinfra import catalog
from gpuinfra.catalog import InstanceType
from gpuinfra.vocabulary import CapacityType, FabricKind, Provider

ACCELERATED = ("GpuInfo", "NeuronInfo", "InferenceAcceleratorInfo", "FpgaInfo", "MediaAcceleratorInfo")
NOT_IN_THE_DUMP = {"g4ad", "p3", "p6e-gb200"}
# The API's name and MiB of a GPU against the catalog's model, where the one does not follow from the other.
MODELS = {
    ("RTX PRO 4500", 32768): "RTX-PRO-4500",
    ("RTX PRO Server 6000", 98304): "RTX-PRO-6000",
    ("V100", 32768): "V100-32GB",
    ("A100", 40960): "A100-40GB",
    ("A100", 81920): "A100-80GB",
    ("H100", 81920): "H100-SXM",
    ("T4g", 16384): "T4G",
}


@cache
def dump() -> dict[str, Any]:
    spec = importlib.util.find_spec("moto")
    assert spec is not None, "the dev extra installs moto"
    assert spec.submodule_search_locations, "the dev extra installs moto"
    path = Path(spec.submodule_search_locations[0], "ec2", "resources", "instance_types.json.gz")
    with gzip.open(path) as file:
        return json.load(file)


def row(name: str) -> InstanceType:
    found = catalog.instance_type(Provider.AWS, name)
    assert isinstance(found, InstanceType), found
    return found


def gpu_types() -> list[str]:
    return sorted(name for name, facts in dump().items() if "GpuInfo" in facts)


def cpu_types() -> list[str]:
    # trn2u has no NeuronInfo in the dump; Mac hosts run no Linux.
    return sorted(
        name
        for name, facts in dump().items()
        if not any(key in facts for key in ACCELERATED) and not name.startswith(("mac", "trn", "inf", "vt", "f1", "f2"))
    )


def gbps(facts: dict[str, Any]) -> float | None:
    text = facts["NetworkInfo"]["NetworkPerformance"]
    match = re.fullmatch(r"(?:Up to )?(?:(\d+)x )?([\d.]+) Gigabit", text)
    return float(match[2]) * int(match[1] or 1) if match else None


def common_fields(facts: dict[str, Any]) -> dict[str, Any]:
    network = facts["NetworkInfo"]
    return {
        "vcpus": facts["VCpuInfo"]["DefaultVCpus"],
        "memory_gib": round(facts["MemoryInfo"]["SizeInMiB"] / 1024, 3),
        "network_gbps": gbps(facts),
        "nic_count": network["MaximumNetworkCards"],
        "fabric": FabricKind.EFA if network["EfaSupported"] else FabricKind.NONE,
        "fabric_interfaces": network.get("EfaInfo", {}).get("MaximumEfaInterfaces", 0),
        "spot_supported": "spot" in facts["SupportedUsageClasses"],
        "cluster_placement_supported": "cluster" in facts["PlacementGroupInfo"]["SupportedStrategies"],
    }


def of_row(found: InstanceType, fields: dict[str, Any]) -> dict[str, Any]:
    return {name: getattr(found, name) for name in fields}


@pytest.mark.parametrize("name", gpu_types())
def test_a_gpu_type_equals_the_dump(name: str) -> None:
    facts = dump()[name]
    (gpu,) = facts["GpuInfo"]["Gpus"]
    mib = gpu["MemoryInfo"]["SizeInMiB"]
    expected = {
        **common_fields(facts),
        "family": name.split(".")[0],
        "gpu_model": MODELS.get((gpu["Name"], mib), gpu["Name"].strip()),
        # A slice of a GPU counts 0 in the API, with one logical GPU.
        "gpu_count": gpu["Count"] or gpu["LogicalGpuCount"],
        "gpu_fraction": gpu["GpuPartitionSize"],
        "gpu_memory_gib": round(mib / 1024, 3),
        "gpu_manufacturer": gpu["Manufacturer"],
        "local_nvme_gb": facts.get("InstanceStorageInfo", {}).get("TotalSizeInGB", 0),
        "known": True,
    }
    found = row(name)
    assert of_row(found, expected) == expected
    assert found.arch in facts["ProcessorInfo"]["SupportedArchitectures"]


def test_every_gpu_type_of_the_table_is_compared_or_known_to_be_missing_from_the_dump() -> None:
    missing = {t.name for t in catalog.instance_types(Provider.AWS)} - set(gpu_types())
    assert {row(name).family for name in missing} == NOT_IN_THE_DUMP


def test_every_cpu_type_equals_the_dump() -> None:
    names = cpu_types()
    assert len(names) > 1000
    for name in names:
        facts = dump()[name]
        storage = facts.get("InstanceStorageInfo", {})
        nvme = storage.get("TotalSizeInGB", 0) if storage.get("NvmeSupport") in ("supported", "required") else 0
        expected = {**common_fields(facts), "gpu_model": "", "gpu_count": 0, "local_nvme_gb": nvme, "known": True}
        found = row(name)
        assert of_row(found, expected) == expected, name
        assert found.arch in facts["ProcessorInfo"]["SupportedArchitectures"], name


def test_the_cpu_table_has_no_type_beside_the_dump() -> None:
    assert sorted(r["instance_type"] for r in catalog.rows("cpu_instances", "aws")) == cpu_types()


def test_network_cards_equal_the_dump() -> None:
    compared = 0
    for name in (*gpu_types(), *cpu_types()):
        network = dump()[name]["NetworkInfo"]
        cards = catalog.network_cards(name)
        if not network["EfaSupported"] and network["MaximumNetworkCards"] == 1:
            assert cards is None, name
            continue
        assert cards is not None, name
        assert cards.cards == network["MaximumNetworkCards"], name
        assert cards.max_interfaces == tuple(c["MaximumNetworkInterfaces"] for c in network["NetworkCards"]), name
        assert cards.max_efa == network.get("EfaInfo", {}).get("MaximumEfaInterfaces", 0), name
        able = [i for i, c in enumerate(network["NetworkCards"]) if "efa-only" in c["InterfaceTypes"]]
        # Storage-optimised types offer EFA on two cards and allow one.
        assert list(cards.efa_cards) == able[: cards.max_efa], name
        compared += 1
    assert compared > 250


@pytest.mark.parametrize("name", gpu_types())
def test_capacity_blocks_are_sold_where_the_dump_lists_the_usage_class(name: str) -> None:
    option = catalog.purchase_option(Provider.AWS, name, CapacityType.CAPACITY_BLOCK)
    assert option is not None
    assert option.supported == ("capacity-block" in dump()[name]["SupportedUsageClasses"])


def test_spot_is_refused_where_a_whole_family_has_no_such_usage_class() -> None:
    for name in (*gpu_types(), *cpu_types()):
        option = catalog.purchase_option(Provider.AWS, name, CapacityType.SPOT)
        assert option is not None
        if "spot" in dump()[name]["SupportedUsageClasses"]:
            assert option.supported, name
        else:
            assert not option.supported or row(name).family == "t2", name


def test_zones_equal_the_offerings_of_the_dump() -> None:
    spec = importlib.util.find_spec("moto")
    assert spec is not None
    assert spec.submodule_search_locations
    folder = Path(spec.submodule_search_locations[0], "ec2", "resources", "instance_type_offerings")
    types = {t.name for t in catalog.instance_types(Provider.AWS)}
    compared = 0
    for path in sorted((folder / "availability-zone-id").iterdir()):
        region = path.name.split(".")[0]
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            offers = json.load(file)
        zones: dict[str, set[str]] = {}
        for offer in offers:
            if offer["InstanceType"] in types:
                zones.setdefault(offer["InstanceType"], set()).add(offer["Location"])
        for name, expected in zones.items():
            found = catalog.zones(Provider.AWS, region, name)
            assert found is not None, (region, name)
            assert set(found.zones) == expected, (region, name)
            compared += 1
    assert compared > 500
