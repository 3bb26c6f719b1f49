"""A machine image of the wrong processor architecture.

What: The image's parameter path or type names x86_64 and the instance type is arm64, or the other way round.
Why: EC2 refuses the launch: the architecture of the image and of the instance type must be one.
Fix: Take the image of the instance type's architecture.
References: aws/aws-parallelcluster, InstanceArchitectureCompatibilityValidator
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....catalog import InstanceType
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import INSTANCES
from ...aws_kubernetes import GroupOfNodes, node_groups
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3052", "image-of-other-architecture", Severity.ERROR, __doc__, ("AWS CMP-02", "AWS EKS-04"))
_ARCH = re.compile(r"(?i)(x86_64|arm64|arm_64|aarch64|amd64)")
_SAME = {"x86_64": "x86_64", "amd64": "x86_64", "arm64": "arm64", "arm_64": "arm64", "aarch64": "arm64"}


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template or node group whose image shows its architecture."""
    for nodes in ctx.aws.nodes:
        facts = ctx.aws.facts_of(nodes)
        if facts is not None and facts.arch:
            key = "ami" if nodes.template.type in INSTANCES else "imageId"
            yield from _judged(nodes.template, key, (facts,))
    for group in node_groups(ctx.aws):
        kinds = tuple(f for f in group.facts if f.arch) or _of_template(ctx, group)
        if kinds:
            yield from _judged(group.resource, "amiType", kinds)


def _of_template(ctx: GraphContext, group: GroupOfNodes) -> tuple[InstanceType, ...]:
    found = ctx.aws.facts_of(group.nodes) if group.nodes is not None else None
    return (found,) if found is not None and found.arch else ()


def _judged(owner: Resource, key: str, kinds: tuple[InstanceType, ...]) -> Iterator[Diagnostic | Undecided]:
    value = owner.get(key)
    if late(value) and not isinstance(value, str):
        yield Undecided(CODE.code, owner.name, "the image is not known yet")
    match = _ARCH.search(value) if isinstance(value, str) else None
    wrong = next((k for k in kinds if match and _SAME[match[1].lower()] != k.arch), None)
    if match and wrong is not None:
        yield CODE.at(
            f"{owner.name}.{key}", f"the image is {match[1]}, and {wrong.name} is {wrong.arch}", resource=owner.name
        )


_T = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs:
    instanceType: g5g.xlarge
    imageId: {0}
"""
_POOL = "- {{type: aws.eks.NodeGroup, name: pool, inputs: {{instanceTypes: [{0}], amiType: AL2023_x86_64_NVIDIA}}}}\n"
_SSM = "resolve:ssm:/aws/service/deeplearning/ami/{0}/base-oss-nvidia-driver-gpu-ubuntu-22.04/latest/ami-id"

RULE = ResourceRule(
    CODE,
    ("image",),
    check,
    Examples(
        (_T.format(_SSM.format("arm64")), _T.format("ami-0123456789abcdef0"), _POOL.format("g5.xlarge")),
        (_T.format(_SSM.format("x86_64")), _POOL.format("g5g.xlarge")),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AWS,),
)
