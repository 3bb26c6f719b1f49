"""An EFA security group that does not let its own members through.

What: No security group of the EFA nodes lets all traffic in from itself and out to itself.
Why: EFA packets are judged by security group and not by address: with egress to 0.0.0.0/0 alone TCP works, and every collective hangs with 'Unresponsive receiver'.
Fix: Add to one group that all peers share: ingress of protocol -1 from the group itself, and egress of protocol -1 to the group itself.
References: gardener/gardener-extension-provider-aws#1832; aws/aws-parallelcluster#3590; EC2 User Guide, Get started with EFA
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import PLACEMENT_GROUP, AwsGraph, Nodes
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3011", "fabric-group-without-self-rules", Severity.ERROR, __doc__, ("AWS NET-11",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template whose groups carry no such pair, and one for peers that share none."""
    aws = ctx.aws
    carriers: list[tuple[Nodes, set[str], bool]] = []
    for nodes in aws.nodes:
        if nodes.interfaces is None:
            yield Undecided(CODE.code, nodes.name, "the network interfaces are not known yet")
            continue
        if not nodes.efa:
            continue
        links = aws.security_groups(nodes)
        bare = [i for i in nodes.efa if i.get("securityGroups") is None or i.get("securityGroups") == []]
        if bare and len(bare) < len(nodes.efa):
            yield CODE.at(
                f"{nodes.name}.networkInterfaces",
                f"{len(bare)} of {len(nodes.efa)} EFA interfaces name no security group, and get the default one",
                "name the same security group on every EFA interface",
                resource=nodes.name,
            )
            continue
        good = {g.urn for g in links.resources if not _missing(aws, g)}
        carriers.append((nodes, good, links.decided))
        if good:
            continue
        if not links.decided or any(r.unknown for g in links.resources for r in aws.firewall_rules(g)):
            yield Undecided(CODE.code, nodes.name, "not checked: a security group of the EFA nodes is not known here")
        elif any(r.unknown and not r.group for r in aws.all_firewall_rules):
            yield Undecided(CODE.code, nodes.name, "not checked: a rule's security group is not known yet")
        elif not links.resources:
            yield CODE.at(
                f"{nodes.name}.networkInterfaces",
                "the EFA interfaces have no security group of their own; the default group lets itself in, but out only "
                "by address",
                resource=nodes.name,
            )
        else:
            group = links.resources[0]
            yield CODE.at(group.name, f"{_missing(aws, group)} (EFA nodes '{nodes.name}' use it)", resource=group.name)
    yield from _strangers(aws, carriers)


def _missing(aws: AwsGraph, group: Resource) -> str:
    """What the group lacks, in words; empty when it has both rules."""
    rules = [r for r in aws.firewall_rules(group) if r.all_traffic and group.urn in r.peers]
    inward, outward = any(r.ingress for r in rules), any(not r.ingress for r in rules)
    if inward and outward:
        return ""
    narrow = [r for r in aws.firewall_rules(group) if group.urn in r.peers and r.protocol and not r.all_traffic]
    said = f"; protocol {narrow[0].protocol} alone is not enough, EFA needs -1" if narrow else ""
    if inward:
        return f"egress must also name the group itself: a rule by address does not let EFA out{said}"
    if outward:
        return f"ingress must also name the group itself: a rule by address does not let EFA in{said}"
    return f"neither ingress nor egress names the group itself with protocol -1{said}"


def _strangers(aws: AwsGraph, carriers: list[tuple[Nodes, set[str], bool]]) -> Iterator[Diagnostic]:
    """Nodes that share a placement group or a subnet, have the rules each in a group of their own, and share none."""
    for i, (a, good_a, decided_a) in enumerate(carriers):
        for b, good_b, decided_b in carriers[i + 1 :]:
            if not (good_a and good_b and decided_a and decided_b) or good_a & good_b:
                continue
            if aws.root(a.template) != aws.root(b.template) or not (why := _together(aws, a, b)):
                continue
            yield CODE.at(
                f"{b.name}.networkInterfaces",
                f"EFA nodes '{a.name}' and '{b.name}' share {why} but no security group: each lets only its own members "
                "through",
                "put both into one security group that has the self rules in both directions",
                resource=b.name,
            )
            return


def _together(aws: AwsGraph, a: Nodes, b: Nodes) -> str:
    places = [
        aws.link(n.template, "placement", n.template.get("placement", "groupName"), PLACEMENT_GROUP) for n in (a, b)
    ]
    if {r.urn for r in places[0].resources} & {r.urn for r in places[1].resources}:
        return "a placement group"
    if set(places[0].foreign) & set(places[1].foreign):
        return "a placement group"
    subnets = [aws.subnets(n) for n in (a, b)]
    if {r.urn for r in subnets[0].resources} & {r.urn for r in subnets[1].resources}:
        return "a subnet"
    return "a subnet" if set(subnets[0].foreign) & set(subnets[1].foreign) else ""


_NODES = """\
- {type: aws.ec2.SecurityGroup, name: efa, inputs: {vpcId: vpc-1}}
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {networkInterfaces: [{interfaceType: efa, securityGroups: [!ref efa.id ]}]}
- type: aws.vpc.SecurityGroupIngressRule
  name: self-in
  inputs: {securityGroupId: !ref efa.id , referencedSecurityGroupId: !ref efa.id , ipProtocol: "-1"}
"""
_SELF_OUT = """\
- type: aws.vpc.SecurityGroupEgressRule
  name: self-out
  inputs: {securityGroupId: !ref efa.id , referencedSecurityGroupId: !ref efa.id , ipProtocol: "-1"}
"""
_WORLD_OUT = """\
- type: aws.vpc.SecurityGroupEgressRule
  name: world-out
  inputs: {securityGroupId: !ref efa.id , cidrIpv4: 0.0.0.0/0, ipProtocol: "-1"}
"""
_UNKNOWN = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {networkInterfaces: [{interfaceType: efa, securityGroups: [!unknown ]}]}
"""

RULE = ResourceRule(
    CODE,
    ("network", "fabric", "security"),
    check,
    Examples((_NODES + _SELF_OUT,), (_NODES + _WORLD_OUT,), (_UNKNOWN,)),
    providers=(Provider.AWS,),
)
