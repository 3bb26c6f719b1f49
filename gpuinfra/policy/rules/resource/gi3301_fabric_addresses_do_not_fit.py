"""EFA interfaces that eat up the addresses of their subnet.

What: The nodes of a group, each with as many addresses as it has interfaces that carry one, are more than their subnet holds.
Why: In the older layout every network card takes an address: 32 for a P5. A /24 is then full at seven nodes, and the eighth fails with InsufficientFreeAddressesInSubnet.
Fix: Use interface type efa-only on all cards but the first, or take a larger subnet.
References: EC2 User Guide, EFA for accelerated instance types; aws/karpenter-provider-aws, launch template provider
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import SUBNET, AwsGraph, Nodes, group_size
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3301", "fabric-addresses-do-not-fit", Severity.WARNING, __doc__, ("AWS NET-13",))
_RESERVED = 5
"""Addresses of a subnet that AWS keeps."""


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group whose only subnet this program makes."""
    for nodes in ctx.aws.nodes:
        each = _addresses(nodes)
        for group in nodes.groups if each > 1 else ():
            most = group_size(group)[2]
            for subnet in _only(ctx.aws, group):
                block = subnet.get("cidrBlock")
                if late(block) or (most is None and late(group.get("maxSize"))):
                    yield Undecided(CODE.code, group.name, "the subnet's range or the group's size is not known yet")
                    continue
                free = _free(block)
                if free is not None and most is not None and most * each > free:
                    yield CODE.at(
                        f"{group.name}.maxSize",
                        f"{most:g} nodes of '{nodes.name}' take {each} addresses each, and subnet '{subnet.name}' has {free}",
                        resource=group.name,
                    )


def _addresses(nodes: Nodes) -> int:
    """How many addresses a node takes; 0 where it has no EFA, or that is not known."""
    listed = nodes.interfaces or ()
    return sum(i.get("interfaceType") != "efa-only" for i in listed) if nodes.efa else 0


def _only(aws: AwsGraph, group: Resource) -> tuple[Resource, ...]:
    key = "subnetIds" if group.inputs.get("subnetIds") is not None else "vpcZoneIdentifiers"
    links = aws.linked(group, key, SUBNET)
    return links.resources if len(links.resources) == 1 and links.decided else ()


def _free(block: object) -> int | None:
    try:
        return ip_network(str(block), strict=False).num_addresses - _RESERVED
    except ValueError:
        return None


_T = """\
- {{type: aws.ec2.Subnet, name: inside, inputs: {{cidrBlock: {0}}}}}
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {{networkInterfaces: [{{interfaceType: efa}}, {{interfaceType: efa}}, {{interfaceType: {1}}}, {{interfaceType: {1}}}]}}
- type: aws.autoscaling.Group
  name: group
  inputs: {{maxSize: 64, vpcZoneIdentifiers: [!ref inside.id ], launchTemplate: {{id: !ref nodes.id }}}}
"""

RULE = ResourceRule(
    CODE,
    ("network", "fabric"),
    check,
    Examples(
        (_T.format("10.0.0.0/20", "efa"), _T.format("10.0.0.0/24", "efa-only")),
        (_T.format("10.0.0.0/24", "efa"),),
        (_T.format("!unknown ", "efa"),),
    ),
    providers=(Provider.AWS,),
)
