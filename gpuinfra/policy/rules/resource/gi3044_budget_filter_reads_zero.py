"""A budget filter that matches nothing.

What: A cost filter on `TagKeyValue` whose values do not start with `user:` (or `aws:`), or have no `$` between key and value; or that name a tag which nothing in the program carries.
Severity: warning for a tag that nothing carries
Why: AWS takes the filter and counts nothing: the budget reads 0 USD for ever.
Fix: Write user:<key>$<value>, as user:Cluster$acme.
References: hashicorp/terraform-provider-aws#39850; hashicorp/terraform-provider-aws#40987
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import BUDGET, AwsGraph
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, items, late, plain

CODE = described("GI3044", "budget-filter-reads-zero", Severity.ERROR, __doc__, ("AWS COST-02",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each value that AWS cannot read, and one for each filter of which nothing carries any value."""
    for budget in ctx.aws.of_type(BUDGET):
        listed = budget.get("costFilters")
        if late(listed):
            yield Undecided(CODE.code, budget.name, "the cost filters are not known yet")
        for n, one in enumerate(entries(listed)):
            name = plain(one.get("name"))
            if late(name):
                yield Undecided(CODE.code, budget.name, "what a cost filter is for is not known yet")
            if name == "TagKeyValue":
                yield from _judged(ctx.aws, budget, f"costFilters[{n}].values", plain(one.get("values")))


def _judged(aws: AwsGraph, budget: Resource, key: str, listed: Any) -> Iterator[Diagnostic | Undecided]:
    path = f"{budget.name}.{key}"
    values = [plain(v) for v in items(listed)]
    if not late(listed) and not values:
        text = "a filter by tag without a value matches nothing, so the budget reads 0 USD"
        yield CODE.at(path, text, "write 'user:<key>$<value>'", resource=budget.name)
    read: list[tuple[str, str]] = []
    for value in values:
        if not isinstance(value, str):
            yield Undecided(CODE.code, budget.name, "the value of a cost filter is not known yet")
            continue
        name, dollar, rest = value.partition("$")
        tag = name.removeprefix("user:")
        if name.startswith(("user:", "aws:")) and name.rpartition(":")[2] and dollar:
            read += [(tag, rest)] if tag != name and not late(rest) else []
        elif not value.startswith("${"):
            yield CODE.at(
                path,
                f"'{value}' matches nothing, so the budget reads 0 USD",
                f"write 'user:{tag or 'Cluster'}${rest or '<value>'}'",
                resource=budget.name,
            )
    # A filter counts what has any one of its values; one that cannot be looked up here may be the one.
    carried = [_carried(aws, *one) for one in read]
    if not read or len(read) != len(values) or not aws.nodes or True in carried:
        return
    if None in carried:
        yield Undecided(CODE.code, budget.name, "which resources carry the tag is not known yet")
    else:
        said = " or ".join(f"'{tag}' with '{rest}'" for tag, rest in read)
        yield CODE.at(
            path,
            f"no resource of the program has the tag {said}, so the budget reads 0 USD",
            "filter by a tag that the nodes carry, in tagSpecifications too",
            resource=budget.name,
            severity=Severity.WARNING,
        )


def _carried(aws: AwsGraph, key: str, value: str) -> bool | None:
    """Whether a resource, or what one launches, has the tag; None where tags that may be it are not known yet."""
    unknown = False
    for r in aws.graph:
        if r.type == BUDGET or not r.type.startswith(("aws:", "pulumi:providers:aws")):
            continue
        # A provider's block is JSON text in a recording.
        given = r.get("defaultTags")
        if isinstance(given, str) and f'"{key}"' in given and f'"{value}"' in given:
            return True
        unknown = unknown or late(given) or late(r.get("tagSpecifications"))
        specs = [s.get("tags") for s in entries(r.get("tagSpecifications"))]
        for tags in (r.get("tags"), r.get("defaultTags", "tags"), *specs):
            if value in _of(tags, key):
                return True
            unknown = unknown or late(tags) or any(late(v) for v in _of(tags, key))
    return None if unknown else False


def _of(tags: Any, key: str) -> list[Any]:
    """The values of a tag, written as a mapping or as the list that scaling groups have."""
    if isinstance(tags, Mapping):
        found = plain(cast(Mapping[str, Any], tags).get(key))
        return [found] if found is not None else []
    return [plain(t.get("value")) for t in entries(tags) if plain(t.get("key")) == key]


_T = """\
- type: aws.budgets.Budget
  name: money
  inputs: {{costFilters: [{{name: TagKeyValue, values: [{0}]}}]}}
"""
_NODES = "- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{tags: {{Cluster: {0}}}}}}}\n"
_PROVIDER = """\
- {type: "pulumi:providers:aws", name: here, inputs: {defaultTags: '{"tags": {"Cluster": "acme"}}'}}
"""

RULE = ResourceRule(
    CODE,
    ("cost",),
    check,
    Examples(
        (
            _T.format("user:Cluster$acme"),
            _T.format("user:Cluster$acme") + _NODES.format("acme"),
            _T.format("user:Cluster$elsewhere, user:Cluster$acme") + _NODES.format("acme"),
            _T.format("user:Cluster$acme") + _NODES.format("lab") + _PROVIDER,
        ),
        (
            _T.format("Cluster$acme"),
            _T.format("user:Cluster"),
            _T.format(""),
            _T.format("user:Cluster$acme") + _NODES.format("lab"),
        ),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AWS,),
)
