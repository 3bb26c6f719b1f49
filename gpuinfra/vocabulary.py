"""The words of the spec as enums. The cloud's own word appears only inside its room."""

from __future__ import annotations

from enum import StrEnum


class Provider(StrEnum):
    """A cloud that the spec can name in `location.provider`."""

    AWS = "aws"
    GCP = "gcp"
    AZURE = "azure"


class Workload(StrEnum):
    """What the cluster is for: it chooses checks and defaults."""

    TRAINING = "training"
    INFERENCE = "inference"
    RENDERING = "rendering"
    INTERACTIVE = "interactive"
    SIMULATION = "simulation"

    @property
    def exchanges_data(self) -> bool:
        """Whether nodes work on one thing together, and so talk to each other all the time."""
        return self in (Workload.TRAINING, Workload.SIMULATION)

    @property
    def with_article(self) -> str:
        """As it stands in a sentence: 'a training', 'an inference'."""
        return f"{'an' if self[0] in 'aeiou' else 'a'} {self}"


class CapacityType(StrEnum):
    """How the nodes are bought."""

    ON_DEMAND = "on_demand"
    SPOT = "spot"
    RESERVATION = "reservation"
    CAPACITY_BLOCK = "capacity_block"
    FLEX_START = "flex_start"

    @property
    def names_capacity(self) -> bool:
        """Whether the nodes are of capacity that was bought before and has an id."""
        return self in (CapacityType.RESERVATION, CapacityType.CAPACITY_BLOCK)


class FabricKind(StrEnum):
    """The network that carries collectives between nodes."""

    NONE = "none"
    EFA = "efa"
    GPUDIRECT_TCPX = "gpudirect-tcpx"
    GPUDIRECT_TCPXO = "gpudirect-tcpxo"
    ROCE = "roce"
    INFINIBAND = "infiniband"


class FabricWish(StrEnum):
    """What the user asks of the fabric."""

    AUTO = "auto"
    REQUIRED = "required"
    NONE = "none"


class LocalNvme(StrEnum):
    """What becomes of the NVMe drives that belong to the instance."""

    RAID0 = "raid0"
    SEPARATE = "separate"
    NONE = "none"


class StorageKind(StrEnum):
    """Shared storage beside the nodes."""

    LUSTRE = "lustre"
    NFS = "nfs"
    BUCKET = "bucket"


class Scheduler(StrEnum):
    """What hands jobs to nodes."""

    NONE = "none"
    SLURM = "slurm"
    KUBERNETES = "kubernetes"


class Launcher(StrEnum):
    """What starts one process per GPU."""

    NONE = "none"
    TORCHRUN = "torchrun"
    MPI = "mpi"
    SRUN = "srun"


class OnLimit(StrEnum):
    """What happens when the budget is reached."""

    NOTIFY = "notify"
    STOP = "stop"
    DENY = "deny"


class KernelModule(StrEnum):
    """Which NVIDIA kernel module a driver build carries, or a GPU accepts."""

    OPEN = "open"
    PROPRIETARY = "proprietary"
    EITHER = "either"
    UNKNOWN = "unknown"
