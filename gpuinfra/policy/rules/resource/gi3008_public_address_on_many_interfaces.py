"""A public address for a node with several interfaces.

What: A template with more than one network interface asks for a public address, or its subnet gives one.
Why: EC2 gives public addresses to nodes with a single interface only, and refuses the launch otherwise; every EFA node has two or more.
Fix: Keep the nodes private, with a NAT gateway as their way out.
References: terraform-aws-modules/terraform-aws-eks#3533; aws/aws-parallelcluster, MultiNetworkInterfacesInstancesValidator
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, plain, truth

CODE = described("GI3008", "public-address-on-many-interfaces", Severity.ERROR, __doc__, ("AWS NET-08",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template: what it asks for itself, else what its subnets do."""
    for nodes in ctx.aws.nodes:
        if nodes.interfaces is None:
            yield Undecided(CODE.code, nodes.name, "the network interfaces are not known yet")
            continue
        if len(nodes.interfaces) < 2:
            continue
        asked = [plain(i.get("associatePublicIpAddress")) for i in nodes.interfaces]
        many = f"{len(nodes.interfaces)} network interfaces"
        public = next((n for n, a in enumerate(asked) if truth(a)), None)
        if public is not None:
            yield CODE.at(
                f"{nodes.name}.networkInterfaces[{public}].associatePublicIpAddress",
                f"a public address is asked for on a node with {many}",
                resource=nodes.name,
            )
            continue
        if any(late(a) for a in asked):
            yield Undecided(CODE.code, nodes.name, "whether a public address is asked for is not known yet")
            continue
        if truth(asked[0]) is False:
            continue
        for subnet in ctx.aws.subnets(nodes).resources:
            if late(subnet.get("mapPublicIpOnLaunch")):
                yield Undecided(CODE.code, nodes.name, "whether its subnet gives public addresses is not known yet")
                break
            if truth(subnet.get("mapPublicIpOnLaunch")):
                yield CODE.at(
                    f"{subnet.name}.mapPublicIpOnLaunch",
                    f"the subnet gives public addresses, and nodes of '{nodes.name}' have {many}",
                    resource=nodes.name,
                )
                break


_T = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {{networkInterfaces: [{{associatePublicIpAddress: {0}}}, {{deviceIndex: 1, interfaceType: efa-only}}]}}
"""
_SUBNET = """\
- {type: aws.ec2.Subnet, name: open, inputs: {mapPublicIpOnLaunch: true}}
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {networkInterfaces: [{deviceIndex: 0}, {deviceIndex: 1, interfaceType: efa-only}]}
- type: aws.autoscaling.Group
  name: group
  inputs: {vpcZoneIdentifiers: [!ref open.id ], launchTemplate: {id: !ref nodes.id }}
"""

RULE = ResourceRule(
    CODE,
    ("network",),
    check,
    Examples((_T.format('"false"'),), (_T.format('"true"'), _SUBNET), (_T.format("!unknown "),)),
    providers=(Provider.AWS,),
)
