"""GPU nodes whose security groups let nothing out.

What: No security group of the nodes has any rule for egress.
Why: Amazon's rule that lets everything out is taken away from a group that a program makes. The boot script hangs at its first call, and the node bills without ever working.
Fix: Add egress of protocol -1 to 0.0.0.0/0, beside the rule to the group itself that EFA wants.
References: Pulumi AWS docs, aws.ec2.SecurityGroup, egress rules; aws/aws-parallelcluster docs, network configurations
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import SECURITY_GROUP, AwsGraph
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items

CODE = described("GI3317", "nodes-let-nothing-out", Severity.ERROR, __doc__, ("AWS NET-16",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each first group of GPU nodes. Groups from elsewhere may let out what these do not."""
    aws, said = ctx.aws, set[str]()
    for nodes, facts in aws.gpu_nodes:
        links = aws.security_groups(nodes)
        if not links.resources or links.foreign or any(g.type != SECURITY_GROUP for g in links.resources):
            continue
        outward = [r for g in links.resources for r in aws.firewall_rules(g) if not r.ingress]
        # One to the group itself may reach endpoints that stand in it.
        if any(not r.unknown for r in outward) or any(_left_alone(g) for g in links.resources):
            continue
        group = links.resources[0]
        if links.unknown or outward or _stray(aws):
            yield Undecided(CODE.code, nodes.name, "a rule of its security groups is not known yet")
        elif group.urn not in said:
            said.add(group.urn)
            yield CODE.at(
                f"{group.name}.egress",
                f"there is no rule for egress, and nodes '{nodes.name}' ({facts.name}) have no other group: nothing of theirs gets out",
                resource=group.name,
            )


def _left_alone(group: Resource) -> bool:
    """Whether the rules of a group are written by somebody else."""
    return any(k in ("egress", "*") for k in items(group.options.get("ignoreChanges")))


def _stray(aws: AwsGraph) -> bool:
    return any(r.unknown and not r.group and not r.ingress for r in aws.all_firewall_rules)


_T = """\
- {{type: aws.ec2.SecurityGroup, name: nodes-sg, inputs: {{egress: {0}}}}}
- type: aws.ec2.Instance
  name: box
  inputs: {{instanceType: g5.xlarge, vpcSecurityGroupIds: [!ref nodes-sg.id ]}}
"""
_RULE = """\
- type: aws.vpc.SecurityGroupEgressRule
  name: out
  inputs: {{securityGroupId: !ref nodes-sg.id , ipProtocol: "-1", {0}}}
"""
_ALL = '[{protocol: "-1", cidrBlocks: [0.0.0.0/0]}]'

RULE = ResourceRule(
    CODE,
    ("network",),
    check,
    Examples(
        (
            _T.format(_ALL),
            _T.format("null") + _RULE.format("cidrIpv4: 10.0.0.0/8"),
            _T.format("null") + _RULE.format("prefixListId: pl-63a5400a"),
            _T.format('[{protocol: "-1", prefixListIds: [pl-63a5400a]}]'),
        ),
        (_T.format("null"), _T.format("[]")),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AWS,),
)
