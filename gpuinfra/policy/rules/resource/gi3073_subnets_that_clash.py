"""A group of GPU nodes over subnets that do not go together.

What: One group names a subnet twice, or subnets of different VPCs; or two subnets of one zone.
Why: A group lives in one VPC and takes each subnet once: the request is refused. Two subnets of one zone part nodes that could stand together, and bring no second zone.
Fix: Name each subnet once, all of one VPC, one for each zone.
References: aws/aws-parallelcluster, SubnetsValidator and QueueSubnetsValidator
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import NODE_GROUP, SCALING_GROUP, SUBNET, AwsGraph
from ...aws_kubernetes import node_groups
from ...aws_places import by_id, zone_of, zone_unknown
from ...aws_routes import VPC
from ...resource_graph import OutputRef, Resource, Unknown
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, late, plain

CODE = described("GI3073", "subnets-that-clash", Severity.ERROR, __doc__, ("AWS NET-19",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group. That EFA nodes take one subnet only is another rule's."""
    aws = ctx.aws
    for group, fabric in _groups(aws):
        key = "subnetIds" if group.type == NODE_GROUP else "vpcZoneIdentifiers"
        value = group.get(key)
        if late(value) and not aws.linked(group, key, SUBNET).resources:
            yield Undecided(CODE.code, group.name, "the subnets are not known yet")
            continue
        named = [plain(v) for v in items(value)]
        twice = [v for v, n in Counter(v for v in named if isinstance(v, (str, OutputRef))).items() if n > 1]
        subnets = aws.linked(group, key, SUBNET).resources
        homes = {v.urn: v.name for s in subnets for v in aws.linked(s, "vpcId", VPC).resources}
        zones = Counter(z for s in subnets if (z := zone_of(s)))
        crowded = [z for z, n in zones.items() if n > 1]
        path = f"{group.name}.{key}"
        if twice:
            yield CODE.at(path, f"a subnet is named twice ({_shown(twice[0])})", resource=group.name)
        elif len(homes) > 1:
            yield CODE.at(
                path, f"the subnets are of {len(homes)} VPCs: {', '.join(homes.values())}", resource=group.name
            )
        elif sum(isinstance(v, Unknown) for v in named) > len(subnets):
            # More places than subnets that they come from: in preview the same one, or one of a look-up.
            yield Undecided(CODE.code, group.name, "whether a subnet is named twice is not known yet")
        elif crowded and not fabric and len({by_id(z) for z in zones}) == 1:
            yield CODE.at(
                path,
                f"{zones[crowded[0]]} of the subnets stand in zone {crowded[0]}",
                resource=group.name,
            )
        elif not fabric and len(subnets) > 1 and any(zone_unknown(s) for s in subnets):
            yield Undecided(CODE.code, group.name, "the zones of the subnets are not known yet")


def _groups(aws: AwsGraph) -> Iterator[tuple[Resource, bool]]:
    """(group, whether its nodes have EFA, or may) for each group of GPU nodes."""
    for nodes in aws.nodes:
        facts = aws.facts_of(nodes)
        if facts is not None and facts.has_gpu:
            fabric = bool(nodes.efa) or aws.efa_unknown(nodes)
            yield from ((g, fabric) for g in nodes.groups if g.type == SCALING_GROUP)
    for group in node_groups(aws):
        if group.has_gpu:
            yield group.resource, bool(group.nodes and (group.nodes.efa or aws.efa_unknown(group.nodes)))


def _shown(value: object) -> str:
    return f"'{value.resource}'" if isinstance(value, OutputRef) else f"'{value}'"


_T = """\
- {{type: aws.ec2.Vpc, name: net, inputs: {{}}}}
- {{type: aws.ec2.Vpc, name: other, inputs: {{}}}}
- {{type: aws.ec2.Subnet, name: a, inputs: {{vpcId: !ref net.id , availabilityZone: us-east-1a}}}}
- {{type: aws.ec2.Subnet, name: b, inputs: {{vpcId: !ref {1}.id , availabilityZone: {2}}}}}
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: g5.xlarge}}}}
- type: aws.autoscaling.Group
  name: group
  inputs: {{vpcZoneIdentifiers: {0}, launchTemplate: {{id: !ref nodes.id }}}}
"""
_BOTH, _TWICE = "[!ref a.id , !ref b.id ]", "[!ref a.id , !ref a.id ]"

RULE = ResourceRule(
    CODE,
    ("network",),
    check,
    Examples(
        (_T.format(_BOTH, "net", "us-east-1b"),),
        (
            _T.format(_TWICE, "net", "us-east-1b"),
            _T.format(_BOTH, "other", "us-east-1b"),
            _T.format(_BOTH, "net", "us-east-1a"),
        ),
        (_T.format("!unknown ", "net", "us-east-1b"),),
    ),
    providers=(Provider.AWS,),
)
