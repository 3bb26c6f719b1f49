"""An EKS image type that no longer exists.

What: A node group's amiType is one of Amazon Linux 2.
Why: EKS publishes no Amazon Linux 2 images since 2025-11-26; the group is refused, or stays on an image without patches.
Fix: Use AL2023_x86_64_NVIDIA (arm64: AL2023_ARM_64_NVIDIA).
References: EKS User Guide, end of Amazon Linux 2 AMIs
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import NODE_GROUP
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3065", "node-group-image-gone", Severity.ERROR, __doc__, ("AWS EKS-04",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each node group."""
    for group in ctx.aws.of_type(NODE_GROUP):
        said = group.get("amiType")
        if late(said):
            yield Undecided(CODE.code, group.name, "the image type is not known yet")
        elif isinstance(said, str) and said.startswith("AL2_"):
            yield CODE.at(f"{group.name}.amiType", f"{said} has no images any more", resource=group.name)


_T = "- {{type: aws.eks.NodeGroup, name: pool, inputs: {{amiType: {0}}}}}\n"

RULE = ResourceRule(
    CODE,
    ("kubernetes", "image"),
    check,
    Examples((_T.format("AL2023_x86_64_NVIDIA"),), (_T.format("AL2_x86_64_GPU"),), (_T.format("!unknown "),)),
    providers=(Provider.AWS,),
)
