"""Runs the rules over a plan or over recorded resources, and applies the waivers of the spec."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from ..diagnostics import OWN_CODES, Diagnostic, Severity, Suppressed, Suppression, in_order
from ..plan.models import ClusterPlan
from ..spec.models import Waiver
from ..vocabulary import Provider
from .aside import told_aside
from .open_options import OpenContexts, is_open
from .resource_graph import Resource, ResourceGraph
from .rule import (
    AccountContext,
    AccountRule,
    GraphContext,
    Passed,
    PlanContext,
    PlanRule,
    ResourceRule,
    Rule,
    RuleOptions,
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
        self.error = error
        own = rule.code.code.startswith(OWN_CODES)
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        said = f"rule {rule.code.code} ({rule.code.slug}): {reason}; the input is not to blame, please "
        whom = f"tell who keeps {rule.check.__module__}" if own else "report it"
        super().__init__(f"{'error' if own else 'internal error'} in {said}{whom}")


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


def check_plan(
    plan: ClusterPlan,
    *,
    rules: Iterable[PlanRule] | None = None,
    own: Sequence[Rule] = (),
    options: RuleOptions | None = None,
    faults: list[RuleError] | None = None,
) -> tuple[Diagnostic, ...]:
    """Findings of the plan rules (or of `rules`) and of an organisation's `own` ones, in order, with the spec's waivers applied.

    A rule that raises does not keep the others from running: with `faults` its error is added there, without it is
    raised at the end. One mistake is one finding: a warning at the very field that deciding refused is left out.
    """
    if rules is None:
        from .registry import plan_rules

        rules = plan_rules()
    context = PlanContext(plan, options or RuleOptions())
    asked = (*rules, *(r for r in own if isinstance(r, PlanRule)))
    said = _verdicts(asked, plan.provider, lambda rule: rule.check(context), (), faults)
    found = [d for d in said if isinstance(d, Diagnostic) and (d.is_error or d.path not in context.refused)]
    return waived(found, plan.spec.waivers, plan.now)


def check_graph(
    graph: ResourceGraph,
    plan: ClusterPlan | None = None,
    *,
    facts: Mapping[str, Any] | None = None,
    now: datetime | None = None,
    rules: Iterable[ResourceRule] | None = None,
    waivers: Sequence[Waiver] | None = None,
    own: Sequence[Rule] = (),
    options: RuleOptions | None = None,
    faults: list[RuleError] | None = None,
) -> GraphReport:
    """Findings and undecided verdicts of the resource rules (or of `rules`) and of `own` ones. A rule that raises is as in check_plan.

    `facts` is what look-ups in the account found, by id (see GraphContext). `now` judges past and future; left out, the
    plan's moment. With a plan, a finding points at the place in the spec that its resource came from, and the spec's
    waivers count; without one, `waivers` do.
    """
    if rules is None:
        from .registry import resource_rules

        rules = resource_rules()
    moment = now or (plan.now if plan else None)
    context = GraphContext(graph, plan, facts=facts or {}, now=moment, options=options or RuleOptions())
    open_contexts = OpenContexts(context) if is_open(graph) else None
    asked = (*rules, *(r for r in own if isinstance(r, ResourceRule)))
    said = _verdicts(
        asked,
        plan.provider if plan is not None else None,
        lambda rule: open_contexts.verdicts(rule) if open_contexts else rule.check(context),
        (Undecided,),
        faults,
    )
    found = [d for d in said if isinstance(d, Diagnostic)]
    undecided = dict.fromkeys(u for u in said if isinstance(u, Undecided))
    undecided.update(dict.fromkeys((open_contexts or context).undecided))
    found = _typed(_redacted(found, graph), graph)
    if plan is not None:
        found = [_at_origin(d, plan) for d in found]
    applied = waivers if waivers is not None else (plan.spec.waivers if plan is not None else ())
    # Without a clock nobody can say whether a waiver is still in force: then it is not.
    diagnostics = waived(found, applied, moment, graph) if moment is not None else in_order(found)
    return GraphReport(diagnostics, tuple(sorted(undecided, key=lambda u: (u.code, u.resource, u.reason))))


def check_account(
    plan: ClusterPlan,
    facts: AccountFacts,
    *,
    rules: Iterable[AccountRule] | None = None,
    own: Sequence[Rule] = (),
    faults: list[RuleError] | None = None,
) -> AccountReport:
    """Verdicts of the account rules (or of `rules`) and of `own` ones over a plan, with the spec's waivers applied. A rule that raises is as in check_plan."""
    if rules is None:
        from .registry import account_rules

        rules = account_rules()
    context = AccountContext(plan, facts)
    asked = (*rules, *(r for r in own if isinstance(r, AccountRule)))
    said = _verdicts(asked, plan.provider, lambda rule: rule.check(context), (Unsure, Passed), faults)
    found = [d for d in said if isinstance(d, Diagnostic)]
    unsure = dict.fromkeys(u for u in said if isinstance(u, Unsure))
    passed = dict.fromkeys(p for p in said if isinstance(p, Passed))
    return AccountReport(waived(found, plan.spec.waivers, plan.now), tuple(unsure), tuple(passed))


def verified(verdict: object, rule: Rule) -> Diagnostic:
    """The finding of a rule; TypeError or ValueError for what is none, or speaks in another's name."""
    if not isinstance(verdict, Diagnostic):
        raise TypeError(f"a rule gives findings, and no {type(verdict).__name__}")
    if rule.code.code.startswith(OWN_CODES) and verdict.code != rule.code.code:
        raise ValueError(f"its finding has the code {verdict.code}")
    return verdict


R = TypeVar("R", PlanRule, ResourceRule, AccountRule)


def _verdicts(
    rules: Iterable[R],
    provider: Provider | None,
    check: Callable[[R], Iterable[object]],
    others: tuple[type, ...],
    faults: list[RuleError] | None,
) -> list[object]:
    """What the rules for a provider (None: for every one) say: findings, and verdicts of the `others`. Of a rule that
    raises what it said before counts; its error is added to `faults`, and without them raised at the end."""
    said: list[object] = []
    raised: list[RuleError] = []
    for rule in rules:
        if provider is not None and provider not in rule.providers:
            continue
        try:
            with told_aside() if rule.code.code.startswith(OWN_CODES) else nullcontext():
                for verdict in check(rule):
                    said.append(verdict if isinstance(verdict, others) else verified(verdict, rule))
        except (Exception, SystemExit) as e:
            raised.append(RuleError(rule, e))
    if faults is not None:
        faults += raised
    elif raised:
        raise raised[0] from raised[0].error
    return said


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
            until = waiver.expires.isoformat()
            message = f"{d.message} (waived until {until}: {waiver.reason})"
            why = Suppression(Suppressed.WAIVED, d.severity, waiver.reason, until)
            d = replace(d, severity=Severity.INFO, message=message, suppression=why)
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
    kind = diagnostic.resource_type
    return any(r.name == diagnostic.resource and r.urn == waiver.urn and kind in ("", r.type) for r in graph)


def _within(path: str, prefix: str) -> bool:
    return path == prefix or path.startswith((f"{prefix}.", f"{prefix}["))


def _typed(found: list[Diagnostic], graph: ResourceGraph) -> list[Diagnostic]:
    """The findings with the type of their resource. Of several resources of one name it is the one that has the property
    which the finding's path names; where that does not tell them apart, the type is left open."""
    named: dict[str, list[Resource]] = {}
    for resource in graph.resources if found else ():
        named.setdefault(resource.name, []).append(resource)
    out: list[Diagnostic] = []
    for d in found:
        types = {r.type for r in named.get(d.resource, ())}
        if len(types) > 1:
            key = re.split(r"[.\[]", d.path.removeprefix(f"{d.resource}."), maxsplit=1)[0]
            types = {r.type for r in named[d.resource] if key in r.inputs}
        out.append(replace(d, resource_type=types.pop()) if len(types) == 1 else d)
    return out


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
