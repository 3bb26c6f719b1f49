"""The catalog over one data folder: each table is read when it is first asked for, once.

The folder has one folder a cloud beside the tables that concern no cloud, so that a look-up reads that cloud's rows and
no others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from typing import TypeVar, cast

from ..diagnostics import nearest
from ..vocabulary import CapacityType, Provider, StorageKind
from . import machines, offers, software, times
from .azure_sizes import InfiniBand
from .google_models import GkeFloor, MachineParts
from .interfaces import NicLayout
from .models import (
    Accelerator,
    AttachedAccelerator,
    Availability,
    ContainerImage,
    CudaRelease,
    FrameworkBuild,
    InstanceType,
    Limit,
    Miss,
    NetworkCards,
    NodeImage,
    Price,
    PurchaseOption,
    Retired,
    ServicePrice,
    StorageTier,
)
from .pricing import EVERYWHERE, PriceLines, Prices
from .reading import CatalogError, Row, Table
from .times import WindowsTimeZone

T = TypeVar("T")

TITLES = {Provider.AWS: "AWS", Provider.GCP: "Google Cloud", Provider.AZURE: "Azure"}
_PRICE_FILES = ("prices", "prices_derived")


class Catalog:
    """Typed reads of the tables in one folder. Raises CatalogError, with file and line, for a table that is faulty.

    A method is the function of the same name in `tables`, over any folder; its docstring stands there.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._kept: dict[Hashable, object] = {}

    def _once(self, key: Hashable, make: Callable[[], T]) -> T:
        if key not in self._kept:
            self._kept[key] = make()
        return cast(T, self._kept[key])

    def _table(self, *path: str) -> Table:
        return Table(self.folder.joinpath(*path[:-1], f"{path[-1]}.csv"))

    # --- machines

    def instance_type(self, provider: Provider, name: str) -> InstanceType | Miss:
        return self._once(("instance_type", provider, name), lambda: self._instance_type(provider, name))

    def _instance_type(self, provider: Provider, name: str) -> InstanceType | Miss:
        for table in ("instances", "cpu_instances"):
            row = self._rows_by_name(provider, table).get((name,))
            if row is not None:
                return machines.instance_type(row)
        for row in self._once(("naming", provider), lambda: tuple(self._table(provider, "naming"))):
            found = _matches(row, name)
            if found:
                family = row.text("family") or "_".join(part for part in found.groups() if part)
                return machines.allowed_by_name(row, provider, name, family)
        return Miss(f"{TITLES[provider]} instance type", name, self._nearest_types(provider, name))

    def _rows_by_name(self, provider: Provider, table: str) -> dict[tuple[str, ...], Row]:
        return self._once((table, provider), lambda: self._table(provider, table).by("instance_type"))

    def _nearest_types(self, provider: Provider, name: str) -> tuple[str, ...]:
        gpu = [key for (key,) in self._rows_by_name(provider, "instances")]
        cpu = [key for (key,) in self._rows_by_name(provider, "cpu_instances")]
        # The family that was named comes first, and in it the sizes of like length: p5.49xlarge means p5.48xlarge,
        # not c5.4xlarge, and rather that than p5.4xlarge.
        same = [key for key in (*gpu, *cpu) if _first_word(key) == _first_word(name)]
        kin = sorted(nearest(name, same, n=6), key=lambda key: len(key) != len(name))
        found = (*kin, *nearest(name, gpu), *nearest(name, cpu))
        return tuple(dict.fromkeys(found))[:3]

    def instance_types(self, provider: Provider | None = None) -> tuple[InstanceType, ...]:
        def read(one: Provider) -> tuple[InstanceType, ...]:
            return tuple(machines.instance_type(row) for row in self._rows_by_name(one, "instances").values())

        return self._each(provider, "instance_types", read)

    def cpu_instance_types(self, provider: Provider) -> tuple[InstanceType, ...]:
        def read() -> tuple[InstanceType, ...]:
            return tuple(machines.instance_type(row) for row in self._rows_by_name(provider, "cpu_instances").values())

        return self._once(("cpu types", provider), read)

    def _each(self, provider: Provider | None, kind: str, read: Callable[[Provider], tuple[T, ...]]) -> tuple[T, ...]:
        found: list[T] = []
        for one in (provider,) if provider else tuple(Provider):
            found.extend(self._once((kind, one), lambda one=one: read(one)))
        return tuple(found)

    def accelerator(self, model: str) -> Accelerator | Miss:
        known = self._once("by model", lambda: {a.model.casefold(): a for a in self.accelerators()})
        found = known.get(model.casefold())
        if found:
            return found
        models = [a.model for a in known.values()]
        # H100 is three GPUs to choose from, not a misspelt H200.
        forms = [m for m in models if m.casefold().startswith(model.casefold())] if model else []
        return Miss("GPU model", model, tuple(dict.fromkeys((*forms, *nearest(model, models))))[: max(3, len(forms))])

    def accelerators(self) -> tuple[Accelerator, ...]:
        return self._once(
            "gpus", lambda: tuple(machines.accelerator(row) for row in self._table("gpus").by("gpu_model").values())
        )

    def attached_accelerators(self, model: str | None = None) -> tuple[AttachedAccelerator, ...]:
        every = self._once("attached", self._attached)
        return tuple(a for a in every if model is None or a.gpu_model.casefold() == model.casefold())

    def _attached(self) -> tuple[AttachedAccelerator, ...]:
        limits: dict[tuple[str, str], list[Row]] = {}
        for row in self._table(Provider.GCP, "attached_zone_limits"):
            limits.setdefault((row.needed_text("accelerator_type"), row.needed_text("gpu_count")), []).append(row)
        found: list[AttachedAccelerator] = []
        for row in self._table(Provider.GCP, "attached_accelerators"):
            lower = limits.pop((row.text("accelerator_type"), row.text("gpu_count")), [])
            found.append(machines.attached_accelerator(row, tuple(map(machines.zone_limit, lower))))
        for (kind, count), (row, *_) in limits.items():
            raise row.refuse(f"{count} x {kind} has no row in attached_accelerators")
        return tuple(found)

    def network_cards(self, name: str) -> NetworkCards | None:
        rows = self._once("cards", lambda: self._table(Provider.AWS, "network_cards").by("instance_type"))
        row = rows.get((name,))
        return None if row is None else self._once(("cards", name), lambda: machines.network_cards(row))

    def nic_layout(self, name: str) -> NicLayout:
        return self._once(("nics", name), lambda: self._nic_layout(name))

    def _nic_layout(self, name: str) -> NicLayout:
        rows = self._once("nics", lambda: self._table(Provider.GCP, "nics").by("pattern"))
        row = _longest(name, rows)
        if row is None:
            raise CatalogError(self.folder / Provider.GCP / "nics.csv", 1, f"no pattern of the table matches {name!r}")
        return machines.nic_layout(row)

    def machine_parts(self, name: str) -> MachineParts | None:
        def read() -> MachineParts | None:
            rows = self._once("parts", lambda: self._table(Provider.GCP, "machine_parts").by("pattern"))
            row = _longest(name, rows)
            return None if row is None else machines.machine_parts(row)

        return self._once(("parts", name), read)

    def machine_accelerators(self) -> tuple[str, ...]:
        def read() -> tuple[str, ...]:
            named = {row.text("accelerator_type") for row in self._table(Provider.GCP, "machine_parts")}
            return tuple(sorted(named - {""}))

        return self._once("accelerator words", read)

    def gke_floors(self, name: str) -> tuple[GkeFloor, ...]:
        def read() -> dict[str, tuple[GkeFloor, ...]]:
            found: dict[str, tuple[GkeFloor, ...]] = {}
            for row in self._table(Provider.GCP, "gke_floors"):
                key = row.needed_text("pattern")
                found[key] = (*found.get(key, ()), machines.gke_floor(row))
            return found

        return self._once("floors", read).get(name, ())

    def infiniband(self, name: str) -> InfiniBand | None:
        rows = self._once("infiniband", lambda: self._table(Provider.AZURE, "infiniband").by("instance_type"))
        row = rows.get((name,))
        return None if row is None else self._once(("infiniband", name), lambda: machines.infiniband(row))

    def windows_time_zone(self, name: str) -> WindowsTimeZone | None:
        rows = self._once("time_zones", lambda: self._table(Provider.AZURE, "time_zones").by("iana_name"))
        row = rows.get((name,))
        return None if row is None else times.windows_time_zone(row)

    # --- offers

    def purchase_option(self, provider: Provider, name: str, capacity: CapacityType) -> PurchaseOption | None:
        def read() -> PurchaseOption | None:
            rows = self._once(
                ("purchase", provider), lambda: self._table(provider, "purchase").by("capacity", "pattern")
            )
            row = _longest(name, {(p,): row for (c, p), row in rows.items() if c == capacity})
            return None if row is None else offers.purchase_option(row)

        return self._once(("purchase", provider, name, capacity), read)

    def retired(self, provider: Provider, name: str) -> Retired | None:
        def read() -> Retired | None:
            rows = self._once(("retired", provider), lambda: self._table(provider, "retired").by("pattern"))
            row = _longest(name, rows)
            return None if row is None else offers.retired(row)

        return self._once(("retired", provider, name), read)

    def regions(self, provider: Provider) -> tuple[str, ...]:
        def read() -> tuple[str, ...]:
            zoned = {region for region, _ in self._zones(provider)}
            return tuple(sorted(zoned | set(self._prices(provider).regions)))

        return self._once(("regions", provider), read)

    def zones(self, provider: Provider, region: str, name: str) -> Availability | None:
        row = self._zones(provider).get((region, name))
        return None if row is None else offers.availability(row)

    def _zones(self, provider: Provider) -> dict[tuple[str, ...], Row]:
        return self._once(
            ("zones", provider), lambda: self._table(provider, "availability").by("region", "instance_type")
        )

    def price(self, provider: Provider, region: str, name: str) -> Price | None:
        return self._prices(provider).find(region, name)

    def prices(self, provider: Provider | None = None) -> tuple[Price, ...]:
        return self._each(provider, "every price", lambda one: tuple(self._prices(one)))

    def _prices(self, provider: Provider) -> Prices:
        return self._once(("prices", provider), lambda: Prices(self.folder / provider))

    def storage_tiers(self, provider: Provider, kind: StorageKind) -> tuple[StorageTier, ...]:
        every = self._once(
            ("tiers", provider), lambda: tuple(offers.storage_tier(r) for r in self._table(provider, "storage_tiers"))
        )
        return tuple(tier for tier in every if tier.kind is kind)

    def service_price(self, provider: Provider, service: str, item: str, region: str) -> ServicePrice | None:
        rows = self._once(
            ("services", provider), lambda: self._table(provider, "service_prices").by("service", "item", "region")
        )
        row = rows.get((service, item, region)) or rows.get((service, item, EVERYWHERE))
        return None if row is None else offers.service_price(row)

    def service_prices(self, provider: Provider) -> tuple[ServicePrice, ...]:
        return tuple(offers.service_price(row) for row in self._table(provider, "service_prices"))

    def limit(self, provider: Provider, what: str) -> Limit | None:
        def read() -> Limit | None:
            rows = self._once(("limits", provider), lambda: self._table(provider, "limits").by("what"))
            row = rows.get((what,))
            return None if row is None else offers.limit(row)

        return self._once(("limit", provider, what), read)

    def service_regions(self, provider: Provider, service: str) -> tuple[str, ...]:
        rows = self._once(("service_regions", provider), lambda: self._table(provider, "service_regions").by("service"))
        row = rows.get((service,))
        return () if row is None else row.items("regions")

    # --- software

    def cuda_release(self, version: str) -> CudaRelease | Miss:
        every = self.cuda_releases()
        wanted = version.strip()
        exact = next((release for release in every if release.version == wanted), None)
        first = next((release for release in every if release.version.startswith(f"{wanted}.")), None)
        # NVIDIA's images print a build number behind the patch release (12.5.0.23).
        built = next((release for release in every if wanted.startswith(f"{release.version}.")), None)
        found = exact or (first if re.fullmatch(r"\d+\.\d+", wanted) else None) or built
        return found or Miss("CUDA release", version, software.nearest_versions(wanted, [r.version for r in every]))

    def cuda_releases(self) -> tuple[CudaRelease, ...]:
        def read() -> tuple[CudaRelease, ...]:
            rows = self._table("cuda").by("cuda_version").values()
            return tuple(sorted(map(software.cuda_release, rows), key=lambda r: software.version_key(r.version)))

        return self._once("cuda", read)

    def container_image(self, reference: str) -> ContainerImage | Miss:
        known = self._once("by image", lambda: {c.image: c for c in self.container_images()})
        key = software.container_key(reference)
        found = known.get(key)
        if found:
            return found
        repository = key.partition(":")[0]
        same = [image for image in known if image.partition(":")[0] == repository]
        return Miss("container image", reference, nearest(key, same) or nearest(key, known))

    def container_images(self) -> tuple[ContainerImage, ...]:
        def read() -> tuple[ContainerImage, ...]:
            return tuple(map(software.container_image, self._table("container_images").by("image").values()))

        return self._once("images", read)

    def framework_builds(self) -> tuple[FrameworkBuild, ...]:
        return self._once("builds", lambda: tuple(map(software.framework_build, self._table("framework_builds"))))

    def node_image(self, provider: Provider, selector: str) -> NodeImage | Miss:
        images = self._node_images(provider)
        found = images.find(selector)
        return found or Miss(f"{TITLES[provider]} node image", selector, nearest(selector, images.selectors))

    def node_images(self, provider: Provider) -> tuple[NodeImage, ...]:
        return self._node_images(provider).rows

    def _node_images(self, provider: Provider) -> software.NodeImages:
        return self._once(
            ("vm images", provider),
            lambda: software.NodeImages(tuple(map(software.node_image, self._table(provider, "node_images")))),
        )

    # --- as they stand

    def rows(self, table: str, folder: str = "") -> tuple[dict[str, str], ...]:
        path = self.folder / folder / f"{table}.csv"
        source: Iterable[Row] = PriceLines(path) if table in _PRICE_FILES else Table(path)
        return tuple(dict(zip(row.columns, row.cells, strict=True)) for row in source)

    def folders(self) -> tuple[str, ...]:
        return tuple(sorted(path.name for path in self.folder.iterdir() if path.is_dir()))


def _first_word(name: str) -> str:
    return re.split(r"[._-]", name, maxsplit=1)[0].casefold()


def _matches(row: Row, name: str) -> re.Match[str] | None:
    try:
        return re.fullmatch(row.needed_text("pattern"), name)
    except re.error as error:
        raise row.refuse(f"column pattern is no regular expression: {error}") from None


def _longest(name: str, rows: dict[tuple[str, ...], Row]) -> Row | None:
    """The row whose pattern says most of the name: the name itself, else the longest prefix before a `*`."""
    best = rows.get((name,))
    if best is not None:
        return best
    length = -1
    for (pattern,), row in rows.items():
        if pattern.endswith("*") and len(pattern) > length and name.startswith(pattern[:-1]):
            best, length = row, len(pattern)
    return best
