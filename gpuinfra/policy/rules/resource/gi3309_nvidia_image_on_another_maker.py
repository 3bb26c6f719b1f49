"""An image with NVIDIA's driver on accelerators of another maker.

What: Nodes of Trainium, Inferentia, Gaudi or of a type with AMD's GPUs boot an image made for NVIDIA.
Why: EKS refuses the group, or the nodes start, bill and show no accelerator: the driver and the libraries are for other silicon.
Fix: Take the image of the accelerator (EKS: AL2023_x86_64_NEURON for Trainium and Inferentia), or a type with NVIDIA GPUs.
References: aws/aws-parallelcluster, InstanceTypeAcceleratorManufacturerValidator; EKS User Guide, create nodes for accelerated workloads
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....catalog import InstanceType, instance_type
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import INSTANCE
from ...aws_kubernetes import node_groups
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3309", "nvidia-image-on-another-maker", Severity.ERROR, __doc__, ("AWS CMP-01", "AWS EKS-04"))
_OTHERS = {"trn": "Trainium", "inf": "Inferentia", "dl1": "Gaudi", "dl2q": "Qualcomm"}


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template, instance and node group."""
    for nodes in ctx.aws.nodes:
        key = "ami" if nodes.template.type == INSTANCE else "imageId"
        yield from _judged(nodes.template, key, (nodes.instance_type,))
    for group in node_groups(ctx.aws):
        yield from _judged(group.resource, "amiType", group.types)


def _judged(owner: Resource, key: str, types: tuple[str, ...]) -> Iterator[Diagnostic | Undecided]:
    value: Any = owner.get(key)
    other = next(((t, maker) for t in types if (maker := _maker(t))), None)
    if other is None:
        return
    if late(value) and not isinstance(value, str):
        if not owner.property_dependencies.get(key):
            yield Undecided(CODE.code, owner.name, "the image is not known yet")
    elif isinstance(value, str) and ("nvidia" in value.lower() or value.endswith("_GPU")):
        yield CODE.at(
            f"{owner.name}.{key}",
            f"the image is NVIDIA's, and {other[0]} carries {other[1]}",
            resource=owner.name,
        )


def _maker(name: str) -> str:
    """Who made the accelerators of a type, where it was not NVIDIA; empty for NVIDIA, for none, and where unknown."""
    found = instance_type(Provider.AWS, name) if name and not late(name) else None
    if isinstance(found, InstanceType):
        return found.gpu_manufacturer if found.has_gpu and found.gpu_manufacturer not in ("NVIDIA", "") else ""
    return next((maker for prefix, maker in _OTHERS.items() if name.startswith(prefix)), "")


_T = "- {{type: aws.eks.NodeGroup, name: pool, inputs: {{instanceTypes: [{0}], amiType: {1}}}}}\n"

RULE = ResourceRule(
    CODE,
    ("image", "accelerator"),
    check,
    Examples(
        (
            _T.format("g5.xlarge", "AL2023_x86_64_NVIDIA"),
            _T.format("trn1.32xlarge", "AL2023_x86_64_NEURON"),
            _T.format("g4ad.4xlarge", "CUSTOM"),
        ),
        (_T.format("inf2.48xlarge", "AL2023_x86_64_NVIDIA"), _T.format("g4ad.4xlarge", "BOTTLEROCKET_x86_64_NVIDIA")),
        (_T.format("trn1.32xlarge", "!unknown "),),
    ),
    providers=(Provider.AWS,),
)
