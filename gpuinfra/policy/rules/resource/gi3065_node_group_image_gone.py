"""An EKS image type that no longer exists.

What: A node group's amiType, the image of a Karpenter node class, or the EKS parameter that a template boots from, is one of Amazon Linux 2.
Why: EKS publishes no Amazon Linux 2 images since 2025-11-26; the group is refused, or stays on an image without patches.
Fix: Use AL2023_x86_64_NVIDIA (arm64: AL2023_ARM_64_NVIDIA).
References: EKS User Guide, end of Amazon Linux 2 AMIs
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import INSTANCE, NODE_GROUP
from ...aws_karpenter import node_classes
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, late, plain

CODE = described("GI3065", "node-group-image-gone", Severity.ERROR, __doc__, ("AWS EKS-04",))
_PARAMETER = re.compile(r"/eks/optimized-ami/[^/]+/amazon-linux-2(?:-gpu|-arm64)?/")
"""EKS's public parameters of these images. What still stands there is the last one, of November 2025."""


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each node group, template, instance and node class."""
    for group in ctx.aws.of_type(NODE_GROUP):
        said = group.get("amiType")
        if late(said):
            yield Undecided(CODE.code, group.name, "the image type is not known yet")
        elif isinstance(said, str) and said.startswith("AL2_"):
            yield CODE.at(f"{group.name}.amiType", f"{said} has no images any more", resource=group.name)
    for nodes in ctx.aws.nodes:
        key = "ami" if nodes.template.type == INSTANCE else "imageId"
        image = nodes.template.get(key)
        if isinstance(image, str) and (match := _PARAMETER.search(image)):
            yield CODE.at(
                f"{nodes.name}.{key}",
                f"'{match[0].strip('/')}' gets no images any more",
                "take the parameter of amazon-linux-2023, and a NodeConfig in place of bootstrap.sh",
                resource=nodes.name,
            )
    for node_class in node_classes(ctx.aws):
        spec = node_class.get("spec")
        named = [("amiFamily", node_class.get("spec", "amiFamily"))]
        named += [
            (f"amiSelectorTerms[{n}].alias", plain(t.get("alias")))
            for n, t in enumerate(entries(node_class.get("spec", "amiSelectorTerms")))
        ]
        gone = next(((k, v) for k, v in named if isinstance(v, str) and (v == "AL2" or v.startswith("al2@"))), None)
        if late(spec) or any(late(v) for _, v in named):
            yield Undecided(CODE.code, node_class.name, "the image is not known yet")
        elif gone is not None:
            text = f"{gone[1]} has no images any more"
            yield CODE.at(
                f"{node_class.name}.spec.{gone[0]}",
                text,
                "take the alias al2023 and a version",
                resource=node_class.name,
            )


_T = "- {{type: aws.eks.NodeGroup, name: pool, inputs: {{amiType: {0}}}}}\n"

_PATH = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {{instanceType: g5.xlarge, imageId: "resolve:ssm:/aws/service/eks/optimized-ami/1.32/{0}/recommended/image_id"}}
"""
_CLASS = """\
- type: kubernetes:karpenter.k8s.aws/v1:EC2NodeClass
  name: class
  inputs: {{spec: {{amiSelectorTerms: [{{alias: {0}}}]}}}}
"""

RULE = ResourceRule(
    CODE,
    ("kubernetes", "image"),
    check,
    Examples(
        (
            _T.format("AL2023_x86_64_NVIDIA"),
            _CLASS.format("al2023@v20261015"),
            _PATH.format("amazon-linux-2023/x86_64/nvidia"),
        ),
        (_T.format("AL2_x86_64_GPU"), _CLASS.format("al2@latest"), _PATH.format("amazon-linux-2-gpu")),
        (_T.format("!unknown "), _CLASS.format("!unknown ")),
    ),
    providers=(Provider.AWS,),
)
