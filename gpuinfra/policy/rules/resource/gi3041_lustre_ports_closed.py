"""A Lustre file system behind closed ports, or made before its firewall.

What: The file system's security groups do not let TCP 988 and 1018–1023 through in both directions, or let in none of the program's nodes, or the file system does not wait for the rules that do.
Why: FSx checks the ports while it creates: it fails with 'allow Lustre LNET traffic on port 988', sometimes, when the rules come a moment later.
Fix: Open 988 and 1018–1023 in and out between the file system and its clients, and list each rule resource in depends_on.
References: aws/aws-parallelcluster#6181; aws/aws-parallelcluster#6353; kubernetes-sigs/aws-fsx-csi-driver#32
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Network
from itertools import chain

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import LUSTRE, RULE_TYPES, SECURITY_GROUP, AwsGraph, FirewallRule, Nodes
from ...aws_routes import VPC
from ...azure_network import range_of
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3041", "lustre-ports-closed", Severity.ERROR, __doc__, ("AWS FSX-09",))
_PORTS = ((988, 988), (1018, 1023))
_MORE_RANGES = "aws:ec2/vpcIpv4CidrBlockAssociation:VpcIpv4CidrBlockAssociation"


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
            if isinstance(outside, _Unsure):
                yield Undecided(CODE.code, fs.name, outside.why)
                continue
            yield CODE.at(
                fs.name,
                f"no rule of the file system's security groups lets nodes {outside} in at TCP 988 and 1018–1023",
                "name the nodes' security group, or the range of their subnet, in a rule for these ports",
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


@dataclass(frozen=True)
class _Unsure:
    """Why it cannot be told whether the nodes come in."""

    why: str


def _shut_out(aws: AwsGraph, rules: list[FirewallRule]) -> str | _Unsure | None:
    """The nodes of the program, in words, where all of them are known and none may come in. A rule by address is taken to
    hold nodes of which it is not known where they stand."""
    inward = [r for r in rules if r.ingress]
    if any(r.unknown for r in inward):
        return None
    by_address = any(r.cidrs for r in inward)
    out: list[str] = []
    later = False
    for nodes in aws.nodes:
        groups = aws.security_groups(nodes)
        if groups.unknown or not groups.count:
            return None
        names = {*(g.urn for g in groups.resources), *groups.foreign}
        homes, unsaid = _homes(aws, nodes)
        later = later or (unsaid and by_address)
        ports = ([r for r in inward if r.opens(port, port)] for port in chain(*_PORTS))
        if all(any(names.intersection(r.peers) or _holds(r.cidrs, homes) for r in opened) for opened in ports):
            return _Unsure("where its nodes stand is not known yet") if unsaid and by_address else None
        out.append(f"'{nodes.name}'" + (f" (they stand in {homes[0]})" if homes and by_address else ""))
    if not out:
        return None
    return _Unsure("where its nodes stand is not known yet") if later else out[0]


def _homes(aws: AwsGraph, nodes: Nodes) -> tuple[list[IPv4Network], bool]:
    """(the ranges of the subnets that the nodes stand in, or of their network; none where one of them is not shown, whether
    one of them is not known yet)."""
    links = aws.subnets(nodes)
    found: list[IPv4Network] = []
    for subnet in links.resources if links.decided else ():
        said = subnet.get("cidrBlock")
        vpcs = aws.linked(subnet, "vpcId", VPC).resources
        if said is None and vpcs and not aws.has(_MORE_RANGES):
            said = vpcs[0].get("cidrBlock")
        own = range_of(said)
        if own is None:
            return [], late(said)
        found.append(own)
    return found, False


def _holds(cidrs: tuple[str, ...], homes: list[IPv4Network]) -> bool:
    """Whether a rule by addresses may be for nodes of these ranges: some of a range is enough."""
    if not cidrs or not homes:
        return bool(cidrs)
    return any(named is None or any(named.overlaps(h) for h in homes) for named in map(range_of, cidrs))


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

_BY_ADDRESS = """\
- {{type: aws.ec2.Subnet, name: home, inputs: {{cidrBlock: {0}}}}}
- {{type: aws.ec2.SecurityGroup, name: nodes-sg, inputs: {{}}}}
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{vpcSecurityGroupIds: [!ref nodes-sg.id ]}}}}
- type: aws.autoscaling.Group
  name: group
  inputs: {{vpcZoneIdentifiers: [!ref home.id ], launchTemplate: {{id: !ref nodes.id }}}}
"""

RULE = ResourceRule(
    CODE,
    ("storage", "network"),
    check,
    Examples(
        (
            _T.format(_OPEN.format()),
            _RACE + "  depends_on: [in, out]\n",
            _T.format(_OPEN.format()) + _BY_ADDRESS.format("10.0.4.0/24"),
        ),
        (
            _T.format("[]"),
            _RACE,
            _RACE + "  depends_on: [in, out]\n" + _NODES,
            _T.format(_OPEN.format()) + _BY_ADDRESS.format("10.20.0.0/24"),
        ),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AWS,),
)
