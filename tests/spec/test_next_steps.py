"""Hints of the reader whose next step is taken by the reader."""

from __future__ import annotations

from typing import Any

import pytest

from gpuinfra.spec.load import parse
from tests.spec.specs import LEAST, only, read, with_keys

LOCATIONS = {
    "aws": {"provider": "aws", "region": "us-east-2"},
    "gcp": {"provider": "gcp", "region": "us-central1", "project": "acme-lab"},
    "azure": {"provider": "azure", "region": "eastus"},
}
GPU = {"name": "gpu", "instance_type": "g6.xlarge"}


@pytest.mark.parametrize(
    ("others", "name", "free"),
    [([], "GPU", "gpu"), (["gpu"], "GPU", "gpu-2"), (["gpu", "gpu-2"], "GPU", "gpu-3"), (["pool-1"], 1, "pool-1-2")],
)
def test_a_name_that_another_has_is_not_offered(others: list[str], name: Any, free: str):
    pools = [{**GPU, "name": n} for n in others]
    hint = only(with_keys(node_pools=[*pools, {**GPU, "name": name}])).hint
    assert hint.split()[-1] == free
    assert with_keys(node_pools=[*pools, {**GPU, "name": free}]).spec


def test_a_code_in_small_letters_is_written_in_capitals():
    waiver = {"code": "gi2113", "reason": "x", "expires": "2026-12-05"}
    assert only(with_keys(waivers=[waiver])).hint == "write code: GI2113"
    assert only(with_keys(waivers=[{**waiver, "code": "2113"}])).hint == "for example code: GI2201"


@pytest.mark.parametrize("key", ["spot", "use_spot", "preemptible"])
def test_spot_is_a_type_of_capacity(key: str):
    assert only(with_keys(**{key: True})).hint == (
        "write capacity: {type: spot} in each pool that is meant, at node_pools[].capacity"
    )
    assert only(with_keys(node_pools=[{**GPU, "capacity": {key: True}}])).hint == "write type: spot"
    assert only(with_keys(node_pools=[{**GPU, key: True}])).hint == "write capacity: {type: spot}"
    assert "spot" in only(with_keys(**{key: False})).hint


@pytest.mark.parametrize("cloud", LOCATIONS)
@pytest.mark.parametrize("key", ["vpc_id", "vnet", "network_id", "subnet_id"])
def test_the_id_of_a_network_is_given_with_its_subnet(cloud: str, key: str):
    import yaml

    one = only(parse({**LEAST, "location": LOCATIONS[cloud], "network": {key: "net-7"}}))
    assert one.hint.startswith("write existing: {network: ")
    entry = yaml.safe_load(one.hint.removeprefix("write "))
    assert entry["existing"]["subnet" if key == "subnet_id" else "network"] == "net-7"
    assert parse({**LEAST, "location": LOCATIONS[cloud], "network": entry}).spec
    top = only(parse({**LEAST, "location": LOCATIONS[cloud], key: "net-7"})).hint
    assert yaml.safe_load(top.removeprefix("write ")) == {"network": entry}


@pytest.mark.parametrize(
    ("written", "number"),
    [("20,000", "20000"), ("1,234,567", "1234567"), ("20,000.50", "20000.50")],
)
def test_a_thousands_separator_is_told_by_what_it_makes(written: str, number: str):
    found = read(f"budget: {{per_month_usd: {written}}}\n").diagnostics
    assert {d.hint for d in found if d.code == "GI1030"} >= {f"write per_month_usd: {number} (no thousands separator)"}
    assert read(f"budget: {{per_month_usd: {number}}}\n").spec


def test_a_key_of_digits_alone_is_no_thousands():
    assert "thousands" not in only(read("budget: {per_month_usd: 20, 000: 5}\n")).hint
    assert "thousands" not in only(read("budget: {per_month_usd: 20000, 000}\n")).hint
