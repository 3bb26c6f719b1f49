"""EFA nodes without a placement group.

What: A group of several EFA nodes, bought on demand or as spot, names no placement group.
Why: The nodes stand anywhere in the zone: each hop adds latency, and all-reduce waits for the slowest.
Fix: Add a placement group of strategy `cluster`, and name it in the template's placement.
References: aws/aws-parallelcluster, EfaPlacementGroupValidator
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_capacity import BLOCK_MARKET, has_target, market
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3067", "fabric-nodes-far-apart", Severity.WARNING, __doc__, ("AWS PLC-01",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template; what our own component made is judged by the plan rules."""
    for nodes in ctx.aws.nodes:
        template = nodes.template
        unknown = any(late(g.get("maxSize")) or late(g.get("scalingConfig")) for g in nodes.groups)
        few = nodes.most_nodes < 2 and not unknown
        efa_unknown = ctx.aws.efa_unknown(nodes)
        if not (nodes.efa or efa_unknown) or few or has_target(template) or ctx.aws.ours(template):
            continue
        named = [template.get("placement", k) for k in ("groupName", "groupId")]
        named += [g.get("placementGroup") for g in nodes.groups]
        placed = any(n is not None for n in named)
        said = market(template)
        if placed or said == BLOCK_MARKET:
            continue
        if efa_unknown:
            yield Undecided(CODE.code, nodes.name, "whether the nodes have EFA is not known yet")
        elif late(said) or nodes.most_nodes < 2:
            yield Undecided(CODE.code, nodes.name, "the market type or the number of nodes is not known yet")
        else:
            yield CODE.at(
                f"{nodes.name}.placement",
                f"up to {nodes.most_nodes:g} EFA nodes without a placement group",
                resource=nodes.name,
            )


_T = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {{networkInterfaces: [{{interfaceType: efa}}]{1}}}
- {{type: aws.autoscaling.Group, name: group, inputs: {{minSize: 0, maxSize: {0}, launchTemplate: {{id: !ref nodes.id }}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("placement", "fabric"),
    check,
    Examples(
        (_T.format(1, ""), _T.format(4, ", placement: {groupName: close}")),
        (_T.format(4, ""),),
        (_T.format(4, ", instanceMarketOptions: {marketType: !unknown }"),),
    ),
    providers=(Provider.AWS,),
)
