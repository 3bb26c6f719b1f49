"""EKS nodes that the control plane cannot talk to.

What: The template of an EKS node group names security groups of this program; the cluster's own is not among those of the first interface, which alone carries addresses, and no rule joins them to the cluster.
Why: Groups in the template replace the cluster's security group. The kubelet then reaches no endpoint and the control plane no kubelet: the nodes run, never join, and the group fails after half an hour.
Fix: Add the cluster's security group (vpcConfig.clusterSecurityGroupId) to the template's first interface, beside the EFA group.
References: EKS User Guide, launch template support, custom security groups
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import SECURITY_GROUP, AwsGraph, FirewallRule, Nodes
from ...aws_interfaces import Slot, slots
from ...aws_kubernetes import cluster_of, node_groups
from ...linked_graph import Links
from ...resource_graph import OutputRef, Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, plain

CODE = described("GI3089", "node-group-without-cluster-security-group", Severity.ERROR, __doc__, ("AWS EKS-02",))
_KEYS = ("networkInterfaces", "vpcSecurityGroupIds", "securityGroupNames")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each node group whose cluster this program makes."""
    for group in node_groups(ctx.aws):
        nodes, cluster = group.nodes, cluster_of(ctx.aws, group.resource)
        if nodes is None or cluster is None:
            continue
        if slots(nodes) is None:
            yield Undecided(CODE.code, nodes.name, "the network interfaces are not known yet")
            continue
        if _first_is_bare(nodes):
            yield CODE.at(
                f"{nodes.name}.networkInterfaces",
                "the first interface names no security group, the others do: it gets the network's default group",
                resource=nodes.name,
            )
            continue
        first = _of_first_interface(ctx.aws, nodes)
        if first is None and _depends(nodes.template, cluster, _KEYS):
            if _first_has_fewer(ctx.aws, nodes):
                yield Undecided(CODE.code, nodes.name, "which groups the first interface has is not known yet")
            continue
        named = ctx.aws.security_groups(nodes) if first is None else first
        if named.unknown or named.foreign:
            what = (
                "one of the security groups is not of this program" if named.foreign else "the groups are not known yet"
            )
            yield Undecided(CODE.code, nodes.name, what)
        elif named.resources and not _joined(ctx.aws, nodes, named.resources, cluster):
            if _by_address(ctx.aws, named.resources, cluster):
                yield Undecided(CODE.code, nodes.name, "a rule by addresses may join the nodes to the cluster")
                continue
            where = "on the first interface " if first is not None and len(nodes.interfaces or ()) > 1 else ""
            yield CODE.at(
                f"{nodes.name}.{'networkInterfaces' if nodes.interfaces else 'vpcSecurityGroupIds'}",
                f"{where}security group '{named.resources[0].name}' replaces that of cluster '{cluster.name}', and no "
                "rule joins the two",
                resource=nodes.name,
            )


def _of_first_interface(aws: AwsGraph, nodes: Nodes) -> Links | None:
    """The groups of the interface that carries the node's address, where each of them leads to a group of this program:
    then none of them is the cluster's own. None where that cannot be seen."""
    first = _first(nodes)
    values = [plain(v) for v in items(plain(first.raw.get("securityGroups")))] if first is not None else []
    if not values or any(not isinstance(v, (str, OutputRef)) for v in values):
        return None
    each = [aws.link(nodes.template, "", v, SECURITY_GROUP) for v in values]
    if not all(len(links.resources) == 1 for links in each):
        return None
    return Links(tuple({r.urn: r for links in each for r in links.resources}.values()))


def _first(nodes: Nodes) -> Slot | None:
    return next((s for s in slots(nodes) or () if s.card == 0 and s.device == 0), None)


def _first_is_bare(nodes: Nodes) -> bool:
    """Whether the first interface names no group, though others do. One with EFA is another rule's."""
    first = _first(nodes)
    named = [plain(i.get("securityGroups")) not in (None, []) for i in nodes.interfaces or ()]
    return first is not None and not first.efa and not named[first.index] and any(named)


def _first_has_fewer(aws: AwsGraph, nodes: Nodes) -> bool:
    """Whether the first interface names fewer groups than the interfaces together: the cluster's may be on others only."""
    first = _first(nodes)
    own = len(items(plain(first.raw.get("securityGroups")))) if first is not None else 0
    return 0 < own < 1 + aws.security_groups(nodes).count


def _depends(r: Resource, cluster: Resource, keys: tuple[str, ...]) -> bool:
    return any(cluster.urn in r.property_dependencies.get(k, ()) for k in keys)


def _joined(aws: AwsGraph, nodes: Nodes, groups: tuple[Resource, ...], cluster: Resource) -> bool:
    """Whether a rule speaks of the nodes and of the cluster: of its groups, or of a value that it gives."""
    own = aws.link(cluster, "vpcConfig", cluster.get("vpcConfig", "securityGroupIds"), SECURITY_GROUP).resources
    planes, homes = {g.urn for g in own}, {g.urn for g in groups}
    if planes & homes:
        return True
    return any(_speaks_of_both(r, homes, planes, cluster) for r in aws.all_firewall_rules)


def _by_address(aws: AwsGraph, groups: tuple[Resource, ...], cluster: Resource) -> bool:
    """Whether a rule lets addresses, or something not known yet, reach the nodes or the cluster."""
    homes = {g.urn for g in groups}
    return any(
        rule.ingress
        and (rule.cidrs or rule.unknown)
        and (rule.group in homes or cluster.urn in rule.source.property_dependencies.get("securityGroupId", ()))
        for rule in aws.all_firewall_rules
    )


def _speaks_of_both(rule: FirewallRule, homes: set[str], planes: set[str], cluster: Resource) -> bool:
    ends = {rule.group, *rule.peers}
    given = any(cluster.urn in urns for urns in rule.source.property_dependencies.values())
    return bool(ends & homes) and (given or bool(ends & planes))


_T = """\
- {{type: aws.eks.Cluster, name: plane, inputs: {{vpcConfig: {{subnetIds: [subnet-1]}}}}}}
- {{type: aws.ec2.SecurityGroup, name: fabric, inputs: {{}}}}
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{vpcSecurityGroupIds: {0}}}}}
- type: aws.eks.NodeGroup
  name: pool
  inputs: {{clusterName: !ref plane.name , launchTemplate: {{id: !ref nodes.id }}}}
"""
_RULE = """\
- type: aws.vpc.SecurityGroupIngressRule
  name: kubelet
  inputs:
    securityGroupId: !ref fabric.id
    ipProtocol: tcp
    fromPort: 10250
    toPort: 10250
    referencedSecurityGroupId: !ref plane.vpcConfig
"""

_FABRIC = """\
- {{type: aws.eks.Cluster, name: plane, inputs: {{vpcConfig: {{subnetIds: [subnet-1]}}}}}}
- {{type: aws.ec2.SecurityGroup, name: fabric, inputs: {{}}}}
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs:
    instanceType: g6.8xlarge
    networkInterfaces:
      - {{deviceIndex: 0, interfaceType: interface, securityGroups: {0}}}
      - {{deviceIndex: 1, interfaceType: efa-only, securityGroups: [!ref fabric.id , !ref plane.vpcConfig ]}}
- type: aws.eks.NodeGroup
  name: pool
  inputs: {{clusterName: !ref plane.name , launchTemplate: {{id: !ref nodes.id }}}}
"""

RULE = ResourceRule(
    CODE,
    ("kubernetes", "network"),
    check,
    Examples(
        (
            _T.format("[!ref fabric.id , !ref plane.vpcConfig ]"),
            _T.format("[!ref fabric.id ]") + _RULE,
            _T.format("null"),
            _FABRIC.format("[!ref fabric.id , !ref plane.vpcConfig ]"),
        ),
        (_T.format("[!ref fabric.id ]"), _FABRIC.format("[!ref fabric.id ]"), _FABRIC.format("null")),
        (_T.format("[!ref fabric.id , sg-0123456789abcdef0]"), _T.format("!unknown ")),
    ),
    providers=(Provider.AWS,),
)
