"""Typed reads of the catalog. A table is read when it is first asked for, and only the part that is asked for.

The data folder has one folder a cloud, so that a look-up reads that cloud's rows and no others.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ..vocabulary import CapacityType, Provider, StorageKind
from .azure_sizes import InfiniBand
from .folder import Catalog
from .google_models import GkeFloor, MachineParts
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
    NicLayout,
    NodeImage,
    Price,
    PurchaseOption,
    Retired,
    ServicePrice,
    StorageTier,
)
from .times import WindowsTimeZone


@cache
def packaged() -> Catalog:
    """The catalog over the data that comes with the package."""
    return Catalog(Path(__file__).parent / "data")


def instance_type(provider: Provider, name: str) -> InstanceType | Miss:
    """The type of that exact name. CPU types: AWS from the table, N1 of Google by its naming rule, others `known=False`
    where the cloud's naming allows the name."""
    return packaged().instance_type(provider, name)


def instance_types(provider: Provider | None = None) -> tuple[InstanceType, ...]:
    """Every GPU type (of one cloud), in table order."""
    return packaged().instance_types(provider)


def accelerator(model: str) -> Accelerator | Miss:
    """The GPU of that exact model key, case aside."""
    return packaged().accelerator(model)


def accelerators() -> tuple[Accelerator, ...]:
    """Every GPU model."""
    return packaged().accelerators()


def attached_accelerators(model: str | None = None) -> tuple[AttachedAccelerator, ...]:
    """What N1 machines of Google may carry (of one GPU model)."""
    return packaged().attached_accelerators(model)


def network_cards(name: str) -> NetworkCards | None:
    """The cards of an AWS type. None: one card without EFA, or a type that the table lacks."""
    return packaged().network_cards(name)


def nic_layout(name: str) -> NicLayout:
    """The interfaces of a Google machine type; one GVNIC for a family without a row of its own."""
    return packaged().nic_layout(name)


def machine_parts(name: str) -> MachineParts | None:
    """What a Google machine type is made of, and may be given. None: the table lacks it."""
    return packaged().machine_parts(name)


def machine_accelerators() -> tuple[str, ...]:
    """The API's words for GPUs that come with a Google machine type, sorted."""
    return packaged().machine_accelerators()


def gke_floors(name: str) -> tuple[GkeFloor, ...]:
    """The oldest GKE versions that serve a machine type's fabric, one a minor release; empty where none is known."""
    return packaged().gke_floors(name)


def infiniband(name: str) -> InfiniBand | None:
    """The InfiniBand and image facts of an Azure GPU size. None: the table lacks it."""
    return packaged().infiniband(name)


def windows_time_zone(name: str) -> WindowsTimeZone | None:
    """What Azure calls a timezone of the IANA database. None: Windows has no such timezone."""
    return packaged().windows_time_zone(name)


def purchase_option(provider: Provider, name: str, capacity: CapacityType) -> PurchaseOption | None:
    """The row that decides whether a type is sold so; None where no row speaks of it."""
    return packaged().purchase_option(provider, name, capacity)


def retired(provider: Provider, name: str) -> Retired | None:
    """The row that says a type is no longer deployed."""
    return packaged().retired(provider, name)


def regions(provider: Provider) -> tuple[str, ...]:
    """Regions that some row of prices or availability names, sorted."""
    return packaged().regions(provider)


def zones(provider: Provider, region: str, name: str) -> Availability | None:
    """Zones of a region that offer a type; None where the table has no row (unknown, not 'nowhere')."""
    return packaged().zones(provider, region, name)


def price(provider: Provider, region: str, name: str) -> Price | None:
    """The price of a type in a region: read, else derived and marked `estimate`, else None (unknown)."""
    return packaged().price(provider, region, name)


def prices(provider: Provider | None = None) -> tuple[Price, ...]:
    """Every price row that was read (of one cloud)."""
    return packaged().prices(provider)


def cuda_release(version: str) -> CudaRelease | Miss:
    """The release of a version: exact, or for a shorter one (12.8) its first patch release (12.8.0)."""
    return packaged().cuda_release(version)


def cuda_releases() -> tuple[CudaRelease, ...]:
    """Every CUDA release, oldest first."""
    return packaged().cuda_releases()


def container_image(reference: str) -> ContainerImage | Miss:
    """The image of a reference as people write it: with or without docker.io/, with a digest after the tag,
    AWS deep-learning containers by their public or private registry name."""
    return packaged().container_image(reference)


def container_images() -> tuple[ContainerImage, ...]:
    """Every container image."""
    return packaged().container_images()


def framework_builds() -> tuple[FrameworkBuild, ...]:
    """The oldest GPUs that publishers' builds of frameworks serve, row by row."""
    return packaged().framework_builds()


def node_image(provider: Provider, selector: str) -> NodeImage | Miss:
    """The image that a selector names: SSM path, `family/x` or x or projects/…/family/x, URN with or without version."""
    return packaged().node_image(provider, selector)


def node_images(provider: Provider) -> tuple[NodeImage, ...]:
    """Every VM image of a cloud."""
    return packaged().node_images(provider)


def storage_tiers(provider: Provider, kind: StorageKind) -> tuple[StorageTier, ...]:
    """The size ladders of a kind of shared storage; empty where the service has no size."""
    return packaged().storage_tiers(provider, kind)


def service_price(provider: Provider, service: str, item: str, region: str) -> ServicePrice | None:
    """The price of a service's item in a region, else the row for every region, else None (unknown)."""
    return packaged().service_price(provider, service, item, region)


def service_prices(provider: Provider) -> tuple[ServicePrice, ...]:
    """Every price of something that is no instance (of one cloud)."""
    return packaged().service_prices(provider)


def limit(provider: Provider, what: str) -> Limit | None:
    """A limit of a cloud."""
    return packaged().limit(provider, what)


def rows(table: str, folder: str = "") -> tuple[dict[str, str], ...]:
    """The rows of a table as they stand, by column name: what the command line prints.

    `folder` is a cloud's, `other` for the clouds that have prices and types here but no room, or empty for the tables
    that concern no cloud (gpus, cuda, container_images, framework_builds). Empty where the folder has no such table.
    """
    return packaged().rows(table, folder)


def folders() -> tuple[str, ...]:
    """The folders that `rows` knows, sorted."""
    return packaged().folders()
