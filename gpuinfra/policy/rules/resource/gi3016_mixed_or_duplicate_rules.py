"""A security group whose rules are written in two ways, or twice.

What: A security group has inline rules and rule resources as well, or two rule resources that say the same.
Why: The provider lets the inline list remove what the resources add, at every second `up`; a duplicate rule is refused by EC2.
Fix: Keep the rule resources, and leave `ingress` and `egress` out of the group.
References: aws/aws-parallelcluster PR #7191; Terraform AWS provider, aws_security_group notes
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import RULE_TYPES, SECURITY_GROUP, FirewallRule
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3016", "mixed-or-duplicate-rules", Severity.ERROR, __doc__, ("AWS NET-21",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each mixed group, and one for each repeated rule."""
    for group in ctx.aws.of_type(SECURITY_GROUP):
        rules = ctx.aws.firewall_rules(group)
        inline = [r for r in rules if r.source.type == SECURITY_GROUP]
        separate = [r for r in rules if r.source.type in RULE_TYPES]
        if inline and separate:
            yield CODE.at(
                f"{group.name}.{inline[0].path}",
                f"the group has inline rules and rule resources as well (such as '{separate[0].source.name}')",
                resource=group.name,
            )
        first: dict[tuple[object, ...], FirewallRule] = {}
        unseen: dict[tuple[object, ...], FirewallRule] = {}
        for r in separate:
            if r.unknown and r.protocol and not (r.cidrs or r.peers):
                twin = unseen.setdefault((r.ingress, r.protocol, *_ports(r)), r)
                if twin is not r:
                    yield Undecided(
                        CODE.code, r.source.name, f"whether it repeats '{twin.source.name}' is not known yet"
                    )
            if r.unknown or not (r.cidrs or r.peers):
                continue
            twin = first.setdefault((r.ingress, r.protocol, *_ports(r), r.cidrs, r.peers), r)
            if twin is not r:
                yield CODE.at(
                    r.source.name, f"says the same as '{twin.source.name}', which EC2 refuses", resource=r.source.name
                )


def _ports(rule: FirewallRule) -> tuple[object, ...]:
    return (None, None) if rule.all_traffic else (rule.from_port, rule.to_port)


_GROUP = "- {{type: aws.ec2.SecurityGroup, name: sg, inputs: {{{0}}}}}\n"
_RULE = """\
- type: aws.vpc.SecurityGroupIngressRule
  name: {0}
  inputs: {{securityGroupId: !ref sg.id , cidrIpv4: {2}, ipProtocol: tcp, fromPort: {1}, toPort: {1}}}
"""
_NET = "10.0.0.0/8"

RULE = ResourceRule(
    CODE,
    ("network",),
    check,
    Examples(
        (_GROUP.format("") + _RULE.format("a", 988, _NET) + _RULE.format("b", 2049, _NET),),
        (
            _GROUP.format("ingress: [{protocol: tcp, fromPort: 22, toPort: 22, cidrBlocks: [10.0.0.0/8]}]")
            + _RULE.format("a", 988, _NET),
            _GROUP.format("") + _RULE.format("a", 988, _NET) + _RULE.format("b", 988, _NET),
        ),
        (_GROUP.format("") + _RULE.format("a", 988, "!unknown ") + _RULE.format("b", 988, "!unknown "),),
    ),
    providers=(Provider.AWS,),
)
