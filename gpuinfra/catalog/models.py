"""The shapes of catalog rows. None in a field means unknown, never zero or no.

Every row carries `source` (where it was read), `as_of` (the source's own date, else that of the reading; empty where the
table says that the figure is undated), and `weak`: fields filled from common knowledge and not read on a page.
"""

from __future__ import annotations

from typing import NamedTuple

from ..vocabulary import CapacityType, FabricKind, KernelModule, Provider, StorageKind


class Miss(NamedTuple):
    """A look-up that found nothing: what was asked, and the known names nearest to it."""

    kind: str
    """What was looked for, as 'AWS instance type'."""
    name: str
    nearest: tuple[str, ...] = ()


class Accelerator(NamedTuple):
    """A GPU model. Bandwidths in GB/s, dense TFLOPS, memory in GiB per GPU."""

    model: str
    vendor: str
    architecture: str
    compute_capability: str
    """As 9.0 for NVIDIA, gfx942 for AMD."""
    memory_gib: float | None
    memory_usable_gib: float | None
    memory_type: str
    memory_bandwidth_gbps: float | None
    fp16_dense_tflops: float | None
    fp8_dense_tflops: float | None
    fp4_dense_tflops: float | None
    nvlink_gbps: float | None
    tdp_w: float | None
    mig_max_instances: int | None
    mig_profiles: tuple[str, ...]
    min_cuda: str
    max_cuda: str
    min_driver_branch: int | None
    kernel_module: KernelModule
    notes: str
    source: str
    as_of: str
    weak: tuple[str, ...] = ()


class InstanceType(NamedTuple):
    """A machine that a cloud sells. Also machines without GPUs: then gpu_model is empty and gpu_count 0.

    `known` is False for a name that the tables lack but the cloud's naming allows (a CPU type of Google or Azure):
    size and price are then unknown.
    """

    provider: Provider
    name: str
    family: str
    """AWS: the part before the dot (p5). GCP: machine series (a3-megagpu, a2-ultragpu; n1, g2, g4, c3 where a size
    is spelled `standard`). Azure: series (ND_H100_v5)."""
    gpu_model: str
    gpu_count: int
    gpu_fraction: float | None
    """The share of a GPU that each of the `gpu_count` is, above 0 and up to 1. None: unknown, it may be a whole one."""
    gpu_memory_gib: float | None
    gpu_manufacturer: str
    vcpus: int | None
    memory_gib: float | None
    arch: str
    """x86_64, arm64, or empty where unknown."""
    local_nvme_gb: float | None
    network_gbps: float | None
    nic_count: int | None
    fabric: FabricKind
    fabric_interfaces: int | None
    fabric_gbps: float | None
    nvlink: bool | None
    spot_supported: bool | None
    cluster_placement_supported: bool | None
    notes: str
    source: str
    as_of: str
    weak: tuple[str, ...] = ()
    known: bool = True
    mig_supported: bool | None = None
    """False where the instance refuses MIG although its GPU has it, or where its GPUs are slices. None: as the GPU."""
    local_nvme_optional: bool = False
    """The machine has no local NVMe unless it is asked for; `local_nvme_gb` is then the most that it can have."""

    @property
    def has_gpu(self) -> bool:
        return bool(self.gpu_model)


class NetworkCards(NamedTuple):
    """The network cards of an AWS type (facts a1): what decides its interface list."""

    instance_type: str
    cards: int
    max_interfaces: tuple[int, ...]
    """Most interfaces of each card, by card index; a card's device index is below it."""
    efa_cards: tuple[int, ...]
    """Indexes of the cards that carry an EFA device. Empty: no EFA."""
    efa_interface_type: str
    """`efa-only` for most. GB200 takes `efa` on even cards and `efa-only` on odd ones: then this is 'mixed'."""
    max_efa: int
    source: str
    as_of: str
    notes: str = ""


class PurchaseOption(NamedTuple):
    """Whether a type, or a family, is sold in one way, and if not why and what is."""

    provider: Provider
    pattern: str
    """Instance type, or a prefix ending in `*`. The longest match wins."""
    capacity: CapacityType
    supported: bool
    reason: str
    instead: str
    """What would work, as 'capacity: {type: flex_start, duration: 24h}'."""
    source: str
    as_of: str


class Retired(NamedTuple):
    """A type that the cloud no longer deploys."""

    provider: Provider
    pattern: str
    retired_on: str
    instead: str
    source: str
    as_of: str


class Availability(NamedTuple):
    """Zones that offer a type. AWS zones are ids (use2-az1)."""

    provider: Provider
    region: str
    instance_type: str
    zones: tuple[str, ...]
    source: str
    as_of: str
    as_of_basis: str
    complete: bool = True
    """False: the source names zones in which the type was seen. Other zones and regions may have it too."""


class Price(NamedTuple):
    """The price of one instance for an hour, USD, Linux. `estimate` says that it was derived, not read."""

    provider: Provider
    region: str
    instance_type: str
    on_demand_usd_hour: float | None
    spot_usd_hour: float | None
    as_of: str
    as_of_basis: str
    spot_as_of: str
    source: str
    estimate: bool = False
    estimate_method: str = ""
    spot_weak: bool = False
    """The spot figure is a floor or ceiling of its source, not a market price: treat it as unknown."""


class CudaRelease(NamedTuple):
    """A CUDA toolkit release. Drivers as 580.65.06; a capability as 9.0."""

    version: str
    min_driver: str
    min_driver_minor_compat: str
    max_branch_minor_compat: str
    released: str
    capabilities: tuple[str, ...]
    notes: str
    source: str
    as_of: str


class ContainerImage(NamedTuple):
    """A container image whose contents are known. Versions are text; empty means unknown."""

    image: str
    registry: str
    framework: str
    framework_version: str
    cuda_version: str
    python_version: str
    nccl_version: str
    efa_version: str
    min_driver: str
    os: str
    arches: tuple[str, ...]
    end_of_patch: str
    notes: str
    source: str
    as_of: str
    weak: tuple[str, ...] = ()


class FrameworkBuild(NamedTuple):
    """The oldest GPU that a publisher's builds of a framework serve. Versions are text; empty means any.

    A row holds from `version_from` and `cuda_from` on, and ends before `version_until`. The version is the framework's;
    of the monthly images (framework NGC) it is the month.
    """

    repositories: tuple[str, ...]
    framework: str
    version_from: str
    version_until: str
    cuda_from: str
    arch: str
    lowest_capability: str
    notes: str
    source: str
    as_of: str


class NodeImage(NamedTuple):
    """A VM image. `driver` may be a branch only (580); empty means unknown."""

    provider: Provider
    name: str
    publisher: str
    selector: str
    """What the spec's `image.node` names: an SSM parameter path, `family/…`, or a URN publisher:offer:sku:version."""
    os: str
    arch: str
    driver: str
    cuda: str
    extras: str
    machine_types: str
    release: str
    kernel_module: KernelModule
    driver_kind: str
    """cuda, grid, rocm, or none where the image carries no driver."""
    root_device: str
    """The root device name that a launch template must use (AWS); empty elsewhere."""
    min_root_gib: int | None
    notes: str
    source: str
    as_of: str
    verified: bool = True
    """False: the driver is that of the family's known release, and this release of it was not read."""
    trusted_launch: bool | None = None
    """Azure: whether the image boots with Trusted Launch. None: unknown."""


class StorageTier(NamedTuple):
    """A size ladder of shared storage (GiB): sizes run from min to max in steps.

    A ladder with more than one band has more than one row; `throughput_mbps_per_tib` is None where the service has none
    to choose.
    """

    provider: Provider
    kind: StorageKind
    tier: str
    """The cloud's own name, as PERSISTENT_2 or AMLFS-Durable-Premium-500."""
    throughput_mbps_per_tib: int | None
    min_gib: int
    step_gib: int
    max_gib: int | None
    extra_sizes_gib: tuple[int, ...]
    """Sizes below the ladder that are sold too, as 1200 on FSx."""
    max_is_soft: bool
    """The maximum can be raised by the cloud's support: above it is a warning."""
    default: bool
    """The tier taken where the spec names none."""
    min_subnet_prefix: str
    notes: str
    source: str
    as_of: str


class ServicePrice(NamedTuple):
    """A price of something that is no instance: storage, NAT, egress, a control plane."""

    provider: Provider
    service: str
    """lustre, nfs, bucket, block, nat, address, egress."""
    item: str
    """lustre: `<tier>-<throughput>`, as PERSISTENT_2-125; nfs and bucket: standard; block: root (the disk that a node
    boots from) or a disk type; nat: hour, data; address: ipv4; egress: internet."""
    region: str
    """A region, or `*` where one figure is used everywhere as an estimate."""
    unit: str
    """As GiB-month or hour."""
    usd: float | None
    as_of: str
    source: str
    estimate: bool = False
    notes: str = ""


class Limit(NamedTuple):
    """A limit of a cloud: the length and alphabet of a name, or the size of a document."""

    provider: Provider
    what: str
    """name.<kind> (name.node_group, name.lustre, name.nfs and name.bucket on every cloud), user_data_bytes,
    budget_notifications …"""
    maximum: int
    pattern: str
    notes: str
    source: str
    as_of: str
    weak: tuple[str, ...] = ()


class ZoneLimit(NamedTuple):
    """The most vCPUs and memory beside attached GPUs in some zones, where these have less than the others."""

    zones: tuple[str, ...]
    max_vcpus: int
    max_memory_gb: float
    source: str
    as_of: str


class AttachedAccelerator(NamedTuple):
    """How many vCPUs and how much memory an N1 machine may have with so many GPUs (Google)."""

    accelerator_type: str
    gpu_model: str
    gpu_count: int
    max_vcpus: int
    max_memory_gb: float
    max_network_gbps: float
    notes: str
    source: str
    as_of: str
    zone_limits: tuple[ZoneLimit, ...] = ()
    """Zones in which the limits are lower."""

    def limits_in(self, *zones: str) -> tuple[int, float]:
        """The most vCPUs and GB of memory that hold in each of these zones; without a zone, where no exception is made."""
        lower = [limit for limit in self.zone_limits if not set(zones).isdisjoint(limit.zones)]
        return (
            min((self.max_vcpus, *(limit.max_vcpus for limit in lower))),
            min((self.max_memory_gb, *(limit.max_memory_gb for limit in lower))),
        )
