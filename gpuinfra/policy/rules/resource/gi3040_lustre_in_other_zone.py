"""A Lustre file system in another zone than its nodes.

What: Nodes of the program may stand in a zone, or a network, where the file system does not.
Why: Every byte crosses the zones, slower and at a price, and EFA cannot reach the file system at all.
Fix: Put the file system and the nodes into one subnet, or one zone.
References: aws/aws-parallelcluster, ExistingFsxNetworkingValidator and ManagedFsxMultiAzValidator
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import LUSTRE, SUBNET, AwsGraph
from ...aws_kubernetes import node_groups
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import given, late

CODE = described("GI3040", "lustre-in-other-zone", Severity.WARNING, __doc__, ("AWS FSX-08",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each file system. A zone id and a zone letter cannot be compared and are left alone."""
    for fs in ctx.aws.of_type(LUSTRE):
        home = ctx.aws.linked(fs, "subnetIds", SUBNET)
        if len(home.resources) != 1 or ctx.aws.ours(fs):
            continue
        zone = _zone(home.resources[0])
        if late(zone):
            yield Undecided(CODE.code, fs.name, "the zone of its subnet is not known yet")
            continue
        away: dict[str, str] = {}
        for user, subnet in _homes(ctx.aws):
            other = _zone(subnet)
            if isinstance(zone, str) and isinstance(other, str) and other != zone and _is_id(other) == _is_id(zone):
                away.setdefault(other, user)
        if not away and any(late(_zone(subnet)) for _, subnet in _homes(ctx.aws)):
            yield Undecided(CODE.code, fs.name, "the zone of the nodes' subnet is not known yet")
        if away:
            yield CODE.at(
                f"{fs.name}.subnetIds",
                f"the file system stands in {zone}, and nodes '{next(iter(away.values()))}' may stand in "
                f"{', '.join(sorted(away))}",
                resource=fs.name,
            )


def _homes(aws: AwsGraph) -> Iterator[tuple[str, Resource]]:
    """The nodes that may have GPUs, by name, with each subnet that they may stand in."""
    for nodes in aws.nodes:
        if not aws.without_gpus(nodes):
            yield from ((nodes.name, s) for s in aws.subnets(nodes).resources)
    for group in node_groups(aws):
        if group.nodes is None and group.has_gpu:
            yield from ((group.resource.name, s) for s in aws.linked(group.resource, "subnetIds", SUBNET).resources)


def _zone(subnet: Resource) -> object:
    return given(subnet.get("availabilityZoneId"), subnet.get("availabilityZone"))


def _is_id(zone: str) -> bool:
    return "-az" in zone


_T = """\
- {{type: aws.ec2.Subnet, name: a, inputs: {{availabilityZone: us-west-2a}}}}
- {{type: aws.ec2.Subnet, name: b, inputs: {{availabilityZone: {0}}}}}
- {{type: aws.fsx.LustreFileSystem, name: scratch, inputs: {{deploymentType: SCRATCH_2, subnetIds: !ref a.id }}}}
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{}}}}
- type: aws.autoscaling.Group
  name: group
  inputs: {{vpcZoneIdentifiers: [!ref b.id ], launchTemplate: {{id: !ref nodes.id }}}}
"""
_UNKNOWN = """\
- {type: aws.ec2.Subnet, name: a, inputs: {availabilityZone: "${zones.names}"}}
- {type: aws.fsx.LustreFileSystem, name: scratch, inputs: {deploymentType: SCRATCH_2, subnetIds: !ref a.id }}
"""

RULE = ResourceRule(
    CODE,
    ("storage", "network", "cost"),
    check,
    Examples((_T.format("us-west-2a"),), (_T.format("us-west-2b"),), (_UNKNOWN,)),
    providers=(Provider.AWS,),
)
