"""A budget on a tag that is not activated for cost allocation.

What: A budget filters by a tag, and the program does not activate the tag.
Why: Until the organisation's payer account activates it, the tag carries no cost and the budget reads 0 USD.
Fix: Activate the tag in the payer account (Billing, Cost allocation tags), or with aws.costexplorer.CostAllocationTag there.
References: AWS Billing User Guide, user-defined cost allocation tags
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import BUDGET
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, items, late, plain

CODE = described("GI3045", "budget-tag-not-activated", Severity.WARNING, __doc__, ("AWS COST-03",))
_TAG = "aws:costexplorer/costAllocationTag:CostAllocationTag"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each budget; of our own component the plan rules speak."""
    tags = [t for t in ctx.aws.of_type(_TAG) if t.get("status") != "Inactive"]
    activated = [t.get("status") if late(t.get("status")) else t.get("tagKey") for t in tags]
    for budget in ctx.aws.of_type(BUDGET):
        if ctx.aws.ours(budget):
            continue
        names = [plain(f.get("name")) for f in entries(budget.get("costFilters"))]
        values = [
            plain(v)
            for f in entries(budget.get("costFilters"))
            if plain(f.get("name")) == "TagKeyValue"
            for v in items(plain(f.get("values")))
        ]
        # Of a text that holds an output the key may be known: user:Cluster$${x.name}.
        told = [v.partition("$")[0] for v in values if isinstance(v, str) and not v.startswith("${")]
        keys = {v.removeprefix("user:") for v in told}
        unseen = any(late(n) for n in names) or len(told) < len(values)
        missing = sorted(k for k in keys if k and not k.startswith("aws:") and k not in activated)
        if missing and any(late(a) for a in activated):
            yield Undecided(CODE.code, budget.name, "which tag is activated is not known yet")
        elif not missing and unseen:
            yield Undecided(CODE.code, budget.name, "which tag the budget counts is not known yet")
        elif missing:
            yield CODE.at(
                f"{budget.name}.costFilters",
                f"the budget counts tag '{missing[0]}', which nothing here activates for cost allocation",
                resource=budget.name,
            )


_BUDGET = """\
- type: aws.budgets.Budget
  name: money
  inputs: {costFilters: [{name: TagKeyValue, values: [user:Cluster$acme]}]}
"""
_INACTIVE = "- {type: aws.costexplorer.CostAllocationTag, name: tag, inputs: {tagKey: Cluster, status: Inactive}}\n"
_ACTIVE = "- {{type: aws.costexplorer.CostAllocationTag, name: tag, inputs: {{tagKey: {0}, status: Active}}}}\n"

RULE = ResourceRule(
    CODE,
    ("cost",),
    check,
    Examples(
        (_BUDGET + _ACTIVE.format("Cluster"),),
        (_BUDGET, _BUDGET + _ACTIVE.format("Team"), _BUDGET + _INACTIVE),
        (_BUDGET + _ACTIVE.format("!unknown "),),
    ),
    providers=(Provider.AWS,),
)
