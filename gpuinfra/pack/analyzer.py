# ruff: noqa: N802
"""The analyzer that the engine asks: it keeps the inputs of each resource, and at the end runs every rule once.

pulumi_policy's own analyzer reads all resources anew for each policy, opens secrets, and turns a mandatory policy that
touches an unknown into an advisory note. Its class is private; what is used of it is held by tests/pack.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import grpc
from google.protobuf import empty_pb2, json_format
from pulumi.runtime import proto
from pulumi_policy import EnforcementLevel
from pulumi_policy import Severity as PolicySeverity
from pulumi_policy import policy as pulumi_policy

from ..clock import current_moment
from ..diagnostics import Diagnostic, Severity
from ..policy.engine import RuleError, check_graph, waived
from ..policy.resource_graph import ResourceGraph
from ..policy.rule import ResourceRule, RuleOptions
from ..spec.models import Waiver
from .graph import Registered
from .policies import LEVEL_OF, SEVERITY_OF, policies
from .rules import configurable
from .settings import UNDECIDED, SettingsError, checked_names, read_options

VERSION: Final = "0.0.1"
"""What pulumi_policy says as well: the engine takes the version of PulumiPolicy.yaml."""
_LEVELS: Final = {
    proto.ADVISORY: EnforcementLevel.ADVISORY,
    proto.MANDATORY: EnforcementLevel.MANDATORY,
    proto.DISABLED: EnforcementLevel.DISABLED,
    # Nothing is remedied here, and what should have been is no less wrong.
    proto.REMEDIATE: EnforcementLevel.MANDATORY,
}


@dataclass(frozen=True)
class _Policy:
    """What is in force for one policy."""

    description: str
    default: EnforcementLevel
    level: EnforcementLevel
    waivers: tuple[Waiver, ...] = ()
    end_above: float | None = None

    @property
    def on(self) -> bool:
        return self.level is not EnforcementLevel.DISABLED

    def level_of(self, severity: Severity) -> EnforcementLevel:
        """The engine fills in the defaults before it tells what is configured: a level that differs from the default
        was chosen and is for every finding, the default leaves each finding its own weight."""
        return LEVEL_OF[severity] if self.level is self.default else self.level


class RuleAnalyzer(pulumi_policy._PolicyAnalyzerServicer):  # pyright: ignore[reportPrivateUsage]
    """The rules as the policies of one pack."""

    def __init__(
        self,
        name: str,
        rules: Sequence[ResourceRule],
        *,
        initial: dict[str, Any] | None = None,
        clock: Callable[[], datetime] = current_moment,
    ) -> None:
        listed = policies(rules)
        super().__init__(name, VERSION, list(listed), EnforcementLevel.ADVISORY, initial)
        self._name = name
        self._rules = rules
        self._slugs = {r.code.code: r.code.slug for r in rules}
        self._configurable = configurable(rules)
        self._clock = clock
        self._registered = Registered()
        self._preview = False
        self._in_force = {
            p.name: _Policy(p.description, level, level) for p in listed if (level := p.enforcement_level) is not None
        }

    def ConfigureStack(self, request: Any, context: Any) -> Any:
        self._preview = request.dry_run
        return proto.AnalyzerStackConfigureResponse()

    def Configure(self, request: Any, context: Any) -> Any:
        try:
            checked_names(request.policyConfig, self._in_force)
            for name, given in request.policyConfig.items():
                if name in self._in_force:
                    more: dict[str, Any] = json_format.MessageToDict(given.properties)
                    was = self._in_force[name]
                    options = read_options(name, more, self._configurable)
                    level = _LEVELS[given.enforcementLevel]
                    self._in_force[name] = _Policy(
                        was.description, was.default, level, options.waivers, options.end_above
                    )
        except SettingsError as e:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, f"configuration of the policy pack: {e}")
        return empty_pb2.Empty()

    def Remediate(self, request: Any, context: Any) -> Any:
        return proto.RemediateResponse()

    def Analyze(self, request: Any, context: Any) -> Any:
        self._registered.add(request)
        return proto.AnalyzeResponse()

    def AnalyzeStack(self, request: Any, context: Any) -> Any:
        graph = self._registered.graph(request, preview=self._preview)
        return proto.AnalyzeResponse(diagnostics=list(self._violations(graph)))

    def _violations(self, graph: ResourceGraph) -> Iterator[Any]:
        now = self._clock()
        rules = [r for r in self._rules if self._in_force[r.code.code].on]
        faults: list[RuleError] = []
        report = check_graph(graph, now=now, rules=rules, waivers=(), options=self._options(), faults=faults)
        for fault in faults:
            code = fault.rule.code.code
            yield self._violation(code, str(fault), self._in_force[code].level, PolicySeverity.HIGH)
        for finding in report.diagnostics:
            policy = self._in_force[finding.code]
            (said,) = waived((finding,), policy.waivers, now, graph)
            level = policy.level_of(said.severity) if said == finding else EnforcementLevel.ADVISORY
            urn = _urn(graph, finding.resource, finding.resource_type)
            text = _text(said, self._slugs[said.code])
            yield self._violation(said.code, text, level, SEVERITY_OF[said.severity], urn)
        policy = self._in_force[UNDECIDED]
        if policy.on:
            for u in report.undecided:
                text = f"{u.code} cannot tell yet: {u.reason}"
                yield self._violation(UNDECIDED, text, policy.level, PolicySeverity.LOW, _urn(graph, u.resource))

    def _options(self) -> RuleOptions:
        named = {code: p.end_above for code, p in self._in_force.items() if p.end_above is not None}
        return RuleOptions(end_above_usd_per_hour=named)

    def _violation(self, code: str, text: str, level: EnforcementLevel, severity: PolicySeverity, urn: str = "") -> Any:
        return proto.AnalyzeDiagnostic(
            policyName=code,
            policyPackName=self._name,
            policyPackVersion=VERSION,
            description=self._in_force[code].description,
            message=text,
            urn=urn,
            enforcementLevel=self._map_enforcement_level(level),
            severity=self._map_severity(severity),
        )


def _text(finding: Diagnostic, slug: str) -> str:
    lines = [f"{finding.path}: {finding.message}" if finding.path else finding.message]
    if finding.hint:
        lines.append(f"hint: {finding.hint}")
    lines.append(f"docs: {finding.docs} ({slug})")
    return "\n".join(lines)


def _urn(graph: ResourceGraph, name: str, type_: str = "") -> str:
    """The URN of the resource that a finding names; empty, which is the stack's, where it names none. A component and
    its chief resource often share a name: the finding is about the resource."""
    named = [r for r in graph if r.name == name and type_ in ("", r.type)] if name else []
    return next((r.urn for r in named if r.custom), named[0].urn if named else "")
