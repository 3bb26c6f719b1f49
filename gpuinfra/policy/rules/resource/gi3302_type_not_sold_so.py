"""A type that AWS does not sell in this way.

What: A template asks for spot, or for on-demand nodes, of a type that is not sold so; such as GB200, which is sold in capacity blocks alone.
Why: Every launch is refused, at `up` or hours later when the group grows.
Fix: Buy it in a way that the type is sold in.
References: aws/aws-parallelcluster, CapacityTypeValidator; EC2 API, DescribeInstanceTypes, SupportedUsageClasses
"""

from __future__ import annotations

from collections.abc import Iterator

from .... import catalog
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import CapacityType, Provider
from ...aws_capacity import BLOCK_MARKET, has_target, market
from ...aws_graph import Nodes
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3302", "type-not-sold-so", Severity.ERROR, __doc__, ("AWS CAP-13",))
_WORDS = {CapacityType.ON_DEMAND: "on demand", CapacityType.SPOT: "as spot"}


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template or instance. What aims at a reservation or a block is bought already."""
    for nodes in ctx.aws.nodes:
        if ctx.aws.facts_of(nodes) is None or ctx.aws.ours(nodes.template):
            continue
        bought = _bought(nodes)
        if bought is None:
            yield Undecided(CODE.code, nodes.name, "how the nodes are bought is not known yet")
            continue
        row = catalog.purchase_option(Provider.AWS, nodes.instance_type, bought) if bought in _WORDS else None
        if row is not None and not row.supported:
            yield CODE.at(
                f"{nodes.name}.instanceMarketOptions.marketType",
                f"{nodes.instance_type} is bought {_WORDS[bought]}: {row.reason}",
                f"in the words of a spec: {row.instead}" if row.instead else "",
                resource=nodes.name,
            )


def _bought(nodes: Nodes) -> CapacityType | None:
    """How the nodes are bought; None where that is not known yet."""
    template, said = nodes.template, market(nodes.template)
    kinds = [g.get("capacityType") for g in nodes.groups]
    mixed = any(g.get("mixedInstancesPolicy") is not None for g in nodes.groups)
    if late(said) or any(late(k) for k in kinds):
        return None
    if said == BLOCK_MARKET or "CAPACITY_BLOCK" in kinds:
        return CapacityType.CAPACITY_BLOCK
    if has_target(template) or mixed:
        return CapacityType.RESERVATION
    return CapacityType.SPOT if said == "spot" or "SPOT" in kinds else CapacityType.ON_DEMAND


_T = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {{instanceType: {0}, instanceMarketOptions: {{marketType: {1}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (_T.format("p6e-gb200.36xlarge", "capacity-block"), _T.format("p5.48xlarge", "spot")),
        (_T.format("p6e-gb200.36xlarge", "spot"), _T.format("p6e-gb200.36xlarge", "null")),
        (_T.format("p6e-gb200.36xlarge", "!unknown "),),
    ),
    providers=(Provider.AWS,),
)
