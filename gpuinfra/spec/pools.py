"""Node pools: which machines, how many, and how they are bought."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Discriminator, Field, StrictBool, StrictInt, Tag, model_validator

from ..vocabulary import CapacityType, FabricWish, LocalNvme
from .base import Duration, Moment, Number, SpecModel, Text, bad

MAX_NODES = 10_000
"""Most nodes of a pool: more is a slip of the pen."""

NAME_PATTERN = r"^[a-z]([-a-z0-9]*[a-z0-9])?$"

Name = Annotated[str, Field(min_length=1, max_length=63, pattern=NAME_PATTERN)]
"""Lower-case letters, digits and hyphens, a letter first: what all three clouds accept."""


class AcceleratorRequest(SpecModel):
    """The GPUs of one node, where no instance type is named, or where one attaches them (N1 of Google)."""

    model: str = Field(
        min_length=1, description="GPU model. A word that stands for several cards is refused, with the cards named.",
        examples=["H100", "A100-80GB", "L4"],
    )  # fmt: skip
    count: StrictInt = Field(default=1, ge=1, le=16, description="GPUs per node.", examples=[8])
    memory_gib: Number | None = Field(
        default=None,
        gt=0,
        le=10_000,
        description="Memory that one GPU has at least, in GiB: tells models apart that are sold with several.",
        examples=[80],
    )


class CountRange(SpecModel):
    """How many nodes, where the number moves."""

    min: StrictInt = Field(default=0, ge=0, le=MAX_NODES, description="Fewest nodes.", examples=[0])
    max: StrictInt = Field(ge=0, le=MAX_NODES, description="Most nodes; 0 for a pool that is off.", examples=[8])
    initial: StrictInt | None = Field(
        default=None,
        ge=0,
        le=MAX_NODES,
        description="Nodes at the first `up`, between min and max. Left out: `min`.",
        examples=[2],
    )

    @model_validator(mode="after")
    def _in_order(self) -> CountRange:
        if self.min > self.max:
            raise bad("range_order", f"min {self.min} is more than max {self.max}", "swap them")
        if self.initial is not None and not self.min <= self.initial <= self.max:
            raise bad(
                "range_order", f"initial {self.initial} is not between min {self.min} and max {self.max}",
                f"take {min(max(self.initial, self.min), self.max)}",
            )  # fmt: skip
        return self


def _count_arm(value: Any) -> str:
    return "range" if isinstance(value, (Mapping, CountRange)) else "number"


Count = Annotated[
    Annotated[StrictInt, Field(ge=0, le=MAX_NODES), Tag("number")] | Annotated[CountRange, Tag("range")],
    Discriminator(_count_arm),
]
"""A number of nodes, or a range. Told apart by the value's kind, so that a mistake is one finding and not one per arm."""


def _mig_arm(value: Any) -> str:
    return "layout" if isinstance(value, (list, tuple)) else "profile"


Mig = Annotated[
    Annotated[str, Field(min_length=1), Tag("profile")]
    | Annotated[tuple[Text, ...], Field(min_length=1), Tag("layout")],
    Discriminator(_mig_arm),
]
"""One MIG profile, repeated until the GPU is full, or a layout."""


class Capacity(SpecModel):
    """How the nodes are bought."""

    type: CapacityType = Field(
        default=CapacityType.ON_DEMAND,
        description=(
            "on_demand; spot (cheaper, taken back at short notice); reservation (needs id; a calendar reservation is "
            "one); capacity_block (AWS, paid up front; needs id); flex_start (Google, queued; needs duration)."
        ),
    )
    id: str | None = Field(
        default=None,
        min_length=1,
        description="The reservation or capacity block, by id or path.",
        examples=["cr-0a1b2c3d4e5f60718"],
    )
    starts: Moment | None = Field(default=None, description="Start of a capacity block, with its offset.")
    ends: Moment | None = Field(default=None, description="End of a capacity block, with its offset.")
    duration: Duration | None = Field(default=None, description="How long flex-start nodes run.", examples=["24h"])


class NodePool(SpecModel):
    """Nodes that are alike."""

    name: Name = Field(description="Name, unique in the cluster.", examples=["gpu"])
    instance_type: str | None = Field(
        default=None,
        min_length=1,
        description="Instance type, as the cloud spells it. List them: gpuinfra instances.",
        examples=["p5.48xlarge", "a3-megagpu-8g", "Standard_ND96isr_H100_v5"],
    )
    accelerator: AcceleratorRequest | None = Field(
        default=None,
        description="The GPUs of one node; resolved to an instance type, and shown. N1 of Google takes both.",
        examples=[{"model": "H100", "count": 8, "memory_gib": 80}],
    )
    count: Count = Field(
        default=1, description="Nodes: a number, or a range {min, max}. 0: the pool is off.", examples=[4, {"min": 0, "max": 8}]
    )  # fmt: skip
    capacity: Capacity = Field(
        default_factory=Capacity.model_construct,
        description="How the nodes are bought. Left out: on demand.",
        examples=[{"type": "on_demand"}, {"type": "reservation", "id": "cr-0a1b2c3d4e5f60718"}],
    )
    fabric: FabricWish = Field(
        default=FabricWish.AUTO,
        description=(
            "The network for collectives (EFA, GPUDirect, InfiniBand). auto: used where the type has it; required: an "
            "error where it has not; none: not used."
        ),
    )
    proximity: str = Field(
        default="auto",
        min_length=1,
        description="auto: nodes stand close together where that helps and is allowed; none; or the name of an existing "
        "placement group.",
        examples=["auto", "none"],
    )
    mig: Mig | None = Field(
        default=None,
        description="MIG profile, repeated until each GPU is full, or the layout of one GPU as a list of profiles.",
        examples=["1g.10gb", ["3g.40gb", "4g.40gb"]],
    )
    local_nvme: LocalNvme = Field(
        default=LocalNvme.RAID0,
        description="The NVMe drives of the instance, empty at each start. raid0: one volume; separate: one mount per "
        "drive; none: left alone.",
    )
    public_ip: StrictBool | None = Field(
        default=None,
        description="Give this pool's nodes public addresses. Left out: as `network.public_nodes`.",
        examples=[False],
    )
