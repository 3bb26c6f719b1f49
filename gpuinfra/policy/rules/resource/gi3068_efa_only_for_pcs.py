"""EFA-only interfaces under a scheduler that takes none.

What: Nodes of AWS Parallel Computing Service launch from a template with interfaces of type `efa-only`.
Why: The service launches its nodes with `efa` interfaces alone: with `efa-only` ones the node group is refused or stays without fabric.
Fix: Write interfaceType: efa for the EFA interfaces of this template, and size the subnet for one address each.
References: awslabs/awsome-distributed-ai, architectures/aws-pcs/assets/add-cng-p6-b300.yaml
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import AwsGraph, Nodes
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3068", "efa-only-for-pcs", Severity.ERROR, __doc__, ("AWS NET-14",))
_NATIVE = "aws-native:pcs:ComputeNodeGroup"
_CONTROL = "aws:cloudcontrol/resource:Resource"
_TYPE = "AWS::PCS::ComputeNodeGroup"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template that a node group of the service launches from."""
    users = [*ctx.aws.of_type(_NATIVE), *(r for r in ctx.aws.of_type(_CONTROL) if r.get("typeName") == _TYPE)]
    if not users:
        return
    for nodes in ctx.aws.nodes:
        if not any(_launches(ctx.aws, u, nodes) for u in users):
            continue
        if nodes.interfaces is None:
            yield Undecided(CODE.code, nodes.name, "the network interfaces are not known yet")
            continue
        only = [n for n, i in enumerate(nodes.interfaces) if i.get("interfaceType") == "efa-only"]
        if only:
            yield CODE.at(
                f"{nodes.name}.networkInterfaces[{only[0]}].interfaceType",
                f"{len(only)} interfaces are efa-only, and Parallel Computing Service takes efa",
                resource=nodes.name,
            )


def _launches(aws: AwsGraph, user: Resource, nodes: Nodes) -> bool:
    shown = any(nodes.template.urn in urns for urns in user.property_dependencies.values())
    return shown or f"${{{nodes.template.name}." in str(dict(user.inputs))


_T = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {{instanceType: p5.48xlarge, networkInterfaces: {0}}}
- type: aws-native:pcs:ComputeNodeGroup
  name: group
  inputs: {{customLaunchTemplate: {{templateId: !ref nodes.id }}}}
"""

RULE = ResourceRule(
    CODE,
    ("network", "fabric"),
    check,
    Examples(
        (_T.format("[{interfaceType: interface}, {interfaceType: efa}]"),),
        (_T.format("[{interfaceType: interface}, {interfaceType: efa-only}]"),),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AWS,),
)
