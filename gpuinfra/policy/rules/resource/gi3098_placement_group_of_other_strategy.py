"""A placement group that keeps EFA nodes apart, or that the type cannot stand in.

What: Nodes with EFA stand in a placement group whose strategy is not `cluster`; or a type stands in a cluster group that takes none.
Why: The strategies spread and partition put nodes far from each other on purpose: collectives over EFA lose most of their speed. A type without support for cluster groups is refused.
Fix: Set strategy: cluster for nodes that train together, and leave the group out for types that take none.
References: aws/aws-parallelcluster, InstanceTypePlacementGroupValidator; EC2 User Guide, placement groups
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import PLACEMENT_GROUP, AwsGraph, Nodes
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3098", "placement-group-of-other-strategy", Severity.ERROR, __doc__, ("AWS PLC-04",))
_CLUSTER = "cluster"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template or instance in a group of this program."""
    for nodes in ctx.aws.nodes:
        for group in _groups(ctx.aws, nodes):
            strategy, facts = group.get("strategy"), ctx.aws.facts_of(nodes)
            if late(strategy):
                yield Undecided(CODE.code, nodes.name, "the strategy of the placement group is not known yet")
            elif strategy != _CLUSTER and ctx.aws.efa_unknown(nodes):
                yield Undecided(CODE.code, nodes.name, "whether the nodes have EFA is not known yet")
            elif nodes.efa and strategy != _CLUSTER:
                yield CODE.at(
                    f"{group.name}.strategy",
                    f"'{strategy}', and the EFA nodes '{nodes.name}' stand in it",
                    resource=group.name,
                )
            elif strategy == _CLUSTER and facts is not None and facts.cluster_placement_supported is False:
                yield CODE.at(
                    f"{nodes.name}.placement.groupName",
                    f"{facts.name} takes no cluster placement group ('{group.name}')",
                    resource=nodes.name,
                )


def _groups(aws: AwsGraph, nodes: Nodes) -> list[Resource]:
    named = [nodes.template.get("placement", k) for k in ("groupName", "groupId")]
    found = [g for v in named for g in aws.link(nodes.template, "placement", v, PLACEMENT_GROUP).resources]
    texts = {v for v in named if isinstance(v, str)}
    found += [g for g in aws.of_type(PLACEMENT_GROUP) if g.get("name") in texts]
    for owner in (nodes.template, *nodes.groups):
        found += aws.linked(owner, "placementGroup", PLACEMENT_GROUP).resources
    return list({g.urn: g for g in found}.values())


_T = """\
- {{type: aws.ec2.PlacementGroup, name: near, inputs: {{strategy: {0}}}}}
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {{placement: {{groupName: !ref near.name }}, networkInterfaces: [{{interfaceType: {1}}}]}}
"""

RULE = ResourceRule(
    CODE,
    ("placement", "fabric"),
    check,
    Examples(
        (_T.format("cluster", "efa"), _T.format("spread", "interface")),
        (_T.format("spread", "efa"), _T.format("partition", "efa")),
        (_T.format("!unknown ", "efa"),),
    ),
    providers=(Provider.AWS,),
)
