"""A budget filter that matches nothing.

What: A budget of Google Cloud filters by a label that no resource of the program carries with that value.
Why: The filter is taken and counts nothing: the budget reads 0 for ever, and never warns.
Fix: Filter by a label that the nodes carry, or by the project alone.
References: Google Cloud Billing docs, budget filters; Google Cloud docs, labels in cost data
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_graph import GcpGraph
from ...gcp_types import BUDGET
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, late, plain

CODE = described("GI3183", "budget-filter-counts-nothing", Severity.WARNING, __doc__, ())
_PREFIX, _PROVIDER = "gcp:", "pulumi:providers:gcp"
_GOOGLES = ("goog-", "k8s-")
"""Labels that Google puts on what it bills, by itself: no program carries them."""


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each label, in programs that make something which can carry one."""
    for budget in ctx.gcp.of_type(BUDGET):
        labels = budget.get("budgetFilter", "labels")
        if late(labels):
            yield Undecided(CODE.code, budget.name, "the filter is not known yet")
        for key, raw in cast("Mapping[str, Any]", labels).items() if isinstance(labels, Mapping) else ():
            value = plain(raw)
            wanted = [plain(v) for v in items(value)] or [value]
            if any(late(v) for v in wanted):
                yield Undecided(CODE.code, budget.name, "the label that it filters by is not known yet")
            elif key.startswith(_GOOGLES) or not _can_tell(ctx.gcp):
                continue
            elif (carried := _carried(ctx.gcp, key, wanted)) is None:
                yield Undecided(CODE.code, budget.name, "the labels of the program are not known yet")
            elif not carried:
                yield CODE.at(
                    f"{budget.name}.budgetFilter.labels",
                    f"no resource of the program has the label '{key}' with {' or '.join(map(repr, wanted))}: the budget "
                    "reads 0",
                    resource=budget.name,
                )


_LABELS = (("labels",), ("resourceLabels",), ("nodeConfig", "resourceLabels"), ("defaultLabels",))


def _can_tell(gcp: GcpGraph) -> bool:
    """Whether the program makes machines: a budget may stand in a program of its own."""
    return bool(gcp.machines)


def _carried(gcp: GcpGraph, key: str, wanted: list[Any]) -> bool | None:
    """Whether a resource has the label; None where one may, whose labels are not known yet."""
    unsure = False
    for r in gcp.graph:
        if not r.type.startswith((_PREFIX, _PROVIDER)) or r.type == BUDGET:
            continue
        for path in _LABELS:
            found = r.get(*path)
            # A provider's block is JSON text in a recording.
            if isinstance(found, str) and f'"{key}"' in found and any(f'"{v}"' in found for v in wanted):
                return True
            unsure = unsure or late(found)
            value = plain(cast("Mapping[str, Any]", found).get(key)) if isinstance(found, Mapping) else None
            unsure = unsure or late(value)
            if value is not None and value in wanted:
                return True
    return None if unsure else False


_T = """\
- {{type: gcp.compute.Instance, name: box, inputs: {{machineType: g2-standard-8, labels: {{team: vision}}}}}}
- type: gcp.billing.Budget
  name: money
  inputs: {{budgetFilter: {{labels: {{{0}: {1}}}}}}}
"""
_PROVIDER_OF = """\
- {type: "pulumi:providers:gcp", name: g, inputs: {defaultLabels: '{"owner": "vision"}'}}
"""

RULE = ResourceRule(
    CODE,
    ("cost", "tags"),
    check,
    Examples(
        (
            _T.format("team", "vision"),
            _T.format("goog-k8s-cluster-name", "acme"),
            _T.format("owner", "vision") + _PROVIDER_OF,
        ),
        (_T.format("team", "speech"), _T.format("owner", "vision")),
        (_T.format("team", "!unknown "),),
    ),
    providers=(Provider.GCP,),
)
