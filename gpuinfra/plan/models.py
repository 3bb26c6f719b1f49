"""The plan: the spec with nothing left to guess. Rooms spell it as resources and decide nothing.

Every node of the plan keeps `path`, the place in the spec that it came from.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from ..catalog import Accelerator, ContainerImage, InstanceType, NodeImage, StorageTier
from ..spec.models import ClusterSpec
from ..vocabulary import CapacityType, FabricKind, KernelModule, LocalNvme, Provider, StorageKind


@dataclass(frozen=True)
class Decision:
    """One thing that was decided, and why: what `gpuinfra plan` shows first."""

    path: str
    value: str
    reason: str


@dataclass(frozen=True)
class Nic:
    """One network interface of a node."""

    card: int
    """AWS network card index; on the other clouds the interface's number."""
    device: int
    """AWS device index; 0 on the other clouds."""
    kind: str
    """interface, efa-only, efa (AWS); gvnic, mrdma, idpf (GCP); primary (Azure)."""
    network: str = "host"
    """Which network of the plan carries it: the `role` of a Subnet."""


@dataclass(frozen=True)
class Fabric:
    """The fabric of a pool. `kind` none with `nics` of one entry is an ordinary machine."""

    kind: FabricKind
    gbps: float | None
    nics: tuple[Nic, ...]
    reason: str

    @property
    def present(self) -> bool:
        return self.kind is not FabricKind.NONE


@dataclass(frozen=True)
class Placement:
    """Where nodes stand to each other. `mode`: none, new (a group is made), existing (`name` is the user's)."""

    mode: str
    name: str
    reason: str


@dataclass(frozen=True)
class CapacityPlan:
    """How a pool is bought. `initial` nodes are asked for at the first `up`; 0 where a block has not begun."""

    type: CapacityType
    id: str
    starts: datetime | None
    ends: datetime | None
    duration: timedelta | None
    reason: str
    scale_down: datetime | None = None
    """Capacity block: when the group goes to zero, before the cloud takes the nodes (AWS: end - 40 min)."""


@dataclass(frozen=True)
class NodeImagePlan:
    """What a pool boots. `image` is None where the catalog does not know the selector."""

    selector: str
    """As the room takes it: ami-…, an SSM parameter path, family/…, a URN."""
    kind: str
    """id, parameter, family or urn."""
    image: NodeImage | None
    driver: str
    """Empty: unknown."""
    kernel_module: KernelModule
    user: str
    """The login user of the image."""
    root_device: str
    root_gib: int
    pinned: bool
    reason: str


@dataclass(frozen=True)
class ContainerPlan:
    """The container of the pools. `cuda` and `arches` are empty where unknown."""

    reference: str
    repository: str
    tag: str
    digest: str
    framework: str
    cuda: str
    arches: tuple[str, ...]
    vendor: str
    """nvidia, amd, cpu, or empty where unknown."""
    known: str
    """How the facts are known: catalog, tag or unknown."""
    pinned: bool
    image: ContainerImage | None = None
    cuda_at_least: str = ""
    """Where `cuda` is empty: the oldest CUDA it can hold, as far as that is known."""
    cuda_at_most: str = ""
    """Where `cuda` is empty: the newest CUDA it can hold, as far as that is known."""
    basis: str = ""
    """Where the facts were read, for a person: a source with its date, or 'its tag'."""


@dataclass(frozen=True)
class MigPlan:
    """The MIG instances of one GPU: profiles, in order. `per_gpu` copies of each GPU's layout are alike."""

    profiles: tuple[str, ...]
    instances_per_node: int


@dataclass(frozen=True)
class LocalNvmePlan:
    """What becomes of the NVMe drives: `mode` none where the type has none."""

    mode: LocalNvme
    total_gb: float | None
    mount: str


_RACK_GPUS = ("GB200", "GB300")


@dataclass(frozen=True)
class PoolPlan:
    """A pool of like nodes."""

    path: str
    name: str
    """As the user wrote it."""
    resource_name: str
    """Logical name of the pool's resources, unique within the plan."""
    cloud_name: str
    """The group's name in the cloud, within its limit."""
    instance: InstanceType
    accelerator: Accelerator | None
    gpus_per_node: int
    attached_accelerator: str
    """Google N1: the accelerator type to attach; empty elsewhere."""
    count_min: int
    count_initial: int
    count_max: int
    wanted: int
    """Nodes that the user asked for; count_initial is 0 before a capacity block starts."""
    zone: str
    capacity: CapacityPlan
    fabric: Fabric
    placement: Placement
    node_image: NodeImagePlan
    container: ContainerPlan | None
    mig: MigPlan | None
    local_nvme: LocalNvmePlan
    public_ip: bool
    scales_itself: bool
    """Something other than `up` moves the number (idle timer, block schedule, range): ignore it in `up`."""
    root_on: str = ""
    """The machine's own drive that nodes boot from, in the cloud's word (ResourceDisk): it bills nothing and goes with
    the node. Empty: a disk of its own."""

    @property
    def multi_node(self) -> bool:
        return self.count_max > 1

    @property
    def spans_rack(self) -> bool:
        """Whether the nodes share one NVLink domain, so that IMEX must run on them (facts aws a5)."""
        return self.multi_node and self.accelerator is not None and self.accelerator.model.startswith(_RACK_GPUS)


@dataclass(frozen=True)
class Subnet:
    """A range of addresses. `role`: nodes, public (NAT stands there), bastion, gpu0 …, rdma0 …, storage-<name>."""

    role: str
    cidr: str
    zone: str
    reason: str


@dataclass(frozen=True)
class NetworkPlan:
    """The network: new with its ranges, or existing by id."""

    path: str
    existing_network: str
    existing_subnet: str
    cidr: str
    subnets: tuple[Subnet, ...]
    ssh_from: tuple[str, ...]
    ssh_keys: tuple[str, ...]
    needs_nat: bool
    fabric_rules: bool
    lustre_rules: bool
    nfs_rules: bool

    @property
    def is_new(self) -> bool:
        return not self.existing_network

    def subnet(self, role: str) -> Subnet | None:
        """The subnet of that role."""
        return next((s for s in self.subnets if s.role == role), None)


@dataclass(frozen=True)
class StoragePlan:
    """Shared storage. Sizes in GiB, None where the service has none."""

    path: str
    name: str
    resource_name: str
    cloud_name: str
    kind: StorageKind
    tier: StorageTier | None
    size_gib: int | None
    throughput_mbps_per_tib: int | None
    mount: str
    existing: str
    import_from: str
    import_mount: str
    """Path inside the file system at which the imported objects show, as /imagenet."""
    zone: str
    zone_differs: bool


@dataclass(frozen=True)
class LeasePlan:
    """The end of the cluster: a duration from the first `up`, or a moment. Both None: no lease."""

    path: str
    duration: timedelta | None
    ends: datetime | None

    @property
    def present(self) -> bool:
        return self.duration is not None or self.ends is not None


@dataclass(frozen=True)
class ClusterPlan:
    """A cluster with nothing left to guess."""

    spec: ClusterSpec
    provider: Provider
    name: str
    region: str
    zone: str
    """The nodes' zone; empty where the cloud chooses."""
    network: NetworkPlan
    pools: tuple[PoolPlan, ...]
    storage: tuple[StoragePlan, ...]
    lease: LeasePlan
    idle_after: timedelta | None
    labels: tuple[tuple[str, str], ...]
    """Every label that resources carry, ours included, in order."""
    now: datetime
    """The moment that the plan was made for; nothing else reads a clock."""
    decisions: tuple[Decision, ...]
    complete: bool
    """False where an error left a part out; rules still judge the rest."""

    def pool(self, name: str) -> PoolPlan | None:
        """The pool that the user named so."""
        return next((p for p in self.pools if p.name == name), None)

    @property
    def gpu_pools(self) -> tuple[PoolPlan, ...]:
        return tuple(p for p in self.pools if p.gpus_per_node)
