"""Typed reads of the catalog. A table is read when it is first asked for, and only the part that is asked for.

The data folder has one folder a cloud, so that a look-up reads that cloud's rows and no others.
"""

from __future__ import annotations

from ..vocabulary import CapacityType, Provider, StorageKind
from .models import (
    Accelerator,
    AttachedAccelerator,
    Availability,
    ContainerImage,
    CudaRelease,
    InfiniBand,
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


def instance_type(provider: Provider, name: str) -> InstanceType | Miss:
    """The type of that exact name. CPU types: AWS from the table, N1 of Google by its naming rule, others `known=False`
    where the cloud's naming allows the name."""
    raise NotImplementedError


def instance_types(provider: Provider | None = None) -> tuple[InstanceType, ...]:
    """Every GPU type (of one cloud), in table order."""
    raise NotImplementedError


def accelerator(model: str) -> Accelerator | Miss:
    """The GPU of that exact model key, case aside."""
    raise NotImplementedError


def accelerators() -> tuple[Accelerator, ...]:
    """Every GPU model."""
    raise NotImplementedError


def attached_accelerators(model: str | None = None) -> tuple[AttachedAccelerator, ...]:
    """What N1 machines of Google may carry (of one GPU model)."""
    raise NotImplementedError


def network_cards(name: str) -> NetworkCards | None:
    """The cards of an AWS type. None: one card without EFA, or a type that the table lacks."""
    raise NotImplementedError


def nic_layout(name: str) -> NicLayout:
    """The interfaces of a Google machine type; one GVNIC for a family without a row of its own."""
    raise NotImplementedError


def infiniband(name: str) -> InfiniBand | None:
    """The InfiniBand and image facts of an Azure GPU size. None: the table lacks it."""
    raise NotImplementedError


def purchase_option(provider: Provider, name: str, capacity: CapacityType) -> PurchaseOption | None:
    """The row that decides whether a type is sold so; None where no row speaks of it."""
    raise NotImplementedError


def retired(provider: Provider, name: str) -> Retired | None:
    """The row that says a type is no longer deployed."""
    raise NotImplementedError


def regions(provider: Provider) -> tuple[str, ...]:
    """Regions that some row of prices or availability names, sorted."""
    raise NotImplementedError


def zones(provider: Provider, region: str, name: str) -> Availability | None:
    """Zones of a region that offer a type; None where the table has no row (unknown, not 'nowhere')."""
    raise NotImplementedError


def price(provider: Provider, region: str, name: str) -> Price | None:
    """The price of a type in a region: read, else derived and marked `estimate`, else None (unknown)."""
    raise NotImplementedError


def prices(provider: Provider | None = None) -> tuple[Price, ...]:
    """Every price row that was read (of one cloud)."""
    raise NotImplementedError


def cuda_release(version: str) -> CudaRelease | Miss:
    """The release of a version: exact, or for a shorter one (12.8) its first patch release (12.8.0)."""
    raise NotImplementedError


def cuda_releases() -> tuple[CudaRelease, ...]:
    """Every CUDA release, oldest first."""
    raise NotImplementedError


def container_image(reference: str) -> ContainerImage | Miss:
    """The image of a reference as people write it: with or without docker.io/, with a digest after the tag,
    AWS deep-learning containers by their public or private registry name."""
    raise NotImplementedError


def container_images() -> tuple[ContainerImage, ...]:
    """Every container image."""
    raise NotImplementedError


def node_image(provider: Provider, selector: str) -> NodeImage | Miss:
    """The image that a selector names: SSM path, `family/x` or x or projects/…/family/x, URN with or without version."""
    raise NotImplementedError


def node_images(provider: Provider) -> tuple[NodeImage, ...]:
    """Every VM image of a cloud."""
    raise NotImplementedError


def storage_tiers(provider: Provider, kind: StorageKind) -> tuple[StorageTier, ...]:
    """The size ladders of a kind of shared storage; empty where the service has no size."""
    raise NotImplementedError


def service_price(provider: Provider, service: str, item: str, region: str) -> ServicePrice | None:
    """The price of a service's item in a region, else the row for every region, else None (unknown)."""
    raise NotImplementedError


def limit(provider: Provider, what: str) -> Limit | None:
    """A limit of a cloud."""
    raise NotImplementedError
