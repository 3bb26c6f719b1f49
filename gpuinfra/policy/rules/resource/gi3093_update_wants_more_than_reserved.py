"""An update of nodes that wants more than is reserved.

What: An EKS node group buys from a reservation or a capacity block, and is updated by adding nodes first.
Why: EKS adds new nodes before it takes old ones away. In a full reservation none can be added, and the update fails after every time-out.
Fix: Set updateConfig: {updateStrategy: MINIMAL, maxUnavailable: 1}, and scale a block's group to 0 before an upgrade.
References: EKS User Guide, managed node group update behaviour; EKS User Guide, Capacity Blocks with managed node groups
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_capacity import has_target, reserved_count
from ...aws_graph import group_size
from ...aws_kubernetes import node_groups
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number

CODE = described("GI3093", "update-wants-more-than-reserved", Severity.WARNING, __doc__, ("AWS EKS-07",))
_SPARE = "MINIMAL"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group. A reservation that is known to be larger than the group has room."""
    for group in node_groups(ctx.aws):
        r, template = group.resource, group.nodes.template if group.nodes is not None else None
        bound = r.get("capacityType") == "CAPACITY_BLOCK" or (template is not None and has_target(template))
        if not bound:
            continue
        strategy, most = r.get("updateConfig", "updateStrategy"), group_size(r)[2]
        count = reserved_count(ctx, template) if template is not None else None
        if late(strategy):
            yield Undecided(CODE.code, r.name, "how the group is updated is not known yet")
        elif strategy != _SPARE and not (count is not None and most is not None and count > most):
            wanted = number(r.get("updateConfig", "maxUnavailable")) or 1
            yield CODE.at(
                f"{r.name}.updateConfig",
                f"an update asks for {wanted:g} node{'s' if wanted != 1 else ''} more than the reservation holds",
                resource=r.name,
            )


_T = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {{capacityReservationSpecification: {{capacityReservationTarget: {{capacityReservationId: cr-1}}}}}}
- type: aws.eks.NodeGroup
  name: pool
  inputs: {{launchTemplate: {{id: !ref nodes.id }}, updateConfig: {0}}}
"""

RULE = ResourceRule(
    CODE,
    ("kubernetes", "capacity"),
    check,
    Examples(
        (_T.format("{updateStrategy: MINIMAL, maxUnavailable: 1}"),),
        (_T.format("null"), _T.format("{maxUnavailable: 1}")),
        (_T.format("{updateStrategy: !unknown }"),),
    ),
    providers=(Provider.AWS,),
)
