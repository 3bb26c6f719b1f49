"""A budget filter that matches nothing.

What: A budget filters by a tag that no resource of the program has with that value.
Why: Azure takes the filter and counts nothing: the budget reads 0 for ever, and never warns.
Fix: Filter by a tag that the nodes have, or leave the filter out and scope the budget to the resource group.
References: Azure Consumption API, BudgetFilter; Azure docs, how tags are used in cost data
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import BUDGET, PREFIX, AzureGraph
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, items, late, plain

CODE = described("GI3274", "azure-budget-reads-zero", Severity.WARNING, __doc__, ())


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each tag that a budget filters by."""
    for budget in ctx.azure.of_type(BUDGET):
        if late(budget.get("filter")):
            yield Undecided(CODE.code, budget.name, "the filter is not known yet")
        for path, tag in _tags(budget):
            name, values = plain(tag.get("name")), [plain(v) for v in items(plain(tag.get("values")))]
            if late(name) or late(plain(tag.get("values"))) or any(late(v) for v in values):
                yield Undecided(CODE.code, budget.name, "the tag that it filters by is not known yet")
                continue
            carried = _carried(ctx.azure, name, values) if isinstance(name, str) else True
            if carried is None:
                yield Undecided(CODE.code, budget.name, "the tags of the program are not known yet")
            elif not carried and _can_tell(ctx.azure):
                yield CODE.at(
                    f"{budget.name}.{path}",
                    f"no resource of the program has the tag '{name}' with {' or '.join(map(repr, values)) or 'a value'}: "
                    "the budget reads 0",
                    "filter by a tag that the nodes have, or scope the budget to the resource group",
                    resource=budget.name,
                )


def _can_tell(azure: AzureGraph) -> bool:
    """Whether the program makes machines: a budget may stand in a program of its own."""
    return bool(azure.nodes or azure.pools)


def _tags(budget: Resource) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for tag in entries(budget.get("filter", "tags")):
        yield "filter.tags", tag
    for n, part in enumerate(entries(budget.get("filter", "and"))):
        for tag in entries(plain(part.get("tags"))):
            yield f"filter.and[{n}].tags", tag


def _carried(azure: AzureGraph, name: str, values: list[Any]) -> bool | None:
    """Whether a resource has the tag with one of the values; Azure minds no case in a tag's name.
    None where one may, whose tags are not known yet."""
    unsure = False
    for r in azure.graph:
        tags = r.get("tags")
        if not r.type.startswith(f"{PREFIX}:") or r.type == BUDGET or tags is None:
            continue
        if not isinstance(tags, Mapping):
            unsure = True
            continue
        for key, value in cast("Mapping[Any, Any]", tags).items():
            if str(key).lower() == name.lower():
                unsure = unsure or late(plain(value))
                if plain(value) in values:
                    return True
    return None if unsure else False


_T = """\
- {{type: azure-native.compute.VirtualMachineScaleSet, name: nodes, inputs: {{tags: {{cluster: acme}}}}}}
- type: azure-native.consumption.Budget
  name: money
  inputs: {{filter: {{tags: {{name: {0}, operator: In, values: [{1}]}}}}}}
"""

_ALONE = _T[_T.index("- type: azure-native.consumption") :]

RULE = ResourceRule(
    CODE,
    ("cost", "tags"),
    check,
    Examples(
        (_T.format("cluster", "acme"), _T.format("Cluster", "acme"), _ALONE.format("team", "acme")),
        (_T.format("team", "acme"), _T.format("cluster", "other")),
        (_T.format("cluster", "!unknown "),),
    ),
    providers=(Provider.AZURE,),
)
