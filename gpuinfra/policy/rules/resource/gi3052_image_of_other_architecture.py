"""A machine image of the wrong processor architecture.

What: The image's parameter path or type names x86_64 and the instance type is arm64, or the other way round.
Why: EC2 refuses the launch: the architecture of the image and of the instance type must be one.
Fix: Take the image of the instance type's architecture.
References: aws/aws-parallelcluster, InstanceArchitectureCompatibilityValidator
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import INSTANCE
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3052", "image-of-other-architecture", Severity.ERROR, __doc__, ("AWS CMP-02", "AWS EKS-04"))
_ARCH = re.compile(r"(?i)(x86_64|arm64|arm_64|aarch64|amd64)")
_SAME = {"x86_64": "x86_64", "amd64": "x86_64", "arm64": "arm64", "arm_64": "arm64", "aarch64": "arm64"}


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template or node group whose image shows its architecture."""
    for nodes in ctx.aws.nodes:
        facts = ctx.aws.facts_of(nodes)
        if facts is None or not facts.arch:
            continue
        key = "ami" if nodes.template.type == INSTANCE else "imageId"
        shown = [(nodes.template, key, nodes.template.get(key))]
        shown += [(g, "amiType", g.get("amiType")) for g in nodes.groups]
        for owner, key, value in shown:
            if late(value) and not isinstance(value, str):
                yield Undecided(CODE.code, owner.name, "the image is not known yet")
            match = _ARCH.search(value) if isinstance(value, str) else None
            if match and _SAME[match[1].lower()] != facts.arch:
                yield CODE.at(
                    f"{owner.name}.{key}",
                    f"the image is {match[1]}, and {facts.name} is {facts.arch}",
                    resource=owner.name,
                )


_T = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs:
    instanceType: g5g.xlarge
    imageId: {0}
"""
_SSM = "resolve:ssm:/aws/service/deeplearning/ami/{0}/base-oss-nvidia-driver-gpu-ubuntu-22.04/latest/ami-id"

RULE = ResourceRule(
    CODE,
    ("image",),
    check,
    Examples(
        (_T.format(_SSM.format("arm64")), _T.format("ami-0123456789abcdef0")),
        (_T.format(_SSM.format("x86_64")),),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AWS,),
)
