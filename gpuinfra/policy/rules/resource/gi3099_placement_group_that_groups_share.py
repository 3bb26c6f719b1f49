"""One cluster placement group for groups of nodes that grow apart.

What: Two groups of GPU nodes, each with its own size, stand in one cluster placement group.
Why: A cluster placement group is filled best in one request. Nodes that come later find the racks around it taken: InsufficientInstanceCapacity, though the zone has free machines.
Fix: Give each group its own placement group, or make one group and start all of its nodes together.
References: EC2 User Guide, placement groups, best practices; AWS support, insufficient capacity in a placement group
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import NODE_GROUP, PLACEMENT_GROUP, Nodes, group_size
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3099", "placement-group-that-groups-share", Severity.WARNING, __doc__, ("AWS PLC-08",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each placement group of this program. Groups of one fixed size each start together."""
    users: dict[str, list[tuple[Nodes, Resource]]] = {}
    homes: dict[str, Resource] = {}
    for nodes in ctx.aws.nodes:
        named = [nodes.template.get("placement", k) for k in ("groupName", "groupId")]
        for home in {
            g.urn: g for v in named for g in ctx.aws.link(nodes.template, "placement", v, PLACEMENT_GROUP).resources
        }.values():
            homes[home.urn] = home
            users.setdefault(home.urn, []).extend((nodes, g) for g in nodes.groups)
    for urn, found in users.items():
        strategy = homes[urn].get("strategy")
        if len(found) < 2 or all(_grows(g) is False for _, g in found):
            continue
        if late(strategy):
            yield Undecided(CODE.code, homes[urn].name, "the strategy of the placement group is not known yet")
        elif strategy == "cluster" and not any(_grows(g) for _, g in found):
            yield Undecided(CODE.code, homes[urn].name, "how large the groups in it are is not known yet")
        elif strategy == "cluster":
            names = " and ".join(f"'{g.name}'" for _, g in found[:3])
            yield CODE.at(
                homes[urn].name, f"groups {names} stand in it, and each grows on its own", resource=homes[urn].name
            )


def _grows(group: Resource) -> bool | None:
    """Whether a group has room to grow. None: not known yet."""
    least, _, most = group_size(group)
    said = [group.get("scalingConfig", k) if group.type == NODE_GROUP else group.get(k) for k in ("minSize", "maxSize")]
    return None if any(map(late, said)) else least != most


_T = """\
- {{type: aws.ec2.PlacementGroup, name: near, inputs: {{strategy: {0}}}}}
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{placement: {{groupName: !ref near.name }}}}}}
- {{type: aws.autoscaling.Group, name: a, inputs: {{minSize: 0, maxSize: {1}, launchTemplate: {{id: !ref nodes.id }}}}}}
- {{type: aws.autoscaling.Group, name: b, inputs: {{minSize: 0, maxSize: {1}, launchTemplate: {{id: !ref nodes.id }}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("placement", "capacity"),
    check,
    Examples(
        (_T.format("cluster", 0), _T.format("spread", 8)),
        (_T.format("cluster", 8),),
        (_T.format("!unknown ", 8), _T.format("cluster", "!unknown ")),
    ),
    providers=(Provider.AWS,),
)
