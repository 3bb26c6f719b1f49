"""A root volume under a device name that the image does not have.

What: The template sizes /dev/sda1 while its image boots from /dev/xvda, or the other way round.
Why: EC2 adds a second, empty disk under that name, and the root volume keeps the image's small size: the first container image fills it.
Fix: Write /dev/sda1 for Ubuntu, /dev/xvda for Amazon Linux, EKS and Bottlerocket images.
References: runs-on/runs-on#207; EC2 User Guide, device names on Linux instances
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import LAUNCH_TEMPLATE, Nodes
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, late, plain

CODE = described("GI3081", "root-device-of-another-image", Severity.ERROR, __doc__, ("AWS CMP-06",))
_ROOTS = ("/dev/sda1", "/dev/xvda")
_BY_WORD = (
    ("ubuntu", "/dev/sda1"),
    ("amazon-linux", "/dev/xvda"),
    ("al2023", "/dev/xvda"),
    ("bottlerocket", "/dev/xvda"),
)


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template whose image shows what system it is: by its parameter path or image type."""
    for nodes in ctx.aws.nodes:
        if nodes.template.type != LAUNCH_TEMPLATE:
            continue
        listed = nodes.template.get("blockDeviceMappings")
        named = [plain(m.get("deviceName")) for m in entries(listed)]
        if not named and not late(listed):
            continue
        root = _root(nodes)
        if root and (late(listed) or any(late(n) for n in named)):
            yield Undecided(CODE.code, nodes.name, "the device names are not known yet")
        elif not root and _system_unknown(nodes) and any(n in _ROOTS for n in named):
            yield Undecided(CODE.code, nodes.name, "the system of the image is not known yet")
        elif root and root not in named and (wrong := [n for n in named if n in _ROOTS]):
            place = named.index(wrong[0])
            yield CODE.at(
                f"{nodes.name}.blockDeviceMappings[{place}].deviceName",
                f"{wrong[0]} is not the image's root device, which is {root}: a second disk is made",
                f"write {root}",
                resource=nodes.name,
            )


def _system_unknown(nodes: Nodes) -> bool:
    return nodes.template.get("imageId") is None and any(late(g.get("amiType")) for g in nodes.groups)


def _root(nodes: Nodes) -> str:
    """The root device of the nodes' image; empty where nothing shows which system it is."""
    image = nodes.template.get("imageId")
    shown = image if isinstance(image, str) and "/" in image else ""
    if image is None:
        shown = " ".join(str(g.get("amiType")) for g in nodes.groups if isinstance(g.get("amiType"), str))
    return next((root for word, root in _BY_WORD if word in shown.lower()), "")


_T = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs:
    imageId: resolve:ssm:/aws/service/deeplearning/ami/x86_64/base-oss-nvidia-driver-gpu-{0}/latest/ami-id
    blockDeviceMappings: [{{deviceName: {1}, ebs: {{volumeSize: 200}}}}]
"""
_EKS = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {blockDeviceMappings: [{deviceName: /dev/sda1, ebs: {volumeSize: 200}}]}
- {type: aws.eks.NodeGroup, name: pool, inputs: {amiType: AL2023_x86_64_NVIDIA, launchTemplate: {id: !ref nodes.id }}}
"""

RULE = ResourceRule(
    CODE,
    ("storage", "image"),
    check,
    Examples(
        (
            _T.format("ubuntu-24.04", "/dev/sda1"),
            _T.format("amazon-linux-2023", "/dev/xvda"),
            _T.format("ubuntu-24.04", "/dev/sdf"),
        ),
        (_T.format("ubuntu-24.04", "/dev/xvda"), _T.format("amazon-linux-2023", "/dev/sda1"), _EKS),
        (_T.format("ubuntu-24.04", "!unknown "),),
    ),
    providers=(Provider.AWS,),
)
