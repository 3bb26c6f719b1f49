"""Rows of the catalog for listing: the tables' own columns, with numbers, flags and lists in place of text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from ..catalog.tables import folders
from ..catalog.tables import rows as catalog_rows

Row = dict[str, Any]

_NUMBERS = frozenset(
    (
        "gpu_count", "gpu_fraction", "gpu_memory_gib", "vcpus", "memory_gib", "local_nvme_gb", "network_gbps",
        "nic_count", "fabric_interfaces", "fabric_gbps", "on_demand_usd_hour", "spot_usd_hour", "memory_usable_gib",
        "memory_bandwidth_gbps", "fp16_dense_tflops", "fp8_dense_tflops", "fp4_dense_tflops", "nvlink_gbps", "tdp_w",
        "mig_max_instances", "min_driver_branch", "min_root_gib", "max_vcpus", "max_memory_gb", "max_network_gbps",
    )
)  # fmt: skip
_FLAGS = frozenset(("nvlink", "spot_supported", "cluster_placement_supported", "mig_supported", "complete"))
_LISTS = frozenset(("zones", "weak", "arches", "mig_profiles", "machine_types", "platforms"))


def typed(cells: Mapping[str, str]) -> Row:
    """A row with its cells as values: unknown is None."""
    return {column: _value(column, cell) for column, cell in cells.items()}


def _value(column: str, cell: str) -> Any:
    if column in _LISTS:
        return cell.split(";") if cell else []
    if not cell:
        return None
    if column in _FLAGS:
        return {"yes": True, "no": False}.get(cell)
    if column in _NUMBERS:
        value = float(cell)
        return int(value) if value.is_integer() else value
    return cell


def instances() -> list[Row]:
    """Every row with GPUs of every cloud in the catalog, also those of GPUs that are attached to a machine."""
    return [_machine(row) for folder in folders() for row in catalog_rows("instances", folder)]


# Google sells the GPUs of N1 apart from the machine: the tables have a row for one GPU and one for each number of them.
_ATTACHED = re.compile(r"(?:accelerator:(?P<one>[^:]+)|\w+\+(?P<several>[^:]+):\d+)")


def attached_kind(instance_type: str) -> str:
    """The GPU that a row prices where the GPU is attached to a machine, as nvidia-tesla-t4; empty for a machine."""
    found = _ATTACHED.fullmatch(instance_type)
    return found["one"] or found["several"] if found else ""


def attached_accelerators() -> list[Row]:
    """Every number of GPUs that can be attached to a machine, with the largest machine that may have them."""
    return [
        {"provider": folder, **typed(row)}
        for folder in folders()
        for row in catalog_rows("attached_accelerators", folder)
    ]


def retirement(provider: str, instance_type: str) -> Row:
    """Whether the cloud no longer deploys a type, since when (None: no date was read), and what it says to take."""
    patterns = _retired(provider)
    fitting = [p for p in patterns if p == instance_type or fnmatchcase(instance_type, p)]
    if not fitting:
        return {"retired": False, "retired_on": None, "take_instead": None}
    row = patterns[max(fitting, key=len)]
    return {"retired": True, "retired_on": row["retired_on"] or None, "take_instead": row["instead"] or None}


@cache
def _retired(provider: str) -> dict[str, Mapping[str, str]]:
    return {
        row["pattern"]: row
        for folder in folders()
        for row in catalog_rows("retired", folder)
        if row["provider"] == provider
    }


def cpu_instances() -> list[Row]:
    """Every type without a GPU that the tables hold."""
    return [_machine(row) for folder in folders() for row in catalog_rows("cpu_instances", folder)]


def _machine(cells: Mapping[str, str]) -> Row:
    # Only the table of a cloud where local NVMe is a choice has the column, and rows of all clouds have the same keys.
    return {
        **typed(cells),
        "local_nvme_optional": cells.get("local_nvme_optional") == "yes",
        **retirement(cells["provider"], cells["instance_type"]),
    }


def gpus() -> list[Row]:
    """Every GPU model."""
    return [typed(row) for row in catalog_rows("gpus")]


def container_images() -> list[Row]:
    """Every container image. `image` is the reference that pulls it: the table has AWS's without their gallery."""
    from ..catalog import container_images as images
    from ..plan.containers import full_reference

    full = {image.image: full_reference(image) for image in images()}
    return [{**typed(row), "image": full.get(row["image"], row["image"])} for row in catalog_rows("container_images")]


def node_images() -> list[Row]:
    """Every VM image of every cloud."""
    return [typed(row) for folder in folders() for row in catalog_rows("node_images", folder)]


def availability() -> list[Row]:
    """Where each type is offered, zone by zone."""
    return [typed(row) for folder in folders() for row in catalog_rows("availability", folder)]


def prices() -> list[Row]:
    """Every price, read or derived, with the GPUs of its type. A weak spot figure is unknown here."""
    types = {(row["provider"], row["instance_type"]): row for row in instances()}
    found: list[Row] = []
    for folder in folders():
        read = [typed(row) for row in catalog_rows("prices", folder)]
        derived = [_estimate(row) for row in catalog_rows("prices_derived", folder)]
        known = {(row["region"], row["instance_type"]) for row in read if row["on_demand_usd_hour"] is not None}
        read += [row for row in derived if (row["region"], row["instance_type"]) not in known]
        found += [_priced(row, types.get((row["provider"], row["instance_type"]), {})) for row in read]
    return found


def _estimate(cells: Mapping[str, str]) -> Row:
    row = typed(cells)
    return {**row, "estimate": True, "estimate_method": f"{row['method']}; basis {row['basis_instance_type']}"}


def _priced(row: Row, instance: Row) -> Row:
    weak: list[str] = row.get("weak") or []
    return {
        "provider": row["provider"],
        "region": row["region"],
        "instance_type": row["instance_type"],
        "gpu_model": instance.get("gpu_model"),
        "gpu_count": instance.get("gpu_count"),
        "on_demand_usd_hour": row["on_demand_usd_hour"],
        "spot_usd_hour": None if "spot_usd_hour" in weak else row.get("spot_usd_hour"),
        "zones": row["zones"],
        "estimate": row.get("estimate", False),
        "estimate_method": row.get("estimate_method"),
        "weak": weak,
        "as_of": row["as_of"],
        "as_of_basis": row.get("as_of_basis"),
        "spot_as_of": row.get("spot_as_of"),
        "source": row["source"],
        **retirement(row["provider"], row["instance_type"]),
    }


def cheapest(key: Callable[[Row], Any], rows: Iterator[Row] | list[Row]) -> dict[Any, Row]:
    """Of rows with an on-demand price, the cheapest for each key."""
    best: dict[Any, Row] = {}
    for row in rows:
        usd = row["on_demand_usd_hour"]
        if usd is not None and (key(row) not in best or usd < best[key(row)]["on_demand_usd_hour"]):
            best[key(row)] = row
    return best
