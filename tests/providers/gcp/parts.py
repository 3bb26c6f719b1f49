"""A spec on Google Cloud, and recordings of the parts that hold its data, money and time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from gpuinfra.gcp import SharedStorage, Spend
from gpuinfra.plan import resolve
from gpuinfra.plan.models import ClusterPlan
from gpuinfra.policy.resource_graph import Resource, ResourceGraph
from gpuinfra.spec.load import parse
from gpuinfra.testing import record

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
JOB = "gcp:cloudscheduler/job:Job"
BUDGET = "gcp:billing/budget:Budget"
WORKFLOW = "gcp:workflows/workflow:Workflow"
TRIGGER = "gcp:eventarc/trigger:Trigger"
LEAVE_TO_START = "roles/workflows.invoker"
TOPIC = "gcp:pubsub/topic:Topic"
MEMBER = "gcp:projects/iAMMember:IAMMember"
ROLE = "gcp:projects/iAMCustomRole:IAMCustomRole"
ACCOUNT = "gcp:serviceaccount/account:Account"
OFFSET = "time:index/offset:Offset"
MONEY = {
    "per_month_usd": 400000,
    "alerts_percent": [50, 80, 100],
    "contacts": ["ml-platform@example.com"],
    "on_limit": "notify",
}


def pool(**changes: Any) -> dict[str, Any]:
    """Two small GPU nodes, changed."""
    return {"name": "gpu", "instance_type": "g2-standard-8", "count": 2, **changes}


def cluster(**changes: Any) -> dict[str, Any]:
    """A spec without errors, changed at its top level."""
    return {
        "name": "train",
        "location": {"provider": "gcp", "project": "acme-lab", "region": "us-central1", "zone": "us-central1-a"},
        "node_pools": [pool()],
        "shutdown": {"lease": "72h"},
        **changes,
    }


def planned(name: str = "train", now: datetime = NOW, **changes: Any) -> ClusterPlan:
    """The plan of a spec, whose names begin with `name`."""
    loaded = parse(cluster(**changes))
    assert loaded.spec, loaded.diagnostics
    made = resolve(loaded.spec, now, name=name)
    assert made.plan
    assert made.plan.complete, made.diagnostics
    return made.plan


def spend(
    name: str = "train",
    *,
    preview: bool = False,
    pools: Any = None,
    now: datetime = NOW,
    answers: Any = None,
    **changes: Any,
) -> ResourceGraph:
    """What a Spend of the spec registers."""
    plan = planned(name, now, **changes)
    return record(lambda: Spend(f"{name}-spend", plan, pools=pools), preview=preview, **(answers or {}))


def files(*storage: dict[str, Any], name: str = "train", preview: bool = False, **changes: Any) -> ResourceGraph:
    """What a SharedStorage of the spec registers."""
    plan = planned(name, storage=list(storage), **changes)
    return record(lambda: SharedStorage(f"{name}-storage", plan), preview=preview)


def budget_of(name: str = "train", *, preview: bool = False, answers: Any = None, **changes: Any) -> ResourceGraph:
    """What the spec's budget, changed, registers."""
    return spend(name, preview=preview, answers=answers, budget={**MONEY, **changes})


def only(graph: ResourceGraph, type_: str) -> Resource:
    """The one resource of a type."""
    (found,) = graph.of_type(type_)
    return found


def outputs_of(type_: str, **found: Any) -> dict[str, Callable[..., Any]]:
    """Answers of a recording in which the resources of one type have these outputs."""
    return {"outputs": lambda asked, name, inputs: found if asked == type_ else None}
