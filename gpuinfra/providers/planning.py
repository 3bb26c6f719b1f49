"""From what a component is given, a spec in any form or a plan, to a plan without errors."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..diagnostics import Diagnostic, GpuInfraError, Severity, has_errors
from ..plan.models import ClusterPlan
from ..policy.judgement import judge
from ..spec.load import Loaded, load, parse
from ..spec.models import ClusterSpec
from .components import name_findings, option_findings

if TYPE_CHECKING:
    import pulumi

SpecLike = ClusterSpec | Mapping[str, Any] | str | Path
"""The spec as a model, as a mapping, or as the path of a YAML file."""


def planned(
    spec: SpecLike | ClusterPlan,
    name: str,
    opts: pulumi.ResourceOptions | None = None,
    now: datetime | None = None,
) -> ClusterPlan:
    """The plan for a component: the one given, or one made here, whose logical names begin with `name`.

    Warnings go to Pulumi's log. Raises GpuInfraError with every finding when one of them is an error.
    """
    wrong = option_findings(opts)
    if isinstance(spec, ClusterPlan):
        if wrong:
            raise GpuInfraError(wrong)
        return spec
    wrong += name_findings(name)
    plan, found = judged(spec, "component" if wrong else name, now)
    if plan is None or wrong or has_errors(found):
        raise GpuInfraError([*wrong, *found])
    warn(found)
    return plan


def judged(spec: SpecLike, name: str, now: datetime | None) -> tuple[ClusterPlan | None, tuple[Diagnostic, ...]]:
    """The plan, as far as it could be made, and every finding of reading, deciding and judging."""
    judgement = judge(_loaded(spec), now, name=name)
    return judgement.plan, judgement.diagnostics


def _loaded(spec: SpecLike) -> Loaded:
    if isinstance(spec, ClusterSpec):
        return Loaded(spec, ())
    # What is neither a path nor a mapping is a finding of the reader's.
    return load(spec) if isinstance(spec, (str, Path)) else parse(spec)


def warn(found: tuple[Diagnostic, ...]) -> None:
    """Shows findings that are no errors in the output of the program."""
    import pulumi

    for finding in found:
        text = f"{finding}\n  hint: {finding.hint}" if finding.hint else str(finding)
        if finding.severity is Severity.WARNING:
            pulumi.log.warn(text)
        else:
            pulumi.log.info(text)
