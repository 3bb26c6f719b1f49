"""What a rule is: one file with its code, its reasons, its examples and one function.

A plan rule sees the plan (GI2NNN, from 2200); a resource rule sees recorded resources (GI3NNN); an account rule sees
the plan and what the account allows (GI4NNN). A rule has three verdicts: a fault (a finding), nothing (it passes), and undecided (a value is unknown in preview: said, never passed).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from ..diagnostics import Code, Diagnostic, Severity
from ..plan.models import ClusterPlan, PoolPlan
from ..vocabulary import Provider
from .money import DEAR_USD_PER_HOUR
from .resource_graph import ResourceGraph

if TYPE_CHECKING:
    from ..cost import CostEstimate
    from .account_facts import AccountFacts
    from .aws_graph import AwsGraph
    from .azure_graph import AzureGraph
    from .gcp_graph import GcpGraph

_HEADING = re.compile(r"^(What|Severity|Why|Fix|References): ?", re.MULTILINE)


def described(code: str, slug: str, severity: Severity, doc: str | None, facts: tuple[str, ...] = ()) -> Code:
    """The code of a rule, its texts taken from the rule's module docstring, so that they are written once.

    The docstring has the headings `What:`, `Why:`, `Fix:` and `References:`, each at the start of a line; references
    are parted by semicolons. `Severity:` says when a finding has another severity than the code's own.
    """
    parts = _HEADING.split(doc or "")
    text = {parts[i]: " ".join(parts[i + 1].split()) for i in range(1, len(parts) - 1, 2)}
    references = tuple(r.strip() for r in text.get("References", "").split(";") if r.strip())
    return Code(
        code,
        slug,
        severity,
        text.get("What", ""),
        text.get("Why", ""),
        text.get("Fix", ""),
        references,
        facts,
        text.get("Severity", ""),
    )


@dataclass(frozen=True)
class Undecided:
    """A rule that cannot tell yet: the value is unknown until the deployment."""

    code: str
    resource: str
    """Logical name."""
    reason: str


@dataclass(frozen=True)
class Unsure:
    """An account rule that cannot tell: a fact about the account is missing."""

    code: str
    path: str
    reason: str


@dataclass(frozen=True)
class Passed:
    """What an account rule looked at and found in order."""

    code: str
    path: str
    said: str


@dataclass(frozen=True)
class Examples:
    """Inputs that the rule must pass, catch and leave undecided. They are its tests and its documentation.

    Plan rules: YAML that is laid over the base spec of `gpuinfra.policy.examples`. Resource rules: YAML of a list of
    {type, name, inputs, options, depends_on}; the text `!unknown` marks an unknown, `!ref name.prop` a reference.
    Account rules: YAML of {spec, account}, each laid over what `gpuinfra.policy.examples` has.
    """

    good: tuple[str, ...]
    bad: tuple[str, ...]
    unknown: tuple[str, ...] = ()
    no_unknown: str = ""
    """Why a resource rule has no unknown example: what it judges is always known."""
    spec: str = ""
    """Resource rules that compare with a plan: YAML laid over the base spec, for every example."""
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any], hash=False)
    """Resource rules that read a look-up or the last deployment: what was found, for every example."""


ALL: Final = "all"
"""In the place of a code: every rule."""


@dataclass(frozen=True)
class RuleOptions:
    """What an organisation may set of the rules, in its settings file."""

    lease_above_usd_per_hour: float = DEAR_USD_PER_HOUR
    """From this worst hourly price on, GPU nodes need an end, and a cluster a budget."""
    silenced: frozenset[str] = frozenset()
    """Codes that are turned off or accepted: a rule that leaves the word to one of them must speak itself."""
    end_above_usd_per_hour: Mapping[str, float] = field(default_factory=dict[str, float], hash=False)
    """The price that an organisation named itself, by code or for ALL: from it on, nodes of any program without an end are
    an error. Without one they are a warning at every price."""

    def end_demanded_above(self, code: str) -> float | None:
        """USD an hour; None where nobody named a price."""
        return self.end_above_usd_per_hour.get(code, self.end_above_usd_per_hour.get(ALL))


@dataclass
class PlanContext:
    """What a plan rule may read. The cost is worked out when a rule first asks for it."""

    plan: ClusterPlan
    options: RuleOptions = RuleOptions()

    @property
    def now(self) -> datetime:
        return self.plan.now

    @cached_property
    def cost(self) -> CostEstimate:
        from ..cost import estimate

        return estimate(self.plan)

    @cached_property
    def decided(self) -> tuple[Diagnostic, ...]:
        """What deciding found, before waivers. The plan does not keep it, so that it is worked out again."""
        from ..plan.resolve import resolve

        return resolve(self.plan.spec, self.plan.now, name=self.plan.name).diagnostics

    @cached_property
    def refused(self) -> frozenset[str]:
        """Paths at which deciding found an error that no waiver covers: rules do not warn of the same part again."""
        if self.plan.complete:
            return frozenset()
        from .engine import waived

        return frozenset(d.path for d in waived(self.decided, self.plan.spec.waivers, self.plan.now) if d.is_error)

    def sold(self, pool: PoolPlan) -> bool:
        """Whether deciding let the way stand in which a pool is bought."""
        return not {f"{pool.path}.capacity", f"{pool.path}.capacity.type"} & self.refused


@dataclass
class GraphContext:
    """What a resource rule may read: the graph, and the plan where the resources came from one."""

    graph: ResourceGraph
    plan: ClusterPlan | None = None
    undecided: list[Undecided] = field(default_factory=list[Undecided])
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What a look-up in the account found, by id: for a reservation {type, count, az_id, instance_type, start, end, state,
    placement_group_arn}; for an instance, by its URN, {inputs}: those of the last deployment. Without an entry, rules that need one stay silent."""
    now: datetime | None = None
    """The moment to judge by; None: rules about past and future stay silent."""
    options: RuleOptions = RuleOptions()

    @cached_property
    def aws(self) -> AwsGraph:
        """The graph as rules about AWS resources read it, indexed once."""
        from .aws_graph import AwsGraph

        return AwsGraph(self.graph)

    @cached_property
    def azure(self) -> AzureGraph:
        """The graph as rules about Azure resources read it, indexed once."""
        from .azure_graph import AzureGraph

        return AzureGraph(self.graph)

    @cached_property
    def gcp(self) -> GcpGraph:
        """The graph as rules about Google Cloud resources read it, indexed once."""
        from .gcp_graph import GcpGraph

        return GcpGraph(self.graph)


@dataclass
class AccountContext:
    """What an account rule may read: the plan, and the facts of the account that it is to stand in."""

    plan: ClusterPlan
    facts: AccountFacts

    @property
    def now(self) -> datetime:
        return self.plan.now


AccountVerdict = Diagnostic | Unsure | Passed


@dataclass(frozen=True)
class PlanRule:
    """A rule over the plan."""

    code: Code
    tags: tuple[str, ...]
    check: Callable[[PlanContext], Iterable[Diagnostic]]
    examples: Examples
    providers: tuple[Provider, ...] = tuple(Provider)


@dataclass(frozen=True)
class ResourceRule:
    """A rule over resources. It yields findings and undecided verdicts."""

    code: Code
    tags: tuple[str, ...]
    check: Callable[[GraphContext], Iterable[Diagnostic | Undecided]]
    examples: Examples
    providers: tuple[Provider, ...] = tuple(Provider)
    demands_end: bool = False
    """Whether it reads `end_demanded_above`, which then can be set for it alone."""


@dataclass(frozen=True)
class AccountRule:
    """A rule over the plan and the account. It yields findings, what it cannot tell, and what it found in order."""

    code: Code
    tags: tuple[str, ...]
    check: Callable[[AccountContext], Iterable[AccountVerdict]]
    examples: Examples
    providers: tuple[Provider, ...] = tuple(Provider)


Rule = PlanRule | ResourceRule | AccountRule
