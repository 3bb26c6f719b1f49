"""The spec: what a person writes about a cluster, in words that belong to no cloud.

Field names are the contract (`api_version`). A value here may still be left to decide (`auto`); a plan has nothing left.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, StrictBool, StrictInt, model_validator
from pydantic_core import PydanticCustomError

from ..vocabulary import CapacityType, FabricWish, Launcher, LocalNvme, OnLimit, Scheduler, StorageKind, Workload
from .base import Duration, Lease, Moment, SizeGib, SpecModel
from .locations import Location

API_VERSION = "gpuinfra/v1"

Name = Annotated[str, Field(min_length=1, max_length=63, pattern=r"^[a-z]([-a-z0-9]*[a-z0-9])?$")]
"""Lower-case letters, digits and hyphens, a letter first: what all three clouds accept."""


def _usd(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise PydanticCustomError("money", "{value} is not an amount of USD; write a number", {"value": repr(value)})
    return value


Usd = Annotated[float, BeforeValidator(_usd), Field(gt=0, le=1e9)]


class ExistingNetwork(SpecModel):
    """A network that is there already, by ids in the cloud's own form."""

    network: str = Field(min_length=1, description="Network id: vpc-…, a self link, or an ARM id.")
    subnet: str = Field(min_length=1, description="Subnet id. Every node and mount target stands in it.")


class Network(SpecModel):
    """The network of the nodes: a new one, or one that is there."""

    cidr: str | None = Field(None, description="IPv4 range of a new network, as 10.40.0.0/16. Left out: 10.40.0.0/16.")
    existing: ExistingNetwork | None = Field(None, description="Use this network and subnet instead of a new one.")
    public_nodes: StrictBool = Field(False, description="Give nodes public addresses. Private is the default.")
    ssh_from: tuple[str, ...] = Field((), description="CIDRs from which SSH is let in. None by default.")
    ssh_keys: tuple[str, ...] = Field((), description="SSH public keys; ed25519 is best.")


class AcceleratorRequest(SpecModel):
    """The GPUs of one node, where no instance type is named, or where one attaches them (N1 of Google)."""

    model: str = Field(min_length=1, description="GPU model, as H100, A100-80GB or L4.")
    count: StrictInt = Field(1, ge=1, le=16, description="GPUs per node.")
    memory_gib: float | None = Field(None, gt=0, description="Memory per GPU in GiB, where the model has several.")


class CountRange(SpecModel):
    """How many nodes, where the number moves."""

    min: StrictInt = Field(0, ge=0, le=10_000, description="Fewest nodes.")
    max: StrictInt = Field(ge=1, le=10_000, description="Most nodes.")
    initial: StrictInt | None = Field(None, ge=0, le=10_000, description="Nodes at the first `up`. Left out: `min`.")


class Capacity(SpecModel):
    """How the nodes are bought."""

    type: CapacityType = Field(CapacityType.ON_DEMAND, description="The purchase.")
    id: str | None = Field(None, min_length=1, description="The reservation or capacity block, by id or path.")
    starts: Moment | None = Field(None, description="Start of a capacity block.")
    ends: Moment | None = Field(None, description="End of a capacity block.")
    duration: Duration | None = Field(None, description="How long flex-start nodes run.")


class NodePool(SpecModel):
    """Nodes that are alike."""

    name: Name = Field(description="Name, unique in the cluster.")
    instance_type: str | None = Field(None, min_length=1, description="Instance type, as the cloud spells it.")
    accelerator: AcceleratorRequest | None = Field(
        None, description="The GPUs wanted; resolved to an instance type. N1 of Google takes both."
    )
    count: StrictInt | CountRange = Field(1, description="Nodes: a number, or {min, max}.")
    capacity: Capacity = Field(Capacity(), description="How the nodes are bought.")  # type: ignore[call-arg]
    fabric: FabricWish = Field(FabricWish.AUTO, description="auto: where it helps; required: or it is an error; none.")
    proximity: str = Field("auto", min_length=1, description="auto, none, or the name of an existing group.")
    mig: str | tuple[str, ...] | None = Field(None, description="MIG profile as 1g.10gb, or a layout: a list.")
    local_nvme: LocalNvme = Field(LocalNvme.RAID0, description="What becomes of the NVMe drives of the instance.")
    public_ip: StrictBool | None = Field(None, description="Left out: as `network.public_nodes`.")


class Storage(SpecModel):
    """Shared storage, mounted on every node."""

    name: Name = Field(description="Name, unique in the cluster.")
    kind: StorageKind = Field(description="lustre, nfs or bucket.")
    size_gib: SizeGib | None = Field(None, description="Size: GiB, or text with a unit. Needed for new Lustre.")
    throughput_mbps_per_tib: StrictInt | None = Field(None, gt=0, description="Lustre's MB/s for each TiB.")
    mount: str = Field(min_length=1, max_length=255, description="Where nodes see it.")
    existing: str | None = Field(None, min_length=1, description="Use this one instead of a new one, by id or URL.")
    import_from: str | None = Field(None, min_length=1, description="Object store whose files Lustre shows.")
    zone: str | None = Field(None, min_length=1, description="Zone, only where it is not the nodes'.")


class Image(SpecModel):
    """What the nodes boot and what runs on them."""

    container: str | None = Field(None, min_length=1, description="Container image, by tag or digest.")
    node: str = Field("auto", min_length=1, description="auto, an image id, a family, a URN, or a parameter path.")


class Checkpoint(SpecModel):
    """Where a job saves its state, and when."""

    path: str = Field(min_length=1, description="Directory, on shared storage.")
    size_gib: SizeGib | None = Field(None, description="Size of one checkpoint.")
    every: Duration | None = Field(None, description="Interval.")
    on_notice: str | None = Field(None, min_length=1, description="Signal sent to the job at a reclaim notice.")


class Job(SpecModel):
    """What runs on the nodes."""

    command: tuple[str, ...] = Field((), description="The program and its arguments.")
    launcher: Launcher = Field(Launcher.NONE, description="What starts one process per GPU.")
    pools: tuple[str, ...] = Field((), description="Pools the job spans. Left out: every pool with GPUs.")
    checkpoint: Checkpoint | None = Field(None, description="Checkpoints.")


class Budget(SpecModel):
    """What may be spent, and what happens then."""

    per_month_usd: Usd | None = Field(None, description="Budget of a month, USD.")
    per_run_usd: Usd | None = Field(None, description="Budget of one run, first `up` to lease end, USD.")
    per_hour_usd: Usd | None = Field(None, description="Most that the whole cluster may cost an hour, USD.")
    start: date | None = Field(None, description="First day of the cloud's budget.")
    alerts_percent: tuple[float, ...] = Field((50, 80, 100), description="Alert levels, per cent of the budget.")
    contacts: tuple[str, ...] = Field((), description="E-mail addresses told.")
    on_limit: OnLimit = Field(OnLimit.NOTIFY, description="notify, stop (nodes to zero), or deny (no new nodes).")

    @model_validator(mode="after")
    def _says_something(self) -> Budget:
        if self.per_month_usd is None and self.per_run_usd is None and self.per_hour_usd is None:
            raise PydanticCustomError(
                "empty_budget", "a budget without an amount limits nothing; give per_month_usd, per_run_usd or per_hour_usd"
            )
        return self


class StopAt(SpecModel):
    """A time of day at which the nodes stop."""

    cron: str = Field(min_length=1, description="Five fields: minute hour day month weekday.")
    timezone: str = Field(min_length=1, description="IANA name, as Europe/Berlin.")


class Shutdown(SpecModel):
    """When the cluster ends."""

    idle_after: Duration | None = Field(None, description="Scale a node away after this long without GPU work.")
    lease: Lease | None = Field(None, description="How long the cluster lives from its first `up`, or its end.")
    stop_at: StopAt | None = Field(None, description="A recurring stop.")


class Waiver(SpecModel):
    """A finding that is known and accepted for a while."""

    code: str = Field(pattern=r"^GI\d{4}$", description="The finding's code.")
    path: str | None = Field(None, description="Where in the spec; a prefix counts.")
    urn: str | None = Field(None, description="Which resource.")
    reason: str = Field(min_length=1, description="Why it is accepted.")
    expires: date = Field(description="The day after which it counts again.")


def _labels(labels: dict[str, str]) -> dict[str, str]:
    for key in labels:
        if not key.strip():
            raise PydanticCustomError("label", "a label needs a name")
    return labels


class ClusterSpec(SpecModel):
    """One GPU cluster."""

    api_version: Literal["gpuinfra/v1"] = Field(API_VERSION, description="Version of this form.")
    name: Name = Field(description="Name of the cluster; every resource is named after it.")
    workload: Workload = Field(Workload.TRAINING, description="What it is for: chooses checks and defaults.")
    location: Location = Field(description="Where it stands.")
    network: Network = Field(Network(), description="The network.")  # type: ignore[call-arg]
    node_pools: tuple[NodePool, ...] = Field(min_length=1, max_length=1000, description="The nodes.")
    storage: tuple[Storage, ...] = Field((), description="Shared storage.")
    image: Image = Field(Image(), description="Images.")  # type: ignore[call-arg]
    job: Job | None = Field(None, description="What runs.")
    scheduler: Scheduler = Field(Scheduler.NONE, description="What hands jobs to nodes. Only none is built.")
    budget: Budget | None = Field(None, description="Money.")
    shutdown: Shutdown | None = Field(None, description="The end.")
    labels: Annotated[dict[str, str], AfterValidator(_labels)] = Field({}, description="Labels on every resource.")
    waivers: tuple[Waiver, ...] = Field((), description="Findings accepted for a while.")
