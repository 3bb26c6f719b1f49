"""What the compatibility solver is asked and what it answers: a chain of steps, each with its two ends."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ..catalog import Accelerator, InstanceType, NodeImage
from ..vocabulary import FabricKind, KernelModule
from .models import ContainerPlan

IMAGE_CONTAINER = "image.container"
IMAGE_NODE = "image.node"
INSTANCE_TYPE = "node_pools[].instance_type"
MIG = "node_pools[].mig"


class Holds(StrEnum):
    """Whether a claim is true, as far as the tables say."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class Outcome(StrEnum):
    """Whether the parts go together. Unknown is neither: something that decides is not known."""

    FITS = "fits"
    UNFIT = "unfit"
    UNKNOWN = "unknown"


class Rule(StrEnum):
    """What a step of the proof is about."""

    NODE_ARCH = "node-arch"
    DRIVER_KIND = "driver-kind"
    KERNEL_MODULE = "kernel-module"
    DRIVER_BRANCH = "driver-branch"
    MIG = "mig"
    DEVICE = "device"
    CONTAINER_ARCH = "container-arch"
    TOOLKIT = "toolkit"
    FRAMEWORK = "framework"
    DRIVER = "driver"
    FABRIC = "fabric"


NODE_RULES = frozenset({Rule.NODE_ARCH, Rule.DRIVER_KIND, Rule.KERNEL_MODULE, Rule.DRIVER_BRANCH})
"""Rules that the node image decides with the machine, whatever the container."""


@dataclass(frozen=True)
class NodeFacts:
    """What a node boots, as far as it is known. Empty text: unknown."""

    name: str = ""
    arch: str = ""
    driver: str = ""
    kernel_module: KernelModule = KernelModule.UNKNOWN
    driver_kind: str = ""
    """cuda, grid, rocm, or none where the image carries no driver."""
    source: str = ""
    verified: bool = True
    """False: the driver is that of another release of the image."""


@dataclass(frozen=True)
class Question:
    """One pool: its machine, its GPU (None without), what it boots, what it runs."""

    instance: InstanceType
    accelerator: Accelerator | None
    node: NodeFacts
    container: ContainerPlan | None
    driver_kind_needed: str = ""
    """The driver that the machine's GPUs need: cuda, grid or rocm."""
    fabric: FabricKind = FabricKind.NONE
    mig: tuple[str, ...] = ()


@dataclass(frozen=True)
class End:
    """One side of a claim: what it is, its value, and where that was read."""

    what: str
    value: str
    source: str = ""

    def __str__(self) -> str:
        return f"{self.what}: {self.value or 'unknown'}"


@dataclass(frozen=True)
class Step:
    """One claim of the proof. `finding` says in a sentence what does not hold, or is not known."""

    rule: Rule
    claim: str
    holds: Holds
    ends: tuple[End, End]
    finding: str = ""
    caveat: str = ""
    """What holds only with limits, where it holds."""
    decides: bool = True
    """False: the step informs, and leaves the verdict alone."""


@dataclass(frozen=True)
class Change:
    """A change of the spec that makes a failed step hold: the field, its new value, and why that value."""

    field: str
    value: str
    reason: str
    rule: Rule

    def __str__(self) -> str:
        return f"{self.field}: {self.value} ({self.reason})" if self.value else self.reason


@dataclass(frozen=True)
class Verdict:
    """The answer: the outcome, its proof in order, and the smallest changes where it does not fit."""

    outcome: Outcome
    proof: tuple[Step, ...]
    changes: tuple[Change, ...] = ()

    @property
    def failed(self) -> tuple[Step, ...]:
        return tuple(s for s in self.proof if s.holds is Holds.NO and s.decides)

    def changes_for(self, rule: Rule) -> tuple[Change, ...]:
        """The changes that mend the step of a rule, the smallest first."""
        return tuple(c for c in self.changes if c.rule is rule)


def outcome_of(proof: tuple[Step, ...]) -> Outcome:
    """The outcome of a chain: one step that fails decides; else one that is unknown does."""
    deciding = {s.holds for s in proof if s.decides}
    if Holds.NO in deciding:
        return Outcome.UNFIT
    return Outcome.UNKNOWN if Holds.UNKNOWN in deciding else Outcome.FITS


def holds(answer: bool | None) -> Holds:
    """A three-valued answer as a word."""
    return Holds.UNKNOWN if answer is None else Holds.YES if answer else Holds.NO


def node_facts(image: NodeImage | None, name: str) -> NodeFacts:
    """The facts of a catalog image; without a row everything but the name is unknown."""
    if image is None:
        return NodeFacts(name=name)
    source = f"{image.source}, {image.as_of}" if image.as_of else image.source
    return NodeFacts(name, image.arch, image.driver, image.kernel_module, image.driver_kind, source, image.verified)


def doubted(answer: bool | None, node: NodeFacts) -> bool | None:
    """An answer about a node's driver: no is unknown where the driver is that of another release of the image."""
    return None if answer is False and not node.verified else answer
