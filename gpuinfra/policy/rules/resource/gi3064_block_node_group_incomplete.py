"""An EKS node group and a template that disagree about a capacity block.

What: A node group of capacityType CAPACITY_BLOCK without a template that buys from a block, or such a template on another kind of group.
Why: EKS refuses the group, or buys on demand.
Fix: Set capacityType: CAPACITY_BLOCK, and in the template marketType `capacity-block` with the block's id as target.
References: hashicorp/terraform-provider-aws#40876; EKS User Guide, Capacity Blocks with managed node groups
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_capacity import BLOCK_MARKET, has_target, market, market_refused
from ...aws_graph import NODE_GROUP
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3064", "block-node-group-incomplete", Severity.ERROR, __doc__, ("AWS EKS-03",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each node group. A market that does not fit the reservation, and one without any, are the template's
    own faults, which other rules say."""
    templates = {g.urn: n.template for n in ctx.aws.nodes for g in n.groups}
    for group in ctx.aws.of_type(NODE_GROUP):
        template, kind = templates.get(group.urn), group.get("capacityType")
        if late(kind) or (template is None and late(group.get("launchTemplate", "id"))):
            yield Undecided(CODE.code, group.name, "the purchase is not known yet")
            continue
        if template is None:
            if kind == "CAPACITY_BLOCK" and group.get("launchTemplate") is None:
                yield CODE.at(
                    f"{group.name}.launchTemplate",
                    "capacityType is CAPACITY_BLOCK, and there is no launch template to name the block",
                    resource=group.name,
                )
            continue
        said = market(template)
        buys = said == BLOCK_MARKET and has_target(template)
        if late(said):
            yield Undecided(CODE.code, group.name, "the purchase is not known yet")
        elif market_refused(ctx, template) or (said == BLOCK_MARKET and not has_target(template)):
            continue
        elif kind == "CAPACITY_BLOCK" and not buys:
            yield CODE.at(
                f"{group.name}.capacityType",
                f"capacityType is CAPACITY_BLOCK, and template '{template.name}' does not buy from a block",
                resource=group.name,
            )
        elif said == BLOCK_MARKET and kind != "CAPACITY_BLOCK":
            yield CODE.at(
                f"{group.name}.capacityType",
                f"template '{template.name}' buys from a capacity block, and capacityType is {kind or 'ON_DEMAND, the default'}",
                resource=group.name,
            )


_T = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs:
    instanceType: p5.48xlarge
    instanceMarketOptions: {{marketType: capacity-block}}
    capacityReservationSpecification: {{capacityReservationTarget: {{capacityReservationId: cr-1}}}}
- type: aws.eks.NodeGroup
  name: pool
  inputs: {{capacityType: {0}, launchTemplate: {{id: !ref nodes.id }}}}
"""
_BARE = (
    "- {type: aws.eks.NodeGroup, name: pool, inputs: {capacityType: CAPACITY_BLOCK, instanceTypes: [p5.48xlarge]}}\n"
)

RULE = ResourceRule(
    CODE,
    ("kubernetes", "capacity"),
    check,
    Examples((_T.format("CAPACITY_BLOCK"),), (_T.format("ON_DEMAND"), _BARE), (_T.format("!unknown "),)),
    providers=(Provider.AWS,),
)
