"""`gpuinfra plan`: what a spec becomes, what it costs and what is wrong with it, before anything exists."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

import click

from ..clock import current_moment
from ..diagnostics import Diagnostic, GpuInfraError
from . import moving
from .governing import Governing, Ruling, governed
from .judge import Judged, judge, judge_loaded, now_option
from .output import is_terminal, note, printable
from .report import undecided_data

if TYPE_CHECKING:
    from ..advice.change import Change
    from ..cost import CostEstimate, CostLine
    from ..plan.models import ClusterPlan
    from ..policy.resource_graph import Resource, ResourceGraph
    from ..policy.rule import Undecided


@dataclass(frozen=True)
class Recorded:
    """What came of rendering a plan: the resources, or why there are none."""

    graph: ResourceGraph | None
    findings: tuple[Diagnostic, ...] = ()
    undecided: tuple[Undecided, ...] = ()
    missing_sdk: str = ""


@click.command("plan")
@click.argument("spec", metavar="SPEC", type=click.Path(allow_dash=True, readable=False))
@moving.options
@governed
@now_option
def command(
    spec: str,
    provider: str | None,
    region: str | None,
    zone: str | None,
    project: str | None,
    save: str | None,
    governing: Governing,
    now: datetime | None,
) -> int:
    """Show what a spec becomes and what it costs.

    Decisions with their reasons, resources as a tree, price per hour and per lease, findings. With --provider or
    --region: the same cluster in that place, and first what means something else there.

    SPEC is the path of a cluster.yaml, or - for standard input. Works offline and without a cloud account. Resources
    need the cloud's SDK (pip install 'gpuinfra[aws]'); decisions and cost do not.

    \b
    Examples:
      gpuinfra plan stacks/aws-h100-training/cluster.yaml
      gpuinfra plan cluster.yaml --provider gcp --region us-central1 --project acme-lab
    """
    wanted = moving.Wanted(provider, region, zone, project, save)
    ruling = governing.ruling(spec)
    judged, changes = _judged(spec, wanted, now, ruling)
    recorded = Recorded(None)
    cost: CostEstimate | None = None
    if judged.plan is not None:
        from ..cost import estimate

        cost = estimate(judged.plan)
        if not governing.stops(spec, ruling, judged.findings, now=now):
            with progress("Rendering the resources …"):
                recorded = record_plan(judged.plan, ruling)
    found = judged.with_findings(recorded.findings)
    governing.take(spec, ruling, found, now=now, graph=recorded.graph, undecided=recorded.undecided)
    text = ""
    if governing.form == "text":
        from .plan_view import moved_text, plan_text

        text = plan_text(judged.plan, recorded.graph, cost) if judged.plan and cost else ""
        if changes is not None and (changes or judged.plan):  # neither: the spec could not be read
            text = moved_text(changes) + text
    extra = {} if changes is None else {"moved": [c.as_dict() for c in changes]}
    status = governing.finish(
        before=text,
        after=waiting_line(recorded.undecided),
        extra={**extra, **as_data(judged, recorded, cost)},
        not_judged=_ACCOUNT if recorded.graph else (*_ACCOUNT, _RESOURCES),
    )
    if recorded.missing_sdk:
        note(recorded.missing_sdk)
        return 2
    return status


_RESOURCES = "GI3"
_ACCOUNT = ("GI4",)
"""Beginnings of codes whose rules see resources, and the account."""


def _judged(
    spec: str, wanted: moving.Wanted, now: datetime | None, ruling: Ruling
) -> tuple[Judged, tuple[Change, ...] | None]:
    """The spec as it is, or moved: then with what changed. A spec that cannot be read is not moved."""
    if wanted.nothing:
        return judge(spec, now, ruling), None
    from ..spec.load import load

    loaded = load(spec)
    if loaded.spec is None:
        return judge_loaded(loaded, now, ruling), ()
    made = moving.moved(loaded, wanted, now or current_moment(), ruling)
    return made.judged, made.changes


def record_plan(plan: ClusterPlan, ruling: Ruling | None = None) -> Recorded:
    """Renders a plan without a cloud and judges its resources. A missing SDK is said, not raised."""
    from ..providers import MissingSdk, get

    try:
        get(plan.provider)
    except MissingSdk as e:
        return Recorded(None, missing_sdk=str(e))
    from ..cluster import GpuCluster
    from ..policy.engine import check_graph, waived
    from ..providers.planning import listening
    from ..testing import record

    try:
        with listening() as heard:
            # The plan and not its spec: whether an error stops the cluster was decided by whoever has the settings.
            made = cast(Any, plan)
            graph = record(lambda: GpuCluster(plan.name, made, now=plan.now), project=plan.name, stack="plan")
    except GpuInfraError as e:
        return Recorded(None, e.diagnostics)
    if ruling is None:
        report = check_graph(graph, plan)
    else:
        report = check_graph(graph, plan, options=ruling.options, own=ruling.own, faults=ruling.faults)
    found = (*waived(heard, plan.spec.waivers, plan.now), *report.diagnostics)
    return Recorded(graph, found, report.undecided)


def waiting_line(undecided: Sequence[Undecided]) -> str:
    """One line on the rules that cannot tell before the deployment; the JSON form has each resource."""
    if not undecided:
        return ""
    reasons: dict[str, str] = {}
    for u in undecided:
        reasons.setdefault(u.code, u.reason)
    rules = ", ".join(f"{code} ({printable(reason)})" for code, reason in list(reasons.items())[:_RULES_NAMED])
    more = f" and {len(reasons) - _RULES_NAMED} more" if len(reasons) > _RULES_NAMED else ""
    one = "1 rule waits" if len(reasons) == 1 else f"{len(reasons)} rules wait"
    return click.style(f"{one} for the deployment: {rules}{more}", dim=True) + "\n"


_RULES_NAMED = 6


def as_data(judged: Judged, recorded: Recorded, cost: CostEstimate | None) -> dict[str, Any]:
    """The JSON form of a plan, without its findings."""
    decisions = judged.plan.decisions if judged.plan else ()
    graph = recorded.graph
    return {
        "decisions": [{"path": d.path, "value": d.value, "reason": d.reason} for d in decisions],
        "resources": [_resource(r, graph) for r in graph] if graph else [],
        "cost": _cost(cost),
        "undecided": undecided_data(recorded.undecided),
    }


def _resource(resource: Resource, graph: ResourceGraph) -> dict[str, Any]:
    from ..policy.resource_graph import as_json as plain

    parent = graph.by_urn(resource.parent) if resource.parent else None
    return {
        "type": resource.type,
        "name": resource.name,
        "parent": parent.name if parent else None,
        "inputs": plain(resource.inputs),
        "options": plain(resource.options),
    }


_SUMS = (
    "usd_per_hour",
    "usd_per_lease",
    "lease_hours",
    "worst_usd_per_hour",
    "worst_usd_per_month",
    "residual_usd_per_hour",
)


def _cost(cost: CostEstimate | None) -> dict[str, Any]:
    """Amounts in USD. `unknown` names every line that no sum holds; where it has entries the sums are 'at least'."""
    if cost is None:
        return {**dict.fromkeys(_SUMS), "lines": [], "unknown": []}
    nothing_known = all(line.usd_per_hour is None for line in cost.lines)
    return {
        "usd_per_hour": None if nothing_known else _rounded(cost.usd_per_hour),
        "usd_per_lease": None if nothing_known else _rounded(cost.usd_per_lease),
        "lease_hours": _rounded(cost.lease_hours),
        "worst_usd_per_hour": _rounded(cost.worst_usd_per_hour),
        "worst_usd_per_month": _rounded(cost.worst_usd_per_month),
        "residual_usd_per_hour": _rounded(cost.residual_usd_per_hour),
        "lines": [_line(line) for line in cost.lines],
        "unknown": [*cost.unknown, *cost.by_use],
    }


def _line(line: CostLine) -> dict[str, Any]:
    return {
        "name": line.name,
        "quantity": _rounded(line.quantity),
        "unit": line.unit,
        "unit_price_usd": line.unit_price_usd,
        "usd_per_hour": _rounded(line.usd_per_hour),
        "as_of": line.as_of,
        "source": line.source,
        "path": line.path,
        "worst_usd_per_hour": _rounded(line.worst_usd_per_hour),
        "estimate": line.estimate,
        "note": line.note,
    }


def _rounded(amount: float | None) -> float | None:
    return None if amount is None else round(amount, 6)


def progress(what: str) -> AbstractContextManager[Any]:
    """A spinner on standard error where a person looks: loading a cloud's SDK takes seconds."""
    if not is_terminal(sys.stderr):
        return nullcontext()
    from .console import console

    return cast(Callable[[str], AbstractContextManager[Any]], console(sys.stderr).status)(what)
