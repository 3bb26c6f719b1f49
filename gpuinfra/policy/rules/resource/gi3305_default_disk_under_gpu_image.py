"""GPU nodes of EKS whose disk the first container fills.

What: A node group with GPUs has a root disk below 50 GiB; without a size EKS gives 20 GiB.
Why: The image with driver and CUDA libraries takes half of 20 GiB, and one CUDA container unpacks to as much again: pods are evicted for disk pressure at the first pull, on nodes that bill.
Fix: Set diskSize: 200 on the group, or volumeSize in the template's blockDeviceMappings.
References: EKS User Guide, create a managed node group, disk size; awslabs/data-on-eks, node groups for GPUs
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_kubernetes import GroupOfNodes, node_groups
from ...aws_user_data import is_late, script
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, late, number, plain

CODE = described("GI3305", "default-disk-under-gpu-image", Severity.WARNING, __doc__, ("AWS CMP-07",))
_GIVEN_GIB, _ROOMY_GIB = 20, 50
_ABSENT = "absent"
_MAPPINGS = "blockDeviceMappings"
_ON_NVME = ("localStorage", "ephemeral-storage", "nvme")
"""Words of a boot script that lays containers on the local disks."""


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group. The disk of an image of one's own is as large as that image says."""
    for group in node_groups(ctx.aws):
        name = group.resource.name
        if not any(f.has_gpu for f in group.facts):
            continue
        path, size, unknown = _size(group)
        known = _GIVEN_GIB if size == _ABSENT else number(size)
        if unknown or late(size):
            yield Undecided(CODE.code, name, "the size of the disk is not known yet")
        elif known is not None and known < _ROOMY_GIB:
            said = f"absent, which means {_GIVEN_GIB} GiB" if size == _ABSENT else f"{known:g} GiB"
            yield CODE.at(
                path, f"the disk of nodes of {group.types[0]} is {said}: one CUDA container fills it", resource=name
            )


def _size(group: GroupOfNodes) -> tuple[str, Any, bool]:
    """(place, GiB, whether it is not known yet) of the disk that containers lie on; no size where that is not shown."""
    r, template = group.resource, group.nodes.template if group.nodes is not None else None
    if template is None:
        shown = r.get("launchTemplate") is None
        size = r.get("diskSize")
        return f"{r.name}.diskSize", (_ABSENT if size is None else size) if shown else None, False
    data = template.get("userData")
    if isinstance(data, str) and any(w in script(data) for w in _ON_NVME):
        return "", None, False
    mappings = template.get(_MAPPINGS)
    listed = entries(mappings)
    if template.get("imageId") is not None and not listed:
        return "", None, False
    sizes = [template.get(_MAPPINGS, n, "ebs", "volumeSize") for n in range(len(listed))]
    unknown = late(mappings) or is_late(data) or any(late(plain(s)) for s in sizes)
    if not listed:
        return f"{template.name}.{_MAPPINGS}", _ABSENT, unknown
    known = [s for s in sizes if number(s) is not None]
    return f"{template.name}.{_MAPPINGS}", max(known, key=lambda s: number(s) or 0, default=None), unknown


_T = "- {{type: aws.eks.NodeGroup, name: pool, inputs: {{instanceTypes: [{0}], diskSize: {1}}}}}\n"
_LT = """\
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: g6.12xlarge, blockDeviceMappings: {0}}}}}
- {{type: aws.eks.NodeGroup, name: pool, inputs: {{launchTemplate: {{id: !ref nodes.id }}}}}}
"""
_DISK = "[{{deviceName: /dev/xvda, ebs: {{volumeSize: {0}}}}}]"

RULE = ResourceRule(
    CODE,
    ("kubernetes", "storage"),
    check,
    Examples(
        (_T.format("g5.xlarge", 200), _T.format("m5.large", "null"), _LT.format(_DISK.format(200))),
        (_T.format("g5.xlarge", "null"), _T.format("g5.xlarge", 20), _LT.format(_DISK.format(30)), _LT.format("null")),
        (_T.format("g5.xlarge", "!unknown "),),
    ),
    providers=(Provider.AWS,),
)
