"""GPU nodes whose image has a driver that does not know the GPU.

What: An EKS node group of G7 machines takes an image of EKS.
Why: G7 needs driver 595 or newer, and EKS's images carry 580: the kernel module does not load, and the nodes join without a GPU.
Fix: Boot an image of your own with driver 595 (amiType CUSTOM and imageId in the template), such as one made from the Deep Learning AMI; or take g6e.
References: awslabs/amazon-eks-ami#2768; bottlerocket-os/bottlerocket#4889
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_kubernetes import charts, charts_unknown, node_groups
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3312", "driver-too-old-for-type", Severity.ERROR, __doc__, ("AWS CMP-11",))
_TYPES, _OF_EKS = "g7.", re.compile(r"(?:AL2023|BOTTLEROCKET)_.*NVIDIA")
_RELEASE, _KNOWN = re.compile(r"-(20\d{6})$"), "20260731"
"""The newest release whose driver was read is of July 2026."""


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group. An operator may bring another driver; a newer release may have one."""
    for group in () if charts(ctx.aws, "gpu-operator") else node_groups(ctx.aws):
        kind = next((t for t in group.types if t.startswith(_TYPES)), "")
        own = group.nodes is not None and group.nodes.template.get("imageId") is not None
        said, release, name = group.resource.get("amiType"), group.resource.get("releaseVersion"), group.resource.name
        if not kind or own:
            continue
        match = _RELEASE.search(release) if isinstance(release, str) else None
        if late(said) or late(release) or charts_unknown(ctx.aws) or (match and match[1] > _KNOWN):
            yield Undecided(CODE.code, name, "which driver the image carries is not known")
        elif isinstance(said, str) and _OF_EKS.fullmatch(said):
            yield CODE.at(f"{name}.amiType", f"{said} carries driver 580, and {kind} needs 595 or newer", resource=name)


_T = "- {{type: aws.eks.NodeGroup, name: pool, inputs: {{instanceTypes: [{0}], amiType: {1}}}}}\n"

RULE = ResourceRule(
    CODE,
    ("image", "accelerator"),
    check,
    Examples(
        (_T.format("g6e.12xlarge", "AL2023_x86_64_NVIDIA"), _T.format("g7.8xlarge", "CUSTOM")),
        (_T.format("g7.8xlarge", "AL2023_x86_64_NVIDIA"),),
        (
            _T.format("g7.8xlarge", "!unknown "),
            _T.format("g7.8xlarge", "AL2023_x86_64_NVIDIA, releaseVersion: 1.36.1-20261020"),
        ),
    ),
    providers=(Provider.AWS,),
)
