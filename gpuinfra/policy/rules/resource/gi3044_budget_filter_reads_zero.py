"""A budget filter that matches nothing.

What: A cost filter on `TagKeyValue` whose values do not start with `user:` (or `aws:`), or have no `$` between key and value.
Why: AWS takes the filter and counts nothing: the budget reads 0 USD for ever.
Fix: Write user:<key>$<value>, as user:Cluster$acme.
References: hashicorp/terraform-provider-aws#39850; hashicorp/terraform-provider-aws#40987
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import BUDGET
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, items, late, plain

CODE = described("GI3044", "budget-filter-reads-zero", Severity.ERROR, __doc__, ("AWS COST-02",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each value of a filter."""
    for budget in ctx.aws.of_type(BUDGET):
        listed = budget.get("costFilters")
        if late(listed):
            yield Undecided(CODE.code, budget.name, "the cost filters are not known yet")
        for n, one in enumerate(entries(listed)):
            if plain(one.get("name")) != "TagKeyValue":
                continue
            if not late(plain(one.get("values"))) and not items(plain(one.get("values"))):
                yield CODE.at(
                    f"{budget.name}.costFilters[{n}].values",
                    "a filter by tag without a value matches nothing, so the budget reads 0 USD",
                    "write 'user:<key>$<value>'",
                    resource=budget.name,
                )
            for raw in items(plain(one.get("values"))):
                value = plain(raw)
                if not isinstance(value, str):
                    yield Undecided(CODE.code, budget.name, "the value of a cost filter is not known yet")
                    continue
                key, dollar, rest = value.partition("$")
                good = key.startswith(("user:", "aws:")) and key.rpartition(":")[2] and dollar
                if not good and not value.startswith("${"):
                    yield CODE.at(
                        f"{budget.name}.costFilters[{n}].values",
                        f"'{value}' matches nothing, so the budget reads 0 USD",
                        f"write 'user:{key.removeprefix('user:') or 'Cluster'}${rest or '<value>'}'",
                        resource=budget.name,
                    )


_T = """\
- type: aws.budgets.Budget
  name: money
  inputs: {{costFilters: [{{name: TagKeyValue, values: [{0}]}}]}}
"""

RULE = ResourceRule(
    CODE,
    ("cost",),
    check,
    Examples(
        (_T.format("user:Cluster$acme"),),
        (_T.format("Cluster$acme"), _T.format("user:Cluster"), _T.format("")),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AWS,),
)
