"""A cluster placement group over several zones.

What: A group of nodes names a placement group of strategy `cluster` and may launch into more than one zone.
Why: Such a group stands in one zone by definition: the nodes in the second zone never launch.
Fix: Give the group one subnet, or drop the placement group.
References: aws/aws-parallelcluster, MultiAzPlacementGroupValidator; EC2 User Guide, Placement strategies
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import PLACEMENT_GROUP, SUBNET, AwsGraph, Nodes
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import given, items, late

CODE = described("GI3019", "placement-group-over-zones", Severity.ERROR, __doc__, ("AWS PLC-05",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group of nodes."""
    for nodes in ctx.aws.nodes:
        for group in nodes.groups:
            strategy = _strategy(ctx.aws, nodes, group)
            if strategy not in ("cluster", ""):
                continue
            zones, unknown = _zones(ctx.aws, group)
            if len(zones) < 2:
                if unknown and strategy == "cluster":
                    yield Undecided(CODE.code, group.name, "the zones of its subnets are not known yet")
                continue
            if strategy == "":
                yield Undecided(CODE.code, group.name, "the placement group is not known yet")
                continue
            yield CODE.at(
                f"{group.name}.{'availabilityZones' if group.get('availabilityZones') else _subnets_key(group)}",
                f"a cluster placement group stands in one zone, and the nodes may launch in {', '.join(sorted(zones))}",
                resource=group.name,
            )


def _strategy(aws: AwsGraph, nodes: Nodes, group: Resource) -> str | None:
    """The strategy of the placement group in use; None: no group, or one whose strategy is not seen; empty: unknown."""
    for owner, key, value in (
        (nodes.template, "placement", nodes.template.get("placement", "groupName")),
        (nodes.template, "placement", nodes.template.get("placement", "groupId")),
        (group, "placementGroup", group.get("placementGroup")),
    ):
        if value is None:
            continue
        links = aws.link(owner, key, value, PLACEMENT_GROUP)
        if links.resources:
            said = links.resources[0].get("strategy")
            return str(said) if isinstance(said, str) else ""
        return "" if links.unknown else None
    return None


def _subnets_key(group: Resource) -> str:
    return "subnetIds" if group.inputs.get("subnetIds") is not None else "vpcZoneIdentifiers"


def _zones(aws: AwsGraph, group: Resource) -> tuple[set[str], bool]:
    named = {z for z in items(group.get("availabilityZones")) if isinstance(z, str)}
    links = aws.linked(group, _subnets_key(group), SUBNET)
    found = [given(s.get("availabilityZoneId"), s.get("availabilityZone")) for s in links.resources]
    zones = named | {z for z in found if isinstance(z, str) and not late(z)}
    return zones, not links.decided or any(late(z) for z in found)


_T = """\
- {{type: aws.ec2.PlacementGroup, name: close, inputs: {{strategy: {0}}}}}
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{placement: {{groupName: !ref close.name }}}}}}
- {{type: aws.autoscaling.Group, name: group, inputs: {{availabilityZones: {1}, launchTemplate: {{id: !ref nodes.id }}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("placement",),
    check,
    Examples(
        (_T.format("cluster", "[us-east-1a]"), _T.format("spread", "[us-east-1a, us-east-1b]")),
        (_T.format("cluster", "[us-east-1a, us-east-1b, us-east-1c]"),),
        (_T.format("!unknown ", "[us-east-1a, us-east-1b]"),),
    ),
    providers=(Provider.AWS,),
)
