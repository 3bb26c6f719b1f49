"""What the simulated zones have: a YAML file of machines by zone and type, and quotas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from .. import catalog
from ..catalog import Miss
from ..engine.deployment import DeploymentError
from ..vocabulary import Provider
from .values import as_map, is_map
from .world import World

_NUMBERS = ("1", "2", "3")


def fill(world: World, path: str | None, seed: int | None) -> None:
    """Takes over a stock file and a seed. Raises DeploymentError where the file cannot be used; then nothing changes."""
    entries = list(_entries(path)) if path is not None else []
    with world.step():
        if seed is not None:
            world.set_meta("seed", str(seed))
        for kind, first, second, amount in entries:
            if kind == "zone":
                world.set_stock(first, second, int(amount))
            else:
                world.set_quota(first, amount)


def _entries(path: str) -> Iterator[tuple[str, str, str, float]]:
    import yaml

    try:
        document: Any = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as e:
        raise DeploymentError(f"{path}: cannot be read: {' '.join(str(e).split())[:200]}") from e
    if not is_map(document) or not {*document} <= {"zones", "quotas"}:
        raise DeploymentError(
            f"{path}: holds no stock; write zones: {{use2-az1: {{p5.48xlarge: 4}}}}, and quotas: {{name: 96}}"
        )
    for zone, types in as_map(document.get("zones")).items():
        if not known_zone(str(zone)):
            raise DeploymentError(f"{path}: zones.{zone} is no zone that the tables list (gpuinfra regions)")
        for type_, amount in as_map(types).items():
            if type_ != "*" and not _known_type(str(type_)):
                raise DeploymentError(f"{path}: zones.{zone}: '{type_}' is no instance type (gpuinfra instances)")
            yield "zone", str(zone), str(type_), _amount(path, f"zones.{zone}.{type_}", amount)
    for name, amount in as_map(document.get("quotas")).items():
        yield "quota", str(name), "", _amount(path, f"quotas.{name}", amount)


def _amount(path: str, where: str, amount: Any) -> float:
    if isinstance(amount, bool) or not isinstance(amount, (int, float)) or amount < 0:
        raise DeploymentError(f"{path}: {where}: '{amount}' is no number of machines")
    return float(amount)


def known_zone(zone: str) -> bool:
    """Whether some cloud has the zone; `*` is every one."""
    from ..plan.zones import region_zones

    return zone == "*" or any(
        zone in _names(region, region_zones(provider, region))
        for provider in Provider
        for region in catalog.regions(provider)
    )


def _names(region: str, zones: Iterable[str]) -> tuple[str, ...]:
    """What the world calls a region's zones. Where the tables have none (they are numbers there), the region stands before
    the number, and alone for what is in no zone."""
    return tuple(zones) or (region, *(f"{region}-{n}" for n in _NUMBERS))


def _known_type(name: str) -> bool:
    return any(not isinstance(catalog.instance_type(provider, name), Miss) for provider in Provider)
