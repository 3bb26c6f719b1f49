"""A network without names.

What: A VPC with GPU nodes, or with an EKS cluster, has DNS support turned off, or DNS hostnames not turned on.
Why: Nodes then find neither the cluster's endpoint, nor a private endpoint, nor a file system by its name: they boot, bill and never join. Hostnames are off by default.
Fix: Set enableDnsSupport: true and enableDnsHostnames: true.
References: aws/aws-parallelcluster, SubnetsValidator; EKS User Guide, VPC requirements
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import SUBNET, AwsGraph
from ...aws_kubernetes import CLUSTER, node_groups
from ...aws_routes import VPC
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, truth

CODE = described("GI3069", "vpc-without-dns", Severity.WARNING, __doc__, ("AWS NET-15",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each VPC."""
    used = _used(ctx.aws)
    for vpc in ctx.aws.of_type(VPC):
        if vpc.urn not in used:
            continue
        support, names = vpc.get("enableDnsSupport"), vpc.get("enableDnsHostnames")
        if late(support) or late(names):
            yield Undecided(CODE.code, vpc.name, "whether the network has names is not known yet")
        elif truth(support) is False:
            yield CODE.at(f"{vpc.name}.enableDnsSupport", "DNS support is off", resource=vpc.name)
        elif truth(names) is not True:
            said = "off" if names is not None else "absent, which means off"
            yield CODE.at(f"{vpc.name}.enableDnsHostnames", f"DNS hostnames are {said}", resource=vpc.name)


def _used(aws: AwsGraph) -> set[str]:
    """URNs of the VPCs that hold GPU nodes, or a cluster."""
    subnets = [
        s for n in aws.nodes if (f := aws.facts_of(n)) is not None and f.has_gpu for s in aws.subnets(n).resources
    ]
    for group in node_groups(aws):
        subnets += aws.linked(group.resource, "subnetIds", SUBNET).resources if group.has_gpu else ()
    for cluster in aws.of_type(CLUSTER):
        subnets += aws.link(cluster, "vpcConfig", cluster.get("vpcConfig", "subnetIds"), SUBNET).resources
    seen = {s.urn: s for s in subnets}
    return {v.urn for s in seen.values() for v in aws.linked(s, "vpcId", VPC).resources}


_T = """\
- {{type: aws.ec2.Vpc, name: net, inputs: {{enableDnsSupport: {0}, enableDnsHostnames: {1}}}}}
- {{type: aws.ec2.Subnet, name: inside, inputs: {{vpcId: !ref net.id }}}}
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: p5.48xlarge}}}}
- type: aws.autoscaling.Group
  name: group
  inputs: {{vpcZoneIdentifiers: [!ref inside.id ], launchTemplate: {{id: !ref nodes.id }}}}
"""

RULE = ResourceRule(
    CODE,
    ("network",),
    check,
    Examples(
        (_T.format("true", "true"), _T.format("null", "true")),
        (_T.format("true", "null"), _T.format("false", "true")),
        (_T.format("true", "!unknown "),),
    ),
    providers=(Provider.AWS,),
)
