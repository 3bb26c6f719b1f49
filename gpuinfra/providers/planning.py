"""From what a component is given, a spec in any form or a plan, to a plan without errors."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from ..diagnostics import Diagnostic, GpuInfraError, has_errors
from ..plan.models import ClusterPlan
from ..spec.models import ClusterSpec

SpecLike = ClusterSpec | Mapping[str, Any] | str | Path
"""The spec as a model, as a mapping, or as the path of a YAML file."""


def planned(spec: SpecLike | ClusterPlan, name: str, now: datetime | None = None) -> ClusterPlan:
    """The plan, whose logical names begin with `name` where it is made here. Warnings go to Pulumi's log.

    Raises GpuInfraError with every finding when one of them is an error.
    """
    if isinstance(spec, ClusterPlan):
        return spec
    plan, found = judged(spec, name, now)
    if plan is None or has_errors(found):
        raise GpuInfraError(found)
    warn(found)
    return plan


def judged(spec: SpecLike, name: str, now: datetime | None) -> tuple[ClusterPlan | None, tuple[Diagnostic, ...]]:
    """The plan, as far as it could be made, and every finding of reading, deciding and judging."""
    raise NotImplementedError


def warn(found: tuple[Diagnostic, ...]) -> None:
    """Shows findings that are no errors in the output of the program."""
    import pulumi

    for finding in found:
        text = f"{finding}\n  hint: {finding.hint}" if finding.hint else str(finding)
        pulumi.log.warn(text)
