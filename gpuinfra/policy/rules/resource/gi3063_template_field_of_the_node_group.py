"""A field that the launch template or the EKS node group may not have.

What: The template of an EKS node group sets a subnet, an instance profile, shutdown behaviour or spot options; or the group repeats the template's image, disk, version or instance type; or a block is empty.
Why: EKS refuses the group, or ignores one of the two values: nodes boot with another image or disk than the program says.
Fix: One owner for each field: image, disk and user data in the template; without an image in the template, amiType on the group.
References: pulumi/pulumi-eks#1224; pulumi/pulumi-eks#1550; terraform-aws-modules/terraform-aws-eks#1386; EKS User Guide, launch template support
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_capacity import has_target, market
from ...aws_graph import NODE_GROUP, Nodes
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, late

CODE = described("GI3063", "template-field-of-the-node-group", Severity.ERROR, __doc__, ("AWS EKS-01",))
_FORBIDDEN = ("iamInstanceProfile", "instanceInitiatedShutdownBehavior", "hibernationOptions")
_BESIDE_TEMPLATE = ("diskSize", "remoteAccess")
_BESIDE_IMAGE = ("releaseVersion", "version")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each node group, with every such field in it."""
    for nodes in ctx.aws.nodes:
        for group in nodes.groups:
            if group.type != NODE_GROUP:
                continue
            faults = [*_of_template(nodes, group), *_of_group(nodes.template, group)]
            if nodes.template.get("imageId") is not None and late(group.get("amiType")):
                yield Undecided(CODE.code, group.name, "the image type is not known yet")
            if faults:
                yield CODE.at(group.name, "; ".join(faults), resource=group.name)


def _of_template(nodes: Nodes, group: Resource) -> Iterator[str]:
    t = nodes.template
    for key in _FORBIDDEN:
        if t.get(key) is not None:
            yield f"template '{t.name}' sets {key}, which EKS sets itself"
    for i in nodes.interfaces or ():
        if i.get("subnetId") is not None:
            yield f"template '{t.name}' sets a subnet in its interfaces; the node group's subnetIds decide"
            break
    if t.get("instanceMarketOptions") == {}:
        yield f"template '{t.name}' has an empty instanceMarketOptions"
    # Spot beside a reservation or in place of a block is a fault of the purchase, which other rules say.
    reserved = group.get("capacityType") == "CAPACITY_BLOCK" or has_target(t)
    if market(t) == "spot" and not reserved:
        yield f"template '{t.name}' asks for spot; use the node group's capacityType"


def _of_group(template: Resource, group: Resource) -> Iterator[str]:
    for key in _BESIDE_TEMPLATE:
        if group.get(key) is not None:
            yield f"the node group sets {key} beside a launch template"
    if template.get("instanceType") is not None and items(group.get("instanceTypes")):
        yield "the node group repeats instanceTypes, which the template sets"
    ami_type = group.get("amiType")
    if template.get("imageId") is not None:
        for key in _BESIDE_IMAGE:
            if group.get(key) is not None:
                yield f"the node group sets {key} beside an image in the template"
        if isinstance(ami_type, str) and ami_type != "CUSTOM":
            yield f"the node group sets amiType {ami_type} beside an image in the template"


_T = """\
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: p5.48xlarge, imageId: ami-0123456789abcdef0}}}}
- type: aws.eks.NodeGroup
  name: pool
  inputs: {{launchTemplate: {{id: !ref nodes.id , version: "3"}}{0}}}
"""

RULE = ResourceRule(
    CODE,
    ("kubernetes",),
    check,
    Examples(
        (_T.format(""),),
        (_T.format(", diskSize: 500"), _T.format(', version: "1.34"'), _T.format(", instanceTypes: [p5.48xlarge]")),
        (_T.format(", amiType: !unknown "),),
    ),
    providers=(Provider.AWS,),
)
