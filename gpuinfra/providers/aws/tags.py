"""Tags: every resource carries the plan's labels and a name that people recognise in the console."""

from __future__ import annotations

from ...plan.models import ClusterPlan


def tags(plan: ClusterPlan, name: str) -> dict[str, str]:
    """The plan's labels and `Name`."""
    return {**dict(plan.labels), "Name": name}
