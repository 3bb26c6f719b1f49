"""A root volume that is too small for the image.

What: The root volume of a deep learning image has less than 150 GiB; below 75 GiB it is smaller than the image itself.
Severity: error below 75 GiB
Why: EC2 refuses a volume below the image's snapshot, about 75 GiB. Above it there is no room for a CUDA container, which unpacks to 20 GiB and more: the disk is full at the first pull.
Fix: Give the root volume 200 to 300 GiB.
References: aws/aws-parallelcluster, RootVolumeSizeValidator; AWS Deep Learning AMI release notes
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import INSTANCES, Nodes
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, late, number, plain

CODE = described("GI3082", "root-volume-too-small-for-image", Severity.WARNING, __doc__, ("AWS CMP-07",))
_SNAPSHOT_GIB, _ROOMY_GIB = 75, 150
_ROOTS = ("/dev/sda1", "/dev/xvda")
_IMAGES = ("/deeplearning/", "dlami")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template or instance whose image shows that it is such an image."""
    for nodes in ctx.aws.nodes:
        image = nodes.template.get("ami" if nodes.template.type in INSTANCES else "imageId")
        if not isinstance(image, str) or not any(w in image for w in _IMAGES):
            continue
        path, size = _root_size(nodes)
        known = number(size)
        if late(size):
            yield Undecided(CODE.code, nodes.name, "the size of the root volume is not known yet")
        elif known is not None and known < _ROOMY_GIB:
            below = known < _SNAPSHOT_GIB
            yield CODE.at(
                f"{nodes.name}.{path}",
                f"{known:g} GiB, and the image alone takes about {_SNAPSHOT_GIB} GiB"
                + (": EC2 refuses the volume" if below else ""),
                resource=nodes.name,
                severity=Severity.ERROR if below else None,
            )


def _root_size(nodes: Nodes) -> tuple[str, Any]:
    """(place, size) of the root volume; None where the program does not size it."""
    if nodes.template.type in INSTANCES:
        return "rootBlockDevice.volumeSize", nodes.template.get("rootBlockDevice", "volumeSize")
    unknown = None
    for n, mapping in enumerate(entries(nodes.template.get("blockDeviceMappings"))):
        size = nodes.template.get("blockDeviceMappings", n, "ebs", "volumeSize")
        name = plain(mapping.get("deviceName"))
        if name in _ROOTS:
            return f"blockDeviceMappings[{n}].ebs.volumeSize", size
        if late(name) and (number(size) or 0) < _ROOMY_GIB:
            unknown = name
    return "blockDeviceMappings", unknown


_T = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs:
    imageId: resolve:ssm:/aws/service/deeplearning/ami/x86_64/base-oss-nvidia-driver-gpu-ubuntu-24.04/latest/ami-id
    blockDeviceMappings: [{{deviceName: /dev/sda1, ebs: {{volumeSize: {0}}}}}]
"""

RULE = ResourceRule(
    CODE,
    ("storage", "image"),
    check,
    Examples((_T.format(200),), (_T.format(100), _T.format(50)), (_T.format("!unknown "),)),
    providers=(Provider.AWS,),
)
