"""Runs the rules over a plan or over recorded resources, and applies the waivers of the spec."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ..diagnostics import Diagnostic, Severity, in_order
from ..plan.models import ClusterPlan
from ..spec.models import Waiver
from .resource_graph import ResourceGraph
from .rule import (
    AccountContext,
    AccountRule,
    GraphContext,
    Passed,
    PlanContext,
    PlanRule,
    ResourceRule,
    Rule,
    Undecided,
    Unsure,
)
from .wire_values import secret_texts

if TYPE_CHECKING:
    from .account_facts import AccountFacts

_SHORTEST_SECRET = 4


class RuleError(Exception):
    """A rule raised: a fault of the tool, which the command line reports as such (exit status 2)."""

    def __init__(self, rule: Rule, error: BaseException) -> None:
        self.rule = rule
        super().__init__(
            f"internal error in rule {rule.code.code} ({rule.code.slug}): {type(error).__name__}: {error}; "
            "the input is not to blame, please report it"
        )


@dataclass(frozen=True)
class GraphReport:
    """What the resource rules say: findings, and verdicts that must wait for the deployment."""

    diagnostics: tuple[Diagnostic, ...]
    undecided: tuple[Undecided, ...]


@dataclass(frozen=True)
class AccountReport:
    """What the account rules say: findings, what they could not tell, and what they found in order."""

    diagnostics: tuple[Diagnostic, ...]
    unsure: tuple[Unsure, ...]
    passed: tuple[Passed, ...]


def check_plan(plan: ClusterPlan, *, rules: Iterable[PlanRule] | None = None) -> tuple[Diagnostic, ...]:
    """Findings of the plan rules (or of `rules`), in order, with the spec's waivers applied. Raises RuleError.

    One mistake is one finding: a warning at the very field that deciding refused is left out.
    """
    if rules is None:
        from .registry import plan_rules

        rules = plan_rules()
    context = PlanContext(plan)
    found: list[Diagnostic] = []
    for rule in rules:
        if plan.provider not in rule.providers:
            continue
        try:
            found.extend(d for d in rule.check(context) if d.is_error or d.path not in context.refused)
        except Exception as e:
            raise RuleError(rule, e) from e
    return waived(found, plan.spec.waivers, plan.now)


def check_graph(
    graph: ResourceGraph,
    plan: ClusterPlan | None = None,
    *,
    facts: Mapping[str, Any] | None = None,
    now: datetime | None = None,
    rules: Iterable[ResourceRule] | None = None,
    waivers: Sequence[Waiver] | None = None,
) -> GraphReport:
    """Findings and undecided verdicts of the resource rules (or of `rules`). Raises RuleError.

    `facts` is what look-ups in the account found, by id (see GraphContext). `now` judges past and future; left out, the
    plan's moment. With a plan, a finding points at the place in the spec that its resource came from, and the spec's
    waivers count; without one, `waivers` do.
    """
    if rules is None:
        from .registry import resource_rules

        rules = resource_rules()
    moment = now or (plan.now if plan else None)
    context = GraphContext(graph, plan, facts=facts or {}, now=moment)
    found: list[Diagnostic] = []
    undecided: dict[Undecided, None] = {}
    for rule in rules:
        if plan is not None and plan.provider not in rule.providers:
            continue
        try:
            for verdict in rule.check(context):
                if isinstance(verdict, Undecided):
                    undecided[verdict] = None
                else:
                    found.append(verdict)
        except Exception as e:
            raise RuleError(rule, e) from e
    undecided.update(dict.fromkeys(context.undecided))
    found = _redacted(found, graph)
    if plan is not None:
        found = [_at_origin(d, plan) for d in found]
    applied = waivers if waivers is not None else (plan.spec.waivers if plan is not None else ())
    # Without a clock nobody can say whether a waiver is still in force: then it is not.
    diagnostics = waived(found, applied, moment, graph) if moment is not None else in_order(found)
    return GraphReport(diagnostics, tuple(sorted(undecided, key=lambda u: (u.code, u.resource, u.reason))))


def check_account(
    plan: ClusterPlan, facts: AccountFacts, *, rules: Iterable[AccountRule] | None = None
) -> AccountReport:
    """Verdicts of the account rules (or of `rules`) over a plan, with the spec's waivers applied. Raises RuleError."""
    if rules is None:
        from .registry import account_rules

        rules = account_rules()
    context = AccountContext(plan, facts)
    found: list[Diagnostic] = []
    unsure: dict[Unsure, None] = {}
    passed: dict[Passed, None] = {}
    for rule in rules:
        if plan.provider not in rule.providers:
            continue
        try:
            for verdict in rule.check(context):
                if isinstance(verdict, Unsure):
                    unsure[verdict] = None
                elif isinstance(verdict, Passed):
                    passed[verdict] = None
                else:
                    found.append(verdict)
        except Exception as e:
            raise RuleError(rule, e) from e
    return AccountReport(waived(found, plan.spec.waivers, plan.now), tuple(unsure), tuple(passed))


def waived(
    diagnostics: Iterable[Diagnostic],
    waivers: Sequence[Waiver],
    now: datetime,
    graph: ResourceGraph | None = None,
) -> tuple[Diagnostic, ...]:
    """The findings in order, those that a waiver in force covers as infos that quote it."""
    today = now.astimezone(UTC).date()
    active = [w for w in waivers if today <= w.expires]
    out: list[Diagnostic] = []
    for d in diagnostics:
        waiver = next((w for w in active if covers(w, d, graph)), None)
        if waiver is not None and d.severity is not Severity.INFO:
            message = f"{d.message} (waived until {waiver.expires.isoformat()}: {waiver.reason})"
            d = replace(d, severity=Severity.INFO, message=message)
        out.append(d)
    return in_order(out)


def covers(waiver: Waiver, diagnostic: Diagnostic, graph: ResourceGraph | None = None) -> bool:
    """Whether a waiver speaks of a finding: the same code, a prefix of its path, and the resource of its URN."""
    if waiver.code != diagnostic.code:
        return False
    if waiver.path is not None and not _within(diagnostic.path, waiver.path):
        return False
    if waiver.urn is None:
        return True
    if graph is None or not diagnostic.resource:
        return False
    return any(r.name == diagnostic.resource and r.urn == waiver.urn for r in graph)


def _within(path: str, prefix: str) -> bool:
    return path == prefix or path.startswith((f"{prefix}.", f"{prefix}["))


def _redacted(found: list[Diagnostic], graph: ResourceGraph) -> list[Diagnostic]:
    """The findings without the text of any value that is marked secret. Texts too short to be one are let be."""
    if not found:
        return found
    secrets = sorted(
        {t for r in graph for t in secret_texts(r.inputs) if len(t) >= _SHORTEST_SECRET}, key=len, reverse=True
    )

    def clean(text: str) -> str:
        for secret in secrets:
            text = text.replace(secret, "[secret]")
        return text

    return [replace(d, message=clean(d.message), hint=clean(d.hint)) for d in found] if secrets else found


def _at_origin(diagnostic: Diagnostic, plan: ClusterPlan) -> Diagnostic:
    """The finding at the spec's own path, where the resource's name says which part of the plan it was made from."""
    name = diagnostic.resource
    origins = [(p.resource_name, p.path) for p in plan.pools] + [(s.resource_name, s.path) for s in plan.storage]
    near = [(o, path) for o, path in origins if o and (name == o or name.startswith(f"{o}-"))]
    if not name or not near:
        return diagnostic
    _, path = max(near, key=lambda n: len(n[0]))
    return replace(diagnostic, path=path, message=f"{diagnostic.path}: {diagnostic.message}")
