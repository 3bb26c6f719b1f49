"""A subnet without an address for every node.

What: A subnet has fewer addresses than the interfaces of the nodes that may stand in it, after the five that AWS keeps.
Why: The last nodes are refused with InsufficientFreeAddressesInSubnet, while the first wait for them at the full price. A subnet cannot grow.
Fix: Take a larger range.
References: Amazon VPC User Guide, subnet CIDR blocks; EC2 API, InsufficientFreeAddressesInSubnet
"""

from __future__ import annotations

from collections.abc import Iterator

from ....catalog import limit
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import SUBNET, AwsGraph, Nodes, group_size
from ...azure_network import range_of
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3296", "subnet-too-small", Severity.WARNING, __doc__, ("AWS NET-13",))
_KEPT = 5
"""Addresses of each subnet that AWS keeps, where the table has no row."""


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each subnet. Nodes that may stand in several subnets count in none: who takes how many is open."""
    row = limit(Provider.AWS, "subnet_reserved_addresses")
    kept = row.maximum if row else _KEPT
    for subnet in ctx.aws.of_type(SUBNET):
        needed = _needed(ctx.aws, subnet)
        found = range_of(subnet.get("cidrBlock"))
        if needed is None or (needed and late(subnet.get("cidrBlock"))):
            yield Undecided(CODE.code, subnet.name, "the number of nodes or the range is not known yet")
        elif found is not None and needed > (have := max(0, found.num_addresses - kept)):
            yield CODE.at(
                f"{subnet.name}.cidrBlock",
                f"{found} has {have} addresses to give, and the nodes take {needed:g}",
                "take a larger range",
                resource=subnet.name,
            )


def _needed(aws: AwsGraph, subnet: Resource) -> float | None:
    total = 0.0
    for nodes, _ in aws.gpu_nodes:
        links = aws.subnets(nodes)
        if links.count != 1 or not any(s.urn == subnet.urn for s in links.resources):
            continue
        sizes = [group_size(g)[2] for g in nodes.groups] if nodes.groups else [1.0]
        if any(s is None for s in sizes):
            return None
        total += sum(s or 0 for s in sizes) * _addresses(nodes)
    return total


def _addresses(nodes: Nodes) -> int:
    """Addresses of one node: one for each interface that has any."""
    return max(1, sum(i.get("interfaceType") != "efa-only" for i in nodes.interfaces or ()))


_T = """\
- {{type: aws.ec2.Subnet, name: sub, inputs: {{cidrBlock: {0}}}}}
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: g5.xlarge}}}}
- type: aws.autoscaling.Group
  name: group
  inputs: {{maxSize: {1}, vpcZoneIdentifiers: [!ref sub.id ], launchTemplate: {{id: !ref nodes.id }}}}
"""

RULE = ResourceRule(
    CODE,
    ("network",),
    check,
    Examples(
        (_T.format("10.0.0.0/28", 11), _T.format("10.0.0.0/28", 12).replace("g5.xlarge", "t3.small")),
        (_T.format("10.0.0.0/28", 12),),
        (_T.format("10.0.0.0/28", "!unknown "),),
    ),
    providers=(Provider.AWS,),
)
