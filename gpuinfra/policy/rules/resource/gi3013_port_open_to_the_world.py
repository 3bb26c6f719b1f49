"""A port of the nodes that the whole internet may reach.

What: A security group lets 0.0.0.0/0 or ::/0 in, or ranges that together come to it: to SSH or RDP anywhere, or to any port of nodes; or an EKS node group has an SSH key for remote access and no group that may use it.
Why: GPU nodes are found by scanners within minutes, and are worth stealing.
Fix: Name the addresses that need to come in, or none: Session Manager needs no open port.
References: CIS AWS Foundations Benchmark 5.2; aws/aws-parallelcluster, allowed-ips
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import NODE_GROUP, AwsGraph, FirewallRule, Nodes
from ...internet_ranges import open_to
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, late, number

CODE = described("GI3013", "port-open-to-the-world", Severity.ERROR, __doc__, ("AWS NET-18",))
_REMOTE = "remoteAccess"
_WEB_PORTS = (80, 443)
_ADMIN_PORTS = (22, 3389)
_WITHOUT_PORTS = ("icmp", "icmpv6", "1", "58")
"""What answers a ping, and tells of a packet that is too large: nobody logs in by it."""


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each rule, and one for rules that only together let the internet in."""
    aws = ctx.aws
    plain = [aws.without_gpus(n) for n in aws.nodes]
    of_nodes = _groups(aws, [n for n, p in zip(aws.nodes, plain, strict=True) if not p])
    # A web server beside the cluster is meant to be open; in a program without GPUs so is any service.
    of_others = _groups(aws, [n for n, p in zip(aws.nodes, plain, strict=True) if p]) if not all(plain) else set[str]()
    inward = [r for r in aws.all_firewall_rules if r.ingress and r.protocol not in _WITHOUT_PORTS]
    worlds = _worlds(inward)
    for n, rule in enumerate(inward):
        world = worlds.get(n, "")
        exposed = rule.group in of_nodes or _reaches_admin(rule) or (rule.group in of_others and not _is_web(rule))
        if world and exposed and not rule.protocol:
            yield Undecided(CODE.code, rule.source.name, "which protocol may come in is not known yet")
        elif world and exposed:
            where = f"{rule.source.name}.{rule.path}" if rule.path else rule.source.name
            yield CODE.at(where, f"{_ports(rule)} is open to {world}", resource=rule.source.name)
        elif rule.unknown and not world and (rule.group in of_nodes or not rule.group):
            yield Undecided(CODE.code, rule.source.name, "who may come in is not known yet")
    for group in aws.of_type(NODE_GROUP):
        yield from _remote_access(group)


def _worlds(rules: list[FirewallRule]) -> dict[int, str]:
    """Who of the internet may come in, in words, by the place of the rule; what only several rules of the same ports of a
    group come to stands at the first of them."""
    found: dict[int, str] = {}
    parts: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for n, r in enumerate(rules):
        whole = next((said for c in r.cidrs if c.endswith("/0") and (said := open_to([c]))), "")
        if whole:
            found[n] = whole
        elif r.cidrs:
            parts[(r.group or n, r.protocol, r.from_port, r.to_port)].append(n)
    for places in parts.values():
        if said := open_to(c for n in places for c in rules[n].cidrs):
            found[min(places, key=lambda n: _widest(rules[n].cidrs))] = said
    return found


def _widest(ranges: Iterable[str]) -> float:
    """The shortest prefix, as a number."""
    return min((size for r in ranges if (size := number(r.rpartition("/")[2])) is not None), default=128)


def _remote_access(group: Resource) -> Iterator[Diagnostic | Undecided]:
    """EKS opens port 22 to every address where a key is named and no source group. Beside a template it is refused."""
    key, sources = group.get(_REMOTE, "ec2SshKey"), group.get(_REMOTE, "sourceSecurityGroupIds")
    if key is None or group.get("launchTemplate") is not None:
        return
    if late(sources) or (late(key) and late(group.get(_REMOTE))):
        yield Undecided(CODE.code, group.name, "who may come in is not known yet")
    elif not items(sources):
        yield CODE.at(
            f"{group.name}.{_REMOTE}.sourceSecurityGroupIds",
            "absent, and EKS then opens SSH of the nodes to 0.0.0.0/0, the whole internet",
            "name the groups that may come in, or leave remoteAccess out and use Session Manager",
            resource=group.name,
        )


def _groups(aws: AwsGraph, nodes: list[Nodes]) -> set[str]:
    return {g.urn for n in nodes for g in aws.security_groups(n).resources}


def _is_web(rule: FirewallRule) -> bool:
    return rule.from_port in _WEB_PORTS and rule.to_port == rule.from_port


def _reaches_admin(rule: FirewallRule) -> bool:
    return any(rule.opens(p, p) for p in _ADMIN_PORTS)


def _ports(rule: FirewallRule) -> str:
    if rule.all_traffic:
        return "every port"
    if rule.from_port is None or rule.from_port == rule.to_port:
        return f"{rule.protocol or 'a'} port {rule.from_port:g}" if rule.from_port is not None else "a port"
    return f"{rule.protocol} ports {rule.from_port:g}–{rule.to_port:g}" if rule.to_port is not None else "a port range"


_T = """\
- {{type: aws.ec2.SecurityGroup, name: nodes-sg, inputs: {{}}}}
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{vpcSecurityGroupIds: [!ref nodes-sg.id ]}}}}
- type: aws.vpc.SecurityGroupIngressRule
  name: ssh
  inputs: {{securityGroupId: !ref nodes-sg.id , cidrIpv4: {0}, ipProtocol: tcp, fromPort: 22, toPort: 22}}
"""

_OTHER_HALF = """\
- type: aws.vpc.SecurityGroupIngressRule
  name: ssh-too
  inputs: {securityGroupId: !ref nodes-sg.id , cidrIpv4: 128.0.0.0/1, ipProtocol: tcp, fromPort: 22, toPort: 22}
"""
_PING = _T.replace("tcp, fromPort: 22, toPort: 22", "icmp, fromPort: -1, toPort: -1")

_GROUP = """\
- type: aws.eks.NodeGroup
  name: pool
  inputs: {{instanceTypes: [g5.xlarge], remoteAccess: {{ec2SshKey: ops, sourceSecurityGroupIds: {0}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("network", "security"),
    check,
    Examples(
        (_T.format("203.0.113.0/24"), _PING.format("0.0.0.0/0"), _GROUP.format("[sg-1]")),
        (_T.format("0.0.0.0/0"), _GROUP.format("null"), _T.format("0.0.0.0/1") + _OTHER_HALF),
        (_T.format("!unknown "), _GROUP.format("!unknown ")),
    ),
    providers=(Provider.AWS,),
)
