"""`resolve(spec)`: the spec's wishes become decisions, each with its reason; what cannot be had is a finding."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ..diagnostics import Diagnostic
from ..spec.models import ClusterSpec
from .models import ClusterPlan


@dataclass(frozen=True, slots=True)
class Resolution:
    """What came out: the plan (partial where an error left something out; None where nothing could be decided)."""

    plan: ClusterPlan | None
    diagnostics: tuple[Diagnostic, ...]


def resolve(spec: ClusterSpec, now: datetime | None = None) -> Resolution:
    """The plan of a spec. `now` is the moment that leases and blocks are judged by; left out, the current one."""
    raise NotImplementedError
