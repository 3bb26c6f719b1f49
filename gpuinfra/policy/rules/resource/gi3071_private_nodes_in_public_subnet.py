"""GPU nodes without a public address behind an internet gateway.

What: GPU nodes stand in a subnet whose default route is an internet gateway, and they get no public address.
Why: An internet gateway serves public addresses alone. The nodes reach neither a registry nor the control plane: they boot, never join, and bill.
Fix: Put the nodes into a private subnet with a route to a NAT gateway.
References: terraform-aws-modules/terraform-aws-eks#3533; VPC User Guide, internet gateways
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import INSTANCES, SUBNET, AwsGraph, Nodes
from ...aws_kubernetes import node_groups
from ...aws_routes import Way, endpoints, speaks_ipv6, way_out
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, plain, truth

CODE = described("GI3071", "private-nodes-in-public-subnet", Severity.ERROR, __doc__, ("AWS CMP-26",))
_KEY = "associatePublicIpAddress"
_OF_SIX = ("assignIpv6AddressOnCreation", "ipv6Native")
_SIX = ("ipv6AddressCount", "ipv6Addresses", "ipv6PrefixCount", "primaryIpv6")
_INTERFACES = ("networkInterfaces", "primaryNetworkInterface")
_ADDRESSES = ("aws:ec2/eip:Eip", "aws:ec2/eipAssociation:EipAssociation")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template, instance or group. What asks for an address in vain is another rule's."""
    aws = ctx.aws
    for nodes, _ in aws.gpu_nodes:
        if _has_own_address(aws, nodes):
            continue
        key, asked = _asked(nodes)
        several = len(nodes.interfaces or ()) > 1
        for subnet in aws.subnets(nodes).resources:
            given = asked if asked is not None else subnet.get("mapPublicIpOnLaunch")
            if several and truth(given):
                continue
            if _has_ipv6(nodes) and speaks_ipv6(aws, subnet):
                continue
            verdict = _judged(aws, nodes.name, f"{nodes.name}.{key}", subnet, given)
            if verdict is not None:
                yield verdict
                break
    for group in node_groups(aws):
        if group.nodes is None and group.has_gpu:
            for subnet in aws.linked(group.resource, "subnetIds", SUBNET).resources:
                name = group.resource.name
                verdict = _judged(aws, name, f"{name}.subnetIds", subnet, subnet.get("mapPublicIpOnLaunch"))
                if verdict is not None:
                    yield verdict
                    break


def _asked(nodes: Nodes) -> tuple[str, Any]:
    """Where the first interface says whether it wants a public address, and what; None leaves it to the subnet."""
    if nodes.template.type in INSTANCES:
        return _KEY, nodes.template.get(_KEY)
    first = plain(nodes.interfaces[0].get(_KEY)) if nodes.interfaces else None
    return (f"networkInterfaces[0].{_KEY}" if nodes.interfaces else "networkInterfaces"), first


def _has_own_address(aws: AwsGraph, nodes: Nodes) -> bool:
    """Whether an elastic address is bound to an instance, or to an interface that it boots with."""
    box = nodes.template
    if box.type not in INSTANCES:
        return False
    ends = {box.urn, *(u for key in _INTERFACES for u in box.property_dependencies.get(key, ()))}
    return any(ends.intersection(urns) for a in aws.of_type(*_ADDRESSES) for urns in a.property_dependencies.values())


def _has_ipv6(nodes: Nodes) -> bool:
    """Whether nodes ask for an IPv6 address themselves."""
    asked = [nodes.template.get(k) for k in _SIX] + [
        plain(i.get(k)) for i in (nodes.interfaces or ())[:1] for k in _SIX
    ]
    return any(v not in (None, 0, "0", "false", False, [], ()) for v in asked)


def _judged(aws: AwsGraph, name: str, path: str, subnet: Resource, given: Any) -> Diagnostic | Undecided | None:
    if way_out(aws, subnet) is not Way.INTERNET or truth(given):
        return None
    if speaks_ipv6(aws, subnet):
        of_six = [subnet.get(k) for k in _OF_SIX]
        if any(truth(v) for v in of_six):
            return None
        if any(late(v) for v in of_six):
            return Undecided(CODE.code, name, "whether the nodes get IPv6 addresses is not known yet")
    if late(given):
        return Undecided(CODE.code, name, "whether the nodes get public addresses is not known yet")
    if any(e.get("vpcEndpointType") == "Interface" for e in endpoints(aws, subnet)):
        return None
    return CODE.at(
        path,
        f"the nodes have no public address, and the only way out of subnet '{subnet.name}' is an internet gateway",
        resource=name,
    )


_T = """\
- {{type: aws.ec2.Vpc, name: net, inputs: {{}}}}
- {{type: aws.ec2.Subnet, name: edge, inputs: {{vpcId: !ref net.id , mapPublicIpOnLaunch: {0}}}}}
- type: aws.ec2.RouteTable
  name: table
  inputs: {{vpcId: !ref net.id , routes: [{{cidrBlock: 0.0.0.0/0, {1}}}]}}
- type: aws.ec2.RouteTableAssociation
  name: link
  inputs: {{subnetId: !ref edge.id , routeTableId: !ref table.id }}
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {{instanceType: g5.xlarge, networkInterfaces: [{{associatePublicIpAddress: {2}}}]}}
- type: aws.autoscaling.Group
  name: group
  inputs: {{vpcZoneIdentifiers: [!ref edge.id ], launchTemplate: {{id: !ref nodes.id }}}}
"""
_DOOR = "gatewayId: igw-1"

RULE = ResourceRule(
    CODE,
    ("network",),
    check,
    Examples(
        (
            _T.format("false", "natGatewayId: nat-1", "'false'"),
            _T.format("true", _DOOR, "null"),
            _T.format("false", _DOOR, "'true'"),
        ),
        (_T.format("true", _DOOR, "'false'"), _T.format("false", _DOOR, "null")),
        (_T.format("true", _DOOR, "!unknown "),),
    ),
    providers=(Provider.AWS,),
)
