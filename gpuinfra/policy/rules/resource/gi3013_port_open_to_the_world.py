"""A port of the nodes that the whole internet may reach.

What: A security group lets 0.0.0.0/0 or ::/0 in: to SSH or RDP anywhere, or to any port of nodes.
Why: GPU nodes are found by scanners within minutes, and are worth stealing.
Fix: Name the addresses that need to come in, or none: Session Manager needs no open port.
References: CIS AWS Foundations Benchmark 5.2; aws/aws-parallelcluster, allowed-ips
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import FirewallRule
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3013", "port-open-to-the-world", Severity.ERROR, __doc__, ("AWS NET-18",))
_ADMIN_PORTS = (22, 3389)


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each rule."""
    aws = ctx.aws
    of_nodes = {g.urn for n in aws.nodes for g in aws.security_groups(n).resources}
    for rule in aws.all_firewall_rules:
        if not rule.ingress:
            continue
        world = [c for c in rule.cidrs if c in ("0.0.0.0/0", "::/0")]
        exposed = rule.group in of_nodes or _reaches_admin(rule)
        if world and exposed:
            where = f"{rule.source.name}.{rule.path}" if rule.path else rule.source.name
            yield CODE.at(where, f"{_ports(rule)} is open to {world[0]}, the whole internet", resource=rule.source.name)
        elif rule.unknown and not world and (rule.group in of_nodes or not rule.group):
            yield Undecided(CODE.code, rule.source.name, "who may come in is not known yet")


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

RULE = ResourceRule(
    CODE,
    ("network", "security"),
    check,
    Examples((_T.format("203.0.113.0/24"),), (_T.format("0.0.0.0/0"),), (_T.format("!unknown "),)),
    providers=(Provider.AWS,),
)
