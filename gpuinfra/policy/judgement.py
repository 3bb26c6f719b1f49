"""The one door from a spec to what is known about it: decided, judged, waived."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from ..diagnostics import Diagnostic, in_order
from ..plan.models import ClusterPlan
from ..plan.resolve import resolve
from ..spec.load import Loaded
from .engine import RuleError, check_plan, waived
from .rule import Rule, RuleOptions

_SAID_BEFORE = {"GI2154": "GI2063", "GI2155": "GI2127"}
"""What the boot bundle finds by what deciding has found of the same value: one fault is one finding."""


@dataclass(frozen=True)
class Judgement:
    """`plan` is None where nothing could be decided, and partial where a finding left something out."""

    plan: ClusterPlan | None
    diagnostics: tuple[Diagnostic, ...]
    """Of reading, deciding, the boot bundle and the plan rules, in order; each with its place in the file."""


def judge(
    loaded: Loaded,
    now: datetime | None = None,
    *,
    name: str | None = None,
    options: RuleOptions | None = None,
    own: Sequence[Rule] = (),
    faults: list[RuleError] | None = None,
) -> Judgement:
    """What was read, decided and judged. `now` and `name` are as in `resolve`; `options`, `own` rules and `faults` as in
    check_plan. Raises RuleError for a faulty rule where there are no `faults` to add it to.

    A waiver counts for what deciding finds too: a table may lag behind the cloud.
    """
    if loaded.spec is None:
        return Judgement(None, in_order(loaded.locate(d) for d in loaded.diagnostics))
    resolution = resolve(loaded.spec, now, name=name)
    plan = resolution.plan
    found = [*loaded.diagnostics, *resolution.diagnostics]
    if plan is not None:
        from ..node import bundle_findings

        said = {(d.code, d.path) for d in found}
        bundle = [d for d in bundle_findings(plan) if (_SAID_BEFORE.get(d.code), d.path) not in said]
        found = [
            *waived((*found, *bundle), loaded.spec.waivers, plan.now),
            *check_plan(plan, options=options, own=own, faults=faults),
        ]
    return Judgement(plan, in_order(loaded.locate(d) for d in found))
