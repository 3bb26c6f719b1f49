"""GPU nodes that nothing ever stops.

What: A program keeps GPU nodes (a least or wanted number above zero), and has no schedule, no scaling policy and no idle alarm for them.
Why: Nodes bill until somebody remembers them. A budget is an alarm that comes 8 to 24 hours late, never a cap.
Fix: Add a lease (an EventBridge schedule that sets the group to zero), or an idle policy with a least number of 0.
References: AWS Cost Management User Guide, budgets update up to three times a day
"""

from __future__ import annotations

from collections.abc import Iterator

from ....cost import LAG_HOURS
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_capacity import BLOCK_MARKET, market
from ...aws_graph import GROUP_POLICY, GROUP_SCHEDULE, SCALING_GROUP, SCHEDULE, group_size
from ...aws_kubernetes import node_groups
from ...aws_schedules import stops
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3047", "nodes-without-end", Severity.WARNING, __doc__, ("AWS COST-05",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group of GPU nodes; what our own component made is judged by the plan rules."""
    for nodes in ctx.aws.nodes:
        facts = ctx.aws.facts_of(nodes)
        # The nodes of a capacity block end with it; that something winds them down before, another rule asks.
        if facts is not None and facts.has_gpu and market(nodes.template) != BLOCK_MARKET:
            for group in nodes.groups:
                yield from _judged(ctx, group, facts.name)
    for bare in node_groups(ctx.aws):
        if bare.nodes is None and bare.has_gpu:
            yield from _judged(ctx, bare.resource, bare.types[0] if bare.types else str(bare.resource.get("amiType")))


def _judged(ctx: GraphContext, group: Resource, kind: str) -> Iterator[Diagnostic | Undecided]:
    if ctx.aws.ours(group) or _ends(ctx, group):
        return
    least, wanted, _ = group_size(group)
    kept = max(least or 0, wanted or 0)
    if not kept and _size_unknown(group):
        yield Undecided(CODE.code, group.name, "how many nodes run is not known yet")
    elif kept:
        yield CODE.at(
            f"{group.name}.{'scalingConfig' if 'scalingConfig' in group.inputs else 'minSize'}",
            f"{kept:g} nodes of {kind} run for ever: no schedule, lease or idle policy; a budget alone is no cap, its data "
            f"lag 8–{LAG_HOURS} h",
            resource=group.name,
        )


def _size_unknown(group: Resource) -> bool:
    keys = ("scalingConfig", "minSize", "desiredCapacity")
    inside = [group.get("scalingConfig", k) for k in ("minSize", "desiredSize")]
    return any(late(v) for v in (*(group.get(k) for k in keys), *inside))


def _ends(ctx: GraphContext, group: Resource) -> bool:
    schedules = ctx.aws.of_type(GROUP_SCHEDULE, SCHEDULE)
    if any(stops(ctx.aws, s, group) for s in schedules):
        return True
    policies = ctx.aws.of_type(GROUP_POLICY)
    return any(
        any(g.urn == group.urn for g in ctx.aws.linked(p, "autoscalingGroupName", SCALING_GROUP).resources)
        for p in policies
    )


_T = """\
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: p5.48xlarge}}}}
- type: aws.autoscaling.Group
  name: group
  inputs: {{minSize: {0}, maxSize: 4, launchTemplate: {{id: !ref nodes.id }}}}
"""

_BARE = """\
- {type: aws.eks.NodeGroup, name: pool, inputs: {instanceTypes: [g5.xlarge], scalingConfig: {minSize: 1, maxSize: 2}}}
"""

RULE = ResourceRule(
    CODE,
    ("cost", "time"),
    check,
    Examples((_T.format(0),), (_T.format(1), _BARE), (_T.format("!unknown "),)),
    providers=(Provider.AWS,),
)
