"""What our rooms render is what the simulated clouds take: every stack, every golden, every machine in every way that it is
sold."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuinfra import catalog
from gpuinfra.cluster import GpuCluster
from gpuinfra.diagnostics import GpuInfraError
from gpuinfra.simulation.clockwork import advance, all_clouds
from gpuinfra.simulation.plugin import CLOUDS
from gpuinfra.spec.models import ClusterSpec
from gpuinfra.vocabulary import CapacityType, Provider

from .in_process import Clouds

ROOT = Path(__file__).parents[2]
STACKS = sorted(p.parent for kind in ("stacks", "templates") for p in ROOT.glob(f"{kind}/*/Pulumi.yaml"))
GOLDENS = sorted((ROOT / "tests" / "golden").glob("*/cluster.yaml"))
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGZvciB0ZXN0cyBvbmx5LCBub3QgYSByZWFsIGtleSBhdCBhbGw ml"
SOLD: dict[Provider, dict[CapacityType, dict[str, Any]]] = {
    Provider.AWS: {
        CapacityType.ON_DEMAND: {},
        CapacityType.SPOT: {},
        CapacityType.RESERVATION: {"id": "cr-0aaa1111bbbb2222c"},
        CapacityType.CAPACITY_BLOCK: {
            "id": "cr-0aaa1111bbbb2222c",
            "starts": "2026-12-01T11:30:00Z",
            "ends": "2026-12-08T11:30:00Z",
        },
    },
    Provider.GCP: {
        CapacityType.ON_DEMAND: {},
        CapacityType.SPOT: {},
        CapacityType.RESERVATION: {"id": "res-h"},
        CapacityType.FLEX_START: {"duration": "24h"},
    },
    Provider.AZURE: {
        CapacityType.ON_DEMAND: {},
        CapacityType.SPOT: {},
        CapacityType.RESERVATION: {
            "id": "/subscriptions/11112222-3333-4444-5555-666677778888/resourceGroups/r/providers/Microsoft.Compute/"
            "capacityReservationGroups/g"
        },
    },
}
PLACES: dict[Provider, dict[str, str]] = {
    Provider.AWS: {},
    Provider.GCP: {"project": "acme-lab"},
    Provider.AZURE: {"zone": "1"},
}


@pytest.mark.parametrize("folder", STACKS, ids=lambda p: p.name)
def test_every_stack_is_taken(folder: Path, tmp_path: Path) -> None:
    clouds = Clouds(tmp_path)
    clouds.up(folder)
    assert clouds.created
    made = list(clouds.created)
    clouds.up(folder)
    assert (clouds.created, clouds.replaced, clouds.updated) == ([], [], []), f"once is enough: {len(made)} resources"


@pytest.mark.parametrize("folder", STACKS, ids=lambda p: p.name)
def test_a_stack_that_stands_for_long_is_not_made_anew(folder: Path, tmp_path: Path) -> None:
    """The months of budgets, the ends of leases and the days of schedules that a later run would write must not replace."""
    clouds = Clouds(tmp_path)
    clouds.up(folder)
    for days in (33, 400):
        advance(clouds.world, all_clouds(CLOUDS), timedelta(days=days))
        clouds.up(folder)
        assert (clouds.created, clouds.replaced) == ([], [])
    changed = set(clouds.updated)
    clouds.up(folder)
    assert (clouds.created, clouds.replaced, clouds.updated) == ([], [], []), f"{changed} were updated before"


@pytest.mark.parametrize("path", GOLDENS, ids=lambda p: p.parent.name)
def test_every_golden_is_taken(path: Path, tmp_path: Path) -> None:
    clouds = Clouds(tmp_path)
    name = yaml.safe_load(path.read_text(encoding="utf-8"))["name"]
    clouds.up(lambda: GpuCluster(name, path))
    assert clouds.created


def places(provider: Provider, name: str) -> Iterator[dict[str, str]]:
    """Where a machine is sold, as far as the tables know."""
    for region in catalog.regions(provider):
        row = catalog.zones(provider, region, name)
        if row and row.zones:
            yield {"provider": provider.value, "region": region, "zone": row.zones[0], **PLACES[provider]}
        elif provider is Provider.AZURE and catalog.price(provider, region, name):
            yield {"provider": provider.value, "region": region, **PLACES[provider]}


def sold() -> list[tuple[Provider, str, CapacityType]]:
    """The largest machine of every family, in every way that it is sold."""
    found: list[tuple[Provider, str, CapacityType]] = []
    for provider, ways in SOLD.items():
        ordered = sorted((m for m in catalog.instance_types(provider) if m.known), key=lambda m: m.gpu_count)
        for machine in {m.family: m for m in ordered if ":" not in m.name}.values():
            for way in ways:
                option = catalog.purchase_option(provider, machine.name, way)
                if option is None or option.supported:
                    found.append((provider, machine.name, way))
    return found


def spec_of(provider: Provider, name: str, way: CapacityType, place: dict[str, str]) -> ClusterSpec:
    machine = catalog.instance_type(provider, name)
    assert isinstance(machine, catalog.InstanceType)
    raw: dict[str, Any] = {
        "name": "every",
        "location": place,
        "node_pools": [
            {"name": "gpu", "instance_type": name, "count": 2, "capacity": {"type": way.value, **SOLD[provider][way]}}
        ],
        "budget": {"per_month_usd": 10_000_000, "contacts": ["ml@example.com"], "on_limit": "stop"},
        "shutdown": {"lease": "72h", "idle_after": "30m"},
    }
    if provider is Provider.AZURE:
        raw["network"] = {"cidr": "10.50.0.0/16", "ssh_keys": [KEY]}
    return ClusterSpec.model_validate(raw)


@pytest.mark.parametrize("provider", list(SOLD))
def test_every_machine_is_taken_in_every_way_that_it_is_sold(provider: Provider, tmp_path: Path) -> None:
    taken: set[str] = set()
    for count, (_, name, way) in enumerate(s for s in sold() if s[0] is provider):
        place = next(places(provider, name), None)
        if place is None:
            continue
        spec = spec_of(provider, name, way, place)
        clouds = Clouds(tmp_path / str(count))
        try:
            clouds.up(lambda spec=spec: GpuCluster("every", spec))
        except GpuInfraError:
            continue  # What the plan refuses never reaches a cloud.
        finally:
            clouds.world.close()
        taken.add(catalog.instance_type(provider, name).family)  # type: ignore[union-attr]
    assert len(taken) > 8
