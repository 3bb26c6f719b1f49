"""What a rule is: one file with its code, its reasons, its examples and one function.

A plan rule sees the plan (GI2NNN, from 2200); a resource rule sees recorded resources (GI3NNN). A rule has three
verdicts: a fault (a finding), nothing (it passes), and undecided (a value is unknown in preview: said, never passed).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from ..diagnostics import Code, Diagnostic
from ..plan.models import ClusterPlan
from ..vocabulary import Provider
from .resource_graph import ResourceGraph

if TYPE_CHECKING:
    from ..cost import CostEstimate


@dataclass(frozen=True, slots=True)
class Undecided:
    """A rule that cannot tell yet: the value is unknown until the deployment."""

    code: str
    resource: str
    """Logical name."""
    reason: str


@dataclass(frozen=True, slots=True)
class Examples:
    """Inputs that the rule must pass, catch and leave undecided. They are its tests and its documentation.

    Plan rules: YAML that is laid over the base spec of `gpuinfra.policy.examples`. Resource rules: YAML of a list of
    {type, name, inputs, options, depends_on}; the text `!unknown` marks an unknown, `!ref name.prop` a reference.
    """

    good: tuple[str, ...]
    bad: tuple[str, ...]
    unknown: tuple[str, ...] = ()


@dataclass
class PlanContext:
    """What a plan rule may read. The cost is worked out when a rule first asks for it."""

    plan: ClusterPlan

    @property
    def now(self) -> datetime:
        return self.plan.now

    @cached_property
    def cost(self) -> CostEstimate:
        from ..cost import estimate

        return estimate(self.plan)


@dataclass
class GraphContext:
    """What a resource rule may read: the graph, and the plan where the resources came from one."""

    graph: ResourceGraph
    plan: ClusterPlan | None = None
    undecided: list[Undecided] = field(default_factory=list[Undecided])


@dataclass(frozen=True, slots=True)
class PlanRule:
    """A rule over the plan."""

    code: Code
    tags: tuple[str, ...]
    check: Callable[[PlanContext], Iterable[Diagnostic]]
    examples: Examples
    providers: tuple[Provider, ...] = tuple(Provider)


@dataclass(frozen=True, slots=True)
class ResourceRule:
    """A rule over resources. It yields findings and undecided verdicts."""

    code: Code
    tags: tuple[str, ...]
    check: Callable[[GraphContext], Iterable[Diagnostic | Undecided]]
    examples: Examples
    providers: tuple[Provider, ...] = tuple(Provider)


Rule = PlanRule | ResourceRule
