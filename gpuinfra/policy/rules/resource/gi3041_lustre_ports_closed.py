"""A Lustre file system behind closed ports, or made before its firewall.

What: The file system's security groups do not let TCP 988 and 1018–1023 through in both directions, or let in none of the program's nodes, or the file system does not wait for the rules that do.
Why: FSx checks the ports while it creates: it fails with 'allow Lustre LNET traffic on port 988', sometimes, when the rules come a moment later.
Fix: Open 988 and 1018–1023 in and out between the file system and its clients, and list each rule resource in depends_on.
References: aws/aws-parallelcluster#6181; aws/aws-parallelcluster#6353; kubernetes-sigs/aws-fsx-csi-driver#32
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import LUSTRE, RULE_TYPES, SECURITY_GROUP, AwsGraph, FirewallRule
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3041", "lustre-ports-closed", Severity.ERROR, __doc__, ("AWS FSX-09",))
_PORTS = ((988, 988), (1018, 1023))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each file system: the ports first, then the order."""
    for fs in ctx.aws.of_type(LUSTRE):
        links = ctx.aws.linked(fs, "securityGroupIds", SECURITY_GROUP)
        if links.unknown or (links.foreign and not links.resources):
            yield Undecided(CODE.code, fs.name, "not checked: its security groups are not known here")
            continue
        if not links.resources:
            continue
        rules = [r for g in links.resources for r in ctx.aws.firewall_rules(g)]
        closed = _closed(rules)
        group = links.resources[0]
        if closed and (links.foreign or any(r.unknown for r in rules) or _stray(ctx.aws)):
            yield Undecided(CODE.code, fs.name, "not checked: a rule of its security groups is not known yet")
        elif closed:
            yield CODE.at(
                group.name, f"the security group of file system '{fs.name}' does not open {closed}", resource=group.name
            )
        elif not links.foreign and (outside := _shut_out(ctx.aws, rules)):
            yield CODE.at(
                fs.name,
                f"no rule of the file system's security groups lets nodes '{outside}' in at TCP 988 and 1018–1023",
                "name the nodes' security group in a rule for these ports",
                resource=fs.name,
            )
        elif early := _not_awaited(fs, rules):
            yield CODE.at(
                fs.name,
                f"the file system does not wait for its firewall rules ({', '.join(early)}), and FSx checks the ports "
                "while it creates",
                resource=fs.name,
            )


def _closed(rules: list[FirewallRule]) -> str:
    out: list[str] = []
    for ingress in (True, False):
        way = "ingress" if ingress else "egress"
        lacking = [
            f"{low}" if low == high else f"{low}–{high}"
            for low, high in _PORTS
            if not _covered([r for r in rules if r.ingress is ingress], low, high)
        ]
        if lacking:
            out.append(f"TCP {' and '.join(lacking)} for {way}")
    return ", ".join(out)


def _covered(rules: list[FirewallRule], low: int, high: int) -> bool:
    """Whether the rules together open every port from low to high to somebody."""
    named = [r for r in rules if r.cidrs or r.peers]
    return all(any(r.opens(p, p) for r in named) for p in range(low, high + 1))


def _shut_out(aws: AwsGraph, rules: list[FirewallRule]) -> str:
    """The nodes of the program, where all of them are known and none may come in; empty otherwise. A rule by address is
    taken to hold the nodes."""
    if any(r.ingress and (r.unknown or r.cidrs) for r in rules):
        return ""
    let_in = [{p for r in rules if r.ingress and r.opens(port, port) for p in r.peers} for port in chain(*_PORTS)]
    inside = set[str].intersection(*let_in)
    out: list[str] = []
    for nodes in aws.nodes:
        groups = aws.security_groups(nodes)
        if groups.unknown or not groups.count:
            return ""
        if inside & {*(g.urn for g in groups.resources), *groups.foreign}:
            return ""
        out.append(nodes.name)
    return out[0] if out else ""


def _stray(aws: AwsGraph) -> bool:
    return any(r.unknown and not r.group for r in aws.all_firewall_rules)


def _not_awaited(fs: Resource, rules: list[FirewallRule]) -> list[str]:
    """Rule resources that the ports need and that the file system does not depend on."""
    awaited = set(fs.dependencies) | {u for us in fs.property_dependencies.values() for u in us}
    inline = [r for r in rules if r.source.type == SECURITY_GROUP]
    waited = [r for r in rules if r.source.urn in awaited and r.source.type in RULE_TYPES]
    if not _closed(inline + waited):
        return []
    return sorted({r.source.name for r in rules if r.source.type in RULE_TYPES and r.source.urn not in awaited})


_OPEN = "[{{protocol: tcp, fromPort: 988, toPort: 1023, cidrBlocks: [10.0.0.0/16]}}]"
_T = (
    """\
- type: aws.ec2.SecurityGroup
  name: fs-sg
  inputs:
    ingress: {0}
    egress: """
    + _OPEN
    + """
- type: aws.fsx.LustreFileSystem
  name: scratch
  inputs: {{deploymentType: SCRATCH_2, securityGroupIds: [!ref fs-sg.id ]}}
"""
)
_RACE = """\
- {type: aws.ec2.SecurityGroup, name: fs-sg, inputs: {}}
- type: aws.vpc.SecurityGroupIngressRule
  name: in
  inputs: {securityGroupId: !ref fs-sg.id , referencedSecurityGroupId: !ref fs-sg.id , ipProtocol: "-1"}
- type: aws.vpc.SecurityGroupEgressRule
  name: out
  inputs: {securityGroupId: !ref fs-sg.id , referencedSecurityGroupId: !ref fs-sg.id , ipProtocol: "-1"}
- type: aws.fsx.LustreFileSystem
  name: scratch
  inputs: {deploymentType: SCRATCH_2, securityGroupIds: [!ref fs-sg.id ]}
"""

_NODES = """\
- {type: aws.ec2.SecurityGroup, name: nodes-sg, inputs: {}}
- {type: aws.ec2.LaunchTemplate, name: nodes, inputs: {instanceType: p5.48xlarge, vpcSecurityGroupIds: [!ref nodes-sg.id ]}}
"""

RULE = ResourceRule(
    CODE,
    ("storage", "network"),
    check,
    Examples(
        (_T.format(_OPEN.format()), _RACE + "  depends_on: [in, out]\n"),
        (_T.format("[]"), _RACE, _RACE + "  depends_on: [in, out]\n" + _NODES),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AWS,),
)
