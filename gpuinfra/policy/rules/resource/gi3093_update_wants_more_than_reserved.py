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
from ...aws_capacity import has_target, reservation, reserved_count, target_is_late
from ...aws_graph import group_size
from ...aws_kubernetes import node_groups
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number

CODE = described("GI3093", "update-wants-more-than-reserved", Severity.WARNING, __doc__, ("AWS EKS-07",))
_SPARE = "MINIMAL"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group. A reservation that is known to be larger than the group has room."""
    for group in node_groups(ctx.aws):
        r, template = group.resource, group.nodes.template if group.nodes is not None else None
        how = r.get("capacityType")
        bound = how == "CAPACITY_BLOCK" or (template is not None and has_target(template))
        if (late(how) and not bound) or (how != "CAPACITY_BLOCK" and template is not None and target_is_late(template)):
            yield Undecided(CODE.code, r.name, "how the group is bought is not known yet")
            continue
        if not bound:
            continue
        strategy, most = r.get("updateConfig", "updateStrategy"), group_size(r)[2]
        count = reserved_count(ctx, template) if template is not None else None
        if late(strategy):
            yield Undecided(CODE.code, r.name, "how the group is updated is not known yet")
        elif strategy != _SPARE and template is not None and _size_is_late(ctx, template, r):
            yield Undecided(CODE.code, r.name, "it is not known yet whether the reservation has room for one more")
        elif strategy != _SPARE and not (count is not None and most is not None and count > most):
            wanted = number(r.get("updateConfig", "maxUnavailable")) or 1
            yield CODE.at(
                f"{r.name}.updateConfig",
                f"an update asks for {wanted:g} node{'s' if wanted != 1 else ''} more than the reservation holds",
                resource=r.name,
            )


def _size_is_late(ctx: GraphContext, template: Resource, group: Resource) -> bool:
    """Whether the reservation or the group has a size that is known only later."""
    held = reservation(ctx, template)
    return held is not None and (late(held.get("instanceCount")) or late(group.get("scalingConfig", "maxSize")))


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
