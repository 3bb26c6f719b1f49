"""What the reference says of a change is what the simulated clouds did, for every field on every cloud."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gpuinfra import reference
from gpuinfra.reference.changes import changes_page, rows
from gpuinfra.reference.on_change import Effect, change_of
from gpuinfra.vocabulary import Provider
from tests.changes.cases import CASES, UNCHANGEABLE
from tests.changes.measure import TABLE, measured

GOLDENS = Path(__file__).parents[1] / "golden"
ROWS = rows(GOLDENS)
NOT_EVERYWHERE = {
    "node_pools[].accelerator": {"azure": "a type with that GPU alone is not chosen by a model beside another type"},
    "node_pools[].accelerator.memory_gib": {"azure": "sells the A100 of 40 GB no more"},
    "node_pools[].capacity.starts": {"azure": "sells no window"},
    "node_pools[].capacity.ends": {"azure": "sells no window"},
    "node_pools[].capacity.duration": {"aws": "sells no flex-start", "azure": "sells no flex-start"},
    "storage[].import_from": {"azure": "is refused where the file system is new (GI2306)"},
}


def test_the_table_holds_every_field_on_every_cloud_that_has_it():
    shown = {(row["field"], cloud) for row in ROWS for cloud in row["on"]}
    missing: list[tuple[str, str]] = []
    for field in reference.spec_fields():
        for cloud in Provider:
            known = not field.where or field.where == cloud
            excused = field.path in UNCHANGEABLE or cloud in NOT_EVERYWHERE.get(field.path, ())
            if known and not excused and (field.path, str(cloud)) not in shown:
                missing.append((field.path, str(cloud)))
    assert missing == []


def test_no_excuse_is_stale():
    shown = {(row["field"], cloud) for row in ROWS for cloud in row["on"]}
    assert [f for f in UNCHANGEABLE if any(f == row["field"] for row in ROWS)] == []
    assert [(f, c) for f, clouds in NOT_EVERYWHERE.items() for c in clouds if (f, c) in shown] == []


def test_the_table_is_that_of_the_cases():
    assert [(r["field"], r["change"], list(r["on"])) for r in ROWS] == [
        (c.field, c.change, [str(p) for p in c.clouds()]) for c in CASES
    ], "run python -m tests.changes"


@pytest.mark.parametrize("row", ROWS, ids=lambda r: f"{r['field']} {r['change']}".strip())
def test_what_is_said_is_what_was_done(row: dict[str, Any]):
    for cloud, entry in row["on"].items():
        said = change_of(row["field"]).on(Provider(cloud), row["change"])
        assert set(entry["effects"]) == said, cloud
        assert Effect.CLOUD_REFUSES not in entry["effects"], "a preview that the cloud would refuse at apply"


def test_what_loses_data_is_refused_and_marked():
    page = changes_page(GOLDENS)
    for row in ROWS:
        for entry in row["on"].values():
            taken = {t for op in ("replace", "delete") for t in entry.get(op, ())}
            if taken & STORES:
                assert Effect.DATA in entry["effects"], row
    assert page.count("**refused (data)**") > 20


STORES = {
    "aws:fsx/lustreFileSystem:LustreFileSystem",
    "aws:efs/fileSystem:FileSystem",
    "gcp:lustre/instance:Instance",
    "gcp:filestore/instance:Instance",
    "azure-native:storagecache:AmlFilesystem",
    "azure-native:netapp:CapacityPoolVolume",
    "azure-native:storage:StorageAccount",
}


@pytest.mark.parametrize("cloud", list(Provider))
def test_a_sample_measured_again(cloud: Provider):
    """Every change of one base cluster in a row of seven: what is stored is what the code does today."""
    sample = [c for c in CASES if cloud in set(c.clouds()) and not c.base][::7]
    again = measured(sample, [cloud])
    stored = {(r["field"], r["change"]): r["on"][str(cloud)] for r in ROWS if str(cloud) in r["on"]}
    assert len(again) > 5
    for case in sample:
        assert again[case.id]["on"][str(cloud)] == stored[case.field, case.change], f"{TABLE.name}: {case.id}"
