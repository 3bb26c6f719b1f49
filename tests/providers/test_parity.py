"""Every cloud has every part: this walks rooms, protocols, tables, templates, goldens and stacks, and names what lacks."""

from __future__ import annotations

import inspect
from datetime import UTC, datetime
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pulumi
import pytest
import yaml

import gpuinfra
from gpuinfra.cluster import GpuCluster
from gpuinfra.policy.registry import resource_rules
from gpuinfra.providers import available, get
from gpuinfra.providers.protocol import MODULES, ClusterOutputs
from gpuinfra.testing import record
from gpuinfra.vocabulary import Provider

ROOT = Path(__file__).parents[2]
PACKAGE = Path(gpuinfra.__file__).parent
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
MODEL = Provider.AWS
"""The room that the others are held against."""
PARTS = ("ClusterNetwork", "NodeIdentity", "NodePool", "SharedStorage", "Spend")
TABLES = ("instances", "limits", "node_images", "prices", "purchase", "service_prices", "storage_tiers")
GOLDEN_FILES = ("cluster.yaml", "plan.json", "preview.json", "update.json")
EXTRA = {Provider.AZURE: {"ResourceGroup"}}
"""Parts that only one cloud has."""
every_cloud = pytest.mark.parametrize("provider", list(Provider))


def test_every_cloud_of_the_vocabulary_has_a_room():
    assert available() == tuple(Provider)


@every_cloud
def test_a_room_has_the_files_and_names_of_the_others(provider: Provider):
    room, model = get(provider), get(MODEL)
    for module in MODULES:
        assert find_spec(f"{room.__name__}.{module}"), module  # type: ignore[attr-defined]
    assert set(room.__all__) - EXTRA.get(provider, set()) == set(model.__all__)  # type: ignore[attr-defined]
    public = import_module(f"gpuinfra.{provider}")
    assert set(public.__all__) == set(room.__all__) - {"render"}  # type: ignore[attr-defined]


@every_cloud
@pytest.mark.parametrize("part", PARTS)
def test_a_part_takes_what_the_others_take(provider: Provider, part: str):
    theirs, model = (inspect.signature(getattr(get(p), part).__init__).parameters for p in (provider, MODEL))
    # Arguments that only one cloud needs are its own; they have defaults, or a program could not move.
    shared = [p for p in model if p not in OWN.get((MODEL, part), ())]
    assert [p for p in theirs if p in shared] == shared
    assert all(p.default is not inspect.Parameter.empty for n, p in theirs.items() if n not in ("self", "name", "spec"))
    assert all(p.kind is model[n].kind for n, p in theirs.items() if n in model)


OWN: dict[tuple[Provider, str], tuple[str, ...]] = {(Provider.AWS, "NodeIdentity"): ("buckets", "boot_folder")}
"""Arguments of the model's room that name things of its own cloud."""


@every_cloud
def test_a_room_renders_by_the_protocol(provider: Provider):
    parameters = inspect.signature(get(provider).render).parameters
    assert list(parameters) == ["plan", "parent", "network"]


@every_cloud
def test_types_of_components_carry_the_cloud_and_the_part(provider: Provider):
    graph = recorded(provider, "complex")
    found = {r.type for r in graph if r.type.startswith("gpuinfra:") and not r.type.startswith("gpuinfra:index:")}
    assert found == {f"gpuinfra:{provider}:{part}" for part in {*PARTS, *EXTRA.get(provider, set())}}


@every_cloud
@pytest.mark.parametrize("preview", [True, False])
@pytest.mark.parametrize("size", ["minimal", "complex"])
def test_outputs_are_equal_in_name_and_kind(provider: Provider, size: str, preview: bool):
    ours, model = (cluster_outputs(p, size, preview) for p in (provider, MODEL))
    assert set(ours) - NONE_WHERE_UNKNOWN == set(model) - NONE_WHERE_UNKNOWN
    assert set(ours) >= set(ClusterOutputs.__dataclass_fields__) - NONE_WHERE_UNKNOWN
    for name, value in ours.items():
        assert kinds(name, value) <= KINDS[name], (name, value)


def kinds(name: str, value: Any) -> set[str]:
    """What a cluster's output holds, without its keys, which are the user's own names."""
    if isinstance(value, dict):
        return (
            {f"{key}: {type(v).__name__}" for one in value.values() for key, v in one.items()}
            if name == "mounts"
            else {type(v).__name__ for v in value.values()}
        )
    return {type(value).__name__}


TEXT = {"str", "OutputRef", "Unknown"}
NONE_WHERE_UNKNOWN = {"usd_per_hour", "lease_end"}
KINDS: dict[str, set[str]] = {
    "network_id": TEXT,
    "subnet_id": TEXT,
    "node_groups": TEXT,
    "mounts": {f"{key}: {kind}" for key in ("address", "path") for kind in TEXT},
    "lease_end": {*TEXT, "NoneType"},
    "usd_per_hour": {"float", "NoneType"},
    "usd_per_hour_at_least": {"float"},
    "price_as_of": {"str"},
    "connect": TEXT,
}


def cluster_outputs(provider: Provider, size: str, preview: bool) -> dict[str, Any]:
    return dict(recorded(provider, size, preview).outputs)


_KEPT: dict[tuple[Provider, str, bool], Any] = {}


def recorded(provider: Provider, size: str, preview: bool = False) -> Any:
    key = (provider, size, preview)
    if key not in _KEPT:
        spec = ROOT / "tests/golden" / f"{provider}-{size}" / "cluster.yaml"
        name = yaml.safe_load(spec.read_text(encoding="utf-8"))["name"]

        def program() -> None:
            cluster = GpuCluster(name, spec, now=NOW)
            for output in ClusterOutputs.__dataclass_fields__:
                pulumi.export(output, getattr(cluster, output))

        _KEPT[key] = record(program, preview=preview)
    return _KEPT[key]


@every_cloud
@pytest.mark.parametrize("size", ["minimal", "complex"])
def test_goldens_are_whole(provider: Provider, size: str):
    folder = ROOT / "tests/golden" / f"{provider}-{size}"
    assert sorted(p.name for p in folder.iterdir()) == sorted(GOLDEN_FILES)


@every_cloud
def test_the_tables_are_there(provider: Provider):
    folder = PACKAGE / "catalog/data" / str(provider)
    assert not [name for name in TABLES if not (folder / f"{name}.csv").is_file()]


@every_cloud
def test_nodes_are_told_how_to_live_on_the_cloud(provider: Provider):
    model, theirs = (sorted(p.name for p in (PACKAGE / "node/templates" / str(c)).iterdir()) for c in (MODEL, provider))
    assert [n for n in model if n not in theirs] == []


@every_cloud
def test_resources_of_the_cloud_have_rules(provider: Provider):
    assert [r for r in resource_rules() if provider in r.providers]


@every_cloud
def test_there_is_something_to_start_from(provider: Provider):
    assert list(ROOT.glob(f"stacks/{provider}-*/Pulumi.yaml"))
    assert list(ROOT.glob(f"templates/{provider}-*/Pulumi.yaml"))
